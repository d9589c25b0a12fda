"""Whole-process measurements: interleaved runs, medians, ratios, peak memory."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import resource
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

PROGRAM = (sys.executable, "-c", "from git_zdev.cli.main import entry; entry()")
"""Starts like the installed ``git-zdev``; ``python -m`` takes milliseconds to find the module."""


@dataclass(frozen=True)
class Candidate:
    """A command line to measure.

    Attributes:
        name: Its name in the table.
        argv: The command line, run with standard output discarded.
        prepare: Called unmeasured before every run, for commands that change their input.
        goal: Its target ratio; None for that of its group.
    """

    name: str
    argv: Sequence[str]
    prepare: Callable[[], None] = lambda: None
    goal: float | None = None


@dataclass
class Figures:
    """The measurements of one candidate with its child processes, in seconds and bytes."""

    name: str
    goal: float | None = None
    seconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    peak: int = 0

    @property
    def median(self) -> float:
        """The median of the whole-process times, in seconds."""
        return statistics.median(self.seconds)


@dataclass
class Group:
    """Candidates that were measured side by side; the first one is the reference.

    Attributes:
        title: What was measured.
        figures: One for each candidate, in order.
        goal: The target ratio of candidates without their own.
    """

    title: str
    figures: list[Figures]
    goal: float | None = None

    def ratio(self, figures: Figures) -> float:
        """The median as a multiple of the reference's."""
        return figures.median / self.figures[0].median

    def processor_ratio(self, figures: Figures) -> float:
        """The same for processor time, which other programs on the machine disturb less."""
        reference = statistics.median(self.figures[0].processor)
        return statistics.median(figures.processor) / reference

    def as_document(self) -> dict[str, Any]:
        """All measurements as JSON values."""
        return {
            "title": self.title,
            "goal": self.goal,
            "candidates": [
                {
                    "name": one.name,
                    "median_ms": round(one.median * 1e3, 2),
                    "least_ms": round(min(one.seconds) * 1e3, 2),
                    "ratio": round(self.ratio(one), 3),
                    "goal": one.goal,
                    "processor_ms": round(statistics.median(one.processor) * 1e3, 2),
                    "processor_ratio": round(self.processor_ratio(one), 3),
                    "peak_mb": round(one.peak / 1e6, 1),
                    "runs": len(one.seconds),
                }
                for one in self.figures
            ],
        }

    def show(self) -> None:
        """Print the group as a table."""
        goal = "" if self.goal is None else f" (goal: at most {self.goal:.2f})"
        print(f"\n{self.title}{goal}")
        heads = (f"{'median':>10}", f"{'least':>10}", f"{'ratio':>6}", f"{'goal':>5}")
        print(f"  {'':24}", *heads, f"{'processor':>10}", f"{'ratio':>6}", f"{'peak':>8}")
        for one in self.figures:
            times = (one.median, min(one.seconds), statistics.median(one.processor))
            whole, least, processor = (f"{seconds * 1e3:8.1f}ms" for seconds in times)
            own = f"{one.goal:5.2f}" if one.goal else " " * 5
            print(
                f"  {one.name:24} {whole} {least} {self.ratio(one):6.2f} {own} {processor} "
                f"{self.processor_ratio(one):6.2f} {one.peak / 1e6:6.1f}MB",
                flush=True,
            )


def side_by_side(
    title: str,
    candidates: Sequence[Candidate],
    *,
    cwd: Path,
    env: Mapping[str, str],
    runs: int,
    goal: float | None = None,
) -> Group:
    """Measure candidates in turns, after one unmeasured turn that warms the cache."""
    figures = [Figures(candidate.name, candidate.goal) for candidate in candidates]
    for turn in range(runs + 1):
        for candidate, measured in zip(candidates, figures, strict=True):
            candidate.prepare()
            seconds, usage = _once(candidate.argv, cwd, env)
            if turn:
                measured.seconds.append(seconds)
                measured.processor.append(usage.ru_utime + usage.ru_stime)
                unit = 1 if os.uname().sysname == "Darwin" else 1024
                measured.peak = max(measured.peak, usage.ru_maxrss * unit)
    group = Group(title, figures, goal)
    group.show()
    return group


def _once(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str]
) -> tuple[float, resource.struct_rusage]:
    """Seconds and usage of one process with its children; a failure ends the script."""
    start = time.perf_counter()
    process = subprocess.Popen(argv, cwd=cwd, env=env, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{argv} failed with status {process.returncode}")
    return seconds, usage
