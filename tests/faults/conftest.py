"""Tells at the end how many points were made to fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


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
