"""Collect a work context: the goal first, then the status, then the Git evidence.

The context of a closed area comes from its records alone; Git is not opened. The three parts are
read one after the other, so the records are checked again before the parts are joined: if they
changed meanwhile, the new status disagrees with the goal.
"""

from __future__ import annotations

from git_zdev.context import projections as context
from git_zdev.ground import jsontext
from git_zdev.ground.errors import ZdevError
from git_zdev.plan import areas

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from git_zdev.git.port import Checkout
    from git_zdev.plan.areas import AreaRecords
    from git_zdev.plan.records.model import Task
    from git_zdev.plan.records.store import RecordSource

FORM_KEY = "zdev.evidence"
SIZE_KEY = "zdev.maxContextSize"
SIZE_LIMIT = 256 * 1024 * 1024


def capture(
    source: RecordSource,
    repository: Callable[[], Checkout],
    area: str,
    *,
    task_id: str | None = None,
    preferred: str | None = None,
    as_bytes: bool = False,
) -> dict[str, Any]:
    """Collect the work context of an area.

    Args:
        source: The record files.
        repository: Opens the repository; called for an open area only.
        area: The area's tag.
        task_id: Take this task, which must be in the ready frontier.
        preferred: Take this task if it is in the ready frontier, otherwise the default.
        as_bytes: Whether evidence that is not UTF-8 is kept as bytes, which ``zdev.evidence`` can
            ask for as well.

    Returns:
        The document; :func:`encoded` returns its bytes.

    Raises:
        ZdevError: Any error of the records, the branch or the evidence;
            ``work-context-disagreement`` when they changed meanwhile; for ``task_id``
            ``unknown-task``, ``task-done``, ``task-blocked`` or ``area-closed``.
    """
    records = areas.load_area(source, area)
    if records.area.lifecycle == "closed":
        _selected(records, task_id, None)
        return context.closed_context(records)
    task = _selected(records, task_id, preferred)
    goal = context.goal(records, task)
    return _open(source, repository(), records, goal, as_bytes=as_bytes)


def encoded(document: dict[str, Any], repository: Callable[[], Checkout]) -> bytes:
    """The bytes of a work context: keys sorted at every depth, so equal contexts are equal bytes.

    Raises:
        ZdevError: ``context-too-large`` when an open context exceeds ``zdev.maxContextSize``.
    """
    data = jsontext.encode(document, sort_keys=True)
    require_size(document, len(data), repository)
    return data


def require_size(document: dict[str, Any], size: int, repository: Callable[[], Checkout]) -> None:
    """Refuse an open work context of more bytes than ``zdev.maxContextSize``.

    Raises:
        ZdevError: ``context-too-large``.
    """
    if document["lifecycle"] != "open":
        return
    limit = repository().config.get_int(SIZE_KEY, default=SIZE_LIMIT)
    if size > limit:
        raise ZdevError(
            "context-too-large",
            f"the work context of {document['area']} has {size} bytes, "
            f"more than {SIZE_KEY} allows ({limit})",
            "Commit or ignore files that need not be in it, mark large files -diff, "
            f"or raise {SIZE_KEY}",
            details={"size": size, "limit": limit},
        )


def _selected(records: AreaRecords, task_id: str | None, preferred: str | None) -> Task | None:
    if task_id is not None:
        from git_zdev.plan.changes.task import require_ready

        return require_ready(records, task_id)
    if preferred is not None and records.graph.states.get(preferred) == "ready":
        return records.graph.by_id[preferred]
    return records.graph.default()


def _open(
    source: RecordSource,
    repository: Checkout,
    records: AreaRecords,
    goal: dict[str, Any],
    *,
    as_bytes: bool,
) -> dict[str, Any]:
    from git_zdev.branch.gate import pass_gate
    from git_zdev.evidence.collecting import collect

    now = _as_it_stands(source, records)
    branch = pass_gate(source, now.area, repository)
    project = areas.load_project(source)
    status = context.status(project, now, branch, _same_task(now, goal))
    form = repository.config.get_word(FORM_KEY, ("text", "bytes"), default="text")
    found = collect(repository, as_bytes=as_bytes or form == "bytes")
    return context.open_context(goal, status, found)


def _same_task(records: AreaRecords, goal: dict[str, Any]) -> Task | None:
    """The goal's task while it is ready, otherwise the task that the records select."""
    task_id = goal["task"] and goal["task"]["id"]
    return _selected(records, None, task_id)


def _as_it_stands(source: RecordSource, records: AreaRecords) -> AreaRecords:
    """The current records, read again only if a file changed."""
    files = {**records.files, **{task.path: task.source for task in records.tasks}}
    folders = [f"{records.area.folder}/tasks", f"{records.area.folder}/slices"]
    known = {path.rpartition("/")[2] for path in files}
    unmoved = all(source.read(path) == data for path, data in files.items()) and all(
        name in known or not name.endswith(".md")
        for folder in folders
        for name, _ in source.names(folder)
    )
    return records if unmoved else areas.load_area(source, records.area.tag)
