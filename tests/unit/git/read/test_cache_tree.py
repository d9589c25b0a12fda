"""What an index remembers of its folders' trees, against Git."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.git.read import cache_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.repo import GitRepo


def remembered(repo: GitRepo) -> dict[bytes, str]:
    """The trees that the repository's index remembers."""
    data = (repo.path / ".git/index").read_bytes()
    return cache_tree.remembered(cache_tree.extension(data))


@pytest.fixture
def filled(repo: GitRepo) -> GitRepo:
    """Folders inside one another and beside one another, one named like the extension."""
    for name in ("a", "d/b", "d/e/c", "d/e/f/g/h", "d/z/x", "e/y", "TREE/TREE/TREE"):
        repo.write(name, name)
    repo.git("add", "--all")
    repo.git("commit", "-q", "-m", "Base")
    return repo


@pytest.mark.parametrize("version", ["2", "4"])
def test_every_folder_has_its_tree(filled: GitRepo, version: str) -> None:
    filled.git("update-index", "--index-version", version)
    listed = filled.git("ls-tree", "-r", "-d", "-t", "--format=%(objectname) %(path)", "HEAD")
    expected = {line[41:].encode() + b"/": line[:40] for line in listed.splitlines()}
    assert remembered(filled) == {b"": filled.rev("HEAD^{tree}"), **expected}


def test_what_changed_is_forgotten(filled: GitRepo) -> None:
    before = remembered(filled)
    filled.write("d/e/c", "changed")
    filled.git("add", "d/e/c")
    gone = {b"", b"d/", b"d/e/"}
    assert remembered(filled) == {name: tree for name, tree in before.items() if name not in gone}


def test_an_index_without_the_extension(repo: GitRepo) -> None:
    repo.write("TREE", "x")
    repo.git("add", "TREE")
    assert remembered(repo) == {}
    assert cache_tree.extension(b"") == b""


@pytest.mark.parametrize("content", [b"x", b"\0", b"\x001 x\n", b"\x00x 1\n", b"\x001\n"])
def test_damage_is_reported(content: bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        cache_tree.remembered(content)


class Chain:
    """Trees that hold one folder each; the id of each is its depth."""

    def tree(self, name: str) -> Iterator[tuple[int, bytes, str]]:
        yield 0o040000, b"d", str(int(name) + 1)


@pytest.mark.parametrize(("remembered_id", "contradicts"), [("1500", True), ("other", False)])
def test_a_contradiction_is_found_at_any_depth(remembered_id: str, contradicts: bool) -> None:
    folder = b"d/" * 1500
    trees: Any = Chain()
    found = cache_tree.contradicted({folder: remembered_id}, "0", [folder + b"x"], trees)
    assert found == (folder + b"x" if contradicts else None)
