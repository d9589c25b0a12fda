"""A split or sparse index that is damaged in any place is refused, or read as something."""

from __future__ import annotations

import hashlib
import random
from typing import TYPE_CHECKING

import pytest

from git_zdev.git.read.index import Index
from git_zdev.ground.errors import ZdevError
from tests.support.evidence import open_at
from tests.support.repo import opened

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.repo import GitRepo

KNOWN = {"corrupt-index", "unsupported-index", "missing-object"}
SIZE = (4).to_bytes(4, "big")


def split(repo: GitRepo) -> None:
    for number in range(9):
        repo.write(f"dir/{number}", "x\n")
    repo.git("add", "--all")
    repo.commit()
    repo.git("config", "splitIndex.maxPercentChange", "100")
    repo.git("update-index", "--split-index")
    repo.write("dir/3", "y\n")
    repo.git("add", "dir/3")
    repo.git("rm", "-q", "--cached", "dir/5")


def sparse(repo: GitRepo) -> None:
    for name in ("in/a", "out/b", "out/deep/c"):
        repo.write(name, "x\n")
    repo.git("add", "--all")
    repo.commit()
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")


def signed(body: bytes) -> bytes:
    return body + hashlib.sha1(body, usedforsecurity=False).digest()


def index(repo: GitRepo) -> Path:
    return repo.path / ".git/index"


def outcome(repo: GitRepo) -> str:
    """The code of the refusal, empty where the index is read."""
    try:
        list(opened(repo.path).entries())
    except ZdevError as error:
        return error.code if error.hint else "no hint"
    return ""


@pytest.mark.parametrize("build", [split, sparse])
@pytest.mark.parametrize("how", ["changed", "cut"])
def test_damage_anywhere(repo: GitRepo, build: Callable[[GitRepo], None], how: str) -> None:
    build(repo)
    body = index(repo).read_bytes()[:-20]
    chance = random.Random(7)
    for _ in range(60):
        at = chance.randrange(4, len(body))
        byte = bytes([body[at] ^ 1 << chance.randrange(8)])
        index(repo).write_bytes(
            signed(body[:at] + byte + body[at + 1 :] if how == "changed" else body[:at])
        )
        assert outcome(repo) in {"", *KNOWN}


@pytest.mark.parametrize("build", [split, sparse])
def test_a_wrong_checksum(repo: GitRepo, build: Callable[[GitRepo], None]) -> None:
    build(repo)
    data = index(repo).read_bytes()
    index(repo).write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert outcome(repo) == "corrupt-index"


@pytest.mark.parametrize("build", [split, sparse])
def test_a_checksum_of_zeros_was_left_out(repo: GitRepo, build: Callable[[GitRepo], None]) -> None:
    """``index.skipHash`` of newer releases."""
    build(repo)
    index(repo).write_bytes(index(repo).read_bytes()[:-20] + bytes(20))
    assert outcome(repo) == ""


@pytest.mark.parametrize("count", [0, 1 << 20, 0xFFFFFFFF])
def test_a_bitmap_that_would_fill_the_memory(repo: GitRepo, count: int) -> None:
    split(repo)
    body = index(repo).read_bytes()[:-20]
    at = body.index(b"link") + 8 + 20
    runs = (1 | 0xFFFFFFFF << 1).to_bytes(8, "big")
    bitmap = count.to_bytes(4, "big") + (1).to_bytes(4, "big") + runs + bytes(4)
    link = body[at - 20 : at] + bitmap + bytes(12)
    changed = body[: at - 28] + b"link" + len(link).to_bytes(4, "big") + link
    index(repo).write_bytes(signed(changed))
    assert outcome(repo) == "corrupt-index"


def test_another_extension_that_must_be_understood(repo: GitRepo) -> None:
    split(repo)
    index(repo).write_bytes(signed(index(repo).read_bytes()[:-20] + b"zzzz" + SIZE + SIZE))
    assert outcome(repo) == "unsupported-index"


def test_an_index_that_changes_its_kind_while_it_is_open(repo: GitRepo) -> None:
    split(repo)
    repository = open_at(repo.path)
    assert [entry.path for entry in repository.entries()][-1] == b"dir/8"
    repo.git("rm", "-q", "--cached", "dir/8")
    assert [entry.path for entry in repository.entries()][-1] == b"dir/7"
    repo.git("update-index", "--no-split-index")
    repo.git("rm", "-q", "--cached", "dir/7")
    assert [entry.path for entry in repository.entries()][-1] == b"dir/6"
    index(repo).unlink()
    assert list(repository.entries()) == []


def test_entries_of_a_sparse_folder(repo: GitRepo) -> None:
    sparse(repo)
    entries = {entry.path: entry.skip_worktree for entry in Index(open_at(repo.path)).entries()}
    assert entries == {b"in/a": False, b"out/b": True, b"out/deep/c": True}


def test_the_temporary_folder_cannot_be_written(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    split(repo)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    assert outcome(repo) == "unreadable-file"
