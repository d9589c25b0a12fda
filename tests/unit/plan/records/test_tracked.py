"""Staged files come from the work tree where they are the same, else from the repository."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from git_zdev.git.read.discovery import discover
from git_zdev.plan.records.tracked import IndexSource, StagedFiles
from tests.support.repo import opened

if TYPE_CHECKING:
    from git_zdev.git.port import Index
    from tests.support.repo import GitRepo


class Opened:
    """Opens a repository and counts how often."""

    def __init__(self, repo: GitRepo) -> None:
        self.repo = repo
        self.count = 0

    def __call__(self) -> Index:
        self.count += 1
        return opened(self.repo.path)


@pytest.fixture
def staged(repo: GitRepo) -> GitRepo:
    repo.commit(**{".zdev/a": "one\n", ".zdev/b": "two\n"})
    return repo


def source(repo: GitRepo) -> tuple[IndexSource, Opened]:
    opening = Opened(repo)
    files = StagedFiles(discover(str(repo.path), os.environ), opening)
    return IndexSource(files), opening


def test_same_files_need_no_repository(staged: GitRepo) -> None:
    records, opening = source(staged)
    assert records.names(".zdev") == [("a", False), ("b", False)]
    assert (records.read(".zdev/a"), records.read(".zdev/b")) == (b"one\n", b"two\n")
    assert records.read(".zdev/c") is None
    assert opening.count == 0


@pytest.mark.parametrize("change", ["edit", "remove", "symlink", "folder", "fifo"])
def test_other_files_are_read_as_they_are_staged(change: str, staged: GitRepo) -> None:
    path = staged.path / ".zdev/a"
    path.unlink()
    if change == "edit":
        path.write_text("two\n")
    elif change == "symlink":
        path.symlink_to("b")
    elif change == "folder":
        path.mkdir()
    elif change == "fifo":
        os.mkfifo(path)
    records, opening = source(staged)
    assert records.read(".zdev/a") == b"one\n"
    assert records.read(".zdev/b") == b"two\n"
    assert opening.count == 1


def test_same_stat_data_prove_nothing(staged: GitRepo) -> None:
    path = staged.path / ".zdev/a"
    before = path.stat()
    path.write_text("eno\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert source(staged)[0].read(".zdev/a") == b"one\n"


def test_converted_line_ends_are_those_of_the_blob(staged: GitRepo) -> None:
    staged.git("config", "core.autocrlf", "true")
    (staged.path / ".zdev/a").unlink()
    staged.git("checkout", "--", ".zdev/a")
    assert (staged.path / ".zdev/a").read_bytes() == b"one\r\n"
    assert source(staged)[0].read(".zdev/a") == b"one\n"


def test_an_index_that_is_not_plain(staged: GitRepo) -> None:
    staged.git("update-index", "--index-version=4")
    records, opening = source(staged)
    assert records.read(".zdev/a") == b"one\n"
    assert opening.count == 2
