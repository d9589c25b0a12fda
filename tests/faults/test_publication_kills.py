"""The process is killed before every call that it makes, and Git at any moment of its work.

What is found afterwards is recovered to exactly the old or exactly the new state.
"""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

import pytest

from tests.support.faults import (
    SCENARIOS,
    Faults,
    Scenario,
    die,
    fresh_copy,
    in_a_child,
    leftovers,
    outcomes_of_kills,
    prepared,
    rehearsed,
    whole_state,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faults.conftest import Sample

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
COMMIT = BY_NAME["commit"]
PORTABLE = BY_NAME["commit-portable"]
LINKLESS = BY_NAME["commit-linkless"]


@pytest.mark.parametrize(
    "scenario",
    [BY_NAME[name] for name in ("files-portable", "commit", "removal", "staging-hook")]
    + [BY_NAME[name] for name in ("files-linkless", "hollow-linkless", "first-commit-linkless")]
    + [PORTABLE, LINKLESS],
    ids=lambda one: one.name,
)
def test_killed_before_each_call(
    tmp_path: Path,
    scenario: Scenario,
    sample: Sample,
    record_property: Callable[[str, object], None],
) -> None:
    rehearsal = rehearsed(scenario, tmp_path)
    points = sample(len(rehearsal[1]), every=3)
    outcomes = outcomes_of_kills(scenario, tmp_path, rehearsal, points)
    record_property("points", len(points))
    assert outcomes == {"none", "rolled-back", "completed"}


@pytest.mark.parametrize("who", ["git", "both"])
@pytest.mark.parametrize("scenario", [COMMIT, PORTABLE, LINKLESS], ids=lambda one: one.name)
def test_git_killed_at_any_moment(tmp_path: Path, scenario: Scenario, who: str) -> None:
    original = prepared(scenario, tmp_path)
    for step in range(16):

        def kill(pid: int, step: int = step) -> None:
            time.sleep(step * 0.0007)
            os.kill(pid, signal.SIGKILL)
            if who == "both":
                die()

        with fresh_copy(original, tmp_path) as (repo, before):
            faults = Faults(released=kill)
            in_a_child(lambda repo=repo, faults=faults: scenario.attempt(repo, faults))
            scenario.settled(repo, before, f"killed after {step} steps", killed=True)


def test_a_git_that_outlives_us_is_waited_for(tmp_path: Path) -> None:
    """Nobody answers its question any more, so it commits nothing; recovery must not race it."""
    scenario = COMMIT
    repo = prepared(scenario, tmp_path)
    hook = repo.write(".git/hooks/pre-commit", "#!/bin/sh\nsleep 0.3\n")
    hook.chmod(0o755)
    before = whole_state(repo)
    status = in_a_child(lambda: scenario.run(repo, Faults(released=lambda _: die())))
    assert os.WTERMSIG(status) == signal.SIGKILL
    assert whole_state(repo)["refs"] == before["refs"]
    assert scenario.settled(repo, before, "outlived", killed=True) == "rolled-back"
    assert whole_state(repo) == before


@pytest.mark.parametrize(
    ("scenario", "number"),
    [
        (BY_NAME["files"], signal.SIGTERM),
        (COMMIT, signal.SIGTERM),
        (COMMIT, signal.SIGINT),
        (PORTABLE, signal.SIGHUP),
    ],
    ids=lambda one: one.name,
)
def test_a_signal_before_each_call_rolls_back(
    tmp_path: Path, scenario: Scenario, number: signal.Signals, sample: Sample
) -> None:
    original, calls = rehearsed(scenario, tmp_path, Faults(armed=False))
    undone = 0
    for point in sample(len(calls), every=5):
        with fresh_copy(original, tmp_path) as (repo, before):
            faults = Faults(at=point, act=lambda: os.kill(os.getpid(), number), armed=False)
            error = scenario.attempt(repo, faults)
            message = f"{number.name} at call {point}, {calls[point - 1]}: {error}"
            assert error is not None, message
            assert (error.code, error.status) == ("interrupted", 128 + number), message
            if "nothing was changed" in error.message:
                undone += 1
                assert whole_state(repo) == before, message
            else:
                scenario.assert_published(repo, before, message)
            assert leftovers(repo) == [], message
    assert undone > 3


def test_a_signal_while_a_hook_runs_ends_git_too(tmp_path: Path) -> None:
    repo = prepared(COMMIT, tmp_path)
    hook = repo.write(".git/hooks/pre-commit", "#!/bin/sh\n:> .git/started\nexec sleep 5\n")
    hook.chmod(0o755)
    before = whole_state(repo)

    def signal_us(pid: int) -> None:
        while not (repo.path / ".git/started").exists():
            time.sleep(0.005)
        os.kill(os.getpid(), signal.SIGTERM)

    error = COMMIT.attempt(repo, Faults(released=signal_us))
    assert error is not None
    assert (error.code, error.status) == ("interrupted", 128 + signal.SIGTERM)
    assert whole_state(repo) == before
    assert leftovers(repo) == []
