"""Change a setting of the project.

Name and record are settled when the plan is made. The trunk, on which trunk
areas work, may only move to a branch that contains all of its commits, unless
--allow-divergent is given.
"""

from __future__ import annotations

from git_zdev.commands.shared.settings import TRUNK, add_allow_divergent, change_setting
from git_zdev.ground.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser

    from git_zdev.commands.shared.session import Session
    from git_zdev.screen.result import Result


def configure(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "key", metavar="KEY", help="project.default_area, project.trunk or project.guidance"
    )
    parser.add_argument("value", metavar="VALUE", help="the new value")
    add_allow_divergent(parser)


def run(session: Session, *, key: str, value: str, allow_divergent: bool) -> Result:
    """Set one key."""
    if allow_divergent and key != TRUNK:
        raise UsageError("--allow-divergent belongs to project.trunk")
    return change_setting(session, key, value, allow_divergent=allow_divergent)
