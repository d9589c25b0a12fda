"""The branch of an area, judged at this moment, and the gate before task work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from git_zdev.areas import load_areas, load_project
from git_zdev.branch_safety import assess, require_task_work_safe

if TYPE_CHECKING:
    from git_zdev.branch_safety import BranchStatus
    from git_zdev.records.model import Area
    from git_zdev.records.source import RecordSource
    from git_zdev.session import Session


def judge(session: Session, source: RecordSource, area: Area) -> BranchStatus:
    """Everything that is known about an area's branch.

    Args:
        session: The run, for its repository.
        source: The record files, for the project and the other areas.
        area: The area.
    """
    areas = {other.tag: other for other in load_areas(source)}
    return assess(area, areas, load_project(source), session.repository)


def gate(session: Session, source: RecordSource, area: Area) -> BranchStatus:
    """The same, and refuse a branch that is not safe for task work.

    Raises:
        ZdevError: With the code of the finding that decides and ``branch_status`` in its details.
    """
    status = judge(session, source, area)
    require_task_work_safe(status)
    return status
