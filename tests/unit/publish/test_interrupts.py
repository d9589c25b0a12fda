from __future__ import annotations

import os
import signal
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

from git_zdev.ground.changeset import ChangeSet, CommitPlan, FileChange
from git_zdev.ground.errors import ZdevError
from git_zdev.publish.interrupts import HANDLED, deferred
from tests.support.faults import begin, leftovers, whole_state

if TYPE_CHECKING:
    from tests.support.repo import GitRepo


@pytest.mark.parametrize("number", HANDLED)
def test_a_signal_is_noted_and_raised_between_two_steps(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with deferred() as interrupts:
        interrupts.raise_pending()
        os.kill(os.getpid(), number)
        with pytest.raises(ZdevError) as caught:
            interrupts.raise_pending()
        with pytest.raises(ZdevError, match=f"{number.name} arrived; all was done"):
            interrupts.raise_late("all was done")
    assert (caught.value.code, caught.value.status) == ("interrupted", 128 + number)
    assert caught.value.details == {"signal": number.name}
    assert signal.getsignal(number) is before


def test_the_first_signal_decides_the_status() -> None:
    with deferred() as interrupts:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(ZdevError, match="SIGTERM"):
            interrupts.raise_pending()


def test_an_ignored_signal_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with deferred() as interrupts:
            os.kill(os.getpid(), signal.SIGHUP)
            interrupts.raise_pending()
    finally:
        signal.signal(signal.SIGHUP, before)


def test_the_child_gets_it_too() -> None:
    child = subprocess.Popen(["sleep", "60"])
    with deferred() as interrupts:
        interrupts.child = child.pid
        os.kill(os.getpid(), signal.SIGTERM)
        assert child.wait() == -signal.SIGTERM
        os.kill(os.getpid(), signal.SIGTERM)  # it is gone by now, which does not matter


def test_other_threads_take_no_signals() -> None:
    outcome = []

    def run() -> None:
        with deferred() as interrupts:
            interrupts.raise_pending()
            outcome.append("done")

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert outcome == ["done"]


def test_a_library_caller_that_ignores_sigchld_keeps_its_setting_and_its_files(
    repo: GitRepo,
) -> None:
    """Nobody learns how Git ended, so nothing is published upon it."""
    repo.commit("First", a="1\n")
    before = whole_state(repo)
    change = FileChange(".zdev/b", None, b"new\n")
    handler = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with begin(repo) as held, pytest.raises(ZdevError) as caught:
            held.publish(ChangeSet("test", (change,), CommitPlan("Second\n", (".zdev/b",))))
        assert signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGCHLD, handler)
    assert caught.value.code == "git-outcome-unknown"
    assert whole_state(repo) == before
    assert leftovers(repo) == []
