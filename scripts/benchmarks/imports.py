"""What the modules of one command cost, by where they come from.

Python itself reports the time of every import (``-X importtime``). That slows each import a little,
so the figures say where a command's time goes and not how long it takes.
"""

from __future__ import annotations

import statistics
import subprocess
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from benchmarks.measure import Candidate

KINDS = {"git_zdev": "git-zdev", "pygit2": "libgit2", "_cffi_backend": "libgit2"}
"""First part of a module's name to what it belongs to; the rest is the standard library's."""
STANDARD = "standard library"


def show(candidates: Sequence[Candidate], *, cwd: Path, env: Mapping[str, str], runs: int) -> None:
    """Print for each command the milliseconds and the number of modules of each kind.

    Args:
        candidates: Command lines that begin with a Python.
        cwd: Their current directory.
        env: Their environment.
        runs: How often each of them runs; the medians are shown.
    """
    kinds = (STANDARD, "libgit2", "git-zdev")
    print(f"\n{'imports':26}", *(f"{kind:>20}" for kind in kinds))
    for candidate in candidates:
        reports = [_report(candidate.argv, cwd, env) for _ in range(runs)]
        cells = []
        for kind in kinds:
            milliseconds = statistics.median(times[kind] for times, _ in reports) / 1e3
            cells.append(f"{milliseconds:6.1f}ms {reports[0][1][kind]:3} modules")
        print(f"  {candidate.name:24}", *(f"{cell:>20}" for cell in cells), flush=True)


def _report(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str]
) -> tuple[Counter[str], Counter[str]]:
    """Microseconds and numbers of the modules that one run imports, by kind."""
    python, *words = argv
    ended = subprocess.run(
        [python, "-X", "importtime", *words],
        cwd=cwd,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    )
    times: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    for line in ended.stderr.splitlines():
        own, bar, rest = line.removeprefix("import time:").partition("|")
        if bar and own.strip().isdigit():
            name = rest.partition("|")[2].strip()
            kind = KINDS.get(name.partition(".")[0], STANDARD)
            times[kind] += int(own)
            modules[kind] += 1
    return times, modules
