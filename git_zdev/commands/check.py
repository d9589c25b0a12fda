"""Check the plan: configuration, areas, briefs, slices, tasks, and each TASKS.md.

Every problem is told with its file and line. With --staged the plan is checked
as it stands in the index, which is what a pre-commit hook needs: an index
without a plan, such as that of a branch that never had one, is sound.
"""

from __future__ import annotations

from git_zdev.areas import area_tags, lost_areas, restoring
from git_zdev.check import check
from git_zdev.errors import InvalidInput
from git_zdev.records.model import RECORD_ROOT
from git_zdev.result import Result, counted, sentence, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser

    from git_zdev.records.source import RecordSource
    from git_zdev.session import Session


def configure(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "area", nargs="?", metavar="AREA", help="only this area, and what areas share"
    )
    parser.add_argument("--staged", action="store_true", help="check what is in the index")


def run(session: Session, *, area: str | None, staged: bool) -> Result:
    """Check, and fail with every problem."""
    source: RecordSource = session.staged_records if staged else session.records
    if staged and not source.names(RECORD_ROOT):
        return Result(sorted_document(areas=[], status="ok"), sentence(NOT_STAGED))
    problems = check(source, area, session.surroundings.progress)
    lost = [restoring(tag) for tag in lost_areas(source)]
    if problems:
        count = "one problem" if len(problems) == 1 else f"{len(problems)} problems"
        where = " in the index" if staged else ""
        hint = "; ".join(lost)
        raise InvalidInput("invalid-records", f"the plan has {count}{where}", problems, hint)
    areas = area_tags(source) if area is None else [area]
    count = counted(len(areas), "area")
    said = sentence(f"The plan is sound ({count}: {', '.join(areas)})." if areas else EMPTY)
    return Result(sorted_document(areas=areas, status="ok"), said, notes=tuple(lost))


EMPTY = "The plan is sound; it has no areas yet."
NOT_STAGED = "The index holds no plan."
