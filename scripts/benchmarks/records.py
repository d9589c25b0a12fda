"""Reading plans of growing size: ``next``, ``check``, ``goal`` and ``tasks list``.

The reference is bare Python, to distinguish growth from start-up. If ``task-master`` (a task
tracker that runs on Node, from the npm package task-master-ai) is on PATH, or ``--peer`` names it,
its ``list`` is measured beside ``next`` on as many tasks.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from benchmarks.derive import plan
from benchmarks.evidence import environment
from benchmarks.measure import PROGRAM, Candidate, Group, side_by_side

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

PEER_GOAL = 0.25
PEER_SIZE = 1_000


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument(
        "--sizes", type=int, nargs="*", default=[100, 1_000, 10_000], help="numbers of tasks"
    )
    parser.add_argument(
        "--peer", metavar="PROGRAM", default=shutil.which("task-master"), help="task-master's path"
    )


def measure(scratch: Path, options: argparse.Namespace) -> list[Group]:
    """Measure every size, then the peer."""
    env = environment(scratch)
    bare = Candidate("bare python", (sys.executable, "-c", "pass"))
    groups = []
    for tasks in options.sizes:
        root = repository(scratch / f"tasks-{tasks}", tasks, env)
        own = [
            Candidate("next", (*PROGRAM, "next", "payments")),
            Candidate("check", (*PROGRAM, "check")),
            Candidate("goal", (*PROGRAM, "goal", "payments")),
            Candidate("tasks list", (*PROGRAM, "tasks", "list", "payments")),
        ]
        title = f"{tasks:,} tasks"
        groups.append(side_by_side(title, (bare, *own), cwd=root, env=env, runs=options.runs))
    if options.peer:
        groups.append(_against_peer(scratch, options, env))
    return groups


def _against_peer(scratch: Path, options: argparse.Namespace, env: dict[str, str]) -> Group:
    root = repository(scratch / "peer", PEER_SIZE, env)
    theirs = [{**PEER_TASK, "id": number, "title": f"Step {number}"} for number in range(1, 1_001)]
    folder = root / ".taskmaster" / "tasks"
    folder.mkdir(parents=True)
    document = {"master": {"tasks": theirs, "metadata": {}}}
    (folder / "tasks.json").write_text(json.dumps(document))
    peer = Candidate("task-master list", (options.peer, "list"))
    own = Candidate("next", (*PROGRAM, "next", "payments"))
    title = f"{PEER_SIZE:,} tasks beside a Node-based tracker"
    return side_by_side(title, (peer, own), cwd=root, env=env, runs=options.runs, goal=PEER_GOAL)


PEER_TASK = {
    "description": "Take the step.",
    "details": "",
    "testStrategy": "",
    "status": "pending",
    "dependencies": [],
    "priority": "medium",
    "subtasks": [],
}


def repository(root: Path, tasks: int, env: dict[str, str]) -> Path:
    """A repository whose plan has one area with that many tasks."""
    root.mkdir(parents=True)
    plan(root, tasks)
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Plan"]):
        subprocess.run(["git", *words], cwd=root, env=env, check=True)
    return root
