"""Print the project's trunk, or make another branch the trunk.

While trunk areas work on it, the new trunk must contain every commit of the
old one, unless --allow-divergent is given. Branches themselves are not
touched.
"""

from __future__ import annotations

from git_zdev.commands import config_get
from git_zdev.commands.shared.arguments import ALLOW_DIVERGENT, BRANCHES, argument
from git_zdev.commands.shared.settings import TRUNK, change_setting
from git_zdev.ground.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session
    from git_zdev.screen.result import Result

ARGUMENTS = (
    argument("BRANCH", "the new trunk", count="?", completer=BRANCHES),
    ALLOW_DIVERGENT,
)


def run(session: Session, *, branch: str | None, allow_divergent: bool) -> Result:
    """Print or change the trunk."""
    if branch is not None:
        return change_setting(session, TRUNK, branch, allow_divergent=allow_divergent)
    if allow_divergent:
        raise UsageError("--allow-divergent needs a branch")
    return config_get.run(session, key=TRUNK)
