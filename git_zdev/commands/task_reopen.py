"""Reopen a done task; its result moves to the task's history.

Refused while done tasks depend on it, and in a closed area.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import AREA, task_named
from git_zdev.plan.areas import load_area
from git_zdev.screen.result import Result, sentence, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session

ARGUMENTS = (AREA, task_named("done_tasks"))


def run(session: Session, *, area: str, task: str) -> Result:
    """Reopen the task."""
    from git_zdev.plan.changes.task import plan_reopen

    with session.writing() as writing:
        records = load_area(writing.source, area)
        change = plan_reopen(records, records.find(task))
        writing.publish(change)
    status = "open" if change.changes else "unchanged"
    document = sorted_document(area=area, status=status, task=task)
    said = f"Reopened {task}." if change.changes else f"{task} is open; nothing changed."
    return Result(document, sentence(said))
