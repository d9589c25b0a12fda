"""Show one task: its fields, and the text of its file."""

from __future__ import annotations

from git_zdev.commands.shared import blocks
from git_zdev.commands.shared.arguments import AREA, task_named
from git_zdev.context import projections as context
from git_zdev.plan.areas import load_area
from git_zdev.screen.result import BLANK, Result, Source, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from git_zdev.commands.shared.session import Session
    from git_zdev.screen.result import Block

ARGUMENTS = (AREA, task_named("tasks"))


def run(session: Session, *, area: str, task: str) -> Result:
    """Show the task."""
    records = load_area(session.records, area)
    found = records.find(task)
    body = context.task_body(found)
    document = sorted_document(area=area, body=body, **context.task_view(records, found))
    return Result(document, lambda: _show(document))


def _show(document: dict[str, Any]) -> list[Block]:
    return [
        blocks.task_title(document),
        blocks.task_details(document),
        BLANK,
        Source(document["body"]),
    ]
