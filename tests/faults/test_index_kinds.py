"""A commit on a split or a sparse index is killed before its calls; the index stays of its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.faults import (
    CHANGES,
    COMMIT,
    ChangeSet,
    Scenario,
    outcomes_of_kills,
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
    rehearsal = rehearsed(scenario, tmp_path)

    def check(repo: GitRepo, message: str) -> None:
        assert keeps(repo), message

    points = sample(len(rehearsal[1]), every=30)
    outcomes = outcomes_of_kills(scenario, tmp_path, rehearsal, points, check)
    assert outcomes <= {"none", "rolled-back", "completed"}
