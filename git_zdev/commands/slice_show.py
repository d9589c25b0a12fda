"""Show one slice of an area."""

from __future__ import annotations

from git_zdev.commands.shared.arguments import AREA, slice_key
from git_zdev.plan.areas import load_area
from git_zdev.plan.changes.slice import require_slice
from git_zdev.screen.result import BLANK, Result, Source, Words, line, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session
    from git_zdev.plan.records.model import Slice
    from git_zdev.screen.result import Block

ARGUMENTS = (AREA, slice_key("slices"))


def run(session: Session, *, area: str, key: str) -> Result:
    """Show the slice."""
    found = require_slice(load_area(session.records, area).slices, area, key)
    document = sorted_document(
        area=area,
        boundaries=found.boundaries,
        key=key,
        objective=found.objective,
        path=found.path,
        title=found.title,
    )
    return Result(document, lambda: _show(found))


def _show(found: Slice) -> list[Block]:
    return [
        line(Words(found.title, "heading")),
        line(Words(found.path, "muted")),
        BLANK,
        Source(f"{found.objective}\n\n{found.boundaries}\n"),
    ]
