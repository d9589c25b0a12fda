"""Print one setting of the project.

A setting that is not set is an error, so that a script can tell it from an
empty answer.
"""

from __future__ import annotations

from git_zdev.plan.areas import load_project
from git_zdev.plan.changes.project import demand_setting
from git_zdev.screen.result import Result, sentence, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser

    from git_zdev.commands.shared.session import Session


def configure(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("key", metavar="KEY", help="such as project.trunk")


def run(session: Session, *, key: str) -> Result:
    """Look one key up."""
    value = demand_setting(load_project(session.records), key)
    return Result(sorted_document(key=key, value=value), sentence(value))
