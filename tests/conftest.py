"""Every test runs sealed from the machine: see ``tests/support/repo.py``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.support.plan import commit_payments
from tests.support.repo import GitRepo, make_repo, sealed_environment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

settings.register_profile(
    "untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--all-points`` for the tests of faults."""
    parser.addoption(
        "--all-points",
        action="store_true",
        help="make every call fail once, and not only a sample of them (minutes)",
    )


OUTSIDE = frozenset(
    {"CI", "CLICOLOR_FORCE", "COLUMNS", "LESS", "LINES", "LV", "NO_COLOR", "PAGER"}
    | {"MANWIDTH", "XDG_CONFIG_HOME"}
)
"""What else a shell may have set that the program or Git listens to."""


@pytest.fixture(autouse=True)
def hermetic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own HOME, nothing of Git's or this program's variables from outside; gives the HOME."""
    home = tmp_path / "home"
    home.mkdir()
    for name in list(os.environ):
        if name == "ZDEV_FULL":
            continue  # how scripts/check runs the same tests without the fast ways
        if name.startswith(("GIT_", "ZDEV_")) or name in OUTSIDE:
            monkeypatch.delenv(name)
    for name, value in sealed_environment(home).items():
        monkeypatch.setenv(name, value)
    return home


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """An empty repository on the unborn branch ``main``."""
    return make_repo(tmp_path / "repo")


@pytest.fixture
def payments(repo: GitRepo) -> GitRepo:
    """A repository with the plan of ``tests/support/plan.py``, committed."""
    commit_payments(repo)
    return repo


@pytest.fixture
def new_repo(tmp_path: Path) -> Callable[..., GitRepo]:
    """Makes further repositories: ``new_repo("name", branch="main")``."""

    def make(name: str, *, branch: str = "main", options: tuple[str, ...] = ()) -> GitRepo:
        return make_repo(tmp_path / name, branch=branch, options=options)

    return make
