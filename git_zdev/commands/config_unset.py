"""Remove a setting of the project.

Name and record are always there. The trunk stays while trunk areas work on it.
"""

from __future__ import annotations

from git_zdev.commands.shared.settings import change_setting

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


def run(session: Session, *, key: str) -> Result:
    """Remove one key."""
    return change_setting(session, key, None)
