"""Complete a task: check its conditions, write down its result, update TASKS.md.

The area's branch must be safe to work on, and nothing may block the task. A
task that is already done stays as it is.
"""

from __future__ import annotations

from git_zdev.commands.shared import blocks
from git_zdev.commands.shared.arguments import AREA, COMPLETION, task_named
from git_zdev.plan.areas import load_area
from git_zdev.screen.result import Result, sentence, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from git_zdev.branch.safety import BranchStatus
    from git_zdev.commands.shared.session import Session, Writing

ARGUMENTS = (AREA, task_named("ready_tasks"), *COMPLETION)


def run(session: Session, *, area: str, task: str, summary: str, validation: list[str]) -> Result:
    """Complete the task."""
    with session.writing() as writing:
        document = complete(
            session, writing, area=area, task=task, summary=summary, validation=validation
        )
    return Result(document, sentence(said(document)), notes=blocks.advisory_notes(document))


def complete(
    session: Session, writing: Writing, *, area: str, task: str, summary: str, validation: list[str]
) -> dict[str, Any]:
    """Complete a task under the state lock; return the result document."""
    from git_zdev.branch.gate import judge, pass_gate
    from git_zdev.plan.changes.task import plan_done

    records = load_area(writing.source, area)
    found = records.find(task)

    def look() -> BranchStatus:
        judged = judge if records.area.lifecycle == "closed" else pass_gate
        return judged(writing.source, records.area, session.repository)

    branch = look()
    change = plan_done(records, found, summary, validation)
    writing.publish(change, look)
    return sorted_document(
        advisory=branch.advisory,
        area=area,
        branch_status=branch.as_document(),
        status="done" if change.changes else "unchanged",
        task=task,
    )


def said(document: Mapping[str, Any]) -> str:
    """The result in one sentence."""
    task = document["task"]
    if document["status"] == "done":
        return f"{task} is done."
    return f"{task} was done already; nothing changed."
