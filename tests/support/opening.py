"""Repositories opened by the code under test, as a command in some folder would open them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from git_zdev.git.read.discovery import discover
from git_zdev.git.read.repository import LibGit2Repository, open_repository

if TYPE_CHECKING:
    from pathlib import Path


def opened(cwd: Path, **env: str) -> LibGit2Repository:
    """The repository around ``cwd``; ``env`` is added to the environment."""
    environment = {**os.environ, **env}
    return open_repository(discover(str(cwd), environment), environment)
