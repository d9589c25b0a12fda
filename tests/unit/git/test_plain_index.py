"""The plain reader of the index gives what libgit2 gives, or leaves the index to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from git_zdev.git import plain_index
from tests.support.opening import opened

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.gitrepo import GitRepo

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
