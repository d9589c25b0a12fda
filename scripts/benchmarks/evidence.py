"""``work-context`` against the git commands that it replaces.

A synthetic work tree of N files has one file in a hundred edited, as many staged, and as many
untracked. The reference is one shell that runs the four commands and ``git hash-object`` on the
untracked files; for the smallest work tree, a Python that starts the four commands in turn, and one
that starts every Git process that an implementation on top of Git would need.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import PROGRAM, Candidate, Group, side_by_side

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

CHECKOUT = Path(__file__).resolve().parent.parent.parent

COMMANDS = (
    ("rev-parse", "HEAD"),
    ("status", "--short", "--untracked-files=all"),
    ("diff", "--cached"),
    ("diff",),
)
_HASH = "git ls-files -z --others --exclude-standard | xargs -0 -r git hash-object --no-filters --"
SHELL = "; ".join(" ".join(("git", *command)) for command in COMMANDS) + f"; {_HASH}"
PYTHON = f"import subprocess\nfor c in {COMMANDS!r}: subprocess.run(['git', *c], check=True)"
OWN = (*PROGRAM, "work-context", "bench", "--format", "json")
BUNDLE = """{"schema_version": 1, "area": "bench", "tasks": [
  {"key": "t", "title": "T", "outcome": "O.", "done_when": ["D."]}]}"""
PLAN = """
set -e
{zdev} init --record project
git switch -q -c bench
{zdev} area create bench --title B --objective O --branch bench
{zdev} tasks import bench --from -
git add -A
git commit -q -m Plan
"""

EACH_QUESTION = (
    ("rev-parse", "--show-toplevel"),
    ("rev-parse", "--absolute-git-dir"),
    ("rev-parse", "--git-common-dir"),
    ("rev-parse", "--is-shallow-repository"),
    ("config", "--get-regexp", "^(core|zdev)[.]"),
    ("symbolic-ref", "-q", "HEAD"),
    ("rev-parse", "--verify", "refs/heads/bench"),
    ("rev-parse", "--verify", "refs/heads/main"),
    ("merge-base", "main", "bench"),
    ("merge-base", "--is-ancestor", "main", "bench"),
    ("rev-list", "--count", "--merges", "main..bench"),
    ("ls-files", "--stage", "--", ".zdev"),
    ("ls-files", "--others", "--exclude-standard", "-z"),
    *COMMANDS,
)
"""The area's branch, the plan and the evidence, read by 17 Git processes."""

ASKING = f"import subprocess\nfor c in {EACH_QUESTION!r}: subprocess.run(['git', *c], check=True)"

SIZES = {3: 0.85, 3_000: 1.3, 20_000: 0.9, 100_000: 0.75}
"""The target ratio for each number of files."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument(
        "--sizes", type=int, nargs="*", default=list(SIZES), help="numbers of files"
    )
    parser.add_argument("--growth", action="store_true", help="also show how the times grow")


def measure(scratch: Path, options: argparse.Namespace) -> list[Group]:
    """Measure each size, then each kind of growth."""
    env = environment(scratch)
    groups = []
    for files in options.sizes:
        root = build(scratch / f"files-{files}", files, env=env)
        groups.append(_against_git(f"{files:,} files", root, env, options.runs, SIZES.get(files)))
        if files < 1_000:
            asking = Candidate("17 git, from Python", (sys.executable, "-c", ASKING))
            own = Candidate("git-zdev work-context", OWN)
            title = f"{files:,} files, every question a process"
            pair = (asking, own)
            groups.append(side_by_side(title, pair, cwd=root, env=env, runs=options.runs, goal=1.0))
    if options.growth:
        for title, root in _growing(scratch, env):
            groups.append(_against_git(title, root, env, max(3, options.runs // 3)))
    return groups


def environment(scratch: Path) -> dict[str, str]:
    """The environment of every candidate: no configuration, and no cached answers from outside."""
    home = scratch / "home"
    home.mkdir(exist_ok=True)
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return kept | {
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": str(CHECKOUT),
        "PYTHONSAFEPATH": "1",
        **{
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "B"), ("EMAIL", "b@example.org"))
        },
    }


def _against_git(
    title: str, root: Path, env: dict[str, str], runs: int, goal: float | None = None
) -> Group:
    reference = Candidate("git, one shell", ("sh", "-c", SHELL))
    if title.startswith("3 "):
        reference = Candidate("git, started by Python", (sys.executable, "-c", PYTHON))
    own = Candidate("git-zdev work-context", OWN)
    return side_by_side(title, (reference, own), cwd=root, env=env, runs=runs, goal=goal)


def build(
    root: Path,
    files: int,
    *,
    env: dict[str, str],
    changed: int | None = None,
    untracked: int | None = None,
    untracked_bytes: int = 400,
) -> Path:
    """A packed work tree with ``files`` tracked files; a hundredth changed each way by default."""
    some = max(1, files // 100)
    changed = some if changed is None else changed
    untracked = some if untracked is None else untracked
    root.mkdir()
    _git(root, env, "init", "-q", "--template=", "-b", "main")
    names = [f"d{n // 100:04}/file{n:06}.txt" for n in range(files)]
    for n, name in enumerate(names):
        if n % 100 == 0:
            (root / name).parent.mkdir()
        _write(root / name, _text(n))
    _git(root, env, "add", "-A")
    _git(root, env, "commit", "-q", "-m", "Base")
    plan = PLAN.format(zdev=shlex.join(PROGRAM))
    subprocess.run(
        ["sh", "-c", plan], cwd=root, env=env, check=True, input=BUNDLE, text=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    _git(root, env, "repack", "-q", "-a", "-d")
    chosen = range(0, files, files // changed) if changed else ()
    for n in chosen:
        _write(root / names[n], _text(n) + "staged\n")
    _git(root, env, "add", "-A")
    for n in chosen:
        _write(root / names[n], "edited\n" + _text(n) + "staged\n")
    for n in range(untracked):
        (root / f"d{n % max(1, files // 100):04}" / f"new{n}.txt").write_bytes(
            b"%d" % n + b"x" * untracked_bytes
        )
    return root


def _write(path: Path, text: str) -> None:
    """Write a file with times in the past, so that its index entry is never racy."""
    path.write_text(text)
    os.utime(path, (1_700_000_000, 1_700_000_000))


def _text(n: int) -> str:
    return "".join(f"line {k} of file {n}\n" for k in range(20))


def _git(root: Path, env: dict[str, str], *arguments: str) -> None:
    subprocess.run(["git", "-c", "gc.auto=0", *arguments], cwd=root, env=env, check=True)


def _growing(scratch: Path, env: dict[str, str]) -> Iterator[tuple[str, Path]]:
    for changed in (0, 100, 1_000, 3_000):
        root = scratch / f"changed-{changed}"
        yield f"3,000 files, {changed:,} changed", build(root, 3_000, env=env, changed=changed)
    for count in (10, 1_000, 10_000):
        root = scratch / f"untracked-{count}"
        yield f"3,000 files, {count:,} untracked", build(root, 3_000, env=env, untracked=count)
    for size in (10_000, 1_000_000, 10_000_000):
        root = scratch / f"bytes-{size}"
        built = build(root, 100, env=env, untracked=20, untracked_bytes=size)
        yield f"20 untracked files of {size / 1e6:g} MB", built
    root = build(scratch / "gigabyte", 100, env=env)
    with (root / "huge").open("wb") as file:
        for _ in range(1_000):
            file.write(os.urandom(1_000_000))
    yield "one untracked file of 1 GB", root
