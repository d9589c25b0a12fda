"""Walking with several threads finds what walking with one finds."""

from __future__ import annotations

import random
import shutil
from typing import TYPE_CHECKING

import pytest

from git_zdev.git.read import walks
from git_zdev.git.read.index import Index
from git_zdev.git.read.walks import index_to_work_tree, tree_to_index
from git_zdev.ground.errors import ZdevError
from tests.support.evidence import open_at
from tests.support.repo import Seen

if TYPE_CHECKING:
    from git_zdev.git.read.repository import LibGit2Repository
    from tests.support.repo import GitRepo

NAMES = ("a", "a.c", "a-b", "a0", "a_b", "b", "clar", "clar.c", "clar.h", "clar_x", "z")


def walked(repo: GitRepo) -> list[bytes]:
    repository = open_at(repo.path)
    return sorted(index_to_work_tree(repository, Index(repository), doubting=False))


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


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Share every walk out to four threads; how many parts each walk had."""
    counts: list[int] = []
    parts = walks._parts

    def counted(repository: LibGit2Repository, index: Index, count: int) -> list[list[bytes]]:
        made = parts(repository, index, count)
        counts.append(len(made))
        return made

    monkeypatch.setattr(walks, "useful_threads", lambda: 4)
    monkeypatch.setattr(walks, "_parts", counted)
    return counts


@pytest.mark.parametrize("seed", range(4))
def test_several_threads_find_the_same(
    repo: GitRepo, seed: int, threads: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(repo, random.Random(seed))
    alone = walked(repo)
    monkeypatch.setattr(walks, "_WORTH_DIVIDING", 1)
    assert walked(repo) == alone
    assert threads == [4]
    assert len(alone) > 20


def spoil(repo: GitRepo, what: str) -> None:
    """Put something else in the place of the folder that holds nearly everything."""
    deep = repo.path / "one/two"
    if what == "a file":
        shutil.rmtree(deep)
        deep.write_text("no folder\n")
    elif what == "nothing":
        shutil.rmtree(deep)
    elif what == "a link":
        deep.rename(repo.path / "elsewhere")
        deep.symlink_to("../elsewhere")
    elif what == "a repository":
        repo.git("init", "-q", "one/two")
    elif what == "an ignored folder":
        repo.write(".gitignore", "/one/two/\n")
    else:
        repo.write("one/two/7/untracked", "x\n")
        (deep / "11/f").unlink()


@pytest.mark.parametrize(
    "what",
    ["a file", "nothing", "a link", "a repository", "an ignored folder", "a changed folder"],
)
def test_what_stands_where_the_walk_is_divided(
    what: str, repo: GitRepo, threads: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        repo.write(f"one/two/{number}/f", "x\n")
    repo.write("one/other", "x\n")
    repo.git("add", "-A")
    spoil(repo, what)
    repo.write("one/untracked", "x\n")
    alone = walked(repo)
    monkeypatch.setattr(walks, "_WORTH_DIVIDING", 1)
    assert walked(repo) == alone
    assert threads == [1 if what in ("a link", "a repository") else 4]


def test_a_conflict_of_file_and_folder_is_walked_in_one_piece(
    repo: GitRepo, threads: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit(other="x")
    repo.git("switch", "-q", "-c", "side")
    repo.commit(both="file")
    repo.git("switch", "-q", "main")
    repo.commit(**{f"both/{number}": "x" for number in range(40)})
    repo.git("merge", "-q", "side", check=False)
    alone = walked(repo)
    monkeypatch.setattr(walks, "_WORTH_DIVIDING", 1)
    assert walked(repo) == alone


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
    index_to_work_tree(repository, Index(repository), doubting=False)
    assert seen.stages == [("Comparing the work tree with the index", entries, entries)]


def test_few_entries_are_not_counted(repo: GitRepo) -> None:
    repo.commit("One", a="x\n")
    repository = open_at(repo.path)
    repository.progress = seen = Seen()
    index_to_work_tree(repository, Index(repository), doubting=False)
    assert seen.stages == [("Comparing the work tree with the index", 0, None)]


def test_no_tree_at_all_is_compared_like_an_empty_one(repo: GitRepo) -> None:
    repo.write("a", "x\n")
    repo.git("add", "a")
    repository = open_at(repo.path)
    found = tree_to_index(repository, Index(repository), None)
    assert [(delta.path, delta.old_mode, delta.new_mode) for delta in found] == [
        (b"a", 0, 0o100644)
    ]


def test_a_missing_tree_is_refused(repo: GitRepo) -> None:
    repository = open_at(repo.path)
    with pytest.raises(ZdevError) as caught:
        tree_to_index(repository, Index(repository), "1" * 40)
    assert caught.value.code == "missing-object"


def test_a_failure_inside_of_a_walk_comes_through(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("a", "x\n")
    repo.git("add", "a")

    def fail(*_fields: object) -> None:
        raise ValueError("found")

    monkeypatch.setattr(walks, "Delta", fail)
    repository = open_at(repo.path)
    with pytest.raises(ValueError, match="found"):
        tree_to_index(repository, Index(repository), None)
