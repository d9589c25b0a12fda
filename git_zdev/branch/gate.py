"""The gate before task work, judged from the records and the refs as they are now."""

from __future__ import annotations

from git_zdev.branch.safety import assess
from git_zdev.plan.areas import load_areas, load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.branch.safety import BranchStatus
    from git_zdev.git.port import Refs
    from git_zdev.plan.records.model import Area
    from git_zdev.plan.records.store import RecordSource


def judge(source: RecordSource, area: Area, refs: Refs | None) -> BranchStatus:
    """What is known about an area's branch.

    Args:
        source: The record files, for the project and the other areas.
        area: The area.
        refs: HEAD, branches and ancestry; None if there is no repository to ask.

    Raises:
        InvalidInput: ``invalid-records`` when the areas do not hold together.
    """
    areas = {other.tag: other for other in load_areas(source)}
    return assess(area, areas, load_project(source), refs)


def pass_gate(source: RecordSource, area: Area, refs: Refs) -> BranchStatus:
    """What is known about an area's branch; refuse one that may not be worked on.

    Raises:
        InvalidInput: ``invalid-records`` when the areas do not hold together.
        ZdevError: With the code of the finding that decides, and ``branch_status`` in the details.
    """
    branch = judge(source, area, refs)
    require_task_work_safe(branch)
    return branch


def require_task_work_safe(status: BranchStatus) -> None:
    """Accept a safe branch, including a stale one.

    Raises:
        ZdevError: As :func:`git_zdev.branch.refusals.refusal` makes it.
    """
    if not status.safe:
        from git_zdev.branch.refusals import refusal

        raise refusal(status)
