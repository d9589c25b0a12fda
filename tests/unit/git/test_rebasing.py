"""What Git keeps of a rebase, whole or as a kill left it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.disk.atomic import Disk
from git_zdev.disk.processes import ProcessIdentity
from git_zdev.disk.rebase_record import RebaseRecord, StartedRebase
from git_zdev.git.model import RebaseState
from git_zdev.git.read.discovery import discover
from git_zdev.git.rebasing import left_locks, rebase_state, started_rebase

if TYPE_CHECKING:
    from pathlib import Path

    from git_zdev.git.model import Location
    from tests.support.repo import GitRepo


@pytest.fixture
def location(repo: GitRepo) -> Location:
    """``work`` has three commits, the second of which conflicts with ``main``."""
    repo.commit("base", a="base\n")
    repo.git("switch", "-q", "-c", "work")
    repo.commit("one", one="one\n")
    repo.commit("two", a="two\n")
    repo.commit("three", three="three\n")
    repo.git("switch", "-q", "main")
    repo.commit("main", a="main\n")
    repo.git("switch", "-q", "work")
    return discover(str(repo.path), os.environ)


@pytest.fixture
def folder(repo: GitRepo, location: Location) -> Path:
    """Git's notes of the rebase of ``work``, which stopped at the conflict."""
    repo.git("rebase", "--merge", "main", check=False)
    return repo.path / ".git/rebase-merge"


def is_resumable(location: Location) -> bool:
    state = rebase_state(location)
    assert state is not None
    assert state.whole
    return state.resumable


def test_no_rebase(location: Location) -> None:
    assert rebase_state(location) is None


@pytest.mark.parametrize("backend", ["--merge", "--apply"])
def test_a_stop_at_a_conflict(repo: GitRepo, location: Location, backend: str) -> None:
    repo.git("rebase", backend, "main", check=False)
    assert rebase_state(location) == RebaseState("work", repo.rev("main"), repo.rev("work"))


def test_a_detached_head_that_is_rebased(repo: GitRepo, location: Location) -> None:
    repo.git("switch", "-q", "--detach")
    repo.git("rebase", "main", check=False)
    assert rebase_state(location) == RebaseState(None, repo.rev("main"), repo.rev("work"))


def test_mails_are_no_rebase(repo: GitRepo, location: Location) -> None:
    patch = repo.git("format-patch", "--stdout", "-1", "work~1").encode() + b"\n"
    repo.git("switch", "-q", "main")
    repo.git("am", stdin=patch, check=False)
    assert (repo.path / ".git/rebase-apply/applying").exists()
    assert rebase_state(location) is None


def test_a_stop_for_a_file_in_the_way(repo: GitRepo, location: Location, folder: Path) -> None:
    """Git puts the commit back on the list of those to come."""
    repo.write("three", "mine\n")
    repo.write("a", "both\n")
    repo.git("add", "a")
    repo.git("rebase", "--continue", env={"GIT_EDITOR": "true"}, check=False)
    again = f"pick {repo.rev('work')} three\n"
    assert (folder / "git-rebase-todo").read_text() == again
    assert (folder / "done").read_text().endswith(again)
    assert is_resumable(location)


def test_a_stop_at_a_command_that_copies_no_commit(repo: GitRepo, location: Location) -> None:
    repo.git("rebase", "--merge", "--exec", "false", "main~1", check=False)
    assert is_resumable(location)


def change(folder: Path, name: str, text: str | None) -> None:
    if text is None:
        (folder / name).unlink()
    else:
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("message", None),  # Git was ended before it had written all that a stop needs
        ("stopped-sha", None),  # it was ended while it copied a commit
        ("stopped-sha", "1234567\n"),  # and that is another than the last one at which it stopped
        ("stopped-sha", "\n"),
        ("done", None),
        ("done", ""),
        ("git-rebase-todo", ""),  # a commit is taken off the list and not begun
        ("end", None),
        ("end", "many\n"),
        ("git-rebase-todo.lock", ""),
    ],
)
def test_a_commit_that_git_would_leave_out(
    location: Location, folder: Path, name: str, text: str | None
) -> None:
    assert is_resumable(location)
    change(folder, name, text)
    assert not is_resumable(location)


def test_a_commit_that_was_copied_just_now(repo: GitRepo, location: Location, folder: Path) -> None:
    two = repo.rev("work~1")
    for name in ("rewritten-list", "rewritten-pending"):
        (folder / "stopped-sha").unlink(missing_ok=True)
        before = (folder / name).read_text() if (folder / name).exists() else None
        (folder / name).write_text(f"{before or ''}{two} {repo.rev('main')}\n")
        assert is_resumable(location)
        change(folder, name, before)
        assert not is_resumable(location)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("head-name", None),
        ("head-name", ""),
        ("head-name", "refs/heads/\n"),
        ("head-name", "refs/tags/v1\n"),
        ("onto", None),
        ("onto", "main\n"),
        ("orig-head", ""),
        ("orig-head", "../../etc/passwd\n"),
    ],
)
def test_notes_that_are_not_whole(
    location: Location, folder: Path, name: str, text: str | None
) -> None:
    change(folder, name, text)
    assert rebase_state(location) == RebaseState(None, None, None, whole=False, resumable=False)


def test_a_folder_that_is_empty(repo: GitRepo, location: Location) -> None:
    (repo.path / ".git/rebase-merge").mkdir()
    assert rebase_state(location) == RebaseState(None, None, None, whole=False, resumable=False)


def test_a_fifo_among_the_notes_is_not_waited_for(location: Location, folder: Path) -> None:
    (folder / "done").unlink()
    os.mkfifo(folder / "done")
    assert not is_resumable(location)


def record(location: Location, repo: GitRepo, action: str, **changes: str) -> None:
    given = {"branch": "work", "onto": repo.rev("main"), "original": repo.rev("work"), **changes}
    (repo.path / ".git/zdev").mkdir(exist_ok=True)
    RebaseRecord(Disk(), location.git_dir).write(action, pid=os.getpid(), **given)


def test_what_git_lost_is_as_it_was_recorded(
    repo: GitRepo, location: Location, folder: Path
) -> None:
    main, work = repo.rev("main"), repo.rev("work")
    record(location, repo, "start")
    assert is_resumable(location)
    (folder / "head-name").unlink()
    expected = RebaseState("work", main, work, whole=False, resumable=False)
    assert rebase_state(location) == expected


def test_after_giving_up_there_is_no_going_on(
    repo: GitRepo, location: Location, folder: Path
) -> None:
    for changes in ({"original": "1" * 40}, {"onto": "1" * 40}):  # an older rebase
        record(location, repo, "abort", **changes)
        assert is_resumable(location)
    record(location, repo, "abort")
    assert not is_resumable(location)


def test_a_record_says_who_rebases(repo: GitRepo, location: Location) -> None:
    tip = repo.rev("main")
    record(location, repo, "continue", original=tip)
    me = ProcessIdentity.of(os.getpid())
    assert started_rebase(location) == StartedRebase("continue", "work", tip, tip, me)


@pytest.mark.parametrize(
    "changes",
    [
        {"version": 2},
        {"action": "push"},
        {"action": ["abort"]},
        {"branch": ""},
        {"branch": 7},
        {"branch": "x" * 2000},
        {"onto": "main"},
        {"original": None},
        {"original": "A" * 40},
        {"more": 1},
        {"process": None},
        {"process": []},
        {"process": {"pid": 1}},
    ],
)
def test_a_record_that_is_none(repo: GitRepo, location: Location, changes: dict[str, Any]) -> None:
    record(location, repo, "abort")
    path = repo.path / ".git/zdev/rebase.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    assert started_rebase(location) is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("pid", 0), ("pid", 1), ("pid", -5), ("pid", True), ("pid", "7"), ("pid", 1 << 40),
        ("start", -1), ("start", 1.5), ("start", "x"), ("namespace", None), ("namespace", []),
        ("host", 1), ("boot", None), ("boot", "x" * 2000),
    ],
)  # fmt: skip
def test_a_process_that_is_none(repo: GitRepo, location: Location, key: str, value: object) -> None:
    record(location, repo, "abort")
    path = repo.path / ".git/zdev/rebase.json"
    document = json.loads(path.read_text())
    document["process"][key] = value
    path.write_text(json.dumps(document))
    assert started_rebase(location) is None


@pytest.mark.parametrize("data", [b"", b"\0" * 99, b"[]", b"{", b"\xff", b" " * 70000 + b"{}"])
def test_bytes_that_are_no_record(repo: GitRepo, location: Location, data: bytes) -> None:
    repo.write(".git/zdev/rebase.json", data)
    assert started_rebase(location) is None


def test_a_record_of_another_kind(repo: GitRepo, location: Location) -> None:
    path = repo.path / ".git/zdev/rebase.json"
    path.parent.mkdir()
    os.mkfifo(path)
    assert started_rebase(location) is None
    path.unlink()
    path.mkdir()
    assert started_rebase(location) is None


def test_locks_that_are_left(repo: GitRepo, location: Location, tmp_path: Path) -> None:
    names = ["HEAD.lock", "index.lock", "packed-refs.lock", "refs/heads/work.lock"]
    for name in (*names, "zdev-state.lock", "refs/heads/other.lock"):
        repo.write(f".git/{name}")
    expected = [f"{location.git_dir}/{name}" for name in names]
    assert left_locks(location, "work") == expected
    assert left_locks(location, "none") == expected[:-1]
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    linked = discover(str(tmp_path / "linked"), os.environ)
    assert left_locks(linked, "work") == expected[2:]
