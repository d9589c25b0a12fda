"""Blob ids are Git's, whatever computes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from git_zdev.git.read import blob_ids

if TYPE_CHECKING:
    from tests.support.gitrepo import GitRepo

SIZES = [0, 1, 100, 1 << 19, 3, 1 << 20]


def content(size: int) -> bytes:
    return (b"line %d\n" % size * (size // 6 + 1))[:size]


def test_ids_are_those_of_git(repo: GitRepo) -> None:
    for number, size in enumerate(SIZES):
        repo.write(str(number), content(size))
    paths = "".join(f"{number}\n" for number in range(len(SIZES)))
    expected = repo.git("hash-object", "--stdin-paths", stdin=paths.encode()).split()
    assert [blob_ids.blob_id(content(size)) for size in SIZES] == expected
