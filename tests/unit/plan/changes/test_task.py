"""Completion, reopening and the index, as planned changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from git_zdev.ground.errors import ZdevError
from git_zdev.plan.areas import AreaRecords, load_area
from git_zdev.plan.changes import task as planning
from git_zdev.plan.records.store import FileSource
from tests.support.plan import FILES, INDEX, INDEX_PATH, SOURCE_PATH, TASKS, task_text, write_plan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from git_zdev.ground.changeset import ChangeSet

SOURCE = TASKS["002-settle-the-retry-boundary.md"]
DONE_ROW = "| Settle the retry boundary | done | payments-001 |"


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., AreaRecords]:
    """Loads ``payments`` with some files replaced."""

    def records(**replaced: str) -> AreaRecords:
        files = {f"payments/{name.replace('__', '/')}.md": text for name, text in replaced.items()}
        write_plan(tmp_path, {**FILES, **files})
        return load_area(FileSource(tmp_path), "payments")

    return records


def done(records: AreaRecords, task_id: str = "payments-002") -> ChangeSet:
    return planning.plan_done(records, records.find(task_id), "It is settled.", ["Ran the tests."])


def test_completion_changes_the_task_and_the_index(load: Callable[..., AreaRecords]) -> None:
    task, index = done(load()).changes
    assert (task.path, task.old) == (SOURCE_PATH, SOURCE.encode())
    expected = SOURCE.replace('status = "open"', 'status = "done"').replace("- [ ]", "- [x]")
    expected += "\n## Result\n\nIt is settled.\n\nValidation:\n\n- Ran the tests.\n"
    assert task.new == expected.encode()
    assert (index.path, index.old) == (INDEX_PATH, INDEX.encode())
    expected = INDEX.replace("Blocked: 1", "Blocked: 0")
    expected = expected.replace("Done: 1", "Done: 2").replace(
        "| Settle the retry boundary | ready | payments-001 |", DONE_ROW
    )
    expected = expected.replace("| blocked | payments-002 |", "| ready | payments-002 |")
    assert index.new == expected.encode()


def test_a_done_task_stays_as_it_is(load: Callable[..., AreaRecords]) -> None:
    assert done(load(), "payments-001").changes == ()


def test_a_blocked_task_names_its_open_blockers(load: Callable[..., AreaRecords]) -> None:
    with pytest.raises(ZdevError) as caught:
        done(load(), "payments-003")
    assert caught.value.code == "task-blocked"
    assert caught.value.details == {"task": "payments-003", "open_blockers": ["payments-002"]}


def test_reopening_is_refused_while_done_tasks_build_on_it(
    load: Callable[..., AreaRecords],
) -> None:
    text = task_text(
        2,
        key="settle-retry",
        title="Settle the retry boundary",
        blocked_by=["payments-001"],
        status="done",
    )
    records = load(**{"tasks__002-settle-the-retry-boundary": text})
    with pytest.raises(ZdevError) as caught:
        planning.plan_reopen(records, records.find("payments-001"))
    assert caught.value.code == "task-has-done-dependents"
    assert caught.value.details["done_dependents"] == ["payments-002"]


def test_reopening_moves_the_result_to_the_history(load: Callable[..., AreaRecords]) -> None:
    records = load()
    task, index = planning.plan_reopen(records, records.find("payments-001")).changes
    before = TASKS["001-measure-the-retries.md"]
    assert task.old == before.encode()
    expected = before.replace('status = "done"', 'status = "open"').replace("- [x]", "- [ ]")
    expected = expected.replace("## Result\n", "## History\n\n### Previous completion\n")
    assert task.new == expected.encode()
    assert b"- Ready: 2\n- Blocked: 2\n- Done: 0\n" in (index.new or b"")


def test_an_open_task_is_not_reopened(load: Callable[..., AreaRecords]) -> None:
    records = load()
    assert planning.plan_reopen(records, records.find("payments-002")).changes == ()


def test_the_index_changes_only_where_it_differs(load: Callable[..., AreaRecords]) -> None:
    assert planning.plan_index(load()).changes == ()
    (change,) = planning.plan_index(load(TASKS="stale\n")).changes
    assert (change.path, change.old, change.new) == (INDEX_PATH, b"stale\n", INDEX.encode())


def test_a_missing_index_is_written(load: Callable[..., AreaRecords], tmp_path: Path) -> None:
    load()
    (tmp_path / INDEX_PATH).unlink()
    (change,) = planning.plan_index(load_area(FileSource(tmp_path), "payments")).changes
    assert (change.old, change.new) == (None, INDEX.encode())


def test_an_index_keeps_crlf_line_ends(load: Callable[..., AreaRecords]) -> None:
    crlf = INDEX.replace("\n", "\r\n")
    assert planning.plan_index(load(TASKS=crlf)).changes == ()
    (change,) = planning.plan_index(load(TASKS=crlf.replace("Ready: 2", "Ready: 9"))).changes
    assert change.new == crlf.encode()


@pytest.mark.parametrize(
    ("task_id", "code"),
    [
        ("payments-009", "unknown-task"),
        ("other-002", "unknown-task"),
        ("payments-001", "task-done"),
        ("payments-003", "task-blocked"),
    ],
)
def test_a_task_that_is_not_ready_says_why(
    load: Callable[..., AreaRecords], task_id: str, code: str
) -> None:
    with pytest.raises(ZdevError) as caught:
        planning.require_ready(load(), task_id)
    assert caught.value.code == code


def test_a_ready_task_is_given(load: Callable[..., AreaRecords]) -> None:
    assert planning.require_ready(load(), "payments-004").title == "Tidy the logs"
