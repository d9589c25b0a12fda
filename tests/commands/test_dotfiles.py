"""A bare repository with a work tree elsewhere, as people keep their dotfiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.cli import refused, result, succeed
from tests.support.plan import FIRST, bundle
from tests.support.repo import git

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repo import GitRepo


@pytest.fixture
def home(payments: GitRepo, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The work tree, while the environment leads Git to a bare repository beside it."""
    bare = payments.path.parent / "dot.git"
    payments.git("config", "core.bare", "true")
    (payments.path / ".git").rename(bare)
    monkeypatch.setenv("GIT_DIR", str(bare))
    monkeypatch.setenv("GIT_WORK_TREE", str(payments.path))
    return payments.path


def printed(home: Path, *words: str) -> str:
    return git(*words, cwd=home).stdout.decode()


def test_the_evidence_is_gits(home: Path) -> None:
    (home / "new").write_text("x\n")
    with (home / ".zdev/config.toml").open("a") as file:
        file.write("# more\n")
    document = result("work-context", "payments", cwd=home)
    assert document["git_status"] == printed(home, "status", "--short", "-uall")
    assert document["git_diff"] == printed(home, "diff")
    assert "+# more" in document["git_diff"]
    assert list(document["git_untracked"]) == ["new"]


def test_an_import_is_committed(home: Path) -> None:
    before = printed(home, "rev-parse", "HEAD")
    words = ("tasks", "import", "payments", "--from=-", "--commit")
    succeed(*words, cwd=home, stdin=bundle(FIRST))
    assert printed(home, "rev-parse", "HEAD^") == before
    assert printed(home, "status", "--short", "-uall") == ""
    succeed("check", cwd=home)
    succeed("check", "--staged", cwd=home)


def test_a_refused_commit_leaves_everything_as_it_was(home: Path, tmp_path: Path) -> None:
    hook = tmp_path / "dot.git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    before = printed(home, "rev-parse", "HEAD")
    words = ("tasks", "import", "payments", "--from=-", "--commit")
    refused("commit-failed", *words, cwd=home, stdin=bundle(FIRST))
    assert printed(home, "rev-parse", "HEAD") == before
    assert printed(home, "status", "--short", "-uall") == ""


def test_a_relative_name_of_the_repository(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "../../dot.git")
    monkeypatch.setenv("GIT_WORK_TREE", "..")
    assert result("work-context", "payments", cwd=home / ".zdev")["git_status"] == ""


def test_a_bare_repository_alone_has_no_work_tree(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GIT_WORK_TREE")
    assert git("status", cwd=home, check=False).returncode == 128
    refused("bare-repository", "work-context", "payments", cwd=home)
