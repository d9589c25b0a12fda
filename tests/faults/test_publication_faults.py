"""Every call on the path of a publication fails once, and nothing is left of it."""

from __future__ import annotations

import errno
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.support.faults import Faults
from tests.support.gitrepo import make_repo
from tests.support.publishing import leftovers, recovered, whole_state
from tests.support.scenarios import SCENARIOS, Scenario, copy_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faults.conftest import Sample

MODES = {
    "eio": Faults(number=errno.EIO),
    "no-space-half-way": Faults(number=errno.ENOSPC, half=True),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_each_call_may_fail(
    tmp_path: Path,
    scenario: Scenario,
    mode: str,
    sample: Sample,
    record_property: Callable[[str, object], None],
) -> None:
    original = make_repo(tmp_path / "original", options=("--template=",))
    scenario.prepare(original)
    counting = Faults()
    scenario.run(copy_of(original, tmp_path / "counted"), counting)
    undone = 0
    wanted = MODES[mode]
    points = [
        number
        for number in sample(len(counting.calls), every=1 if wanted.half else 4)
        if counting.calls[number - 1].startswith("create ") or not wanted.half
    ]
    for number in points:
        repo = copy_of(original, tmp_path / "copy")
        before = whole_state(repo)
        faults = Faults(at=number, number=wanted.number, half=wanted.half)
        error = scenario.attempt(repo, faults)
        message = f"call {number}, {faults.calls[number - 1]}: {error}"
        if error is None:
            scenario.assert_published(repo, before, message)
        else:
            undone += 1
            assert error.code != "rollback-incomplete", message
            assert whole_state(repo) == before, message
            assert leftovers(repo) == [], message
        shutil.rmtree(repo.path)
    record_property("points", len(points))
    assert undone > len(points) // 2


@pytest.mark.parametrize(
    "scenario",
    [one for one in SCENARIOS if one.name not in {"files", "commit"}],
    ids=lambda one: one.name,
)
def test_what_a_dying_disk_leaves_is_recovered(
    tmp_path: Path,
    scenario: Scenario,
    sample: Sample,
    record_property: Callable[[str, object], None],
) -> None:
    """From one call on everything fails, the way back included; later the disk is well again."""
    original = make_repo(tmp_path / "original", options=("--template=",))
    scenario.prepare(original)
    counting = Faults()
    scenario.run(copy_of(original, tmp_path / "counted"), counting)
    outcomes = set()
    points = sample(len(counting.calls), every=6)
    for number in points:
        repo = copy_of(original, tmp_path / "copy")
        before = whole_state(repo)
        faults = Faults(at=number, lasting=True)
        message = f"from call {number}, {counting.calls[number - 1]}"
        scenario.attempt(repo, faults)
        outcome = recovered(repo).outcome
        outcomes.add(outcome)
        assert leftovers(repo) == [], message
        if outcome == "rolled-back":
            assert whole_state(repo) == before, message
        elif outcome == "completed" or whole_state(repo) != before:
            scenario.assert_published(repo, before, message)
        shutil.rmtree(repo.path)
    record_property("points", len(points))
    assert outcomes == {"none", "rolled-back", "completed"}
