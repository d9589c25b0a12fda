"""A sample of ``scripts/fuzz-journal``, the same ones each time."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

from tests.fuzz.journals import hastily, moments, planted

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_planted_journals_do_no_harm(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    (tmp_path / "moments").mkdir()
    found = moments(tmp_path / "moments", every=25)
    assert len(found) > 20
    ends: Counter[str] = Counter()
    with hastily():
        for seed in range(400):
            told, codes, wrong = planted(found[seed % len(found)], tmp_path / "sandbox", seed)
            assert wrong == [], f"seed {seed}: {', '.join(told)}"
            ends.update(codes)
    record_property("points", 400)
    assert {"ok", "journal-corrupt", "embedded-repository", "recovery-conflict"} <= ends.keys()


def test_moments_that_nobody_touched_are_recovered(tmp_path: Path) -> None:
    """What is planted comes from journals that would have been acted upon."""
    from tests.support.faults import recovered

    (tmp_path / "moments").mkdir()
    for moment in moments(tmp_path / "moments", every=40):
        child = moment.repo.path / ".git/zdev/journal/child.json"
        if child.exists():
            child.write_text(child.read_text().replace('"start": ', '"start": 1'))
        assert recovered(moment.repo).outcome in {"completed", "rolled-back"}, moment.name
        assert not os.path.lexists(moment.repo.path / ".git/zdev/journal")
