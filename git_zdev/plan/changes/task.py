"""Tasks: their completion and reopening, and the index of an area, planned as values."""

from __future__ import annotations

from git_zdev.ground.changeset import ChangeSet, FileChange
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.progress import UNSEEN
from git_zdev.plan.areas import load_area, read_areas, read_parts
from git_zdev.plan.changes.area import require_open
from git_zdev.plan.graph import Graph
from git_zdev.plan.graph import problems as problems_of
from git_zdev.plan.records import edit, index_file
from git_zdev.plan.records.model import RECORD_ROOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from git_zdev.ground.errors import Problem
    from git_zdev.ground.progress import Progress
    from git_zdev.plan.areas import AreaParts, AreaRecords
    from git_zdev.plan.records.model import Task
    from git_zdev.plan.records.store import RecordSource


def plan_done(
    records: AreaRecords, task: Task, summary: str, validation: Sequence[str]
) -> ChangeSet:
    """Plan the completion of a task; no files if it is already done.

    Args:
        records: The area.
        task: One of its tasks.
        summary: What was achieved, one line.
        validation: How it was checked, one line each, at least one.

    Raises:
        ZdevError: ``task-blocked`` with the open blockers.
        InvalidInput: ``invalid-completion`` for texts that would read back as something else.
    """
    if task.status == "done":
        return ChangeSet("task done")
    require_unblocked(records, task)
    return _replaced("task done", records, task, edit.complete_task(task, summary, validation))


def plan_reopen(records: AreaRecords, task: Task) -> ChangeSet:
    """Plan the reopening of a task; no files if it is already open.

    Raises:
        ZdevError: ``area-closed``, or ``task-has-done-dependents`` when done tasks build on it.
        InvalidInput: ``invalid-task`` when the file cannot hold its history.
    """
    if task.status == "open":
        return ChangeSet("task reopen")
    require_open(records.area)
    dependents = [dependent.id for dependent in records.graph.done_dependents(task)]
    if dependents:
        raise ZdevError(
            "task-has-done-dependents",
            f"{task.id} is what done tasks build on: {', '.join(dependents)}",
            "Reopen those first",
            details={"task": task.id, "done_dependents": dependents},
        )
    return _replaced("task reopen", records, task, edit.reopen_task(task))


def plan_index(records: AreaRecords) -> ChangeSet:
    """Plan ``TASKS.md`` as its tasks determine it; no files if it is already so."""
    change = index_change(records, records.graph)
    return ChangeSet("tasks index", () if change.old == change.new else (change,))


def plan_indexes(
    source: RecordSource, tag: str | None = None, progress: Progress = UNSEEN
) -> tuple[ChangeSet, list[str]]:
    """Plan every ``TASKS.md`` that differs from what its tasks determine.

    Only the tasks of an area matter, not what else is wrong with it or with other areas.

    Args:
        source: The record files.
        tag: Only this area.
        progress: Told how far the work is.

    Returns:
        The plan, and the areas whose tasks have problems, so that their file is not known.

    Raises:
        ZdevError: ``unknown-area`` when there is no area ``tag``.
    """
    tags = read_areas(source, [])
    if tag is not None and tag not in tags:
        load_area(source, tag)
    changes, unsound = [], []
    for name in tags if tag is None else (tag,):
        found: list[Problem] = []
        parts = read_parts(source, name, found, progress)
        index, tasks = f"{RECORD_ROOT}/{name}/TASKS.md", f"{RECORD_ROOT}/{name}/tasks"
        if problems_of(parts.tasks, parts.unread) or _is_in_doubt(tasks, found):
            unsound.append(name)
        elif not _is_in_doubt(index, found):
            changes += _index_changes(name, index, parts)
    return ChangeSet("check --fix", tuple(changes)), unsound


def _is_in_doubt(path: str, problems: Sequence[Problem]) -> bool:
    """Whether something is wrong with a path, with a folder above it or with what is below it."""
    return any(
        f"{problem.path}/".startswith(f"{path}/") or f"{path}/".startswith(f"{problem.path}/")
        for problem in problems
    )


def _index_changes(tag: str, path: str, parts: AreaParts) -> list[FileChange]:
    old = parts.files.get(path)
    if old is None and not parts.tasks:
        return []  # a new area may wait for its first task
    new = index_file.render_index(tag, parts.tasks, Graph(parts.tasks).states)
    new = index_file.keep_line_ends(old, new)
    return [] if old == new else [FileChange(path, old, new)]


def index_change(records: AreaRecords, graph: Graph) -> FileChange:
    """``TASKS.md`` before, and as ``graph`` determines it; CRLF line ends are kept."""
    tag = records.area.tag
    old = records.files.get(records.index_path)
    new = index_file.render_index(tag, graph.tasks, graph.states)
    return FileChange(records.index_path, old, index_file.keep_line_ends(old, new))


def require_unblocked(records: AreaRecords, task: Task) -> None:
    """Refuse a task that waits for others.

    Raises:
        ZdevError: ``task-blocked`` with the open blockers.
    """
    blockers = [blocker.id for blocker in records.graph.open_blockers(task)]
    if blockers:
        raise ZdevError(
            "task-blocked",
            f"{task.id} is blocked by {', '.join(blockers)}",
            "Complete what blocks it first",
            details={"task": task.id, "open_blockers": blockers},
        )


def require_ready(records: AreaRecords, task_id: str) -> Task:
    """The task of that id, which must be in the ready frontier.

    Raises:
        ZdevError: ``unknown-task``, ``task-done``, or ``task-blocked``.
    """
    task = records.find(task_id)
    if task.status == "done":
        raise ZdevError(
            "task-done",
            f"{task_id} is already done",
            f"Reopen it with `git zdev task reopen {records.area.tag} {task_id}`, "
            "or select another",
        )
    require_unblocked(records, task)
    return task


def _replaced(command: str, records: AreaRecords, before: Task, after: Task) -> ChangeSet:
    """The plan that puts one task in place of another; its file comes before the index."""
    graph = Graph(_with(records.tasks, after))
    file = FileChange(before.path, before.source, after.source)
    return ChangeSet(command, (file, index_change(records, graph)))


def _with(tasks: Iterable[Task], after: Task) -> list[Task]:
    return [after if task.id == after.id else task for task in tasks]
