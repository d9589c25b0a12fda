"""The projections of an area (goal, status, next) and the work context made of them.

Each function takes values and returns the JSON document as a ``dict``, keys in the documented
order. The goal depends on records alone: no branch, no index, no clock. All ``branch`` values come
from a :class:`~git_zdev.branch.safety.BranchStatus`.
"""

from __future__ import annotations

from git_zdev.ground.errors import ZdevError
from git_zdev.plan.records import text
from git_zdev.plan.records.model import TASK_FIELDS, effective

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from git_zdev.branch.safety import BranchStatus
    from git_zdev.evidence.collecting import Evidence
    from git_zdev.plan.areas import AreaRecords
    from git_zdev.plan.records.model import Area, Project, Slice, Task

    Document = dict[str, Any]


def goal(records: AreaRecords, task: Task | None) -> Document:
    """The goal projection: the area's objective and the one task to work on.

    Args:
        records: The area.
        task: The selected task, in the ready frontier, or None.
    """
    area = records.area
    counts = records.graph.counts
    document: Document = {
        "schema_version": 1,
        "area": {
            "tag": area.tag,
            "title": area.title,
            "objective": area.objective,
            "path": area.folder,
        },
        "lifecycle": area.lifecycle,
        "queue": records.graph.queue,
        "counts": {
            "total": counts.total,
            "open": counts.total - counts.done,
            "ready": counts.ready,
            "blocked": counts.blocked,
            "done": counts.done,
        },
        "task": None,
    }
    if task is not None:
        brief = records.slices[task.slice] if task.slice is not None else None
        document["task"] = _goal_task(task, brief)
        document["native_goal"] = _native_goal(area, task, brief)
    return document


def _goal_task(task: Task, brief: Slice | None) -> Document:
    document: Document = {
        "id": task.id,
        "key": task.key,
        "title": task.title,
        "complexity": task.effective_complexity,
        "path": task.path,
        "outcome": task.outcome,
    }
    if task.context is not None:
        document["context"] = task.context
    if task.boundaries is not None:
        document["boundaries"] = task.boundaries
    document["done_when"] = task.done_when
    document["validation"] = task.validation
    document["blocked_by"] = list(task.blocked_by)
    if brief is not None:
        document["slice"] = {
            "key": brief.key,
            "title": brief.title,
            "path": brief.path,
            "objective": brief.objective,
            "boundaries": brief.boundaries,
        }
    return document


def _native_goal(area: Area, task: Task, brief: Slice | None) -> str:
    files = [task.path, f"{area.folder}/brief.md"]
    if brief is not None:
        files.append(brief.path)
    listed = f"{', '.join(files[:-1])} and {files[-1]}"
    return (
        f"Finish {task.id} ({task.title}) so that everything under its Done when holds, "
        f"with {listed} as the authority, keep to their boundaries and testing rules, "
        "and leave .zdev itself, staging and commits to the coordinator."
    )


def status(
    project: Project, records: AreaRecords, branch: BranchStatus, task: Task | None
) -> Document:
    """The status projection of one area.

    Args:
        project: The project.
        records: The area.
        branch: The safety of its branch.
        task: The selected task, or None.
    """
    area, counts = records.area, records.graph.counts
    described: Document = {
        "base_commit": area.base_commit,
        "branch": branch.branch,
        "lifecycle": area.lifecycle,
        "mode": area.mode,
        "objective": area.objective,
        "schema_version": 1,
        "tag": area.tag,
        "title": area.title,
    }
    if area.parent is not None:
        described["parent"] = area.parent
    return {
        "advisory": branch.advisory,
        "area": dict(sorted(described.items())),
        "branch_status": branch.as_document(),
        "counts": {
            "blocked": counts.blocked,
            "done": counts.done,
            "ready": counts.ready,
            "total": counts.total,
        },
        "lifecycle": area.lifecycle,
        "next": task and task.id,
        "next_complexity": task and task.effective_complexity,
        "project": project.name,
        "queue": records.graph.queue,
        "schema_version": 1,
        "slices": [_slice_counts(records, brief) for brief in records.slices.values()],
        "trunk": project.trunk,
    }


def _slice_counts(records: AreaRecords, brief: Slice) -> Document:
    states = [records.graph.states[task.id] for task in records.tasks if task.slice == brief.key]
    return {
        "key": brief.key,
        "title": brief.title,
        "path": brief.path,
        "ready": states.count("ready"),
        "blocked": states.count("blocked"),
        "done": states.count("done"),
    }


def overview_row(records: AreaRecords, branch: BranchStatus) -> Document:
    """One area of the status of all areas."""
    area, graph = records.area, records.graph
    task = graph.default()
    counts = graph.counts
    return {
        "tag": area.tag,
        "title": area.title,
        "mode": area.mode,
        "lifecycle": area.lifecycle,
        "queue": graph.queue,
        "next": task and task.id,
        "next_complexity": task and task.effective_complexity,
        "total": counts.total,
        "ready": counts.ready,
        "blocked": counts.blocked,
        "done": counts.done,
        "branch_status": branch.as_document(),
    }


def overview(
    project: Project, checked_out_branch: str | None, rows: Iterable[Document]
) -> Document:
    """The status of all areas; ``rows`` come from :func:`overview_row` in tag order."""
    return {
        "areas": list(rows),
        "checked_out_branch": checked_out_branch,
        "project": project.name,
        "schema_version": 1,
        "trunk": project.trunk,
    }


def task_view(records: AreaRecords, task: Task) -> Document:
    """A task as lists and selections show it, with effective values for absent ones."""
    view = {field.name: effective(task, field) for field in TASK_FIELDS if field.view}
    view |= {
        "blocked_by": list(task.blocked_by),
        "path": task.path,
        "slice_brief": records.slices[task.slice].path if task.slice is not None else None,
        "state": records.graph.states[task.id],
        "title": task.title,
    }
    return dict(sorted(view.items()))


def selection(records: AreaRecords, branch: BranchStatus) -> Document:
    """The next task of an open area."""
    area, graph = records.area, records.graph
    task = graph.default()
    return {
        "advisory": branch.advisory,
        "area": area.tag,
        "branch": branch.branch,
        "branch_matches": branch.branch_matches,
        "branch_status": branch.as_document(),
        "lifecycle": area.lifecycle,
        "mode": area.mode,
        "queue": graph.queue,
        "schema_version": 1,
        "task": task and task_view(records, task),
    }


def closed_selection(records: AreaRecords) -> Document:
    """The answer of ``next`` for a closed area."""
    return {
        "area": records.area.tag,
        "lifecycle": records.area.lifecycle,
        "queue": records.graph.queue,
        "schema_version": 1,
        "task": None,
    }


def closed_context(records: AreaRecords) -> Document:
    """The work context of a closed area: its goal, without Git evidence."""
    return {
        "area": records.area.tag,
        "goal": goal(records, None),
        "lifecycle": records.area.lifecycle,
        "queue": records.graph.queue,
        "schema_version": 1,
        "task_id": None,
    }


def open_context(goal_document: Document, status_document: Document, found: Evidence) -> Document:
    """The work context of an open area.

    Args:
        goal_document: The goal projection, collected first.
        status_document: The status projection, collected after it.
        found: The Git evidence, collected last.

    Returns:
        The document.

    Raises:
        ZdevError: ``unborn-head`` without a commit; ``work-context-disagreement`` when the two
            projections do not agree because records or branch changed meanwhile.
    """
    if found.head is None:
        raise ZdevError(
            "unborn-head",
            "the checked-out branch has no commit yet",
            "Make the first commit, then collect the context",
        )
    task = goal_document["task"]
    document = {
        "area": goal_document["area"]["tag"],
        "git_diff": found.git_diff,
        "git_diff_cached": found.git_diff_cached,
        "git_status": found.git_status,
        "git_untracked": found.git_untracked,
        "goal": goal_document,
        "head": found.head,
        "lifecycle": goal_document["lifecycle"],
        "queue": goal_document["queue"],
        "schema_version": 1,
        "stale_advisory": status_document["branch_status"]["task_work"]["stale_advisory"],
        "status": status_document,
        "task_id": task and task["id"],
    }
    from git_zdev.context.parts import disagreements

    apart = disagreements(document)
    if apart:
        raise ZdevError(
            "work-context-disagreement",
            f"the goal and the status of {document['area']} do not agree: {'; '.join(apart)}",
            "Something changed while the context was collected; collect it again",
            details={"goal": goal_document, "status": status_document},
        )
    return document


def routing(document: Document) -> Document:
    """The values of a work context that a coordinator routes by, without absent ones."""
    values: Document = {
        key: document[key]
        for key in ("area", "head", "lifecycle", "queue", "stale_advisory", "task_id")
        if key in document
    }
    task = document["goal"]["task"]
    if task is not None:
        values["complexity"] = task["complexity"]
        values["task_path"] = task["path"]
    return values


def task_body(task: Task) -> str:
    """The text of a task's file below its front matter, with LF line ends."""
    matter = text.split_markdown(task.source, task.path, [])
    if matter is None:
        raise ValueError(f"{task.path} was never read")
    return matter.text[matter.body :]
