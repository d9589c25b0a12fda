"""Storing and comparing against the plain capture, and large snapshots against ``json.loads``."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from benchmarks.derive import git
from benchmarks.evidence import build, environment
from benchmarks.measure import PROGRAM, Candidate, Group, side_by_side

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

CAPTURE = (*PROGRAM, "work-context", "bench", "--format", "json")
CAPTURE_GOAL = 1.05
LARGE_GOAL = 3.0
LINE = "one of very many lines that are all alike but for the number {number}\n"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--files", type=int, default=20_000, help="files of the capture (20,000)")
    parser.add_argument("--megabytes", type=int, default=50, help="size of the snapshot (50)")


def measure(scratch: Path, options: argparse.Namespace) -> list[Group]:
    """Measure both."""
    env = environment(scratch)
    return [*_beside_capture(scratch, options, env), *_large(scratch, options, env)]


def _beside_capture(scratch: Path, options: argparse.Namespace, env: dict[str, str]) -> list[Group]:
    root = build(scratch / "many", options.files, env=env, changed=50, untracked=50)
    snapshot = _store(root, env)
    stored = root / ".git" / "zdev" / "work-context"
    store = Candidate("--store", (*CAPTURE, "--store"), lambda: shutil.rmtree(stored))
    plain = Candidate("capture", CAPTURE)
    title = f"store at {options.files:,} files"
    groups = [
        side_by_side(title, (plain, store), cwd=root, env=env, runs=options.runs, goal=CAPTURE_GOAL)
    ]
    _store(root, env)
    compare = Candidate("--compare", (*CAPTURE, "--compare", snapshot))
    title = f"compare at {options.files:,} files"
    groups.append(
        side_by_side(
            title, (plain, compare), cwd=root, env=env, runs=options.runs, goal=CAPTURE_GOAL
        )
    )
    return groups


def _large(scratch: Path, options: argparse.Namespace, env: dict[str, str]) -> list[Group]:
    root = build(scratch / "large", 10, env=env, changed=0, untracked=0)
    large = root / "large.txt"
    large.write_text("".join(LINE.format(number=number) for number in range(20)))
    git(root, env, "add", "large.txt")
    git(root, env, "commit", "-q", "-m", "Large", "large.txt")
    lines = options.megabytes * 1_000_000 // len(LINE)
    large.write_text("".join(LINE.format(number=number) for number in range(lines)))
    snapshot = _store(root, env)
    path = root / f".git/zdev/work-context/bench/{snapshot}.json"
    git(root, env, "checkout", "-q", "large.txt")
    code = "import json, sys; json.loads(open(sys.argv[1], 'rb').read())"
    loads = Candidate("json.loads", (sys.executable, "-c", code, str(path)))
    show = Candidate("--show", (*CAPTURE, "--show", snapshot))
    compare = Candidate("--compare", (*CAPTURE, "--compare", snapshot))
    title = f"a snapshot of {path.stat().st_size / 1e6:.0f} MB"
    return [
        side_by_side(
            title, (loads, show, compare), cwd=root, env=env, runs=options.runs, goal=LARGE_GOAL
        )
    ]


def _store(root: Path, env: dict[str, str]) -> str:
    command = (*CAPTURE, "--store")
    done = subprocess.run(command, cwd=root, env=env, check=True, capture_output=True)
    snapshot: str = json.loads(done.stdout)["snapshot"]
    return snapshot
