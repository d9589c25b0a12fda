"""Print the project's trunk, or make another branch the trunk.

While trunk areas work on it, the new trunk must contain every commit of the
old one, unless --allow-divergent is given. Branches themselves are not
touched.
"""

from __future__ import annotations

from git_zdev.commands import config_get
from git_zdev.commands.shared.settings import TRUNK, add_allow_divergent, change_setting
from git_zdev.ground.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser

    from git_zdev.commands.shared.session import Session
    from git_zdev.screen.result import Result


def configure(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("branch", nargs="?", metavar="BRANCH", help="the new trunk")
    add_allow_divergent(parser)


def run(session: Session, *, branch: str | None, allow_divergent: bool) -> Result:
    """Get or set the trunk."""
    if branch is not None:
        return change_setting(session, TRUNK, branch, allow_divergent=allow_divergent)
    if allow_divergent:
        raise UsageError("--allow-divergent needs a branch")
    return config_get.run(session, key=TRUNK)
