"""Dependencies: what is wrong with them, what is ready, in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_zdev.ground.errors import InvalidInput
from git_zdev.plan import graph
from git_zdev.plan.records.model import Task

if TYPE_CHECKING:
    from collections.abc import Sequence


def task(number: int, *blockers: int | str, **values: Any) -> Task:
    ids = [f"pay-{one:03d}" if isinstance(one, int) else one for one in blockers]
    identity = values.pop("id", f"pay-{number:03d}")
    listed = ", ".join(f'"{one}"' for one in ids)
    key = values.pop("key", f"k{number}")
    source = f'+++\nid = "{identity}"\nkey = "{key}"\nblocked_by = [{listed}]\n+++\n'
    return Task(
        id=identity,
        key=key,
        area="pay",
        status=values.pop("status", "open"),
        title=f"Task {number}",
        path=f".zdev/pay/tasks/{number:03d}-t.md",
        outcome="o",
        context=None,
        boundaries=None,
        done_when="- [ ] d",
        validation="- v",
        blocked_by=tuple(ids),
        source=source.encode(),
        **values,
    )


def done(number: int, *blockers: int | str) -> Task:
    return task(number, *blockers, status="done")


def told(tasks: Sequence[Task], **unread: Any) -> list[tuple[str, str | None, int | None]]:
    problems = graph.problems(graph.in_order(tasks), **unread)
    return [
        (problem.code, problem.path and problem.path[-8:-5], problem.line) for problem in problems
    ]


def test_states_and_counts() -> None:
    built = graph.build([task(3, 1, 2), done(1), task(2), task(4, 1), done(5, 3)])
    assert list(built.states.items()) == [
        ("pay-001", "done"),
        ("pay-002", "ready"),
        ("pay-003", "blocked"),
        ("pay-004", "ready"),
        ("pay-005", "done"),
    ]
    assert built.counts == graph.Counts(5, 2, 1, 2)
    assert [one.id for one in built.ready] == ["pay-002", "pay-004"]
    assert [one.id for one in built.open_blockers(built.by_id["pay-003"])] == ["pay-002"]
    assert [one.id for one in built.dependents(built.by_id["pay-001"])] == ["pay-003", "pay-004"]
    assert [one.id for one in built.done_dependents(built.by_id["pay-003"])] == ["pay-005"]


@pytest.mark.parametrize(
    ("tasks", "queue"),
    [
        ([], "empty"),
        ([done(1)], "exhausted"),
        ([task(1)], "ready"),
        ([done(1), task(2, 3), task(3)], "ready"),
    ],
)
def test_the_queue(tasks: list[Task], queue: str) -> None:
    assert graph.build(tasks).queue == queue


def test_order_is_by_number_then_by_id() -> None:
    tasks = [task(1000), task(2), task(10, id="pay-10"), task(10, id="pay-010", key="x")]
    assert [one.id for one in graph.in_order(tasks)] == ["pay-002", "pay-010", "pay-10", "pay-1000"]


@pytest.mark.parametrize(
    ("tasks", "chosen"),
    [
        ([task(1), task(2)], "pay-001"),
        ([task(1), task(2, priority="high")], "pay-002"),
        ([task(1, priority="low"), task(2)], "pay-002"),
        ([task(1, priority="normal"), task(2)], "pay-001"),
        ([task(1, priority="high"), task(2, afk=True, priority="low")], "pay-002"),
        ([task(1, afk=False), task(2, afk=True)], "pay-002"),
        ([task(1, afk=True), task(2, afk=True, priority="high")], "pay-002"),
        ([task(1, 2), task(2)], "pay-002"),
        ([task(9), task(10), task(100)], "pay-009"),
        ([done(1)], None),
    ],
)
def test_the_default_selection(tasks: list[Task], chosen: str | None) -> None:
    selected = graph.build(tasks).default()
    assert (selected and selected.id) == chosen


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        ([task(1), task(2, 1)], []),
        ([task(1, 7)], [("missing-blocker", "001", 4)]),
        ([task(1, "other-001")], [("missing-blocker", "001", 4)]),
        ([task(1, 1)], [("self-blocker", "001", 4)]),
        ([task(1), task(2, 1, 1)], [("repeated-blocker", "002", 4)]),
        ([task(1), task(2, 1, 1, 1)], [("repeated-blocker", "002", 4)] * 2),
        ([task(1), task(2, id="pay-001")], [("duplicate-id", "002", 2)]),
        ([task(1, key="a"), task(2, key="a")], [("duplicate-task-key", "002", 3)]),
        ([task(1, 2), task(2, 1)], [("dependency-cycle", "001", 4)]),
        ([task(1), task(2, 4), task(3, 2), task(4, 3, 1)], [("dependency-cycle", "002", 4)]),
        (
            [task(1, 2), task(2, 1), task(3, 4), task(4, 3), task(5, 1, 3)],
            [("dependency-cycle", "001", 4), ("dependency-cycle", "003", 4)],
        ),
        (
            [task(1, 1, 9), task(2, 3), task(3, 2)],
            [
                ("self-blocker", "001", 4),
                ("missing-blocker", "001", 4),
                ("dependency-cycle", "002", 4),
            ],
        ),
        ([done(1, 2), task(2)], []),
    ],
)
def test_what_is_wrong_with_a_graph(
    tasks: list[Task], expected: list[tuple[str, str, int]]
) -> None:
    assert told(tasks) == expected
    if expected:
        with pytest.raises(InvalidInput):
            graph.build(tasks)


def test_tasks_that_could_not_be_read_are_not_missing() -> None:
    assert told([task(1, 2, 3)], unread={2}) == [("missing-blocker", "001", 4)]
    assert "pay-003" in graph.problems([task(1, 2, 3)], {2})[0].message


def test_a_cycle_is_named_with_its_path() -> None:
    problems = graph.problems([task(1, 3), task(2, 1), task(3, 2)])
    assert problems[0].message == (
        "the tasks wait for each other: pay-001 → pay-003 → pay-002 → pay-001"
    )


def test_long_chains_and_cycles_need_no_recursion() -> None:
    size = 20_000
    chain = [task(1), *(task(number, number - 1) for number in range(2, size))]
    assert graph.build(chain).counts == graph.Counts(size - 1, 1, size - 2, 0)
    ring = [task(1, size - 1), *chain[1:]]
    (problem,) = graph.problems(graph.in_order(ring))
    assert problem.code == "dependency-cycle"
    assert len(problem.message) < 400


_EDGES = st.lists(st.lists(st.integers(1, 8), max_size=3, unique=True), max_size=8)


@given(_EDGES, st.sets(st.integers(1, 8)))
def test_order_and_frontier_hold_for_any_graph(edges: list[list[int]], finished: set[int]) -> None:
    count = len(edges)
    tasks = [
        task(
            number,
            *(one for one in blockers if one <= count),
            status="done" if number in finished else "open",
        )
        for number, blockers in enumerate(edges, 1)
    ]
    problems = graph.problems(tasks)
    if problems:
        assert _has_cycle(tasks)
        return
    assert not _has_cycle(tasks)
    built = graph.build(tasks)
    order = [one.id for one in built.topological()]
    assert sorted(order) == [one.id for one in tasks]
    for one in tasks:
        assert all(order.index(blocker) < order.index(one.id) for blocker in one.blocked_by)
        waits = [blocker for blocker in one.blocked_by if built.by_id[blocker].status == "open"]
        assert (one in built.ready) is (one.status == "open" and not waits)
    assert (built.queue == "ready") is any(one.status == "open" for one in tasks)


def _has_cycle(tasks: Sequence[Task]) -> bool:
    """By brute force: whether some task is reachable from itself."""
    waits = {one.id: set(one.blocked_by) for one in tasks}
    for start, blockers in waits.items():
        seen: set[str] = set()
        queue = list(blockers)
        while queue:
            name = queue.pop()
            if name == start:
                return True
            if name not in seen:
                seen.add(name)
                queue += waits[name]
    return False
