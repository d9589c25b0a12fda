"""A commit on a split or a sparse index is killed before its calls; the index stays of its kind."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from tests.faults.test_publication_kills import die, in_a_child
from tests.support.faults import (
    CHANGES,
    COMMIT,
    ChangeSet,
    Faults,
    Scenario,
    fresh_copy,
    rehearsed,
    tracked,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faults.conftest import Sample
    from tests.support.repo import GitRepo


def split(repo: GitRepo) -> None:
    tracked(repo)
    repo.git("config", "core.splitIndex", "true")
    repo.git("config", "splitIndex.maxPercentChange", "0")
    repo.git("config", "splitIndex.sharedIndexExpire", "now")
    repo.git("update-index", "--split-index")


def sparse(repo: GitRepo) -> None:
    tracked(repo)
    repo.write("out/deep/x.txt", "x\n")
    repo.git("add", "out")
    repo.commit("More")
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", ".zdev")


def is_split(repo: GitRepo) -> bool:
    return repo.git("rev-parse", "--shared-index-path") != ""


def is_sparse(repo: GitRepo) -> bool:
    return "040000" in repo.git("ls-files", "--sparse", "--stage")


@pytest.mark.parametrize(("prepare", "keeps"), [(split, is_split), (sparse, is_sparse)])
def test_killed_before_each_call(
    tmp_path: Path,
    prepare: Callable[[GitRepo], None],
    keeps: Callable[[GitRepo], bool],
    sample: Sample,
) -> None:
    scenario = Scenario(prepare.__name__, prepare, ChangeSet("import", CHANGES, COMMIT))
    original, calls = rehearsed(scenario, tmp_path)
    outcomes = set()
    for number in sample(len(calls), every=30):
        with fresh_copy(original, tmp_path) as (repo, before):
            faults = Faults(at=number, act=die)
            status = in_a_child(lambda repo=repo, faults=faults: scenario.run(repo, faults))
            assert os.WTERMSIG(status) == signal.SIGKILL
            message = f"killed at call {number}, {calls[number - 1]}"
            outcomes.add(scenario.settled(repo, before, message, killed=True))
            assert keeps(repo), message
    assert outcomes <= {"none", "rolled-back", "completed"}
