"""Every state of ``tests/support/states``: the evidence equals what git prints, byte for byte.

And taking it changes nothing anywhere, nor minds the lock that somebody holds on the index.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from git_zdev.git.read.discovery import discover
from tests.support.evidence import (
    everything_below,
    git_strings,
    git_untracked,
    own_strings,
    own_untracked,
)
from tests.support.repo import git_version
from tests.support.states import STATES, make_state_repo

CHANGED_SINCE = {
    "random_renames": "the last line counts towards similarity also without a line end",
    "built_in_driver[bash]": "a heading shows the whole line",
    "built_in_driver[csharp]": "the driver was written anew",
    "built_in_driver[java]": "more class declarations count",
    "built_in_driver[scheme]": "more forms count",
    "built_in_driver[ini]": "the driver is new",
    "built_in_driver[r]": "the driver is new",
}
"""States in which releases after 2.39 print something else, and why."""


@pytest.mark.parametrize("name", STATES)
def test_evidence_equals_git_and_changes_nothing(name: str, tmp_path: Path, hermetic: Path) -> None:
    if git_version() >= (2, 40):
        for start, reason in CHANGED_SINCE.items():
            if name.startswith(start):
                pytest.skip(f"newer releases of git differ: {reason}")
    repo = make_state_repo(tmp_path / "repo", hermetic)
    root = STATES[name](repo) or repo.path
    lock = Path(discover(str(root), os.environ).git_dir, "index.lock")
    lock.touch()
    before = everything_below(tmp_path)
    strings, untracked = own_strings(root), own_untracked(root)
    assert everything_below(tmp_path) == before
    lock.unlink()
    assert strings == git_strings(root)
    assert untracked == git_untracked(root)


def test_there_are_states_enough() -> None:
    assert len(STATES) >= 200
