"""Write an area's TASKS.md from its task files."""

from __future__ import annotations

from git_zdev.commands.shared.arguments import AREA
from git_zdev.plan.areas import load_area
from git_zdev.plan.changes.task import plan_index
from git_zdev.screen.result import Result, sentence, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session

ARGUMENTS = (AREA,)


def run(session: Session, *, area: str) -> Result:
    """Regenerate the index if it differs."""
    with session.writing() as writing:
        records = load_area(writing.source, area)
        change = plan_index(records)
        writing.publish(change)
    path = records.index_path
    if change.changes:
        document = sorted_document(area=area, path=path, status="updated")
        return Result(document, sentence(f"Wrote {path}."))
    document = sorted_document(area=area, path=path, status="unchanged")
    return Result(document, sentence(f"{path} is up to date."))
