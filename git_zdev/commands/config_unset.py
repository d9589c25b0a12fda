"""Remove a setting of the project.

Name and record are always there. The trunk stays while trunk areas work on it.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import SETTING
from git_zdev.commands.shared.settings import change_setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session
    from git_zdev.screen.result import Result

ARGUMENTS = (SETTING,)


def run(session: Session, *, key: str) -> Result:
    """Remove one key."""
    return change_setting(session, key, None)
