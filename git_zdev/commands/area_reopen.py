"""Reopen a closed area.

The area's branch must be checked out and safe to work on.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import AREA
from git_zdev.commands.shared.lifecycle import change_lifecycle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session
    from git_zdev.screen.result import Result

ARGUMENTS = (AREA,)


def run(session: Session, *, area: str) -> Result:
    """Reopen the area."""
    return change_lifecycle(session, area, "open")
