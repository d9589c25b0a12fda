"""Small commands against the start of Python itself, which is the floor of every one of them.

The plan stands in a work tree of N files, as a pre-commit hook finds it: ``check --staged`` looks
at the index, the other commands at the files of the plan.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from benchmarks.evidence import build, environment
from benchmarks.measure import Candidate, Group, side_by_side

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

HOOK_GOAL = 3.0
"""The multiple of Python's start that a hook may cost."""

START = "from git_zdev.cli.main import entry; entry()"
COMMANDS = ("check --staged", "--version", "goal bench", "check", "next bench")
TASKS = 20
"""Tasks of the plan that every commit is checked for."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """What this benchmark can be told."""
    parser.add_argument(
        "--sizes", type=int, nargs="*", default=[20, 20_000], help="numbers of files"
    )


def measure(scratch: Path, options: argparse.Namespace) -> list[Group]:
    """Measure each size."""
    env = environment(scratch) | {"PYTHONSAFEPATH": "1"}
    groups = []
    for files in options.sizes:
        root = build(scratch / f"files-{files}", files, env=env)
        _more_tasks(root, env)
        candidates = [
            Candidate("python -c pass", (sys.executable, "-c", "pass")),
            *(
                Candidate(f"git-zdev {words}", (sys.executable, "-c", START, *words.split()))
                for words in COMMANDS
            ),
        ]
        title = f"{files:,} files"
        groups.append(
            side_by_side(title, candidates, cwd=root, env=env, runs=options.runs, goal=HOOK_GOAL)
        )
    return groups


def _more_tasks(root: Path, env: dict[str, str]) -> None:
    """Let the plan have a chain of tasks, and stage them."""
    drafts = [
        {
            "key": f"step-{number}",
            "title": f"Take step {number}",
            "outcome": "The step is taken.",
            "done_when": ["It is taken."],
            "blocked_by": [f"step-{number - 1}"] if number > 1 else [],
        }
        for number in range(1, TASKS)
    ]
    bundle = json.dumps({"schema_version": 1, "area": "bench", "tasks": drafts})
    words = ("tasks", "import", "bench", "--from", "-", "--format=json")
    subprocess.run(
        [sys.executable, "-c", START, *words],
        cwd=root,
        env=env,
        input=bundle.encode(),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    subprocess.run(["git", "add", ".zdev"], cwd=root, env=env, check=True)
