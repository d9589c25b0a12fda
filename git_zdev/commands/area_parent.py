"""Give an area a parent, whose branch becomes its base instead of the trunk.

The anchor stays as it is: `git zdev area rebase` moves the branch onto the new
base, and `git zdev area bind` records a fresh anchor if the branch grew from
that base all along.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import AREA, argument, flag
from git_zdev.ground.errors import UsageError
from git_zdev.plan.changes.area import areas_by_tag, plan_parent, require_area
from git_zdev.screen.result import Result, sentence, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session

ARGUMENTS = (
    AREA,
    argument("PARENT", "the parent's tag", count="?", completer="areas"),
    flag("--remove", "go back to the trunk as the base"),
)


def run(session: Session, *, area: str, parent: str | None, remove: bool) -> Result:
    """Set or remove the parent."""
    if remove == (parent is not None):
        raise UsageError("name a parent, or give --remove")
    with session.writing() as writing:
        areas = areas_by_tag(writing.source)
        plan = plan_parent(require_area(area, areas), parent, areas=areas, source=writing.source)
        writing.publish(plan.change)
    status = "updated" if plan.change.changes else "unchanged"
    base = f"the parent {parent}" if parent else "no parent"
    has = "now has" if status == "updated" else "has"
    return Result(
        sorted_document(area=area, parent=parent, status=status),
        sentence(f"The area {area} {has} {base}."),
    )
