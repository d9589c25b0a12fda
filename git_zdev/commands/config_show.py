"""Show the project's settings and where each comes from."""

from __future__ import annotations

from git_zdev.plan.areas import load_project
from git_zdev.plan.changes.project import settings
from git_zdev.plan.records.model import CONFIG_PATH
from git_zdev.screen.result import Result, Table, Words, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session

ARGUMENTS = ()


def run(session: Session) -> Result:
    """List the settings that are set."""
    values = settings(load_project(session.records))
    document = sorted_document(
        values=[
            {"key": key, "origin": CONFIG_PATH, "value": value} for key, value in values.items()
        ]
    )
    rows = tuple(
        (Words(key, "id"), Words(value), Words(CONFIG_PATH, "muted"))
        for key, value in values.items()
    )
    return Result(document, lambda: [Table(("Key", "Value", "Origin"), rows)])
