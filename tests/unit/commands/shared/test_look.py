"""Seeing that a publication began or ended."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from git_zdev.commands.shared import look as looks
from git_zdev.commands.shared.look import first_moment, moment
from git_zdev.disk import journal

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    path = tmp_path / journal.FOLDER
    path.mkdir()
    return path


def test_nothing_there_is_a_moment_too(tmp_path: Path) -> None:
    assert first_moment(str(tmp_path)) == moment(str(tmp_path))
    assert moment(str(tmp_path))[0] is None


def test_the_beginning_and_the_end_of_a_publication_are_seen(home: Path) -> None:
    git_dir = str(home.parent)
    (home / "journal.1").mkdir()
    before = first_moment(git_dir)
    (home / "journal.1").rename(home / journal.NAME)
    during = first_moment(git_dir)
    assert before != during
    assert during[0] is not None
    (home / journal.NAME).rename(home / "journal.1")
    after = moment(git_dir)
    assert after != during
    assert after[0] is None
    assert after != before


def test_what_happens_inside_of_a_journal_is_not_seen(home: Path) -> None:
    (home / journal.NAME).mkdir()
    before = first_moment(str(home.parent))
    (home / journal.NAME / "child.json").write_text("{}")
    assert moment(str(home.parent)) == before


def test_the_first_publication_makes_the_folder(tmp_path: Path) -> None:
    before = first_moment(str(tmp_path))
    (tmp_path / journal.FOLDER).mkdir()
    assert moment(str(tmp_path)) != before


@pytest.mark.parametrize("nanoseconds", [1, 0], ids=["fine clock", "whole seconds"])
def test_a_first_look_waits_until_no_change_can_get_the_same_time(
    home: Path, monkeypatch: pytest.MonkeyPatch, nanoseconds: int
) -> None:
    """A clock that stands still is put forward by whoever sleeps."""
    changed = 1_700_000_000_000_000_000 + nanoseconds
    now = [changed + 3_000_000]

    def stat(path: str) -> os.stat_result:
        found = list(os.stat(path))
        return os.stat_result(found, {"st_mtime_ns": changed, "st_ctime_ns": changed - 1_000})

    monkeypatch.setattr(looks, "_stat", stat)
    monkeypatch.setattr(time, "time_ns", lambda: now[0])
    monkeypatch.setattr(time, "sleep", lambda rest: now.append(now.pop() + round(rest * 10**9)))
    (home / journal.NAME).mkdir()
    first_moment(str(home.parent))
    assert now[0] == changed + (12_000_000 if nanoseconds else 2_000_000_000)


def test_a_folder_that_never_rests_is_not_waited_for_for_ever(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = []

    def sleep(rest: float) -> None:
        waits.append(rest)
        os.utime(home)

    monkeypatch.setattr(time, "sleep", sleep)
    os.utime(home)
    first_moment(str(home.parent))
    assert 0 < len(waits) <= 3
