"""Print one setting of the project.

A setting that is not set is an error, so a script can distinguish it from an
empty value.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import argument
from git_zdev.plan.areas import load_project
from git_zdev.plan.changes.project import require_setting
from git_zdev.screen.result import Result, sentence, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session

ARGUMENTS = (argument("KEY", "such as project.trunk", completer="settings"),)


def run(session: Session, *, key: str) -> Result:
    """Look up one key."""
    value = require_setting(load_project(session.records), key)
    return Result(sorted_document(key=key, value=value), sentence(value))
