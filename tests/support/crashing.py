"""Publications that stop dead in the middle, as a kill leaves them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.faults import Faults
from tests.support.scenarios import SCENARIOS, Scenario
from tests.support.writing import COMMANDS, Writing

if TYPE_CHECKING:
    from tests.support.gitrepo import GitRepo

BY_NAME: dict[str, Scenario | Writing] = {one.name: one for one in (*SCENARIOS, *COMMANDS)}


class Crash(BaseException):
    """Ends a run without any of its ways back."""


def crash(repo: GitRepo, name: str, call: str, *, prepared: bool = False) -> Scenario | Writing:
    """Run a scenario or command that stops dead at the first call that starts with ``call``."""
    scenario = BY_NAME[name]
    if not prepared:
        scenario.prepare(repo)
    faults = Faults()

    def dead(_: str) -> bool:
        raise Crash

    original = faults.due

    def due(made: str) -> bool:
        if made.startswith(call):
            faults.due = dead
            raise Crash
        return original(made)

    faults.due = due
    with pytest.raises(Crash):
        scenario.run(repo, faults)
    return scenario
