"""Validate a task bundle and store it with a rendering for a person to read.

The answer names the review; `git zdev tasks import AREA --reviewed REVIEW`
imports exactly what was reviewed. A later review of the area replaces the
earlier one. --show presents the stored rendering. Text that a reader would not
see is shown by number there, and named with its place.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import AREA, input_or_show, require_tag
from git_zdev.ground.text import counted
from git_zdev.plan.areas import load_area
from git_zdev.screen.result import Fields, Markdown, RawResult, Result, Words, line, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session
    from git_zdev.derive.reviews import Review
    from git_zdev.screen.result import Block

ARGUMENTS = (AREA, input_or_show("bundle"))


def run(session: Session, *, area: str, source: str | None, show: bool) -> Result | RawResult:
    """Store a review, or show the current one."""
    if source is None or show:
        return _shown(stored_bundle(session, area, None))
    from git_zdev.commands.shared.inputs import read_input
    from git_zdev.derive.bundle_page import render_bundle
    from git_zdev.derive.reviews import BUNDLES, ReviewStore
    from git_zdev.ground import hidden_text
    from git_zdev.plan.bundle import (
        bundle_document,
        canonical_bundle_bytes,
        parse_bundle,
        plan_import,
    )

    bundle = parse_bundle(read_input(session, source), area)
    with session.writing() as writing:
        plan_import(load_area(writing.source, area), bundle)
        review = ReviewStore(session.location.git_dir, BUNDLES, area).save(
            canonical_bundle_bytes(bundle),
            render_bundle(bundle),
            created_head=session.repository.head().commit,
        )
    hidden = list(hidden_text.in_document(bundle_document(bundle)))
    document = sorted_document(
        area=area,
        path=review.path,
        review=review.id,
        status="reviewed",
        **hidden_text.warnings(hidden),
    )
    return Result(
        document,
        lambda: _show(area, review, len(bundle.drafts)),
        notes=hidden_text.notes(hidden),
    )


def stored_bundle(session: Session, area: str, review_id: str | None) -> Review:
    """The current review, fully verified. Its id must be ``review_id`` if one is given.

    Raises:
        ZdevError: The refusals of :class:`~git_zdev.derive.reviews.ReviewStore`, and
            ``review-corrupt`` if the rendering is not that of the bundle.
    """
    from git_zdev.derive.bundle_page import render_bundle
    from git_zdev.derive.reviews import BUNDLES, ReviewStore
    from git_zdev.plan.bundle import parse_bundle

    require_tag(area)
    store = ReviewStore(session.location.git_dir, BUNDLES, area)
    review = store.current() if review_id is None else store.require(review_id)
    bundle = parse_bundle(review.content, area)
    if review.rendering != render_bundle(bundle):
        raise store.corrupt("review.md does not show the bundle", review.id)
    return review


def _shown(review: Review) -> RawResult:
    return RawResult(review.rendering, lambda: [Markdown(review.rendering.decode())])


def _show(area: str, review: Review, count: int) -> list[Block]:
    tasks = counted(count, "task")
    rows = (("Review", Words(review.id, "id")), ("Read it", Words(review.path)))
    return [
        line(f"Stored a review of {tasks} for {area}."),
        Fields(rows),
        line(f"Import it with `git zdev tasks import {area} --reviewed {review.id}`."),
    ]
