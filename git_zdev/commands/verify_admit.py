"""Store a fresh snapshot before a verifier is called, and print its locator.

The area must be open and have ready work. The verifier needs nothing but this
output: it loads the context itself with
`git zdev work-context AREA --show SNAPSHOT`.
"""

from __future__ import annotations

from git_zdev.commands.shared import snapshots
from git_zdev.commands.shared.arguments import AREA, BYTES, OWN_TASK
from git_zdev.screen.result import Fields, Result, Words, line, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session

ARGUMENTS = (AREA, OWN_TASK, BYTES)


def run(session: Session, *, area: str, task: str | None, bytes: bool) -> Result:  # noqa: A002
    """Store it."""
    from git_zdev.handoff import replies as verify

    document = snapshots.collect(session, area, task, as_bytes=bytes)
    task_id = verify.require_work(document)
    stored = snapshots.keep(session, document)
    locator = sorted_document(
        area=area,
        head=document["head"],
        snapshot=stored.id,
        stale_advisory=document["stale_advisory"],
        task_id=task_id,
    )
    shown = (
        line("Admitted ", Words(task_id, "id"), " to verification."),
        Fields((("Snapshot", Words(stored.id, "id")), ("HEAD", Words(document["head"])))),
    )
    return Result(locator, lambda: shown)
