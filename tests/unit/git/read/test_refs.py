"""HEAD, branches and operations, as Git tells them."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from git_zdev.git.model import Head, RebaseState
from git_zdev.git.read.discovery import discover
from git_zdev.git.read.operation import Operation
from git_zdev.git.read.repository import open_repository
from git_zdev.ground.errors import ZdevError
from tests.support.repo import GitRepo, as_unprivileged, git, open_folder, opened, trusting

if TYPE_CHECKING:
    from pathlib import Path


def test_an_unborn_branch_has_its_name(repo: GitRepo) -> None:
    assert opened(repo.path).head() == Head("main", None)


def test_a_branch_and_its_commit(repo: GitRepo) -> None:
    commit = repo.commit()
    repository = opened(repo.path)
    assert repository.head() == Head("main", commit)
    assert repository.branch_tip("main") == commit
    assert repository.branch_tip("missing") is None
    second = repo.commit()
    assert repository.branch_tip("main") == second


def test_a_detached_head_has_no_branch(repo: GitRepo) -> None:
    commit = repo.commit()
    repo.git("checkout", "-q", "--detach")
    assert opened(repo.path).head() == Head(None, commit)


def test_a_symbolic_branch_leads_to_its_target(repo: GitRepo) -> None:
    commit = repo.commit()
    repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    repo.git("symbolic-ref", "refs/heads/dangling", "refs/heads/nowhere")
    repository = opened(repo.path)
    assert repository.branch_tip("alias") == commit
    assert repository.branch_tip("dangling") is None


def test_head_may_be_a_symbolic_link(repo: GitRepo) -> None:
    commit = repo.commit()
    (repo.path / ".git" / "HEAD").unlink()
    (repo.path / ".git" / "HEAD").symlink_to("refs/heads/main")
    assert repo.rev("HEAD") == commit
    assert opened(repo.path).head() == Head("main", commit)


def test_packed_branches_and_loose_ones_over_them(repo: GitRepo) -> None:
    first = repo.commit()
    repo.git("branch", "packed")
    repo.git("pack-refs", "--all")
    second = repo.commit()
    repository = opened(repo.path)
    assert not (repo.path / ".git" / "refs" / "heads" / "packed").exists()
    assert (repository.branch_tip("packed"), repository.branch_tip("main")) == (first, second)


@pytest.mark.parametrize(
    "name", ["feature/a/b", "ünï-cödé", "with.dots", "HEAD", "a@b", "-dash", "#1"]
)
def test_odd_branch_names(repo: GitRepo, name: str) -> None:
    commit = repo.commit()
    repo.git("update-ref", f"refs/heads/{name}", commit)
    repo.git("symbolic-ref", "HEAD", f"refs/heads/{name}")
    repository = opened(repo.path)
    assert repository.branch_tip(name) == commit
    assert repository.head() == Head(name, commit)


@pytest.mark.parametrize(
    "name", ["", "a..b", "a b", "/a", "a/", "a.lock", "~x", "a\\b", "@{", "a\nb"]
)
def test_impossible_branch_names_do_not_exist(repo: GitRepo, name: str) -> None:
    repo.commit()
    assert opened(repo.path).branch_tip(name) is None


def test_a_name_that_is_no_utf8_is_shown_by_its_bytes(repo: GitRepo) -> None:
    commit = repo.commit()
    git("update-ref", b"refs/heads/\xff\xfe", commit, cwd=repo.path)
    (repo.path / ".git" / "HEAD").write_bytes(b"ref: refs/heads/\xff\xfe\n")
    assert opened(repo.path).head() == Head("\\xff\\xfe", commit)


@pytest.mark.parametrize(
    "head", ["ref: refs/heads/main\n", "ref:refs/heads/main", "ref:\t refs/heads/main  \n\n"]
)
def test_blanks_in_head(repo: GitRepo, head: str) -> None:
    commit = repo.commit()
    (repo.path / ".git" / "HEAD").write_text(head)
    assert repo.git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert opened(repo.path).head() == Head("main", commit)


def test_a_branch_whose_name_is_a_folder_of_others_is_unborn(repo: GitRepo) -> None:
    commit = repo.commit()
    repo.git("update-ref", "refs/heads/feature/a", commit)
    (repo.path / ".git" / "HEAD").write_text("ref: refs/heads/feature\n")
    assert opened(repo.path).head() == Head("feature", None)
    assert opened(repo.path).branch_tip("feature") is None


def test_an_empty_ref_file_is_an_error(repo: GitRepo) -> None:
    repo.commit()
    (repo.path / ".git" / "refs" / "heads" / "empty").write_text("")
    with pytest.raises(ZdevError):
        opened(repo.path).branch_tip("empty")


def test_a_broken_ref_is_an_error_and_not_a_missing_branch(repo: GitRepo) -> None:
    repo.commit()
    (repo.path / ".git" / "refs" / "heads" / "broken").write_text("no object id\n")
    with pytest.raises(ZdevError) as caught:
        opened(repo.path).branch_tip("broken")
    assert caught.value.code == "unreadable-repository"


def test_a_linked_work_tree_has_its_own_head(repo: GitRepo, tmp_path: Path) -> None:
    commit = repo.commit()
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    repo.commit()
    repository = opened(tmp_path / "linked")
    assert repository.head() == Head("side", commit)
    assert repository.branch_tip("main") == repo.rev("main")


# Operations


@pytest.fixture
def conflict(repo: GitRepo) -> GitRepo:
    """``main`` and ``side`` change the same file in different ways; ``main`` is checked out."""
    repo.commit("base", a="base\n")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", a="side\n")
    repo.git("checkout", "-q", "main")
    repo.commit("main", a="main\n")
    return repo


def test_no_operation(conflict: GitRepo) -> None:
    assert opened(conflict.path).operation() is None


@pytest.mark.parametrize(
    ("arguments", "operation"),
    [
        (("merge", "side"), Operation.MERGE),
        (("cherry-pick", "side"), Operation.CHERRY_PICK),
        (("cherry-pick", "side", "side~1"), Operation.CHERRY_PICK),
        (("rebase", "side"), Operation.REBASE),
        (("rebase", "--apply", "side"), Operation.REBASE),
        (("rebase", "--root", "--onto", "side"), Operation.REBASE),
        (("revert", "--no-edit", "HEAD~1"), Operation.REVERT),
        (("bisect", "start"), Operation.BISECT),
    ],
)
def test_each_operation(
    conflict: GitRepo, arguments: tuple[str, ...], operation: Operation
) -> None:
    conflict.git(*arguments, check=False)
    assert opened(conflict.path).operation() is operation


def test_applying_a_mailbox(conflict: GitRepo) -> None:
    patch = conflict.git("format-patch", "--stdout", "-1", "side").encode() + b"\n"
    conflict.git("am", stdin=patch, check=False)
    assert opened(conflict.path).operation() is Operation.AM


def test_a_sequence_between_two_commits(conflict: GitRepo) -> None:
    conflict.git("cherry-pick", "side", "side~1", check=False)
    conflict.git("reset", "-q", "--hard")
    assert opened(conflict.path).operation() is Operation.SEQUENCER
    assert str(Operation.SEQUENCER) == "sequenced Git operation"


def test_an_operation_belongs_to_its_work_tree(conflict: GitRepo, tmp_path: Path) -> None:
    conflict.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    conflict.git("merge", "side", check=False)
    assert opened(tmp_path / "linked").operation() is None
    git("bisect", "start", cwd=tmp_path / "linked")
    assert opened(tmp_path / "linked").operation() is Operation.BISECT
    assert opened(conflict.path).operation() is Operation.MERGE


def test_a_fifo_in_the_place_of_a_branch_is_not_waited_for(repo: GitRepo) -> None:
    tip = repo.commit("one")
    repository = opened(repo.path)
    os.mkfifo(repo.path / ".git/refs/heads/odd")
    assert repository.branch_tip("main") == tip
    with pytest.raises(ZdevError, match="it is a FIFO, not a file") as caught:
        repository.branch_tip("odd")
    assert caught.value.code == "unreadable-repository"
    (repo.path / ".git/HEAD").write_text("ref: refs/heads/odd\n")
    with pytest.raises(ZdevError, match="it is a FIFO, not a file"):
        repository.head()


@pytest.mark.parametrize("name", ["rebase-merge/onto", "info/grafts", "shallow"])
def test_a_small_file_that_is_a_directory(repo: GitRepo, name: str) -> None:
    repository = opened(repo.path)
    (repo.path / ".git" / name).mkdir(parents=True)
    if name.startswith("rebase"):
        assert repository.rebase_state() == RebaseState(None, None, None, False, False)
    else:
        commit = repo.commit("one")
        with pytest.raises(ZdevError, match="Is a directory") as caught:
            repository.has_merges(commit, commit)
        assert caught.value.code == "unreadable-repository"


def test_a_branch_that_only_another_user_may_read_is_an_error() -> None:
    with open_folder() as folder:
        git("init", "-q", "-b", "main", str(folder), cwd=folder)
        git("commit", "-q", "--allow-empty", "-m", "one", cwd=folder)
        environment = trusting(folder)
        (folder / ".git/refs/heads/main").chmod(0)
        repository = open_repository(discover(str(folder), environment), environment)

        def told() -> str:
            try:
                return str(repository.branch_tip("main"))
            except ZdevError as error:
                return error.code

        assert as_unprivileged(told) == "unreadable-repository"


@pytest.mark.parametrize("text", [b"ref: refs/heads/main\0junk\n", b"ref: refs/heads/main\0"])
def test_what_follows_a_nul_in_head_does_not_count(repo: GitRepo, text: bytes) -> None:
    commit = repo.commit()
    (repo.path / ".git/HEAD").write_bytes(text)
    assert opened(repo.path).head() == Head("main", commit)
    assert repo.git("symbolic-ref", "HEAD") == "refs/heads/main"


@pytest.mark.parametrize(
    "text", [b"ref: refs/heads/\0main\n", b"ref: refs/heads/\n", b"ref: refs/heads/a..b\n"]
)
def test_a_head_that_names_what_no_ref_can_be_called_is_named(repo: GitRepo, text: bytes) -> None:
    """Git says that there is no such ref."""
    repo.commit()
    repository = opened(repo.path)
    (repo.path / ".git/HEAD").write_bytes(text)
    with pytest.raises(ZdevError, match="no ref can be called") as caught:
        repository.head()
    assert caught.value.code == "unreadable-repository"


@pytest.mark.parametrize(
    "revision", ["main", "main~1", "main^{commit}", "heads/main", "HEAD", ":/no", "HEAD^{/no}"]
)
def test_no_revision_is_looked_for_in_a_fifo(repo: GitRepo, revision: str) -> None:
    repo.commit()
    repository = opened(repo.path)
    path = repo.path / ".git/refs/heads/main"
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ZdevError, match="it is a FIFO") as caught:
        repository.find_commit(revision)
    assert caught.value.code == "unreadable-repository"


def test_no_former_value_is_looked_for_in_a_fifo(repo: GitRepo) -> None:
    repo.commit()
    repository = opened(repo.path)
    path = repo.path / ".git/logs/HEAD"
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ZdevError, match="it is a FIFO"):
        repository.find_commit("@{1}")


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
