"""``git zdev tasks index``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.cli import changes, refused, result, succeed, tree_state
from tests.support.plan import INDEX, INDEX_PATH, SOURCE_PATH

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

pytestmark = pytest.mark.usefixtures("payments")


def test_it_writes_what_the_tasks_give(repo: GitRepo) -> None:
    path = repo.write(INDEX_PATH, "stale\n")
    assert result("tasks index", "payments", cwd=repo.path) == {
        "area": "payments",
        "path": INDEX_PATH,
        "schema_version": 1,
        "status": "updated",
    }
    assert path.read_text() == INDEX


def test_a_missing_one_is_written(repo: GitRepo) -> None:
    (repo.path / INDEX_PATH).unlink()
    assert succeed("tasks", "index", "payments", cwd=repo.path).text == f"Wrote {INDEX_PATH}.\n"
    assert (repo.path / INDEX_PATH).read_text() == INDEX


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_one_that_is_right_is_not_touched(repo: GitRepo, line_end: str) -> None:
    repo.write(INDEX_PATH, INDEX.replace("\n", line_end))
    before = tree_state(repo.path)
    assert result("tasks index", "payments", cwd=repo.path)["status"] == "unchanged"
    left = {".git/zdev"}
    assert set(changes(before, tree_state(repo.path))) <= left


def test_invalid_tasks_are_refused(repo: GitRepo) -> None:
    repo.write(SOURCE_PATH, "no task\n")
    refused("invalid-records", "tasks", "index", "payments", cwd=repo.path)


def test_a_linked_index_is_refused(repo: GitRepo) -> None:
    path = repo.path / INDEX_PATH
    path.rename(repo.path / "aside.md")
    path.symlink_to(repo.path / "aside.md")
    refused("invalid-records", "tasks", "index", "payments", cwd=repo.path)


def test_an_unknown_area(repo: GitRepo) -> None:
    refused("unknown-area", "tasks", "index", "other", cwd=repo.path)


def test_inside_a_hook_it_is_refused(repo: GitRepo) -> None:
    env = {"GIT_INDEX_FILE": str(repo.path / ".git/index"), "GIT_PREFIX": ""}
    refused("inside-git-hook", "tasks", "index", "payments", cwd=repo.path, env=env)
