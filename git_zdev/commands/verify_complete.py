"""Compare once more, then complete the task.

Nothing is written unless the repository is exactly as the snapshot says.
Nothing is staged or committed: those remain separate steps. The caller vouches
that a verifier passed the work; this command proves that nothing moved since.
"""

from __future__ import annotations

from git_zdev.commands.shared import blocks, snapshots
from git_zdev.commands.shared.arguments import AREA, COMPLETION, SNAPSHOT
from git_zdev.ground.errors import ZdevError
from git_zdev.screen.result import Result, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session

ARGUMENTS = (AREA, SNAPSHOT, *COMPLETION)


def run(
    session: Session, *, area: str, snapshot: str, summary: str, validation: list[str]
) -> Result:
    """Complete the task that the snapshot selected."""
    from git_zdev.commands.task_done import complete, said
    from git_zdev.handoff import replies as verify

    stored = snapshots.load_admitted(session, area, snapshot)
    task_id = verify.require_work(stored.document)
    with session.writing() as writing:
        changed = snapshots.changed_since(session, stored, writing.source)
        if changed:
            raise ZdevError(
                "state-changed",
                f"the repository no longer matches {snapshot}: {', '.join(changed)} moved",
                snapshots.verify_again(area),
                details={"changed": changed},
            )
        document = complete(
            session, writing, area=area, task=task_id, summary=summary, validation=validation
        )
    document = dict(sorted({**document, "snapshot": snapshot}.items()))
    return Result(document, sentence(said(document)), notes=blocks.advisory_notes(document))
