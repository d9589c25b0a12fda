"""A run whose answers belong together, or which is none."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.commands.shared.inputs import read_input
from git_zdev.commands.shared.look import Look
from git_zdev.commands.shared.session import Session, Surroundings, answer
from git_zdev.disk.lock import StateLock
from git_zdev.ground.errors import Moved, ZdevError
from tests.support.faults import crash
from tests.support.plan import INDEX_PATH, commit_payments
from tests.support.repo import Seen

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repo import GitRepo

CONFIG = ".zdev/config.toml"


def around(repo: GitRepo, **more: Any) -> Surroundings:
    return Surroundings(str(repo.path), dict(os.environ), None, lambda: b"", **more)


def publish_nothing(repo: GitRepo) -> None:
    """What a publication leaves for who looks at the moments before and after it."""
    home = repo.path / ".git/zdev"
    (home / "journal.1").mkdir(parents=True)
    (home / "journal.1").rmdir()


@pytest.fixture
def plan(repo: GitRepo) -> GitRepo:
    commit_payments(repo)
    publish_nothing(repo)
    return repo


def test_a_run_that_nothing_disturbs_runs_once(plan: GitRepo) -> None:
    runs: list[Session] = []

    def run(session: Session) -> bytes | None:
        runs.append(session)
        return session.records.read(CONFIG)

    session, found = answer(around(plan), run)
    assert found == (plan.path / CONFIG).read_bytes()
    assert runs == [session]


@pytest.mark.parametrize("refuse", [False, True], ids=["answers", "refuses"])
def test_a_run_between_whose_readings_something_was_published_runs_again(
    plan: GitRepo, *, refuse: bool
) -> None:
    runs: list[Session] = []

    def run(session: Session) -> int:
        runs.append(session)
        session.records.read(CONFIG)
        if len(runs) < 3:
            publish_nothing(plan)
            if refuse:
                raise ZdevError("work-context-disagreement", "half of each")
        return len(runs)

    assert answer(around(plan), run)[1] == 3
    assert len({id(session) for session in runs}) == 3


def test_a_refusal_that_nothing_disturbs_counts(plan: GitRepo) -> None:
    def run(session: Session) -> None:
        session.records.read(CONFIG)
        raise ZdevError("unknown-area", "no")

    with pytest.raises(ZdevError) as caught:
        answer(around(plan), run)
    assert caught.value.code == "unknown-area"


def test_a_run_that_is_always_disturbed_ends(plan: GitRepo) -> None:
    plan.git("config", "zdev.lockTimeout", "0")
    runs = []

    def run(session: Session) -> None:
        runs.append(session.records.read(CONFIG))
        publish_nothing(plan)

    with pytest.raises(ZdevError) as caught:
        answer(around(plan), run)
    assert caught.value.code == "state-drifted"
    assert 10 < len(runs) < 100


def test_what_was_read_before_counts_once_the_look_has_ended(plan: GitRepo) -> None:
    """A command that goes on to store something is not run again for what comes later."""
    runs = []

    def run(session: Session) -> None:
        runs.append(session.records.read(CONFIG))
        session.end_look()
        publish_nothing(plan)

    answer(around(plan), run)
    assert len(runs) == 1


def test_what_is_read_after_it_is_another_look(plan: GitRepo) -> None:
    def run(session: Session) -> bytes | None:
        first = session.records.read(CONFIG)
        session.end_look()
        publish_nothing(plan)
        plan.write(CONFIG, "other\n")
        second = session.records.read(CONFIG)
        assert first != second
        return second

    assert answer(around(plan), run)[1] == b"other\n"


def test_a_writing_command_runs_once(plan: GitRepo) -> None:
    runs = []

    def run(session: Session) -> None:
        runs.append(session.records.read(CONFIG))
        with session.writing():
            publish_nothing(plan)

    answer(around(plan), run)
    assert len(runs) == 1


def test_inputs_are_read_once(plan: GitRepo) -> None:
    """A pipe gives what it holds only once."""
    os.mkfifo(plan.path / "pipe")
    writer = threading.Thread(target=(plan.path / "pipe").write_bytes, args=(b"from a pipe",))
    writer.start()
    given = iter([b"from standard input"])
    runs = []

    def run(session: Session) -> tuple[bytes, bytes]:
        runs.append(session.records.read(CONFIG))
        if len(runs) == 1:
            publish_nothing(plan)
        return read_input(session, "-"), read_input(session, "pipe")

    surroundings = Surroundings(str(plan.path), dict(os.environ), None, lambda: next(given))
    assert answer(surroundings, run)[1] == (b"from standard input", b"from a pipe")
    assert len(runs) == 2
    writer.join()


def test_records_outside_of_a_repository_are_read_without_a_look(tmp_path: Path) -> None:
    (tmp_path / ".zdev").mkdir()
    (tmp_path / CONFIG).write_text("config\n")
    surroundings = Surroundings(str(tmp_path), dict(os.environ), None, lambda: b"")
    session, found = answer(surroundings, lambda session: session.records.read(CONFIG))
    assert found == b"config\n"
    assert "look" not in vars(session)


@pytest.mark.parametrize(
    ("setting", "seconds"), [(None, 30), ("7", 7), ("0", 0), ("-1", 30)], ids=str
)
def test_a_reader_waits_as_long_as_a_writer_but_not_for_ever(
    plan: GitRepo, setting: str | None, seconds: int
) -> None:
    if setting is not None:
        plan.git("config", "zdev.lockTimeout", setting)
    assert Session(around(plan)).patience() == seconds


# What waits for a publication


@pytest.fixture
def held(plan: GitRepo) -> GitRepo:
    """A journal as a writer leaves it that stops just before its commit; see :func:`lock`."""
    crash(plan, "tasks import --commit", "start_commit", prepared=True)
    assert b"payments-006" in (plan.path / INDEX_PATH).read_bytes()
    return plan


def lock(repo: GitRepo) -> StateLock:
    """Stands for the writer's life."""
    return StateLock(str(repo.path / ".git"))


def test_records_refs_and_index_are_the_old_ones(held: GitRepo) -> None:
    def run(session: Session) -> tuple[bytes | None, ...]:
        assert session.refs is session.repository
        return session.records.read(INDEX_PATH), session.staged_records.read(INDEX_PATH)

    with lock(held):
        old, staged = answer(around(held), run)[1]
    assert old == staged == held.git("show", f"HEAD:{INDEX_PATH}").encode() + b"\n"


def test_the_work_tree_is_waited_for(held: GitRepo) -> None:
    held.git("config", "zdev.lockTimeout", "0")
    seen = Seen()
    with lock(held), pytest.raises(ZdevError) as caught:
        answer(around(held, progress=seen), lambda session: session.evidence)
    assert caught.value.code == "state-locked"
    assert caught.value.details == {"pid": os.getpid()}
    assert seen.stages == [("Waiting for another command", 0, None)]


def move_branch(repo: GitRepo) -> None:
    repo.git("update-ref", "HEAD", repo.git("commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}"))


def test_refs_are_waited_for_once_the_branch_has_moved(held: GitRepo) -> None:
    held.git("config", "zdev.lockTimeout", "0")
    move_branch(held)
    with lock(held), pytest.raises(ZdevError) as caught:
        answer(around(held), lambda session: session.refs)
    assert caught.value.code == "state-locked"


def test_the_index_is_waited_for_once_it_was_exchanged(held: GitRepo) -> None:
    held.git("config", "zdev.lockTimeout", "0")
    (held.path / ".git/index.lock").unlink()
    held.git("add", ".zdev")
    with lock(held), pytest.raises(ZdevError) as caught:
        answer(around(held), lambda session: session.staged_records)
    assert caught.value.code == "state-locked"


def test_refs_that_moved_while_they_were_read_do_not_count(held: GitRepo) -> None:
    with lock(held):
        session = Session(around(held))
        assert session.refs is session.repository
        move_branch(held)
        with pytest.raises(Moved):
            session.end_look()


def test_who_waited_sees_the_end_and_begins_again(
    held: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer ends as soon as it is waited for."""
    writer = lock(held)
    writer.__enter__()
    wait = Look._await_end

    def ending(look: Look) -> None:
        (held.path / ".git/zdev/journal").rename(held.path / ".git/zdev/journal.1")
        writer.__exit__(None, None, None)
        wait(look)

    monkeypatch.setattr(Look, "_await_end", ending)
    runs = []

    def run(session: Session) -> bytes | None:
        runs.append(session.records.read(INDEX_PATH))
        session.evidence.head()
        return runs[-1]

    assert answer(around(held), run)[1] == (held.path / INDEX_PATH).read_bytes()
    assert len(runs) == 2
    assert runs[0] != runs[1]


def test_a_writer_that_is_killed_is_not_waited_for(
    held: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = lock(held)
    writer.__enter__()
    wait = Look._await_end

    def dying(look: Look) -> None:
        writer.__exit__(None, None, None)
        wait(look)

    monkeypatch.setattr(Look, "_await_end", dying)
    with pytest.raises(ZdevError) as caught:
        answer(around(held), lambda session: session.evidence)
    assert caught.value.code == "interrupted-publication"
