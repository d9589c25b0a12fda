"""Repositories with an area to rebase, and what a Git that is killed leaves of a rebase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.areas import write_empty_area
from tests.support.plan import CONFIG, write_plan

if TYPE_CHECKING:
    from tests.support.gitrepo import GitRepo

TOML = ".zdev/payments/area.toml"


def make_area(repo: GitRepo, record: str) -> GitRepo:
    """The area ``payments`` with one commit on its branch, which is checked out."""
    write_plan(repo.path, {"config.toml": CONFIG.replace('"project"', f'"{record}"')})
    if record == "personal":
        repo.write(".git/info/exclude", "/.zdev/\n")
    write_empty_area(
        repo.path,
        "payments",
        branch="payments",
        lifecycle="open",
        base_commit=repo.rev("main"),
    )
    repo.git("switch", "-q", "-c", "payments")
    if record != "personal":
        repo.git("add", ".zdev")
        repo.commit("Plan")
    repo.commit("Work", work__txt="work\n")
    return repo


def advance(repo: GitRepo, **files: str) -> str:
    """A commit on ``main``, made in passing."""
    here = repo.git("symbolic-ref", "--short", "HEAD")
    repo.git("switch", "-q", "main")
    commit = repo.commit("Main goes on", **(files or {"main__txt": "main\n"}))
    repo.git("switch", "-q", here)
    return commit


def anchor(repo: GitRepo) -> str:
    """The base commit that is recorded."""
    text = (repo.path / TOML).read_text()
    return text.partition('base_commit = "')[2][:40]
