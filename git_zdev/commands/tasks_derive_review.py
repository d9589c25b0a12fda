"""Store a proposal of derived tasks, rendered for a person to read.

FILE holds the proposal as its worker gave it: one line `PROPOSE
zdev-derived AREA SOURCE-TASK` and one JSON object. What is malformed or does
not fit the area is refused and not stored. Whether the repository, as it is
now, would let it be applied is reported as `mechanically_eligible` with the
reason; whether it should be is for the coordinator to decide. A later review
of the area replaces the earlier one. --show presents the stored rendering.
Text that a reader would not see is shown by number there, and named with its
place.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import AREA, input_or_show
from git_zdev.commands.shared.inputs import read_input
from git_zdev.ground.text import counted
from git_zdev.screen.result import (
    Fields,
    Line,
    Markdown,
    RawResult,
    Result,
    Words,
    line,
    sorted_document,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from git_zdev.commands.shared.session import Session
    from git_zdev.derive.proposal import Proposal
    from git_zdev.derive.reviews import Review
    from git_zdev.screen.result import Block

ARGUMENTS = (AREA, input_or_show("proposal"))


def run(session: Session, *, area: str, source: str | None, show: bool) -> Result | RawResult:
    """Store a review, or show the current one."""
    if source is None or show:
        return _shown(session, area)
    from git_zdev.derive.current import Setting, examine
    from git_zdev.derive.plan import derive
    from git_zdev.derive.proposal import read_proposal
    from git_zdev.derive.review import reasons_of, render_review
    from git_zdev.derive.reviews import PROPOSALS, ReviewStore
    from git_zdev.ground import hidden_text
    from git_zdev.plan.areas import load_area

    proposal = read_proposal(read_input(session, source), area)
    with session.writing() as writing:
        derivation = derive(proposal, load_area(writing.source, area))
        setting = Setting(writing.source, session.repository, session.plan_root)
        found = examine(derivation, setting)
        reasons = reasons_of(found.obstacles)
        review = ReviewStore(session.location.git_dir, PROPOSALS, area).save(
            proposal.json,
            render_review(derivation, reasons, found.artifacts),
            created_head=session.repository.head().commit,
            extra={"source_task": proposal.source_task},
        )
    reason = "; ".join(reasons) or None
    hidden = list(hidden_text.in_document(proposal.document))
    document = sorted_document(
        area=area,
        coordinator_authority_required=True,
        mechanically_eligible=reason is None,
        path=review.path,
        proposal=proposal.kind,
        reason=reason,
        review=review.id,
        source_task=proposal.source_task,
        **hidden_text.warnings(hidden),
    )
    return Result(
        document,
        lambda: _blocks(proposal, review, reason, found.artifacts),
        notes=hidden_text.notes(hidden),
    )


def _shown(session: Session, area: str) -> RawResult:
    from git_zdev.commands.shared.derived import stored_proposal

    review, _ = stored_proposal(session, area, None)
    return RawResult(review.rendering, lambda: [Markdown(review.rendering.decode())])


def _blocks(
    proposal: Proposal, review: Review, reason: str | None, artifacts: Sequence[str]
) -> list[Block]:
    area, count = proposal.area, len(proposal.drafts)
    tasks = counted(count, "task")
    eligible = Words("yes", "good") if reason is None else Words(f"no: {reason}", "bad")
    rows = (
        ("Review", Words(review.id, "id")),
        ("Eligible", eligible),
        *((("Staged", Words(", ".join(artifacts))),) if artifacts else ()),
        ("Read it", Words(f"git zdev tasks derive review {area} --show")),
        ("File", Words(review.path)),
    )
    last: Line = line(
        f"Once it is approved: `git zdev tasks derive apply {area} --reviewed {review.id}`."
        if reason is None
        else "It cannot be applied as things stand; no approval changes that."
    )
    return [
        line(f"Stored a review of {tasks} derived from {proposal.source_task}."),
        Fields(rows),
        last,
    ]
