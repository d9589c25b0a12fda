"""The stored proposal, for the two `tasks derive` commands."""

from __future__ import annotations

from git_zdev.derive.proposal import first_line, read_proposal
from git_zdev.derive.reviews import PROPOSALS, ReviewStore
from git_zdev.ground.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session
    from git_zdev.derive.proposal import Proposal
    from git_zdev.derive.reviews import Review


def stored_proposal(session: Session, area: str, review_id: str | None) -> tuple[Review, Proposal]:
    """The current review and its proposal, verified. An id must be that of the current review.

    Raises:
        ZdevError: The store's refusals; ``review-corrupt`` if the content is not a proposal for
            the source that its metadata names.
    """
    store = ReviewStore(session.location.git_dir, PROPOSALS, area)
    review = store.current() if review_id is None else store.require(review_id)
    envelope = first_line(area, review.extra["source_task"]) + review.content
    try:
        return review, read_proposal(envelope, area)
    except InvalidInput as error:
        raise store.corrupt(error.problems[0].sentence(), review.id) from error
