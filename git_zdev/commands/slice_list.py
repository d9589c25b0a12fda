"""List the slices of an area."""

from __future__ import annotations

from git_zdev.commands.shared.arguments import AREA
from git_zdev.plan.areas import load_area
from git_zdev.screen.result import Result, Table, Words, line, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session
    from git_zdev.plan.records.model import Slice
    from git_zdev.screen.result import Block

ARGUMENTS = (AREA,)


def run(session: Session, *, area: str) -> Result:
    """List the slices, sorted by key."""
    slices = list(load_area(session.records, area).slices.values())
    document = sorted_document(
        area=area,
        slices=[{"key": one.key, "path": one.path, "title": one.title} for one in slices],
    )
    return Result(document, lambda: _show(area, slices))


def _show(area: str, slices: list[Slice]) -> list[Block]:
    if not slices:
        return [line(f"The area {area} has no slices.")]
    rows = tuple((Words(one.key, "id"), Words(one.title)) for one in slices)
    return [Table(("Slice", "Title"), rows)]
