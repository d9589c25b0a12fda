"""Every state of ``tests/support/states``: the evidence equals what git prints, byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.evidence import git_strings, git_untracked, own_strings, own_untracked
from tests.support.states import STATES, make_state_repo

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", STATES)
def test_evidence_equals_git(name: str, tmp_path: Path, hermetic: Path) -> None:
    repo = make_state_repo(tmp_path / "repo", hermetic)
    root = STATES[name](repo) or repo.path
    strings, untracked = own_strings(root), own_untracked(root)
    assert strings == git_strings(root)
    assert untracked == git_untracked(root)


def test_there_are_states_enough() -> None:
    assert len(STATES) >= 200
