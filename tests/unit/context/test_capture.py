"""Collecting a work context while somebody else writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.context.capture import capture
from git_zdev.git.read.discovery import discover
from git_zdev.git.read.repository import open_repository
from git_zdev.ground.errors import ZdevError
from git_zdev.plan.records.store import FileSource
from tests.support.plan import CONFIG, INDEX_PATH, SOURCE_PATH, commit_payments, task_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from git_zdev.git.read.repository import LibGit2Repository
    from tests.support.repo import GitRepo

DONE = task_text(
    2,
    key="settle-retry",
    title="Settle the retry boundary",
    blocked_by=["payments-001"],
    status="done",
)
RENAMED = task_text(2, key="settle-retry", title="Settle it all", blocked_by=["payments-001"])


def collected(repo: GitRepo, between: Callable[[], object]) -> dict[str, Any]:
    """A context for which ``between`` happens after the goal and before the status."""

    def repository() -> LibGit2Repository:
        between()
        location = discover(str(repo.path), {})
        return open_repository(location, {"HOME": str(repo.path)})

    return capture(FileSource(repo.path), repository, "payments")


def test_records_that_stay_are_read_once(repo: GitRepo) -> None:
    commit_payments(repo)
    document = collected(repo, lambda: None)
    assert document["task_id"] == document["status"]["next"] == "payments-002"


def test_a_task_that_is_completed_meanwhile_is_a_disagreement(repo: GitRepo) -> None:
    commit_payments(repo)
    with pytest.raises(ZdevError) as caught:
        collected(repo, lambda: repo.write(SOURCE_PATH, DONE))
    assert caught.value.code == "work-context-disagreement"
    details = caught.value.details
    assert details["goal"]["task"]["id"] == "payments-002"
    assert details["status"]["next"] != "payments-002"


def test_an_area_that_is_emptied_meanwhile_is_a_disagreement(repo: GitRepo) -> None:
    commit_payments(repo)
    folder = repo.path / ".zdev/payments/tasks"
    with pytest.raises(ZdevError) as caught:
        collected(repo, lambda: [path.unlink() for path in folder.iterdir()])
    assert caught.value.code == "work-context-disagreement"
    assert caught.value.details["status"]["queue"] == "empty"


def test_records_that_break_meanwhile_are_an_error(repo: GitRepo) -> None:
    commit_payments(repo)
    with pytest.raises(ZdevError) as caught:
        collected(repo, lambda: repo.write(SOURCE_PATH, "no task\n"))
    assert caught.value.code == "invalid-records"


@pytest.mark.parametrize(
    "between",
    [
        lambda repo: repo.write(SOURCE_PATH, RENAMED),
        lambda repo: repo.write(INDEX_PATH, "anything\n"),
        lambda repo: repo.write(".zdev/config.toml", CONFIG.replace("checkout", "shop")),
    ],
)
def test_a_change_that_moves_no_task_is_told_by_the_status(
    repo: GitRepo, between: Callable[[GitRepo], object]
) -> None:
    commit_payments(repo)
    document = collected(repo, lambda: between(repo))
    assert document["task_id"] == "payments-002"
    assert document["git_diff"]
