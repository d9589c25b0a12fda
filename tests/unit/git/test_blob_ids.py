"""Blob ids are Git's, whatever computes them."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from git_zdev.git import blob_ids
from tests.support.cli import PACKAGE_PARENT

if TYPE_CHECKING:
    from tests.support.gitrepo import GitRepo

SIZES = [0, 1, 100, blob_ids._ENOUGH - 1, blob_ids._ENOUGH, 3, 2 * blob_ids._ENOUGH]


def git_ids(repo: GitRepo) -> list[str]:
    for number, size in enumerate(SIZES):
        (repo.path / str(number)).write_bytes(content(size))
    paths = "".join(f"{number}\n" for number in range(len(SIZES)))
    return repo.git("hash-object", "--stdin-paths", stdin=paths.encode()).split()


def content(size: int) -> bytes:
    return (b"line %d\n" % size * (size // 6 + 1))[:size]


@pytest.mark.parametrize("builtin", [True, False])
def test_ids_are_those_of_git(
    builtin: bool, repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not builtin:
        monkeypatch.setitem(sys.modules, "_sha1", None)
    hashing = blob_ids._Hashing()
    monkeypatch.setattr(blob_ids, "hasher", hashing.begin)
    assert [blob_ids.blob_id(content(size)) for size in SIZES] == git_ids(repo)


@pytest.mark.parametrize(("sizes", "loaded"), [([100, 2000], False), ([100, 1 << 20], True)])
def test_openssl_is_loaded_for_much_only(sizes: list[int], loaded: bool) -> None:
    pytest.importorskip("_sha1")
    script = (
        "import sys\n"
        "from git_zdev.git.blob_ids import blob_id\n"
        f"for size in {sizes}: blob_id(bytes(size))\n"
        "print('_hashlib' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PACKAGE_PARENT, capture_output=True, check=True
    )
    assert done.stdout.decode().strip() == str(loaded)
