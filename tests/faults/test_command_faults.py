"""Every call on the path of every writing command fails once, and nothing is left of it.

Unlike in ``test_publication_faults`` these are the real commands, from their arguments on.
"""

from __future__ import annotations

import errno
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.support.faults import Faults
from tests.support.gitrepo import make_repo
from tests.support.publishing import leftovers, recovered, whole_state
from tests.support.scenarios import copy_of
from tests.support.writing import COMMANDS, Writing, lasting

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faults.conftest import Sample


@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: one.name)
def test_each_call_may_fail(
    tmp_path: Path,
    command: Writing,
    sample: Sample,
    record_property: Callable[[str, object], None],
) -> None:
    original = make_repo(tmp_path / "original", options=("--template=",))
    command.prepare(original)
    reference = copy_of(original, tmp_path / "copy")
    counting = Faults()
    command.run(reference, counting)
    new = lasting(reference)
    assert new != lasting(original)
    shutil.rmtree(reference.path)
    points = sample(len(counting.calls), every=10)
    for number in points:
        repo = copy_of(original, tmp_path / "copy")
        before = whole_state(repo)
        half = counting.calls[number - 1].startswith("create ")
        faults = Faults(at=number, number=errno.ENOSPC if half else errno.EIO, half=half)
        error = command.attempt(repo, faults)
        message = f"call {number}, {faults.calls[number - 1]}: {error}"
        if error is None:
            recovered(repo)  # what is over may wait to be swept
            assert lasting(repo) == new, message
        else:
            assert error.code != "rollback-incomplete", message
            assert whole_state(repo) == before, message
        assert leftovers(repo) == [], message
        shutil.rmtree(repo.path)
    record_property("points", len(points))
