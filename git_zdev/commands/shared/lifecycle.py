"""Closing and reopening an area: shared by `area close` and `area reopen`."""

from __future__ import annotations

from git_zdev.branch.gate import judge, pass_gate
from git_zdev.plan.areas import load_area
from git_zdev.plan.changes.area import plan_lifecycle
from git_zdev.screen.result import Result, sentence, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.branch.safety import BranchStatus
    from git_zdev.commands.shared.session import Session
    from git_zdev.plan.records.model import Lifecycle


def change_lifecycle(session: Session, tag: str, lifecycle: Lifecycle) -> Result:
    """Close or reopen an area. Closing a closed area needs no safe branch."""
    with session.writing() as writing:
        records = load_area(writing.source, tag)
        stays_closed = records.area.lifecycle == lifecycle == "closed"

        def look() -> BranchStatus:
            judged = judge if stays_closed else pass_gate
            return judged(writing.source, records.area, session.repository)

        branch = look()
        plan = plan_lifecycle(records.area, lifecycle, tasks=records.tasks, source=writing.source)
        writing.publish(plan.change, look)
    changed = bool(plan.change.changes)
    document = sorted_document(
        advisory=branch.advisory,
        area=tag,
        branch_status=branch.as_document(),
        lifecycle=lifecycle,
        status=lifecycle if changed else "unchanged",
    )
    said = sentence(f"The area {tag} is {'now' if changed else 'already'} {lifecycle}.")
    return Result(document, said, notes=(branch.advisory,) if branch.advisory else ())
