"""Reopen a closed area.

The area's branch must be checked out and safe to work on.
"""

from __future__ import annotations

from git_zdev.commands.arguments import add_area
from git_zdev.commands.lifecycle import change_lifecycle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser

    from git_zdev.result import Result
    from git_zdev.session import Session


def configure(parser: ArgumentParser) -> None:
    """Add the arguments."""
    add_area(parser)


def run(session: Session, *, area: str) -> Result:
    """Reopen the area."""
    return change_lifecycle(session, area, "open")
