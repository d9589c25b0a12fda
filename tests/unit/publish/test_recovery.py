"""What readers, writers and recovery make of a publication whose process is gone."""

from __future__ import annotations

import errno
import hmac
import json
import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from git_zdev.disk.lock import StateLock
from git_zdev.disk.processes import ProcessIdentity
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import asdict
from git_zdev.publish import recovery
from git_zdev.publish.recovery import Recovery, require_uninterrupted
from tests.support.faults import (
    NEW,
    ONE,
    TWO,
    HastyDisk,
    begin,
    crash,
    leftovers,
    plant,
    recovered,
    tree,
    whole_state,
)
from tests.support.repo import git

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from git_zdev.disk.atomic import Spot
    from tests.support.repo import GitRepo


def test_nothing_to_recover(repo: GitRepo) -> None:
    assert recovered(repo) == Recovery("none")
    require_uninterrupted(str(repo.path / ".git"))


def test_readers_refuse_until_it_is_recovered(repo: GitRepo) -> None:
    crash(repo, "files", "sync_folder tasks")
    git_dir = str(repo.path / ".git")
    with pytest.raises(ZdevError) as caught:
        require_uninterrupted(git_dir)
    assert caught.value.code == "interrupted-publication"
    assert caught.value.details == {"journal": f"{git_dir}/zdev/journal"}
    recovered(repo)
    require_uninterrupted(git_dir)


def test_readers_do_not_mind_a_writer_at_work(repo: GitRepo) -> None:
    crash(repo, "files", "sync_folder tasks")
    with StateLock(str(repo.path / ".git")):
        require_uninterrupted(str(repo.path / ".git"))


def test_a_dry_run_says_it_and_does_nothing(repo: GitRepo) -> None:
    crash(repo, "commit", "wait")
    before = tree(repo.path)
    found = recovered(repo, dry_run=True)
    assert found.outcome == "completed"
    assert found.paths == (ONE, TWO, NEW)
    assert found.journal == str(repo.path / ".git/zdev/journal")
    assert found.commit == repo.rev("HEAD")
    assert tree(repo.path) == before
    assert recovered(repo).commit == found.commit


def test_the_next_writer_recovers_first(repo: GitRepo) -> None:
    crash(repo, "files", "swap")
    with begin(repo, disk=HastyDisk()):
        assert (repo.path / ONE).read_bytes() == b"one\n"
        assert leftovers(repo) == []


@pytest.mark.parametrize("name", ["files", "files-portable", "commit", "commit-portable"])
def test_an_edit_made_after_us_is_never_overwritten(repo: GitRepo, name: str) -> None:
    crash(repo, name, "sync_folder tasks" if name.startswith("files") else "stage")
    (repo.path / ONE).write_bytes(b"newer\n")
    (repo.path / NEW).write_bytes(b"newer too\n")
    with pytest.raises(ZdevError) as caught:
        recovered(repo)
    assert caught.value.code == "recovery-conflict"
    assert caught.value.details == {"kept": [NEW, ONE]}
    assert (repo.path / ONE).read_bytes() == b"newer\n"
    assert (repo.path / NEW).read_bytes() == b"newer too\n"
    assert (repo.path / TWO).read_bytes() == b"two\n"
    found = recovered(repo, keep_current=True)
    assert found.kept == (NEW, ONE)
    assert (repo.path / ONE).read_bytes() == b"newer\n"
    assert leftovers(repo) == []


def adopt(repo: GitRepo, *words: str) -> None:
    """What a user does who finds the files of a killed command, and a lock in the way."""
    (repo.path / ".git/index.lock").unlink(missing_ok=True)
    repo.git("add", "-A", ".zdev")
    if words:
        repo.git("commit", "-q", *words)


@pytest.mark.parametrize("name", ["files", "files-portable", "commit", "commit-portable"])
@pytest.mark.parametrize("words", [(), ("-m", "By hand")], ids=["staged", "committed"])
@pytest.mark.parametrize("early", [True, False])
def test_what_was_committed_or_staged_since_is_never_taken_out(
    repo: GitRepo, name: str, words: tuple[str, ...], *, early: bool
) -> None:
    """Recovery goes on from there, so that the plan is whole."""
    if early:
        crash(repo, name, "place 2.new" if name != "commit" else "place")
    else:
        crash(repo, name, "sync_folder tasks" if name.startswith("files") else "stage")
    adopt(repo, *words)
    refs, index = repo.git("for-each-ref"), repo.git("ls-files", "--stage")
    would = recovered(repo, dry_run=True)
    found = recovered(repo)
    assert would.outcome == found.outcome == "completed"
    if early or name.startswith("commit"):  # otherwise all files were there, which is complete
        assert "Committed or staged since the interruption" in found.notes[0]
    assert repo.git("for-each-ref") == refs
    assert repo.git("ls-files", "--stage") == index
    assert (repo.path / ONE).read_bytes() == b"edited\n"
    assert (repo.path / NEW).exists()
    assert leftovers(repo) == []


def test_an_edit_of_a_file_that_was_committed_since_stays(repo: GitRepo) -> None:
    crash(repo, "commit", "stage")
    adopt(repo, "-m", "By hand")
    (repo.path / ONE).write_bytes(b"newer\n")
    found = recovered(repo)
    assert (found.outcome, found.kept) == ("completed", (ONE,))
    assert (repo.path / ONE).read_bytes() == b"newer\n"
    assert leftovers(repo) == []


def test_what_was_committed_before_is_no_adoption(repo: GitRepo) -> None:
    """HEAD had the planned bytes already: nobody took anything over."""
    crash(repo, "commit", "stage")
    (repo.path / ".git/index.lock").unlink()
    repo.git("commit", "-q", "--allow-empty", "-m", "Else", "--only")
    assert recovered(repo).outcome == "rolled-back"
    assert (repo.path / ONE).read_bytes() == b"one\n"


def test_a_dry_run_writes_nothing(repo: GitRepo) -> None:
    plant(repo)
    repo.git("add", ".")
    repo.commit("First")
    before = tree(repo.path / ".git")
    assert recovered(repo, dry_run=True).outcome == "none"
    assert tree(repo.path / ".git") == before
    for path in (ONE, TWO):
        (repo.path / path).unlink()
    crash(repo, "files", "sync_folder tasks")
    lock = repo.path / ".git/zdev-state.lock"
    lock.write_text("someone\n")
    before = tree(repo.path / ".git")
    assert recovered(repo, dry_run=True).outcome == "completed"
    assert tree(repo.path / ".git") == before


def test_a_deletion_made_after_us_stays(repo: GitRepo) -> None:
    crash(repo, "files", "sync_folder tasks")
    (repo.path / ONE).unlink()
    with pytest.raises(ZdevError, match="edited since the interruption"):
        recovered(repo)
    recovered(repo, keep_current=True)
    assert not (repo.path / ONE).exists()


def test_a_file_put_where_ours_was_deleted_stays(repo: GitRepo) -> None:
    crash(repo, "files", "place 2.new")
    (repo.path / TWO).write_bytes(b"theirs\n")
    with pytest.raises(ZdevError) as caught:
        recovered(repo)
    assert caught.value.details == {"kept": [TWO]}
    assert (repo.path / TWO).read_bytes() == b"theirs\n"


def test_a_folder_moved_away_after_us_keeps_the_displaced_files(repo: GitRepo) -> None:
    crash(repo, "files", "sync_folder tasks")
    (repo.path / ".zdev/area").rename(repo.path / "moved")
    with pytest.raises(ZdevError) as caught:
        recovered(repo)
    assert caught.value.details == {"kept": [ONE, TWO]}
    journal = repo.path / ".git/zdev/journal"
    assert b"one\n" in [path.read_bytes() for path in journal.iterdir()]


def test_an_index_changed_after_a_lock_was_removed_by_hand_stays(repo: GitRepo) -> None:
    crash(repo, "commit", "wait")
    (repo.path / ".git/index.lock").unlink()
    repo.git("add", "untracked.txt")
    index = (repo.path / ".git/index").read_bytes()
    found = recovered(repo)
    assert found.outcome == "completed"
    assert found.notes == ("The index was changed meanwhile and stays as it is",)
    assert (repo.path / ".git/index").read_bytes() == index
    assert leftovers(repo) == []


def test_a_lock_of_another_process_is_waited_for_then_reported(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("git_zdev.publish.commit.LOCK_PATIENCE", 0.05)
    crash(repo, "commit", "wait")
    lock = repo.path / ".git/index.lock"
    lock.unlink()
    lock.write_text("theirs")
    with pytest.raises(ZdevError) as caught:
        recovered(repo)
    assert caught.value.code == "index-locked"
    assert lock.read_text() == "theirs"
    lock.unlink()
    assert recovered(repo).outcome == "completed"


def fifo(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


def theirs(path: Path) -> None:
    path.mkdir()
    (path / "theirs").write_text("")


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (fifo, "it is a FIFO, not a file"),
        (theirs, "it is a directory, not a file"),
        (dangling, "another Git process holds"),
    ],
)
def test_what_is_no_file_in_the_place_of_the_index_lock_is_named(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None], words: str
) -> None:
    """It is neither waited for nor removed."""
    monkeypatch.setattr("git_zdev.publish.commit.LOCK_PATIENCE", 0.05)
    crash(repo, "commit", "wait")
    lock = repo.path / ".git/index.lock"
    lock.unlink()
    make(lock)
    with pytest.raises(ZdevError, match=words) as caught:
        recovered(repo)
    assert caught.value.code == "index-locked"
    assert os.path.lexists(lock)


def test_without_hard_links_the_index_lock_is_a_folder_that_nobody_takes_for_gits(
    repo: GitRepo,
) -> None:
    crash(repo, "commit-linkless", "wait")
    lock = repo.path / ".git/index.lock"
    plan = json.loads((repo.path / ".git/zdev/journal/plan.json").read_bytes())
    assert tree(lock) == {plan["identity"]: b""}
    done = git("add", "untracked.txt", cwd=repo.path, check=False)
    assert b"index.lock': File exists" in done.stderr
    assert recovered(repo).outcome == "completed"
    assert leftovers(repo) == []


@pytest.mark.parametrize("call", ["rename index.lock", "remove_folder journal."])
def test_a_kill_while_such_a_lock_is_let_go_leaves_rubbish_at_most(
    repo: GitRepo, call: str
) -> None:
    crash(repo, "commit-linkless", call)
    recovered(repo)
    assert leftovers(repo) == []


@pytest.mark.parametrize("make", [fifo, folder, theirs, dangling])
@pytest.mark.parametrize("name", ["journal.x", "journal.x/inside"])
def test_rubbish_of_any_kind_is_swept(
    repo: GitRepo, make: Callable[[Path], None], name: str
) -> None:
    path = repo.path / ".git/zdev" / name
    path.parent.mkdir(parents=True)
    make(path)
    assert recovered(repo) == Recovery("none")
    assert leftovers(repo) == []


def test_locks_of_a_killed_git_are_told_and_left(repo: GitRepo) -> None:
    crash(repo, "commit", "stage")
    lock = repo.write(".git/HEAD.lock", "")
    found = recovered(repo)
    assert found.notes == (f"{lock} is left; remove it when no Git process runs here",)
    assert lock.exists()


@pytest.mark.parametrize("name", ["index", "commit-index"])
def test_locks_that_a_killed_git_left_in_the_journal_are_removed(repo: GitRepo, name: str) -> None:
    crash(repo, "staging-hook", "wait")
    repo.write(f".git/zdev/journal/{name}.lock", "")
    found = recovered(repo)
    assert found.outcome == "completed"
    assert found.notes == ("A hook staged besides: untracked.txt",)
    assert leftovers(repo) == []


def test_a_moved_repository_is_recovered_where_it_is_now(repo: GitRepo) -> None:
    scenario = crash(repo, "commit", "stage")
    repo.path.rename(repo.path.parent / "elsewhere")
    moved = type(repo)(repo.path.parent / "elsewhere")
    assert recovered(moved).outcome == "rolled-back"
    assert (moved.path / ONE).read_bytes() == b"one\n"
    assert leftovers(moved) == []
    del scenario


def claim(repo: GitRepo, **changes: object) -> None:
    """Change who commits, as the journal describes it."""
    noted = repo.path / ".git/zdev/journal/child.json"
    noted.write_text(json.dumps({**json.loads(noted.read_text()), **changes}))


@pytest.mark.parametrize(
    "changes",
    [{"boot": "another", "host": "another.example.org"}, {"namespace": 1}],
    ids=["host", "namespace"],
)
def test_a_child_that_cannot_be_seen_is_never_raced(
    repo: GitRepo, changes: dict[str, object]
) -> None:
    crash(repo, "commit", "release")
    claim(repo, **changes)
    before = whole_state(repo)
    with pytest.raises(ZdevError) as caught:
        recovered(repo)
    assert caught.value.code == "publication-running"
    assert "--assume-dead" in caught.value.hint
    assert whole_state(repo) == before

    said = f"Taken for ended: `git commit`, process {caught.value.details['pid']}"
    would = recovered(repo, assume_dead=True, dry_run=True)
    assert (would.outcome, would.notes[0].startswith(said)) == ("rolled-back", True)
    assert whole_state(repo) == before
    assert recovered(repo, assume_dead=True).outcome == "rolled-back"
    assert leftovers(repo) == []


def test_a_living_child_in_sight_is_never_taken_for_dead(repo: GitRepo) -> None:
    repo.git("config", "zdev.lockTimeout", "0")
    crash(repo, "commit", "release")
    claim(repo, **asdict(ProcessIdentity.of(os.getpid())))
    with pytest.raises(ZdevError) as caught:
        recovered(repo, assume_dead=True)
    assert caught.value.code == "publication-running"
    assert "--assume-dead" not in caught.value.hint


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_living_child_is_waited_for_then_named(repo: GitRepo, dry_run: bool) -> None:
    repo.git("config", "zdev.lockTimeout", "0")
    crash(repo, "commit", "release")
    child = subprocess.Popen(["sleep", "60"])
    claim(repo, **asdict(ProcessIdentity.of(child.pid)))
    try:
        with pytest.raises(ZdevError) as caught:
            recovered(repo, dry_run=dry_run)
        assert caught.value.code == "publication-running"
        assert caught.value.details["pid"] == child.pid
        child.send_signal(signal.SIGKILL)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # a zombie is dead
        assert recovered(repo, dry_run=dry_run).outcome == "rolled-back"
    finally:
        child.kill()
        child.wait()


@pytest.mark.parametrize("changes", [{"boot": "another"}, {"start": 1}], ids=["boot", "start"])
def test_a_reused_pid_is_no_living_child(repo: GitRepo, changes: dict[str, object]) -> None:
    crash(repo, "commit", "release")
    claim(repo, pid=os.getpid(), **changes)
    assert recovered(repo).outcome == "rolled-back"


CORRUPTIONS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "another version": lambda data: data.replace(b'"version": 2', b'"version": 3'),
    "the version before": lambda data: data.replace(b'"version": 2', b'"version": 1'),
    "another value": lambda data: data.replace(b'"near": false', b'"near": true'),
    "no object": lambda _: b"[]",
    "missing key": lambda data: data.replace(b'"entries"', b'"entry"'),
    "not UTF-8": lambda _: b"\xff",
}


@pytest.mark.parametrize("corruption", CORRUPTIONS)
def test_a_corrupt_journal_is_named_and_left(repo: GitRepo, corruption: str) -> None:
    crash(repo, "files", "sync_folder tasks")
    plan = repo.path / ".git/zdev/journal/plan.json"
    plan.write_bytes(CORRUPTIONS[corruption](plan.read_bytes()))
    before = tree(repo.path)
    with pytest.raises(ZdevError) as caught:
        recovered(repo)
    assert caught.value.code == "journal-corrupt"
    assert str(plan.parent) in caught.value.message
    assert tree(repo.path) == before


def test_a_journal_without_a_plan_is_corrupt(repo: GitRepo) -> None:
    plant(repo)
    repo.write(".git/zdev/journal/0.new", "x")
    with pytest.raises(ZdevError) as caught:
        recovered(repo)
    assert caught.value.code == "journal-corrupt"


def test_rubbish_that_cannot_be_removed_stops_nobody(repo: GitRepo) -> None:
    class Stubborn(HastyDisk):
        def remove_folder(self, spot: Spot) -> None:
            raise OSError(errno.EBUSY, "Device or resource busy", spot.path)

    plant(repo)
    (repo.path / ".git/zdev/journal.x").mkdir(parents=True)
    with begin(repo, disk=Stubborn()):
        pass
    assert leftovers(repo) == [str(repo.path / ".git/zdev/journal.x")]


def test_a_journal_of_a_folder_that_is_gone_says_what_to_put_back(repo: GitRepo) -> None:
    crash(repo, "files", "sync_folder tasks")
    journal = repo.path / ".git/zdev/journal"
    plan = json.loads((journal / "plan.json").read_bytes())
    data = json.dumps({**plan, "root": "sub"}).encode()
    (journal / "plan.json").write_bytes(data)
    secret = (repo.path / ".git/zdev/secret").read_bytes()
    (journal / "seal").write_text(hmac.digest(secret, data, "sha256").hex() + "\n")
    with pytest.raises(ZdevError, match="the folder sub is missing") as caught:
        recovered(repo)
    assert caught.value.code == "journal-corrupt"
    assert "Put that folder back" in caught.value.hint


@pytest.mark.parametrize("name", ["lock", "message"])
def test_what_every_journal_of_a_commit_has(repo: GitRepo, name: str) -> None:
    crash(repo, "commit", "wait")
    (repo.path / ".git/zdev/journal" / name).unlink()
    with pytest.raises(ZdevError, match=name) as caught:
        recovered(repo)
    assert caught.value.code == "journal-corrupt"


def test_the_patience_for_a_child_is_the_lock_timeout(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked for again and again, and goes on as soon as the child is dead."""
    crash(repo, "commit", "release")
    answers = iter([True, True, True, False])
    monkeypatch.setattr(ProcessIdentity, "alive", lambda _: next(answers))
    monkeypatch.setattr(recovery, "_PAUSE", 0)
    assert recovered(repo).outcome == "rolled-back"


def test_a_file_that_is_missing_from_what_was_completed_is_named(repo: GitRepo) -> None:
    crash(repo, "commit", "wait")
    (repo.path / NEW).unlink()
    found = recovered(repo)
    assert (found.outcome, found.kept) == ("completed", (NEW,))


def test_deleted_files_that_somebody_restored_are_no_conflict(repo: GitRepo) -> None:
    crash(repo, "removal", "stage")
    (repo.path / ".git/index.lock").unlink()
    repo.git("restore", ".zdev")
    assert recovered(repo).outcome == "rolled-back"
    assert (repo.path / ONE).read_bytes() == b"one\n"
    assert leftovers(repo) == []
