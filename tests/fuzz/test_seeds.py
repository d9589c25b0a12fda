"""The seeds of the fuzzer run through its target once, so that neither goes stale."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.target import follow

SEEDS = sorted((Path(__file__).parent / "proposals").iterdir())


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.name)
def test_a_seed_is_followed(seed: Path) -> None:
    assert follow(seed.read_bytes()) == seed.name.startswith("valid-")


def test_there_are_seeds_of_both_sorts() -> None:
    valid = [seed for seed in SEEDS if seed.name.startswith("valid-")]
    assert 4 <= len(valid) < len(SEEDS) - 10
