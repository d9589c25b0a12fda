"""Which branches other work trees hold, against what Git itself refuses to switch to."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.support.gitrepo import GitRepo, git
from tests.support.opening import opened

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def linked(repo: GitRepo) -> GitRepo:
    """A work tree beside the main one, on its own branch ``side``."""
    repo.commit("Begin", a__txt="one\n")
    repo.git("worktree", "add", "-q", "-b", "side", "../linked")
    return GitRepo(repo.path.parent / "linked")


def holder(path: Path, branch: str) -> str | None:
    """The work tree that has the branch, which Git must refuse to switch to exactly then."""
    answer = opened(path).work_tree_of(branch)
    done = git("switch", branch, cwd=path, check=False)
    assert (done.returncode != 0) == (answer is not None), done.stderr.decode()
    return answer


def test_the_main_work_tree_and_a_linked_one(repo: GitRepo, linked: GitRepo) -> None:
    assert holder(repo.path, "side") == str(linked.path)
    assert holder(linked.path, "main") == str(repo.path)


def test_ones_own_branch_and_a_free_one(repo: GitRepo, linked: GitRepo) -> None:
    assert holder(linked.path, "side") is None
    repo.git("branch", "free")
    assert holder(linked.path, "free") is None


def test_a_branch_that_is_being_rebased(repo: GitRepo, linked: GitRepo) -> None:
    linked.commit("Theirs", a__txt="theirs\n")
    repo.commit("Ours", a__txt="ours\n")
    linked.git("rebase", "-q", "main", check=False)
    assert holder(repo.path, "side") == str(linked.path)


def test_a_branch_that_is_being_bisected(repo: GitRepo, linked: GitRepo) -> None:
    for number in range(3):
        linked.commit(f"Step {number}")
    linked.git("bisect", "start", "side", "main")
    assert linked.git("rev-parse", "--abbrev-ref", "HEAD") == "HEAD"
    assert holder(repo.path, "side") == str(linked.path)


def test_a_bare_repository_holds_nothing(repo: GitRepo, linked: GitRepo, tmp_path: Path) -> None:
    git("clone", "-q", "--bare", str(repo.path), "store/.git", cwd=tmp_path)
    git("worktree", "add", "-q", "../../one", "side", cwd=tmp_path / "store/.git")
    assert holder(tmp_path / "one", "main") is None


def test_a_folder_that_is_gone_still_holds(repo: GitRepo, linked: GitRepo) -> None:
    shutil.rmtree(linked.path)
    assert holder(repo.path, "side") == str(linked.path)


def test_what_cannot_be_read_holds_nothing(repo: GitRepo, linked: GitRepo) -> None:
    (repo.path / ".git/worktrees/linked/HEAD").unlink()
    assert opened(repo.path).work_tree_of("side") is None
