"""Small commands against the start of Python itself, which no command can undercut.

The plan is in a work tree of N files, as for a pre-commit hook: ``check --staged`` reads the index,
the other commands read the files of the plan. A shell's request at a press of the tab key is
compared with ``goal``. What the imports cost shows what holds a command back.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from benchmarks import imports
from benchmarks.evidence import build, environment
from benchmarks.measure import PROGRAM, Candidate, Group, side_by_side

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

COMPLETION_GOAL = 1.0
"""The multiple of ``goal`` that a completion may cost."""

COMMANDS = {
    "check --staged": 3.0,
    "--version": 1.15,
    "goal bench": 1.4,
    "check": 3.0,
    "next bench": 2.0,
}
"""Small commands, and the target multiple of Python's start for each."""

COMPLETIONS = {
    "words": ("tasks", ""),
    "options": ("task", "done", "bench", "--"),
    "areas": ("goal", ""),
    "ready tasks": ("task", "done", "bench", ""),
    "task ids": ("task", "show", "bench", ""),
    "snapshots": ("work-context", "bench", "--show", ""),
    "reviews": ("tasks", "import", "bench", "--reviewed", ""),
}
"""Completions, and the words after ``git zdev`` that request them."""

TASKS = 20
"""The number of tasks in the plan that every commit checks."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument(
        "--sizes", type=int, nargs="*", default=[20, 20_000], help="numbers of files"
    )


def measure(scratch: Path, options: argparse.Namespace) -> list[Group]:
    """Measure each size."""
    env = environment(scratch)
    groups = []
    for files in options.sizes:
        root = build(scratch / f"files-{files}", files, env=env)
        _more_tasks(root, env)
        _run(root, env, "work-context", "bench", "--store")
        title = f"{files:,} files"
        python = Candidate("python -c pass", (sys.executable, "-c", "pass"))
        commands = [
            Candidate(f"git-zdev {words}", (*PROGRAM, *words.split()), goal=goal)
            for words, goal in COMMANDS.items()
        ]
        completions = (
            _candidate(f"complete {what}", "__complete", *words)
            for what, words in COMPLETIONS.items()
        )
        goal = _candidate("git-zdev goal bench", "goal", "bench")
        for name, candidates, limit in (
            (title, [python, *commands], None),
            (f"{title}, completion", [goal, *completions], COMPLETION_GOAL),
        ):
            groups.append(
                side_by_side(name, candidates, cwd=root, env=env, runs=options.runs, goal=limit)
            )
        imports.show([python, *commands], cwd=root, env=env, runs=options.runs)
    return groups


def _candidate(name: str, *words: str) -> Candidate:
    return Candidate(name, (*PROGRAM, *words))


def _run(root: Path, env: dict[str, str], *words: str, stdin: bytes = b"") -> None:
    """Run a command that prepares the measurement."""
    subprocess.run(
        [*PROGRAM, *words],
        cwd=root,
        env=env,
        input=stdin,
        stdout=subprocess.DEVNULL,
        check=True,
    )


def _more_tasks(root: Path, env: dict[str, str]) -> None:
    """Add a chain of tasks and a review to the plan, and stage them."""
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
    for words in (("tasks", "review"), ("tasks", "import")):
        _run(root, env, *words, "bench", "--from", "-", stdin=bundle.encode())
    subprocess.run(["git", "add", ".zdev"], cwd=root, env=env, check=True)
