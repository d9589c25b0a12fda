"""Change a setting of the project.

Name and record are fixed when the plan is made. The trunk, on which trunk
areas work, may only move to a branch that contains all of its commits, unless
--allow-divergent is given.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import ALLOW_DIVERGENT, SETTING, argument
from git_zdev.commands.shared.settings import TRUNK, change_setting
from git_zdev.ground.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session
    from git_zdev.screen.result import Result

ARGUMENTS = (
    SETTING,
    argument("VALUE", "the new value", completer="setting_values"),
    ALLOW_DIVERGENT,
)


def run(session: Session, *, key: str, value: str, allow_divergent: bool) -> Result:
    """Set one key."""
    if allow_divergent and key != TRUNK:
        raise UsageError("--allow-divergent belongs to project.trunk")
    return change_setting(session, key, value, allow_divergent=allow_divergent)
