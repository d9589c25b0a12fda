"""A task bundle as Markdown for a reviewer: what they read is what would be imported."""

from __future__ import annotations

from git_zdev.derive.reviews import fingerprint
from git_zdev.ground import hidden_text
from git_zdev.ground.inert import escape
from git_zdev.ground.markup import code, fence, inline, table
from git_zdev.ground.text import counted
from git_zdev.plan.bundle import bundle_document, canonical_bundle_bytes
from git_zdev.plan.records.render import DEFAULT_VALIDATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from git_zdev.ground.errors import Problem
    from git_zdev.plan.records.model import Bundle, Draft


def render_bundle(bundle: Bundle) -> bytes:
    """The rendering of a bundle; it depends on nothing but the bundle."""
    count = len(bundle.drafts)
    parts = [
        f"# {counted(count, 'task')} for {code(bundle.area)}\n",
        f"Fingerprint: {code(fingerprint(canonical_bundle_bytes(bundle)))}\n",
        *render_hidden(hidden_text.in_document(bundle_document(bundle))),
        table(
            ("Key", "Task", "Blocked by"),
            ((code(draft.key), inline(draft.title), _blockers(draft)) for draft in bundle.drafts),
        ),
        *(render_draft(draft) for draft in bundle.drafts),
    ]
    return escape("\n".join(parts)).encode()


def render_hidden(problems: Iterable[Problem]) -> list[str]:
    """What a reviewer is told of hidden text; nothing where there is none."""
    rows = [f"- {code(problem.place)}: {inline(problem.message)}\n" for problem in problems]
    if not rows:
        return []
    said = "Here are characters that have no look of their own; this page writes their numbers.\n"
    return ["## Hidden text\n", said, "".join(rows)]


def render_draft(draft: Draft, level: int = 2) -> str:
    """One draft with everything that it says, under a heading of that level."""
    parts = [f"{'#' * level} {inline(draft.title)}\n", _traits(draft)]
    parts.append(_section("Outcome", level, f"{inline(draft.outcome)}\n"))
    if draft.context is not None:
        parts.append(_section("Context", level, fence(draft.context)))
    if draft.boundaries is not None:
        parts.append(_section("Boundaries", level, _bullets(draft.boundaries)))
    parts.append(_section("Done when", level, _bullets(draft.done_when)))
    validation = draft.validation or (DEFAULT_VALIDATION,)
    parts.append(_section("Validation", level, _bullets(validation)))
    return "\n".join(parts)


def _traits(draft: Draft) -> str:
    rows = [
        ("Key", code(draft.key)),
        ("Complexity", draft.complexity or "standard"),
        ("Unattended", "yes" if draft.afk else "no"),
        ("Priority", draft.priority or "normal"),
    ]
    if draft.slice is not None:
        rows.append(("Slice", code(draft.slice)))
    rows.append(("Blocked by", _blockers(draft)))
    return "".join(f"- {name}: {value}\n" for name, value in rows)


def _blockers(draft: Draft) -> str:
    return ", ".join(code(blocker) for blocker in draft.blockers) or "nothing"


def _section(name: str, level: int, text: str) -> str:
    return f"{'#' * (level + 1)} {name}\n\n{text}"


def _bullets(items: Sequence[str]) -> str:
    return "".join(f"- {inline(item)}\n" for item in items)
