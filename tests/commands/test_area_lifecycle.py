"""``git zdev area close|reopen`` on real repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.cli import changes, refused, result, tree_state, zdev
from tests.support.plan import area_text, index_text, task_text, write_empty_area, write_plan

if TYPE_CHECKING:
    from tests.support.repo import GitRepo


@pytest.fixture
def area(planned: GitRepo) -> GitRepo:
    """The area ``payments``, its branch checked out and level with its base."""
    tip = planned.rev("main")
    write_empty_area(planned.path, "payments", branch="payments", lifecycle="open", base_commit=tip)
    planned.git("switch", "-q", "-c", "payments")
    return planned


def add_task(repo: GitRepo, status: str) -> None:
    state = {"open": "ready"}.get(status, status)
    counts = (1, 1, 0, 0) if status == "open" else (1, 0, 0, 1)
    row = f"| [payments-001](tasks/001-x.md) | Step 1 | {state} | — |"
    write_plan(
        repo.path,
        {
            "payments/tasks/001-x.md": task_text(1, status=status),
            "payments/TASKS.md": index_text([row], counts=counts),
        },
    )


def branch_status(repo: GitRepo, **other: Any) -> dict[str, Any]:
    """The branch status of a sound, fresh area, written by hand."""
    status = {
        "anchor_valid": True,
        "base_commit": repo.rev("main"),
        "branch": "payments",
        "branch_matches": True,
        "checked_out_branch": "payments",
        "diagnostics": ["fresh"],
        "effective_base": {"area": None, "branch": "main", "kind": "trunk"},
        "finalized": True,
        "fresh": True,
        "linear_history": True,
        "mode": "isolated",
        "parent_area": None,
        "task_work": {
            "git_operation": None,
            "safe": True,
            "stale_advisory": False,
            "structurally_safe": True,
        },
    }
    return status | other


def test_close_and_reopen(area: GitRepo) -> None:
    add_task(area, "done")
    assert result("area close", "payments", cwd=area.path) == {
        "advisory": None,
        "area": "payments",
        "branch_status": branch_status(area),
        "lifecycle": "closed",
        "schema_version": 1,
        "status": "closed",
    }
    text = area_text(
        "payments", branch="payments", lifecycle="closed", base_commit=area.rev("main")
    )
    assert (area.path / ".zdev/payments/area.toml").read_text() == text
    reopened = result("area reopen", "payments", cwd=area.path)
    assert (reopened["lifecycle"], reopened["status"]) == ("open", "open")
    assert (area.path / ".zdev/payments/area.toml").read_text() == text.replace("closed", "open")


@pytest.mark.parametrize(
    ("verb", "lifecycle"), [("close", "closed"), ("reopen", "open")], ids=["close", "reopen"]
)
def test_a_repeat_changes_nothing(verb: str, lifecycle: str, area: GitRepo) -> None:
    zdev("area", verb, "payments", cwd=area.path)
    before = tree_state(area.path)
    again = result(f"area {verb}", "payments", cwd=area.path)
    assert (again["status"], again["lifecycle"]) == ("unchanged", lifecycle)
    assert changes(before, tree_state(area.path)) == []


def test_a_closed_area_stays_closed_from_any_branch(area: GitRepo) -> None:
    zdev("area", "close", "payments", cwd=area.path)
    area.git("switch", "-q", "main")
    again = result("area close", "payments", cwd=area.path)
    assert again["status"] == "unchanged"
    assert again["branch_status"]["diagnostics"] == ["wrong-branch", "fresh"]


def test_open_tasks_keep_an_area_open(area: GitRepo) -> None:
    add_task(area, "open")
    error = refused("area-has-open-tasks", "area", "close", "payments", cwd=area.path)
    assert error["details"] == {"open_tasks": ["payments-001"]}


@pytest.mark.parametrize("verb", ["close", "reopen"])
def test_the_gate(verb: str, area: GitRepo) -> None:
    if verb == "reopen":
        zdev("area", "close", "payments", cwd=area.path)
    area.git("switch", "-q", "main")
    error = refused("wrong-branch", "area", verb, "payments", cwd=area.path)
    assert error["details"]["branch_status"] == branch_status(
        area,
        branch_matches=False,
        checked_out_branch="main",
        diagnostics=["wrong-branch", "fresh"],
        task_work={
            "git_operation": None,
            "safe": False,
            "stale_advisory": False,
            "structurally_safe": True,
        },
    )
    area.git("switch", "-q", "--detach")
    refused("detached-head", "area", verb, "payments", cwd=area.path)


def test_a_stale_branch_passes_with_the_advisory(area: GitRepo) -> None:
    area.git("switch", "-q", "main")
    area.commit("Main goes on")
    area.git("switch", "-q", "payments")
    advisory = "Advisory: run `git zdev area rebase payments` when you need current base changes"
    assert result("area close", "payments", cwd=area.path)["advisory"] == advisory
    run = zdev("area", "reopen", "payments", cwd=area.path)
    assert (run.text, run.error_text) == ("The area payments is now open.\n", f"{advisory}\n")


def test_a_trunk_area(planned: GitRepo) -> None:
    write_empty_area(planned.path, "general", mode="trunk", lifecycle="open")
    closed = result("area close", "general", cwd=planned.path)
    assert (closed["status"], closed["branch_status"]["mode"]) == ("closed", "trunk")


@pytest.mark.parametrize("verb", ["close", "reopen"])
def test_an_unknown_area(verb: str, area: GitRepo) -> None:
    refused("unknown-area", "area", verb, "other", cwd=area.path)


def test_the_words(area: GitRepo) -> None:
    assert (
        zdev("area", "close", "payments", cwd=area.path).text
        == "The area payments is now closed.\n"
    )
    assert zdev("area", "close", "payments", cwd=area.path).text == (
        "The area payments is already closed.\n"
    )
