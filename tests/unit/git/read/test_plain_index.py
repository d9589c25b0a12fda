"""The plain reader of the index gives what libgit2 gives, or leaves the index to it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from git_zdev.git.read import plain_index
from git_zdev.git.read.index import Index
from git_zdev.ground.errors import ZdevError
from tests.support.evidence import open_at
from tests.support.repo import opened

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repo import GitRepo

PREFIXES = [b"", b".zdev", b"a", b"dir/", b"dir/b", b"zz", b"\xff"]


@pytest.fixture
def filled(repo: GitRepo) -> GitRepo:
    """Entries of every kind whose names fill their padding in every way."""
    for length in range(1, 12):
        repo.write("a" * length, "x")
    for path in (".zdev/config.toml", ".zdev-old/x", "dir/a", "dir/b", "é", "dir.txt"):
        repo.write(path, path)
    (repo.path / "symbolic").symlink_to("a")
    (repo.path / "aa").chmod(0o755)
    repo.git("add", "--all")
    repo.commit()
    return repo


def index(repo: GitRepo) -> str:
    return str(repo.path / ".git/index")


def agree(repo: GitRepo, prefix: bytes) -> bool:
    """Whether the reader answers, and then as libgit2 does."""
    found = plain_index.entries(index(repo), prefix)
    if found is not None:
        assert found == list(opened(repo.path).entries(prefix))
    return found is not None


@pytest.mark.parametrize("prefix", PREFIXES)
def test_version_2(prefix: bytes, filled: GitRepo) -> None:
    assert agree(filled, prefix)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_version_3_and_its_flags(prefix: bytes, filled: GitRepo) -> None:
    filled.write("dir/new", "")
    filled.git("add", "--intent-to-add", "dir/new")
    filled.git("update-index", "--skip-worktree", "a")
    filled.git("update-index", "--assume-unchanged", "aaa")
    assert (filled.path / ".git/index").read_bytes()[7] == 3
    assert agree(filled, prefix)


def test_unmerged_entries_have_their_stages(repo: GitRepo) -> None:
    repo.commit(x="base")
    repo.git("switch", "-q", "-c", "side")
    repo.commit(x="side")
    repo.git("switch", "-q", "main")
    repo.commit(x="main")
    repo.git("merge", "side", check=False)
    assert agree(repo, b"")
    found = plain_index.entries(index(repo), b"x")
    assert [entry.stage for entry in found or ()] == [1, 2, 3]


def test_a_submodule(repo: GitRepo) -> None:
    commit = repo.commit(a="1")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{commit},sub")
    assert agree(repo, b"")


def test_an_index_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert plain_index.entries(str(tmp_path / "index"), b"") == []


def test_long_names_are_left_to_libgit2(repo: GitRepo) -> None:
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"")
    for length in (4094, 4095, 5000):
        repo.git("read-tree", "--empty")
        name = "/".join(["d" * 200] * 30)[:length]
        repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")
        assert agree(repo, b"d") is (length < 4095)
        assert plain_index.entries(index(repo), b"a") in ([], None)


@pytest.mark.parametrize("option", ["--index-version=4", "--split-index"])
def test_other_forms_are_left_to_libgit2(option: str, filled: GitRepo) -> None:
    filled.git("update-index", option)
    assert not agree(filled, b".zdev")


def test_a_sparse_index_is_left_to_libgit2(filled: GitRepo) -> None:
    filled.git("sparse-checkout", "set", "--cone", "--sparse-index", "dir")
    assert plain_index.entries(index(filled), b".zdev") is None


def test_a_name_like_an_extension_is_no_extension(repo: GitRepo) -> None:
    repo.commit(**{"symlink.c": "1", "sdirectory": "2"})
    assert agree(repo, b"s")
    repo.commit(**{"a" * 90: "1", "zlink": "an extension without content looks like this"})
    assert agree(repo, b"s") is False


@pytest.mark.parametrize("size", [0, 3, 11, 12, 40, 73, 100])
def test_a_torn_index_is_left_to_libgit2(size: int, filled: GitRepo) -> None:
    path = filled.path / ".git/index"
    path.write_bytes(path.read_bytes()[:size])
    assert plain_index.entries(str(path), b"zz") is None
    (filled.path / "folder").mkdir()
    assert plain_index.entries(str(filled.path / "folder"), b"") is None


def test_a_mode_that_git_does_not_know_is_left_to_libgit2(filled: GitRepo) -> None:
    path = filled.path / ".git/index"
    data = bytearray(path.read_bytes())
    data[12 + 26] = 0
    path.write_bytes(data)
    assert plain_index.entries(str(path), b"") is None


RULE_FILES = (b".gitignore", b".gitattributes")
LATER = 4_000_000_000


def marked(repo: GitRepo, second: int = LATER) -> plain_index.Marks | None:
    """The marks, which are those that libgit2 gives."""
    path = repo.path / ".git/index"
    os.utime(path, (second, second))
    found = plain_index.marks(path.read_bytes(), RULE_FILES, second)
    if found is not None:
        assert found == Index(open_at(repo.path))._marked_by_libgit2()
    return found


def marks_of(
    repo: GitRepo, special: list[int], named: list[bytes], racy: list[int]
) -> plain_index.Marks:
    listed = repo.git("ls-files", "--stage", "-z").encode().split(b"\0")[:-1]
    return plain_index.Marks(special, named, racy, [line.partition(b"\t")[2] for line in listed])


def test_plain_entries_have_no_mark(filled: GitRepo) -> None:
    assert marked(filled) == marks_of(filled, [], [], [])


def test_every_flag_is_a_mark(filled: GitRepo) -> None:
    listed = filled.git("ls-files").splitlines()
    filled.git("update-index", "--assume-unchanged", listed[1])
    assert marked(filled) == marks_of(filled, [1], [], [])
    filled.git("update-index", "--skip-worktree", listed[4])
    filled.write("zz", "")
    filled.git("add", "--intent-to-add", "zz")
    commit = filled.git("rev-parse", "HEAD").strip()
    filled.git("update-index", "--add", "--cacheinfo", f"160000,{commit},dir/sub")
    now = filled.git("ls-files").splitlines()
    numbers = sorted(now.index(path) for path in (listed[1], listed[4], "zz", "dir/sub"))
    assert marked(filled) == marks_of(filled, numbers, [], [])


def test_every_stage_is_a_mark(repo: GitRepo) -> None:
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"").strip()
    lines = "".join(f"100644 {blob} {stage}\tb\n" for stage in (1, 2, 3))
    repo.write("a", "1")
    repo.write("c", "1")
    repo.git("add", "a", "c")
    repo.git("update-index", "--index-info", stdin=lines.encode())
    assert marked(repo) == marks_of(repo, [1, 2, 3], [], [])


def test_rule_files_below_the_root_are_found(filled: GitRepo) -> None:
    paths = [
        ".gitignore", "dir/.gitignore", "dir/.gitattributes", "dir/.gitignore-old",
        "dir/folder/.gitignore", "x.gitignore", "y/.gitignore/inside", "z/not.gitattributes",
    ]  # fmt: skip
    for path in paths:
        filled.write(path, "*.o\n")
    filled.git("add", "--all")
    found = [b"dir/.gitattributes", b"dir/.gitignore", b"dir/folder/.gitignore"]
    assert marked(filled) == marks_of(filled, [], found, [])
    filled.git("update-index", "--skip-worktree", "dir/.gitignore")
    filled.git("update-index", "--assume-unchanged", "dir/folder/.gitignore")
    listed = filled.git("ls-files").splitlines()
    numbers = [listed.index(path) for path in ("dir/.gitignore", "dir/folder/.gitignore")]
    assert marked(filled) == marks_of(filled, numbers, found, [])


def test_files_of_the_second_in_which_the_index_was_written_are_found(repo: GitRepo) -> None:
    for number in range(9):
        path = repo.write(f"file{number}", "x" * number)
        os.utime(path, (LATER - number % 3, LATER - number % 3))
    repo.git("add", "--all")
    assert marked(repo, LATER - 1) == marks_of(repo, [], [], [1, 4, 7])


@pytest.mark.parametrize("length", [254, 255, 256, 4094])
def test_names_of_every_length_are_passed_over(repo: GitRepo, length: int) -> None:
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"").strip()
    name = "/".join(["d" * 200] * 30)[:length]
    for path in (name, "x/.gitignore"):
        repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
    assert marked(repo) == marks_of(repo, [], [b"x/.gitignore"], [])


def test_marks_of_what_is_not_plain_are_left_to_libgit2(filled: GitRepo) -> None:
    data = (filled.path / ".git/index").read_bytes()
    for size in (0, 11, 12, 40, 80, 120):
        assert plain_index.marks(data[:size], RULE_FILES, 0) is None
    filled.write("dir/.gitignore", "*.o\n")
    filled.git("add", "--all")
    filled.git("update-index", "--assume-unchanged", "dir/a")
    expected = marked(filled)
    assert expected is not None
    filled.git("update-index", "--index-version=4")
    assert marked(filled) is None
    os.utime(filled.path / ".git/index", (LATER, LATER))
    assert Index(open_at(filled.path))._marks == expected
    filled.git("update-index", "--index-version=2")
    filled.git("config", "core.ignoreCase", "true")
    filled.write("B", "x")
    filled.git("add", "B")
    index = Index(open_at(filled.path))
    assert [entry.path for entry in index.hidden_entries()] == [b"dir/a"]
    assert index.folders_with(b".gitignore") == [b"dir/"]


def test_marks_of_another_state_of_the_file_do_not_count(
    filled: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Index._read_file

    def replaced(index: Index) -> tuple[bytes, tuple[int, ...]]:
        found = read(index)
        filled.git("update-index", "--assume-unchanged", "dir/a")
        return found

    monkeypatch.setattr(Index, "_read_file", replaced)
    hidden = Index(open_at(filled.path)).hidden_entries()
    assert [entry.path for entry in hidden] == [b"dir/a"]


def test_a_large_index_is_scanned_beside_libgit2(
    filled: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("git_zdev.git.read.index._WORTH_DIVIDING", 1)
    filled.git("update-index", "--assume-unchanged", "dir/a")
    hidden = Index(open_at(filled.path)).hidden_entries()
    assert [entry.path for entry in hidden] == [b"dir/a"]
    (filled.path / ".git/index").write_bytes(b"DIRC" + bytes(40))
    with pytest.raises(ZdevError) as caught:
        Index(open_at(filled.path))
    assert caught.value.code in ("corrupt-index", "unsupported-index")
