"""Repositories with a plan, for the tests of commands."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.cli import PYTHON
from tests.support.plan import CONFIG, write_plan

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repo import GitRepo


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is first on PATH and holds ``git-zdev``, as pip installs it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "git-zdev"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m git_zdev "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    for name, value in PYTHON.items():
        monkeypatch.setenv(name, value)
    return folder


@pytest.fixture
def planned(repo: GitRepo) -> GitRepo:
    """A project record on ``main``, which has one commit; nothing below ``.zdev`` is tracked."""
    repo.commit("Begin", a__txt="one\n")
    write_plan(repo.path, {"config.toml": CONFIG})
    return repo
