"""Add the tasks of a bundle to an area: all of them, or none.

--from takes a bundle as it is; with --approval, only if its fingerprint or the
current review is the approved one. --reviewed imports the bundle of a stored
review. A bundle with text that a reader would not see must be reviewed or
approved. --commit commits exactly the imported tasks and, the first time, the
files that they rest on. Other staged or changed files outside of the area stay
as they are.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import AREA, flag, input_or_review, option
from git_zdev.commands.shared.blocks import change_id_words
from git_zdev.ground.errors import UsageError
from git_zdev.ground.text import counted
from git_zdev.screen.result import Fields, Result, Words, line, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from git_zdev.commands.shared.session import Session
    from git_zdev.plan.changes.task_import import Import
    from git_zdev.screen.result import Block

ARGUMENTS = (
    AREA,
    input_or_review("bundle", "reviews"),
    option(
        "--approval",
        "FINGERPRINT",
        "with --from: refuse another bundle than the one with this fingerprint or review id",
    ),
    flag("--commit", "commit the import"),
)


def run(
    session: Session,
    *,
    area: str,
    source: str | None,
    reviewed: str | None,
    approval: str | None,
    commit: bool,
) -> Result:
    """Import the tasks."""
    if approval is not None and source is None:
        raise UsageError("--approval belongs to --from; --reviewed needs none")
    from git_zdev.commands.shared.importing import import_tasks

    plan, published, extra = import_tasks(
        session, area, source=source, reviewed=reviewed, approval=approval, commit=commit
    )
    document = sorted_document(area=area, ready=list(plan.ready), tasks=list(plan.tasks), **extra)
    return Result(document, lambda: _show(area, plan, extra), notes=published.report)


def _show(area: str, plan: Import, extra: dict[str, Any]) -> list[Block]:
    count = counted(len(plan.tasks), "task")
    rows = [("Tasks", Words(", ".join(plan.tasks))), ("Ready", Words(", ".join(plan.ready)))]
    if "commit" in extra:
        rows.append(("Commit", Words(extra["commit"], "id")))
        rows.append(("Change id", change_id_words(extra["change_id"])))
    return [line(f"Added {count} to {area}."), Fields(tuple(rows))]
