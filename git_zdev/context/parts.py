"""Check that the parts of a work context agree: repeated values must be equal."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


def disagreements(document: Mapping[str, Any]) -> list[str]:
    """The contradictions between parts of a well-formed work context, as sentences.

    Task id, queue, lifecycle and area must be the same wherever they appear; a task is selected
    exactly when the queue is ready; open work is safe to work on.
    """
    return [
        f"{name} is {_shown(found)} and {other} is {_shown(expected)}"
        for name, found, other, expected in _comparisons(document)
        if found != expected
    ]


def _shown(value: Any) -> str:
    return "null" if value is None else str(value).lower() if value in (True, False) else str(value)


def _comparisons(document: Mapping[str, Any]) -> Iterator[tuple[str, Any, str, Any]]:
    goal = document["goal"]
    task = goal["task"]
    ready = document["queue"] == "ready"
    yield "goal.area.tag", goal["area"]["tag"], "area", document["area"]
    yield "goal.lifecycle", goal["lifecycle"], "lifecycle", document["lifecycle"]
    yield "goal.queue", goal["queue"], "queue", document["queue"]
    yield "goal.task.id", task and task["id"], "task_id", document["task_id"]
    yield "a task is selected", document["task_id"] is not None, "the queue has one ready", ready
    if document["lifecycle"] == "closed":
        return
    status = document["status"]
    work = status["branch_status"]["task_work"]
    yield "status.area.tag", status["area"]["tag"], "area", document["area"]
    yield "status.lifecycle", status["lifecycle"], "lifecycle", document["lifecycle"]
    yield "status.queue", status["queue"], "queue", document["queue"]
    yield "status.next", status["next"], "task_id", document["task_id"]
    yield "task_work.safe", work["safe"], "open work", True
    yield (
        "stale_advisory",
        document["stale_advisory"],
        "task_work.stale_advisory",
        work["stale_advisory"],
    )
