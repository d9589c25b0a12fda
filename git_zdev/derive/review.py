"""The page that a reviewer reads: every field of a proposal, and everything that it would do.

It is a function of the proposal, the area's records, the paths that a follow-up takes from the
index, and the reasons against it. So a stored page can be rendered again and compared, to ensure
that the reviewer saw what would be applied. Whole files are shown as they would be written; no
text of a proposal or a record can style, link or hide anything.
"""

from __future__ import annotations

from git_zdev.derive.bundle_page import render_hidden
from git_zdev.derive.graph_tree import graph_tree
from git_zdev.ground import hidden_text, markup
from git_zdev.ground.errors import InvalidInput, ZdevError
from git_zdev.ground.inert import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from git_zdev.derive.plan import Derivation
    from git_zdev.derive.proposal import SplitOwnership
    from git_zdev.derive.reviews import Review
    from git_zdev.plan.records.model import Task

KIND_NAMES = {
    "investigation_follow_up": "investigation follow-up",
    "implementation_split": "implementation split",
}
AUTHORITY = (
    "This page shows what would be written. Whether the work is necessary and inside the brief, "
    "the source task and its testing decision is for the coordinator to judge."
)


def render_review(
    derivation: Derivation, reasons: Sequence[str], artifacts: Sequence[str]
) -> bytes:
    """The Markdown of a review.

    Args:
        derivation: The proposal and its effect on the area.
        reasons: Why it cannot be applied now; empty if it can.
        artifacts: The staged paths, which a follow-up commits with its records.

    Returns:
        UTF-8 bytes without terminal control sequences.
    """
    parts = [
        *_summary(derivation, reasons),
        *render_hidden(hidden_text.in_document(derivation.proposal.document)),
        *_result(derivation),
        *_effect(derivation),
        *_ownership(derivation),
        *_source(derivation),
        *_children(derivation),
        *_commit(derivation, artifacts),
    ]
    return escape("\n".join(parts)).encode()


def reasons_of(obstacles: Iterable[ZdevError]) -> tuple[str, ...]:
    """Obstacles as reasons: each one's message with all its problems."""
    return tuple(map(_reason, obstacles))


def _reason(obstacle: ZdevError) -> str:
    if not isinstance(obstacle, InvalidInput):
        return obstacle.message
    problems = "; ".join(problem.message for problem in obstacle.problems)
    return f"{obstacle.message}: {problems}"


def require_same(review: Review, derivation: Derivation, artifacts: Sequence[str]) -> None:
    """Require that a stored review shows exactly what would be applied now.

    Args:
        review: The stored review.
        derivation: Its proposal and the present effect on the area.
        artifacts: The paths staged now, for a follow-up.

    Raises:
        ZdevError: ``review-outdated``.
    """
    if review.rendering == render_review(derivation, (), artifacts):
        return
    area = derivation.proposal.area
    raise ZdevError(
        "review-outdated",
        f"the review {review.id} does not show what would be applied now",
        f"Review the proposal again with `git zdev tasks derive review {area} --from <file>`",
        details={"review": review.id},
    )


def _summary(derivation: Derivation, reasons: Sequence[str]) -> Iterator[str]:
    proposal = derivation.proposal
    yield f"# Derived work from {markup.code(proposal.source_task)}\n"
    rows = [
        ("Proposal", KIND_NAMES[proposal.kind]),
        ("Area", markup.code(proposal.area)),
        ("Source task", f"{markup.code(derivation.source.id)} {_title(derivation.source)}"),
        ("New tasks", str(len(derivation.children))),
        ("Mechanically eligible", "no" if reasons else "yes"),
        ("Format", f"schema version {proposal.document['schema_version']}"),
    ]
    yield markup.table(("", "This proposal"), rows)
    if reasons:
        yield "It cannot be applied as things stand:\n"
        yield _list(reasons)
    yield f"{AUTHORITY}\n"


def _result(derivation: Derivation) -> Iterator[str]:
    result = derivation.proposal.result
    yield "## What becomes of the source task\n"
    if derivation.proposal.is_split:
        yield "It stays open, with every done condition that it has, and waits for the new tasks.\n"
    else:
        yield "It is completed with this result.\n"
    yield f"Status: {markup.code(result.status)}\n"
    yield f"Summary: {markup.inline(result.summary)}\n"
    if result.validation:
        yield "Validation:\n"
        yield _list(result.validation)


def _effect(derivation: Derivation) -> Iterator[str]:
    yield "## Effect on the task graph\n"
    yield (
        "Each task is drawn below the one that it waits for. New tasks begin with `+`, the source "
        "with `!`; only neighbours of what changes are shown.\n"
    )
    yield markup.fence(graph_tree(derivation), "diff")
    ready = ", ".join(markup.code(task.id) for task in derivation.graph.ready)
    yield f"Ready afterwards: {ready or 'no task'}\n"


def _ownership(derivation: Derivation) -> Iterator[str]:
    ownership = derivation.proposal.ownership
    if ownership is None:
        return
    yield "## Ownership of paths\n"
    yield markup.table(("Path", "Owner", "Why"), list(_owners(derivation, ownership)))
    yield "Each new task carries its allocation as the last of its boundaries.\n"


def _owners(derivation: Derivation, ownership: SplitOwnership) -> Iterator[tuple[str, str, str]]:
    source = markup.code(derivation.source.id)
    for path in ownership.retained:
        yield markup.code(path), source, "retained: changed already, and left as it is"
    ids = {child.key: child.id for child in derivation.children}
    for child in ownership.children:
        owner = f"{markup.code(ids[child.key])} {child.key}" if child.key in ids else child.key
        for path in child.paths:
            yield markup.code(path), owner, "future work"


def _source(derivation: Derivation) -> Iterator[str]:
    yield "## The source task, before and after\n"
    yield f"File: {markup.code(derivation.source.path)}\n"
    yield markup.fence(_whole_diff(derivation.source, derivation.new_source), "diff")


def _whole_diff(before: Task, after: Task) -> str:
    """Every line of both files, with marks for those removed and added."""
    import difflib

    old, new = before.source.decode().split("\n"), after.source.decode().split("\n")
    lines = difflib.unified_diff(old, new, n=len(old), lineterm="")
    return "\n".join(list(lines)[3:])


def _children(derivation: Derivation) -> Iterator[str]:
    yield "## The new tasks\n"
    for child, draft in zip(derivation.children, derivation.drafts, strict=True):
        yield f"### {markup.code(child.id)} {_title(child)}\n"
        yield f"Key: {markup.code(child.key)}\n"
        if draft.blockers:
            waits = ", ".join(markup.code(blocker) for blocker in draft.blockers)
            yield f"Waits for, as proposed: {waits}\n"
        yield f"File: {markup.code(child.path)}\n"
        yield markup.fence(child.source.decode(), "text")


def _commit(derivation: Derivation, artifacts: Sequence[str]) -> Iterator[str]:
    yield "## The commit\n"
    yield f"Subject: {markup.inline(derivation.subject)}\n"
    if not derivation.proposal.is_split:
        if artifacts:
            yield "What is staged is taken as this task's artifacts:\n"
            yield _list(artifacts, as_code=True)
        else:
            yield "Nothing is staged that could be this task's artifacts.\n"
        yield "Committed with:\n" if artifacts else "Committed are:\n"
    yield _list(derivation.paths, as_code=True)


def _title(task: Task) -> str:
    return markup.inline(task.title)


def _list(items: Sequence[str], *, as_code: bool = False) -> str:
    shown = map(markup.code if as_code else markup.inline, items)
    return "".join(f"- {item}\n" for item in shown)
