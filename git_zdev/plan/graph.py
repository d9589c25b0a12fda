"""The dependencies of tasks: validity, states, the ready frontier, the default selection.

Every algorithm is linear in tasks and dependencies and none recurses, so a chain of any length
works like any other graph.
"""

from __future__ import annotations

from git_zdev.ground.errors import Problem
from git_zdev.ground.values import dataclass
from git_zdev.plan.records.codec import invalid_records, task_key_line
from git_zdev.plan.records.fields import PROBLEM_LIMIT, task_number
from git_zdev.plan.records.model import PRIORITIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from git_zdev.plan.records.model import Queue, Task, TaskState


@dataclass(frozen=True, slots=True)
class Counts:
    """The number of tasks in each state."""

    total: int
    ready: int
    blocked: int
    done: int


class Graph:
    """The valid dependency graph of one area.

    Attributes:
        tasks: The tasks in id order.
        by_id: Each task by its id.
        states: The state of each task by its id, in id order.
        ready: The ready frontier in id order.
    """

    __slots__ = ("by_id", "ready", "states", "tasks")

    def __init__(self, tasks: Iterable[Task]) -> None:
        """Take the tasks of one area, for which :func:`problems` finds nothing."""
        self.tasks: tuple[Task, ...] = in_order(tasks)
        self.by_id: dict[str, Task] = {task.id: task for task in self.tasks}
        self.states: dict[str, TaskState] = {task.id: self._state(task) for task in self.tasks}
        self.ready: tuple[Task, ...] = tuple(
            task for task in self.tasks if self.states[task.id] == "ready"
        )

    def _state(self, task: Task) -> TaskState:
        if task.status == "done":
            return "done"
        for blocker in task.blocked_by:
            if self.by_id[blocker].status != "done":
                return "blocked"
        return "ready"

    @property
    def counts(self) -> Counts:
        """How many tasks are in which state."""
        found = list(self.states.values())
        ready, blocked, done = (found.count(state) for state in ("ready", "blocked", "done"))
        return Counts(len(self.tasks), ready, blocked, done)

    @property
    def queue(self) -> Queue:
        """``empty`` without tasks, ``ready`` with a ready one, ``exhausted`` if all are done."""
        if not self.tasks:
            return "empty"
        return "ready" if self.ready else "exhausted"

    def default(self) -> Task | None:
        """The task to take next: ``afk`` first, then by priority, then in id order."""
        return min(self.ready, key=_preference, default=None)

    def open_blockers(self, task: Task) -> tuple[Task, ...]:
        """The open tasks that a task waits for, in the order of its list."""
        blockers = (self.by_id[blocker] for blocker in task.blocked_by)
        return tuple(blocker for blocker in blockers if blocker.status == "open")

    def dependents(self, task: Task) -> tuple[Task, ...]:
        """The tasks that list a task as their blocker, in id order."""
        return tuple(other for other in self.tasks if task.id in other.blocked_by)

    def done_dependents(self, task: Task) -> tuple[Task, ...]:
        """The done tasks that depend on a task; while there are any, reopening it is refused."""
        return tuple(other for other in self.dependents(task) if other.status == "done")

    def topological(self) -> tuple[Task, ...]:
        """Every task after its blockers; in id order where the graph allows several orders."""
        waits = {task.id: task.blocked_by for task in self.tasks}
        return tuple(self.by_id[name] for name in _peel(waits))


def build(tasks: Iterable[Task]) -> Graph:
    """The graph of an area's tasks.

    Raises:
        InvalidInput: ``invalid-records`` with everything that is wrong with the graph.
    """
    ordered = in_order(tasks)
    found = problems(ordered)
    if found:
        raise invalid_records(found)
    return Graph(ordered)


def in_order(tasks: Iterable[Task]) -> tuple[Task, ...]:
    """Tasks in id order: by number, then by the whole id."""
    return tuple(sorted(tasks, key=lambda task: task.order))


def problems(tasks: Sequence[Task], unread: Container[int] = ()) -> list[Problem]:
    """Everything that is wrong with the ids, keys and dependencies of an area's tasks.

    Args:
        tasks: The tasks in id order.
        unread: Numbers of tasks that exist but could not be read; they count as known.

    Returns:
        ``duplicate-id``, ``duplicate-task-key``, ``missing-blocker``, ``self-blocker``,
        ``repeated-blocker`` and ``dependency-cycle``, each with the file and the line of the key.
    """
    found = [
        *_repeated(tasks, "id", "duplicate-id"),
        *_repeated(tasks, "key", "duplicate-task-key"),
    ]
    by_id = {task.id: task for task in tasks}
    sound = not found
    for task in tasks:
        faults = _blocker_faults(task, by_id, unread) if task.blocked_by else []
        if faults:
            line = task_key_line(task, "blocked_by")
            found += [Problem(code, message, task.path, line) for code, message in faults]
    if sound and any(task.blocked_by for task in tasks):
        for cycle in cycles({task.id: task.blocked_by for task in tasks}):
            message = cycle_message(cycle)
            found.append(_problem(by_id[cycle[0]], "dependency-cycle", message, "blocked_by"))
    return found


def _repeated(tasks: Sequence[Task], key: str, code: str) -> list[Problem]:
    first: dict[str, Task] = {}
    found = []
    for task in tasks:
        value: str = getattr(task, key)
        earlier = first.setdefault(value, task)
        if earlier is not task:
            message = f'the {key} "{value}" is taken by {earlier.path}'
            found.append(_problem(task, code, message, key))
    return found


def _blocker_faults(
    task: Task, by_id: dict[str, Task], unread: Container[int]
) -> list[tuple[str, str]]:
    faults = []
    seen: set[str] = set()
    for blocker in task.blocked_by:
        if blocker in seen:
            faults.append(("repeated-blocker", f'"blocked_by" lists "{blocker}" more than once'))
        elif blocker == task.id:
            faults.append(("self-blocker", f"{task.id} lists itself as its blocker"))
        elif blocker not in by_id and task_number(task.area, blocker) not in unread:
            message = f'"blocked_by" lists "{blocker}", which is not a task of this area'
            faults.append(("missing-blocker", message))
        seen.add(blocker)
    return faults[:PROBLEM_LIMIT]


def cycles(waits: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Find a cycle for each walk along blockers that ends in one; no node is in two of them.

    Args:
        waits: The blockers of each node; names of no node are ignored, and so are nodes that wait
            for themselves only.

    Returns:
        Each cycle as its nodes in the order in which they wait.
    """
    free = set(_peel(waits))
    held = [name for name in waits if name not in free]
    walked: set[str] = set()
    found = []
    for start in held:
        path: dict[str, None] = {}
        name = start
        while name not in walked:
            walked.add(name)
            path[name] = None
            name = next(other for other in waits[name] if other in waits and other not in free)
        if name in path:  # not so if the walk ran into an earlier one
            names = list(path)
            found.append(names[names.index(name) :])
    return [cycle for cycle in found if len(cycle) > 1]


def cycle_message(cycle: Sequence[str]) -> str:
    """A sentence with the path of a cycle; a long path is shortened in the middle."""
    shown = [*cycle, cycle[0]]
    if len(shown) > 12:
        shown = [*shown[:6], f"… {len(shown) - 11} more …", *shown[-5:]]
    return f"the tasks wait for each other: {' → '.join(shown)}"


def _peel(waits: Mapping[str, Sequence[str]]) -> list[str]:
    """Every node that no cycle blocks, each after its blockers (Kahn's algorithm).

    Where the graph allows several orders, nodes come in the order of ``waits``.
    """
    names = list(waits)
    place = {name: position for position, name in enumerate(names)}
    if all(
        place.get(blocker, -1) < position
        for position, blockers in enumerate(waits.values())
        for blocker in blockers
    ):
        return names  # the usual case: a plan lists tasks after their blockers
    import heapq

    left = []
    followers: dict[str, list[int]] = {}
    for position, blockers in enumerate(waits.values()):
        known = {blocker for blocker in blockers if blocker in place}
        left.append(len(known))
        for blocker in known:
            followers.setdefault(blocker, []).append(position)
    free = [position for position, count in enumerate(left) if not count]
    peeled = []
    while free:
        name = names[heapq.heappop(free)]
        peeled.append(name)
        for follower in followers.get(name, ()):
            left[follower] -= 1
            if not left[follower]:
                heapq.heappush(free, follower)
    return peeled


def _problem(task: Task, code: str, message: str, key: str) -> Problem:
    return Problem(code, message, task.path, task_key_line(task, key))


def _preference(task: Task) -> tuple[bool, int, tuple[int, str]]:
    return (not task.effective_afk, PRIORITIES.index(task.effective_priority), task.order)
