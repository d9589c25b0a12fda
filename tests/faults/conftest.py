"""Which points are made to fail, and how many they were in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence


class Sample(Protocol):
    """Chooses among the points of a test."""

    def __call__(self, count: int, *, every: int) -> Sequence[int]:
        """Numbers from 1 to ``count``: each ``every``-th, all of them with ``--all-points``.

        The first and the last belong to it.
        """


@pytest.fixture
def sample(request: pytest.FixtureRequest) -> Sample:
    """How this run samples: the same points each time, and all of them where that is asked for."""
    everything = request.config.getoption("--all-points")

    def choose(count: int, *, every: int) -> Sequence[int]:
        step = 1 if everything else every
        return sorted({*range(1, count + 1, step), count})

    return choose


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the number of points of each test, and of all."""
    counted = [
        (report.nodeid, value)
        for report in terminalreporter.getreports("passed")
        for name, value in report.user_properties
        if name == "points"
    ]
    if counted:
        terminalreporter.write_sep("-", "points made to fail")
        for test, value in counted:
            terminalreporter.write_line(f"{value:5d}  {test}")
        terminalreporter.write_line(f"{sum(value for _, value in counted):5d}  in all")
