"""The gate before task work, which judges the current records and refs."""

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
    """Assess an area's branch.

    Args:
        source: The record files, for the project and the other areas.
        area: The area.
        refs: HEAD, branches and ancestry; None without a repository.

    Raises:
        InvalidInput: ``invalid-records`` when the areas are not valid together.
    """
    areas = {other.tag: other for other in load_areas(source)}
    return assess(area, areas, load_project(source), refs)


def pass_gate(source: RecordSource, area: Area, refs: Refs) -> BranchStatus:
    """Assess an area's branch and require that it is safe for task work.

    Raises:
        InvalidInput: ``invalid-records`` when the areas are not valid together.
        ZdevError: With the code of the decisive finding, and ``branch_status`` in the details.
    """
    branch = judge(source, area, refs)
    require_task_work_safe(branch)
    return branch


def require_task_work_safe(status: BranchStatus) -> None:
    """Require a safe branch, which can be stale.

    Raises:
        ZdevError: The error of :func:`git_zdev.branch.refusals.refusal`.
    """
    if not status.safe:
        from git_zdev.branch.refusals import refusal

        raise refusal(status)
