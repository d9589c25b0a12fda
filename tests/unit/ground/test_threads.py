"""Functions side by side: all of them run, all have ended, and the first failure is told."""

from __future__ import annotations

import _thread
import threading

import pytest

from git_zdev.ground.threads import side_by_side


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
