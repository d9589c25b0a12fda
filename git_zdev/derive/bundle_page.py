"""A task bundle as Markdown for a reviewer, who reads exactly what would be imported."""

from __future__ import annotations

from git_zdev.derive.reviews import fingerprint
from git_zdev.ground import hidden_text
from git_zdev.ground.inert import escape
from git_zdev.ground.markup import code, fence, inline, table
from git_zdev.ground.text import counted
from git_zdev.plan.bundle import bundle_document, canonical_bundle_bytes
from git_zdev.plan.records.model import TASK_BODY, TASK_FIELDS, effective

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from git_zdev.ground.errors import Problem
    from git_zdev.plan.records.fields import Field
    from git_zdev.plan.records.model import Bundle, Draft


def render_bundle(bundle: Bundle) -> bytes:
    """The rendering of a bundle; it depends only on the bundle."""
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
    """What a reviewer is shown of hidden text; nothing where there is none."""
    rows = [f"- {code(problem.place)}: {inline(problem.message)}\n" for problem in problems]
    if not rows:
        return []
    said = "Here are characters that have no look of their own; this page writes their numbers.\n"
    return ["## Hidden text\n", said, "".join(rows)]


def render_draft(draft: Draft, level: int = 2) -> str:
    """One draft with all its fields, under a heading of that level."""
    parts = [f"{'#' * level} {inline(draft.title)}\n", _traits(draft)]
    for field in TASK_BODY:
        value: str | tuple[str, ...] | None = getattr(draft, field.name)
        value = value or ((field.default,) if field.default else value)
        if isinstance(value, tuple):
            parts.append(_section(field.heading, level, _bullets(value)))
        elif value is not None:
            text = fence(value) if field.lines else f"{inline(value)}\n"
            parts.append(_section(field.heading, level, text))
    return "\n".join(parts)


def _traits(draft: Draft) -> str:
    values = {field: effective(draft, field) for field in TASK_FIELDS if field.draft}
    rows = [
        (field.label or field.name.capitalize().replace("_", " "), _trait(field, value))
        for field, value in values.items()
        if value is not None
    ]
    return "".join(f"- {name}: {value}\n" for name, value in rows)


def _trait(field: Field, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(map(code, value)) or "nothing"
    return str(value) if field.trait else code(str(value))


def _blockers(draft: Draft) -> str:
    return ", ".join(code(blocker) for blocker in draft.blockers) or "nothing"


def _section(name: str, level: int, text: str) -> str:
    return f"{'#' * (level + 1)} {name}\n\n{text}"


def _bullets(items: Sequence[str]) -> str:
    return "".join(f"- {inline(item)}\n" for item in items)
