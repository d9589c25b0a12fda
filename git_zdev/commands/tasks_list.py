"""List an area's tasks in the order of their ids.

With -z only their files are printed, each ended by a NUL, as `xargs -0` reads
them.
"""

from __future__ import annotations

from git_zdev.commands.shared import blocks
from git_zdev.commands.shared.arguments import AREA, flag, option
from git_zdev.context import projections as context
from git_zdev.plan.areas import load_area
from git_zdev.screen.result import Result, line, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from git_zdev.commands.shared.session import Session
    from git_zdev.screen.result import Block

ARGUMENTS = (
    AREA,
    option("--state", "", "only the tasks in this state", choices=("ready", "blocked", "done")),
    flag("-z", "as text, only files, each ended by a NUL", name="null"),
)


def run(session: Session, *, area: str, state: str | None, null: bool) -> Result:
    """List the tasks."""
    records = load_area(session.records, area)
    views = [
        context.task_view(records, task)
        for task in records.tasks
        if state in (None, records.graph.states[task.id])
    ]
    document = sorted_document(area=area, tasks=views)
    paths = b"".join(f"{view['path']}\0".encode() for view in views)
    forms = {"text": lambda: paths} if null else {}
    return Result(document, lambda: _show(area, state, views), forms=forms)


def _show(area: str, state: str | None, views: list[dict[str, Any]]) -> list[Block]:
    if views:
        return [blocks.task_table(views)]
    return [line(f"The area {area} has no {f'{state} ' if state else ''}tasks.")]
