"""Walking with two threads finds what walking with one finds."""

from __future__ import annotations

import random
import shutil
from typing import TYPE_CHECKING

import pytest

from git_zdev.errors import ZdevError
from git_zdev.git import walks
from git_zdev.git.walks import Delta, in_both, index_to_work_tree, tree_to_index
from git_zdev.git.worktree import Index
from tests.support.evidence import open_at
from tests.support.progress import Seen

if TYPE_CHECKING:
    from tests.support.gitrepo import GitRepo

NAMES = ("a", "a.c", "a-b", "a0", "a_b", "b", "clar", "clar.c", "clar.h", "clar_x", "z")


def deltas(repo: GitRepo) -> list[Delta]:
    repository = open_at(repo.path)
    found: list[Delta] = []
    index_to_work_tree(repository, Index(repository), found.append)
    return sorted(found, key=lambda delta: (delta.path, delta.old_mode, delta.new_mode))


def grow(repo: GitRepo, chance: random.Random) -> None:
    """Folders and files whose names begin alike, changed in every way."""
    for top in NAMES:
        if "." in top:
            repo.write(f"{top}", "x\n")
            continue
        for inner in NAMES:
            repo.write(f"{top}/{inner}" if "." in inner else f"{top}/{inner}/f", "x\n")
    for number in range(60):
        repo.write(f"clar/many/{number}", "x\n")
    repo.write(".gitignore", "*.o\nout/\n")
    repo.git("add", "-A")
    paths = [path for path in repo.git("ls-files", "-z").split("\0") if path]
    for path in chance.sample(paths, 40):
        what = chance.randrange(5)
        if what == 0:
            (repo.path / path).unlink()
        elif what == 1:
            repo.write(path, "changed\n")
        elif what == 2:
            (repo.path / path).chmod(0o755)
        elif what == 3:
            repo.write(f"{path}.new", "x\n")
            repo.write(f"{path}.o", "x\n")
        else:
            (repo.path / path).unlink()
            repo.write(f"{path}/now-a-folder", "x\n")
    shutil.rmtree(repo.path / "z")
    repo.write("z", "now a file\n")
    repo.write("out/x", "x\n")
    repo.write("new/deep/x", "x\n")


@pytest.mark.parametrize("seed", range(4))
def test_two_threads_find_the_same(
    repo: GitRepo, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(repo, random.Random(seed))
    alone = deltas(repo)
    monkeypatch.setattr(walks, "_WORTH_DIVIDING", 1)
    divided: list[int] = []
    halves = walks._halves
    monkeypatch.setattr(walks, "_halves", lambda *given: (divided.append(1), halves(*given))[1])
    assert deltas(repo) == alone
    assert divided == [1]
    assert len(alone) > 40


@pytest.mark.parametrize("least", [1, 10_000])
def test_every_entry_is_counted_for_who_waits(
    repo: GitRepo, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(repo, random.Random(7))
    entries = len(repo.git("ls-files", "-z").split("\0")) - 1
    monkeypatch.setattr(walks, "_WORTH_COUNTING", 1)
    monkeypatch.setattr(walks, "_WORTH_DIVIDING", least)
    repository = open_at(repo.path)
    repository.progress = seen = Seen()
    index_to_work_tree(repository, Index(repository), lambda delta: None)
    assert seen.stages == [("Comparing the work tree with the index", entries, entries)]


def test_few_entries_are_not_counted(repo: GitRepo) -> None:
    repo.commit("One", a="x\n")
    repository = open_at(repo.path)
    repository.progress = seen = Seen()
    index_to_work_tree(repository, Index(repository), lambda delta: None)
    assert seen.stages == [("Comparing the work tree with the index", 0, None)]


def test_no_tree_at_all_is_compared_like_an_empty_one(repo: GitRepo) -> None:
    repo.write("a", "x\n")
    repo.git("add", "a")
    repository = open_at(repo.path)
    found: list[Delta] = []
    tree_to_index(repository, Index(repository), None, found.append)
    assert [(delta.path, delta.old_mode, delta.new_mode) for delta in found] == [
        (b"a", 0, 0o100644)
    ]


def test_a_missing_tree_is_refused(repo: GitRepo) -> None:
    repository = open_at(repo.path)
    with pytest.raises(ZdevError) as caught:
        tree_to_index(repository, Index(repository), "1" * 40, lambda delta: None)
    assert caught.value.code == "missing-object"


def test_a_failure_of_the_callback_comes_through(repo: GitRepo) -> None:
    repo.write("a", "x\n")

    def fail(_delta: Delta) -> None:
        raise ValueError("found")

    repository = open_at(repo.path)
    with pytest.raises(ValueError, match="found"):
        index_to_work_tree(repository, Index(repository), fail)


def test_a_failure_in_the_other_thread_comes_through() -> None:
    done: list[str] = []

    def fail() -> None:
        raise ValueError("beside")

    with pytest.raises(ValueError, match="beside"):
        in_both(lambda: done.append("here"), fail)
    assert done == ["here"]
    with pytest.raises(ValueError, match="beside"):
        in_both(fail, lambda: done.append("beside"))
    assert done == ["here", "beside"]
