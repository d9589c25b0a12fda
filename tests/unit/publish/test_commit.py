"""Files and a commit, in real repositories with everything else that people have lying around."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from git_zdev.git.process import InstalledGit
from git_zdev.ground.changeset import ChangeSet, CommitPlan, FileChange
from git_zdev.ground.errors import ZdevError
from tests.support.faults import (
    Faults,
    FaultyGit,
    begin,
    index_entries,
    leftovers,
    opened,
    plant,
    tree,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.repo import GitRepo

ONE = ".zdev/area/tasks/001-one.md"
TWO = ".zdev/area/tasks/002-two.md"
NEW = ".zdev/area/tasks/003-new.md"
MESSAGE = "Add tasks to area\n\nZdev-Change-Id: Z0\n"

CHANGES = (
    FileChange(ONE, b"one\n", b"edited\n"),
    FileChange(NEW, None, b"new\n"),
)
PLAN = ChangeSet("tasks import", CHANGES, CommitPlan(MESSAGE, (ONE, NEW)))


@pytest.fixture
def lived_in(repo: GitRepo) -> GitRepo:
    """A repository with work of every kind in its index and work tree."""
    plant(repo)
    for number in range(20):
        repo.write(f"src/{number}.txt", f"{number}\n")
    repo.git("add", ".")
    repo.commit("First")
    repo.write("src/1.txt", "staged\n")
    repo.git("add", "src/1.txt")
    repo.write("src/1.txt", "staged, then edited\n")
    repo.write("src/2.txt", "unstaged\n")
    repo.write("src/added.txt", "added\n")
    repo.git("add", "src/added.txt")
    repo.write("src/intended.txt", "intended\n")
    repo.git("add", "-N", "src/intended.txt")
    repo.git("rm", "-q", "--cached", "src/3.txt")
    repo.git("update-index", "--skip-worktree", "src/4.txt")
    repo.git("update-index", "--assume-unchanged", "src/5.txt")
    repo.write("untracked.txt", "untracked\n")
    return repo


def publish(repo: GitRepo, plan: ChangeSet = PLAN, **options: object) -> object:
    with begin(repo, **options) as tx:
        return tx.publish(plan)


def test_commits_exactly_the_managed_paths(lived_in: GitRepo) -> None:
    repo = lived_in
    parent = repo.rev("HEAD")
    before = index_entries(repo)
    work_tree = tree(repo.path / "src")
    result = publish(repo)
    assert result.commit == repo.rev("HEAD")
    assert result.paths == (ONE, NEW)
    assert result.notes == ()
    assert repo.rev("HEAD^") == parent
    assert repo.git("diff", "--name-status", "HEAD^", "HEAD").split("\n") == [
        f"M\t{ONE}",
        f"A\t{NEW}",
    ]
    assert repo.git("log", "-1", "--format=%B") == MESSAGE
    after = index_entries(repo)
    for path in (ONE, NEW):
        before.pop(path, None)
        assert path in after
        after.pop(path)
    assert after == before
    assert tree(repo.path / "src") == work_tree
    assert repo.git("status", "--porcelain", "--", ".zdev") == ""
    assert leftovers(repo) == []
    assert repo.git("fsck", "--strict") == ""


def stage_edit(repo: GitRepo) -> None:
    repo.write("src/1.txt", "staged\n")
    repo.git("add", "src/1.txt")


def stage_assumed_addition(repo: GitRepo) -> None:
    repo.write("src/added.txt", "added\n")
    repo.git("add", "src/added.txt")
    repo.git("update-index", "--assume-unchanged", "src/added.txt")


def stage_intention(repo: GitRepo) -> None:
    repo.write("src/intended.txt", "intended\n")
    repo.git("add", "-N", "src/intended.txt")


def stage_hidden_submodule(repo: GitRepo) -> None:
    repo.write(".gitmodules", '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = all\n')
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.rev('HEAD')},sub")


ALONE: list[Callable[[GitRepo], object]] = [
    stage_edit,
    lambda repo: repo.git("rm", "-q", "--cached", "src/1.txt"),
    lambda repo: repo.git("update-index", "--chmod=+x", "src/1.txt"),
    stage_assumed_addition,
    stage_intention,
    stage_hidden_submodule,
    lambda repo: repo.git("update-index", "--skip-worktree", "src/1.txt"),
    lambda repo: None,
]


@pytest.mark.parametrize("stage", ALONE)
def test_whatever_is_staged_alone_stays_staged(
    repo: GitRepo, stage: Callable[[GitRepo], object]
) -> None:
    plant(repo)
    repo.write("src/1.txt", "one\n")
    repo.git("add", ".")
    repo.commit("First")
    stage(repo)
    before = index_entries(repo)
    publish(repo)
    old, new = (repo.git("ls-tree", "-r", commit).split("\n") for commit in ("HEAD^", "HEAD"))
    assert {line.partition("\t")[2] for line in {*old} ^ {*new}} == {ONE, NEW}
    after = index_entries(repo)
    managed = {ONE, NEW}
    assert {path: entry for path, entry in after.items() if path not in managed} == {
        path: entry for path, entry in before.items() if path not in managed
    }


@pytest.mark.parametrize("staged", [False, True])
def test_the_files_are_staged_twice_only_where_other_work_is_staged(
    repo: GitRepo, *, staged: bool
) -> None:
    plant(repo)
    repo.write("src/1.txt", "one\n")
    repo.git("add", ".")
    repo.commit("First")
    if staged:
        stage_edit(repo)
    faults = Faults()
    git = FaultyGit(InstalledGit(opened(repo).location, os.environ), faults)
    publish(repo, git=git)
    assert faults.calls.count("stage") == (2 if staged else 1)
    assert faults.calls.count("reset_index") == (1 if staged else 0)


def test_the_managed_files_are_clean_without_a_refresh(lived_in: GitRepo) -> None:
    publish(lived_in)
    assert lived_in.git("diff-files", "--name-only", "--", ".zdev") == ""


def test_the_whole_index_goes_along_where_the_plan_says_so(repo: GitRepo) -> None:
    plant(repo)
    repo.git("add", ".")
    repo.commit("First")
    repo.write("staged.txt", "staged\n")
    repo.git("add", "staged.txt")
    publish(repo, ChangeSet("x", CHANGES, CommitPlan(MESSAGE, (ONE, NEW), whole_index=True)))
    assert repo.git("diff", "--name-only", "HEAD^", "HEAD").split("\n") == [
        ONE,
        NEW,
        "staged.txt",
    ]
    assert repo.git("status", "--porcelain") == ""


def test_deletions_are_committed(repo: GitRepo) -> None:
    plant(repo)
    repo.git("add", ".")
    repo.commit("First")
    publish(repo, ChangeSet("x", (FileChange(ONE, b"one\n", None),), CommitPlan("Drop", (ONE,))))
    assert repo.git("diff", "--name-status", "HEAD^", "HEAD") == f"D\t{ONE}"
    assert repo.git("status", "--porcelain") == ""


def test_the_first_commit_of_a_repository(repo: GitRepo) -> None:
    plant(repo)
    result = publish(repo)
    assert repo.rev("HEAD") == result.commit
    assert repo.git("rev-list", "--count", "HEAD") == "1"
    assert repo.git("ls-tree", "-r", "--name-only", "HEAD").split("\n") == [ONE, NEW]
    assert leftovers(repo) == []


def test_ignored_files_and_detached_heads_are_fine(repo: GitRepo) -> None:
    plant(repo)
    repo.commit("First", file="x")
    repo.git("checkout", "-q", "--detach")
    repo.write(".git/info/exclude", "/.zdev/\n")
    result = publish(repo)
    assert repo.git("symbolic-ref", "-q", "HEAD", check=False) == ""
    assert repo.rev("HEAD") == result.commit
    assert repo.rev("main") == repo.rev("HEAD^")


def test_a_linked_work_tree_commits_to_its_own_branch(repo: GitRepo) -> None:
    repo.commit("First", file="x")
    repo.git("worktree", "add", "-q", "-b", "topic", "../linked")
    linked = type(repo)(repo.path.parent / "linked")
    plant(linked)
    result = publish(linked)
    assert repo.rev("topic") == result.commit
    assert linked.git("status", "--porcelain", "--", ONE, NEW) == ""
    assert repo.git("status", "--porcelain") == ""


def test_identical_content_is_nothing_to_commit(repo: GitRepo) -> None:
    plant(repo)
    repo.git("add", ".")
    head = repo.commit("First")
    with pytest.raises(ZdevError) as caught:
        publish(repo, ChangeSet("x", (), CommitPlan("Again", (ONE,))))
    assert caught.value.code == "nothing-to-commit"
    assert repo.rev("HEAD") == head
    assert leftovers(repo) == []


def test_message_bodies_that_git_would_strip_when_edited(repo: GitRepo) -> None:
    plant(repo)
    publish(repo, ChangeSet("x", CHANGES, CommitPlan("#42: subject\n", (ONE, NEW))))
    assert repo.git("log", "-1", "--format=%s") == "#42: subject"


EXTENSIONS: list[tuple[str, ...]] = [
    ("update-index", "--untracked-cache"),
    ("update-index", "--index-version", "4"),
    ("config", "index.threads", "4"),
]


@pytest.mark.parametrize("command", EXTENSIONS, ids=lambda words: words[-1].lstrip("-"))
def test_index_formats_and_extensions_survive(lived_in: GitRepo, command: tuple[str, ...]) -> None:
    repo = lived_in
    repo.git(*command)
    repo.git("status")
    repo.git("update-index", "--force-write-index")  # status writes it where it saw a need to
    before = index_entries(repo)
    data = (repo.path / ".git/index").read_bytes()
    publish(repo)
    now = (repo.path / ".git/index").read_bytes()
    assert now[4:8] == data[4:8]
    for name in (b"UNTR", b"EOIE", b"IEOT", b"TREE"):
        assert (name in now) == (name in data), name
    after = index_entries(repo)
    for path in (ONE, NEW):
        before.pop(path, None)
        after.pop(path)
    assert after == before


def test_a_racily_clean_entry_stays_racy(repo: GitRepo) -> None:
    """A same-size edit in the tick of the index's own time must not be hidden by a newer index."""
    repo.git("config", "core.trustctime", "false")
    repo.git("config", "core.checkStat", "minimal")
    plant(repo)
    racy = repo.write("racy.txt", "aaaa\n")
    long_ago = (1_700_000_000, 1_700_000_000)
    os.utime(racy, long_ago)
    repo.git("add", ".")
    repo.commit("First")
    racy.write_text("bbbb\n")
    os.utime(racy, long_ago)
    os.utime(repo.path / ".git/index", long_ago)
    publish(repo)
    assert repo.git("status", "--porcelain", "--", "racy.txt") == " M racy.txt"


def in_merge(repo: GitRepo) -> None:
    repo.git("checkout", "-q", "-b", "side", "HEAD")
    repo.commit("Side", side="x")
    repo.git("checkout", "-q", "main")
    repo.commit("Main", main="x")
    repo.git("merge", "-q", "--no-commit", "--no-ff", "side")


def after_squash(repo: GitRepo) -> None:
    in_merge(repo)
    repo.git("merge", "--abort")
    repo.git("merge", "-q", "--squash", "side")


def after_picking(repo: GitRepo) -> None:
    in_merge(repo)
    repo.git("merge", "--abort")
    repo.git("cherry-pick", "--no-commit", "side")


def in_conflict(repo: GitRepo) -> None:
    repo.git("checkout", "-q", "-b", "side", "HEAD")
    repo.commit("Side", same="side")
    repo.git("checkout", "-q", "main")
    repo.commit("Main", same="main")
    repo.git("cherry-pick", "side", check=False)


def in_revert(repo: GitRepo) -> None:
    in_conflict(repo)
    repo.git("cherry-pick", "--abort")
    repo.commit("More", same="more")
    repo.git("revert", "HEAD~1", check=False)


def in_rebase(repo: GitRepo) -> None:
    in_conflict(repo)
    repo.git("cherry-pick", "--abort")
    repo.git("rebase", "side", check=False)


def in_am(repo: GitRepo) -> None:
    patch = repo.git("format-patch", "--stdout", "-1", "HEAD")
    repo.git("am", stdin=patch.encode() + b"\n", check=False)


def unmerged_only(repo: GitRepo) -> None:
    in_conflict(repo)
    for name in ("CHERRY_PICK_HEAD", "MERGE_MSG"):
        (repo.path / ".git" / name).unlink()


def hidden(repo: GitRepo) -> None:
    repo.git("add", ONE)
    repo.git("update-index", "--skip-worktree", ONE)


def assumed(repo: GitRepo) -> None:
    repo.git("add", ONE)
    repo.git("update-index", "--assume-unchanged", ONE)


STATES = {
    in_merge: "operation-in-progress",
    after_squash: "operation-in-progress",
    after_picking: "operation-in-progress",
    in_conflict: "operation-in-progress",
    in_revert: "operation-in-progress",
    in_rebase: "operation-in-progress",
    in_am: "operation-in-progress",
    unmerged_only: "unmerged-index",
    hidden: "hidden-path",
    assumed: "hidden-path",
}


@pytest.mark.parametrize("prepare", STATES, ids=lambda one: one.__name__)
def test_states_in_which_no_commit_may_be_made(
    repo: GitRepo, prepare: Callable[[GitRepo], None]
) -> None:
    repo.commit("First", file="x")
    plant(repo)
    prepare(repo)
    before = tree(repo.path)
    with pytest.raises(ZdevError) as caught:
        publish(repo)
    assert caught.value.code == STATES[prepare]
    after = tree(repo.path)
    for name in (".git/zdev", ".git/zdev/secret", ".git/zdev-state.lock"):
        after.pop(name, None)
    assert after == before
    publish(repo, ChangeSet("files only", CHANGES))


def test_a_bisection_is_no_hindrance(repo: GitRepo) -> None:
    repo.commit("First", file="x")
    plant(repo)
    repo.git("bisect", "start")
    publish(repo)
    assert repo.git("log", "-1", "--format=%s") == "Add tasks to area"
