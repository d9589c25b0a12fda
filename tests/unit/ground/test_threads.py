"""Functions side by side: all of them run, all have ended, and the first failure is told."""

from __future__ import annotations

import _thread
import os
import signal
import threading

import pytest

from git_zdev.ground import threads
from git_zdev.ground.threads import patiently, side_by_side


def test_they_run_at_the_same_time() -> None:
    meeting = threading.Barrier(3)
    side_by_side(*[lambda: (meeting.wait(60), None)[1]] * 3)
    assert not meeting.broken


def test_the_first_one_runs_here() -> None:
    seen: list[int] = []
    side_by_side(lambda: seen.append(threading.get_ident()))
    assert seen == [threading.get_ident()]


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_a_failure_comes_through_when_all_have_ended(failing: int) -> None:
    done: list[int] = []

    def task(number: int) -> None:
        if number == failing:
            raise ValueError(str(number))
        done.append(number)

    with pytest.raises(ValueError, match=str(failing)):
        side_by_side(*[lambda number=number: task(number) for number in range(3)])  # type: ignore[misc]
    assert sorted(done) == [number for number in range(3) if number != failing]


def test_without_a_thread_to_be_had_everything_runs_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(_thread, "start_new_thread", refuse)
    done: list[str] = []
    side_by_side(lambda: done.append("here"), lambda: done.append("beside"))
    assert done == ["beside", "here"]


def nobody_asks() -> None:
    raise AssertionError("the work was done in time")


def test_patient_work_returns_and_raises_as_any_other() -> None:
    here = threading.get_ident()
    assert patiently(threading.get_ident, nobody_asks) != here
    with pytest.raises(ValueError, match="no"):
        patiently(lambda: int("no"), nobody_asks)


def test_somebody_asks_why_it_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_PATIENCE", 0.01)
    asked = threading.Event()
    patiently(asked.wait, asked.set)
    assert asked.is_set()


def test_the_answer_may_end_the_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_PATIENCE", 0.01)
    released = threading.Event()

    def refuse() -> None:
        raise ValueError("it never ends")

    with pytest.raises(ValueError, match="it never ends"):
        patiently(released.wait, refuse)
    released.set()


def test_an_interrupt_ends_the_waiting() -> None:
    released = threading.Event()

    def work() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        released.wait()

    with pytest.raises(KeyboardInterrupt):
        patiently(work, nobody_asks)
    released.set()


def test_patient_work_is_done_here_without_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(_thread, "start_new_thread", refuse)
    assert patiently(threading.get_ident, nobody_asks) == threading.get_ident()
