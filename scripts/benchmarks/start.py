"""Small commands against the start of Python itself, which is the floor of every one of them.

The plan stands in a work tree of N files, as a pre-commit hook finds it: ``check --staged`` looks
at the index, the other commands at the files of the plan. What a shell asks for at a press of the
tab key is held against ``goal``. What the imports cost says what holds a command back.
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
"""Small commands, and the multiple of Python's start that each is meant to cost."""

COMPLETIONS = {
    "words": ("tasks", ""),
    "options": ("task", "done", "bench", "--"),
    "areas": ("goal", ""),
    "ready tasks": ("task", "done", "bench", ""),
    "task ids": ("task", "show", "bench", ""),
    "snapshots": ("work-context", "bench", "--show", ""),
    "reviews": ("tasks", "import", "bench", "--reviewed", ""),
}
"""What is completed, and the words after ``git zdev`` that ask for it."""

TASKS = 20
"""Tasks of the plan that every commit is checked for."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """What this benchmark can be told."""
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
    """Run a command that prepares what is measured."""
    subprocess.run(
        [*PROGRAM, *words],
        cwd=root,
        env=env,
        input=stdin,
        stdout=subprocess.DEVNULL,
        check=True,
    )


def _more_tasks(root: Path, env: dict[str, str]) -> None:
    """Let the plan have a chain of tasks and a review, and stage them."""
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
