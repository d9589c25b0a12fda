"""Work trees changed at random: the evidence equals what git prints, or git itself fails.

``scripts/fuzz-evidence`` goes on where this ends.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.support.evidence import differences_of
from tests.support.repo import git_version
from tests.support.states import make_state_repo
from tests.support.states.chance import Wanderer

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = range(60)


@pytest.mark.skipif(git_version() >= (2, 40), reason="newer releases of git differ in places")
@pytest.mark.parametrize("seed", SEEDS)
def test_evidence_equals_git(seed: int, tmp_path: Path, hermetic: Path) -> None:
    repo = make_state_repo(tmp_path / "repo", hermetic)
    Wanderer(repo, random.Random(seed)).run()
    assert differences_of(repo.path) == {}
