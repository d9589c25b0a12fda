"""Repositories with a plan, for the tests of commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.plan import CONFIG, write_plan

if TYPE_CHECKING:
    from tests.support.gitrepo import GitRepo


@pytest.fixture
def planned(repo: GitRepo) -> GitRepo:
    """A project record on ``main``, which has one commit; nothing below ``.zdev`` is tracked."""
    repo.commit("Begin", a__txt="one\n")
    write_plan(repo.path, {"config.toml": CONFIG})
    return repo
