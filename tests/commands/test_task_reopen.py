"""``git zdev task reopen``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.cli import changes, refused, result, succeed, tree_state
from tests.support.plan import (
    INDEX_PATH,
    TASKS,
    task_text,
    write_empty_area,
    write_plan,
)

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

pytestmark = pytest.mark.usefixtures("payments")


NAME = "001-measure-the-retries.md"
PATH = f".zdev/payments/tasks/{NAME}"
REOPENED = (
    TASKS[NAME]
    .replace('status = "done"', 'status = "open"')
    .replace("- [x]", "- [ ]")
    .replace("## Result\n", "## History\n\n### Previous completion\n")
)


def test_a_done_task_is_open_again(repo: GitRepo) -> None:
    before = tree_state(repo.path)
    assert result("task reopen", "payments", "payments-001", cwd=repo.path) == {
        "area": "payments",
        "schema_version": 1,
        "status": "open",
        "task": "payments-001",
    }
    assert (repo.path / PATH).read_text() == REOPENED
    assert "- Ready: 2\n- Blocked: 2\n- Done: 0\n" in (repo.path / INDEX_PATH).read_text()
    moved = {path for path in changes(before, tree_state(repo.path)) if path.startswith(".zdev")}
    assert moved == {PATH, INDEX_PATH}
    assert result("check", cwd=repo.path)["status"] == "ok"


def test_it_needs_no_safe_branch(repo: GitRepo) -> None:
    repo.git("checkout", "-q", "--detach")
    run = succeed("task", "reopen", "payments", "payments-001", cwd=repo.path)
    assert run.text == "Reopened payments-001.\n"


def test_an_open_task_stays_as_it_is(repo: GitRepo) -> None:
    before = tree_state(repo.path / ".zdev")
    document = result("task reopen", "payments", "payments-002", cwd=repo.path)
    assert document["status"] == "unchanged"
    assert changes(before, tree_state(repo.path / ".zdev")) == []


def test_a_task_that_done_tasks_build_on(repo: GitRepo) -> None:
    name = "002-settle-the-retry-boundary.md"
    text = task_text(
        2,
        key="settle-retry",
        title="Settle the retry boundary",
        blocked_by=["payments-001"],
        status="done",
    )
    write_plan(repo.path, {f"payments/tasks/{name}": text})
    error = refused(
        "task-has-done-dependents", "task", "reopen", "payments", "payments-001", cwd=repo.path
    )
    assert error["details"]["done_dependents"] == ["payments-002"]


def test_a_closed_area(repo: GitRepo) -> None:
    write_empty_area(repo.path, "old", branch="old", lifecycle="closed")
    write_plan(repo.path, {"old/tasks/001-step-1.md": task_text(1, tag="old", status="done")})
    refused("area-closed", "task", "reopen", "old", "old-001", cwd=repo.path)


def test_an_unknown_task(repo: GitRepo) -> None:
    refused("unknown-task", "task", "reopen", "payments", "payments-009", cwd=repo.path)


def test_the_state_lock_is_respected(repo: GitRepo) -> None:
    import fcntl

    repo.git("config", "zdev.lockTimeout", "0")
    with (repo.path / ".git/zdev-state.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        refused("state-locked", "task", "reopen", "payments", "payments-001", cwd=repo.path)
