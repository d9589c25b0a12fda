"""Every call on the path of a publication fails once, and nothing is left of it."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest

from tests.support.faults import (
    SCENARIOS,
    Faults,
    Scenario,
    fresh_copy,
    leftovers,
    rehearsed,
    whole_state,
)

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
    original, calls = rehearsed(scenario, tmp_path)
    undone = 0
    wanted = MODES[mode]
    points = [
        number
        for number in sample(len(calls), every=1 if wanted.half else 4)
        if calls[number - 1].startswith("create ") or not wanted.half
    ]
    for number in points:
        with fresh_copy(original, tmp_path) as (repo, before):
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
    original, calls = rehearsed(scenario, tmp_path)
    outcomes = set()
    points = sample(len(calls), every=6)
    for number in points:
        with fresh_copy(original, tmp_path) as (repo, before):
            scenario.attempt(repo, Faults(at=number, lasting=True))
            message = f"from call {number}, {calls[number - 1]}"
            outcomes.add(scenario.settled(repo, before, message))
    record_property("points", len(points))
    assert outcomes == {"none", "rolled-back", "completed"}
