"""Submodules have to be clean, all the way down; what is dirty is named."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from git_zdev.evidence.inner.submodules import require_clean
from git_zdev.git.read.discovery import discover
from git_zdev.git.read.repository import open_repository
from git_zdev.ground.errors import InvalidInput, ZdevError
from tests.support.gitrepo import GitRepo, git, make_repo

if TYPE_CHECKING:
    from pathlib import Path

    from git_zdev.git.read.repository import LibGit2Repository

ALLOW = ("-c", "protocol.file.allow=always")


def status(repository: LibGit2Repository) -> bytes:
    root = repository.location.work_tree
    return git("status", "--short", "-uall", "--ignore-submodules=dirty", cwd=root).stdout


def check(repo: GitRepo) -> None:
    environment = dict(os.environ)
    require_clean(open_repository(discover(str(repo.path), environment), environment), status)


def problems(repo: GitRepo) -> dict[str | None, str]:
    with pytest.raises(InvalidInput) as refused:
        check(repo)
    assert refused.value.code == "dirty-submodules"
    assert refused.value.hint
    assert {problem.code for problem in refused.value.problems} == {"dirty-submodule"}
    return {problem.path: problem.message for problem in refused.value.problems}


@pytest.fixture
def sub(repo: GitRepo, tmp_path: Path) -> GitRepo:
    """A submodule ``lib/sub`` of ``repo``, with a submodule ``deep`` of its own."""
    deep = make_repo(tmp_path / "deep")
    deep.commit(d="d\n")
    origin = make_repo(tmp_path / "origin")
    origin.commit(s="s\n")
    origin.git(*ALLOW, "submodule", "--quiet", "add", str(deep.path), "deep")
    origin.commit("Add deep")
    repo.git(*ALLOW, "submodule", "--quiet", "add", str(origin.path), "lib/sub")
    repo.commit("Add sub")
    repo.git(*ALLOW, "submodule", "--quiet", "update", "--init", "--recursive")
    return GitRepo(repo.path / "lib/sub")


def test_no_submodules_at_all(repo: GitRepo) -> None:
    check(repo)
    repo.commit(a="a\n")
    check(repo)


def test_clean_ones_pass(repo: GitRepo, sub: GitRepo) -> None:
    check(repo)


def test_a_moved_commit_is_no_dirt(repo: GitRepo, sub: GitRepo) -> None:
    sub.commit(s="t\n")
    check(repo)


def test_ignored_files_are_no_dirt(repo: GitRepo, sub: GitRepo) -> None:
    (repo.path / ".git/modules/lib/sub/info").mkdir(exist_ok=True)
    (repo.path / ".git/modules/lib/sub/info/exclude").write_text("*.o\n")
    sub.write("x.o", "x")
    check(repo)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("staged", "staged changes (s)"),
        ("unstaged", "unstaged changes (s)"),
        ("both", "staged changes (s), unstaged changes (s)"),
        ("untracked", "untracked files (u)"),
        ("many", "untracked files (u0, u1, u2, u3, u4 and 3 more)"),
    ],
)
def test_each_kind_of_dirt_is_named(repo: GitRepo, sub: GitRepo, kind: str, message: str) -> None:
    if kind in ("staged", "both"):
        sub.write("s", "staged\n")
        sub.git("add", "s")
    if kind in ("unstaged", "both"):
        sub.write("s", "unstaged\n")
    if kind == "untracked":
        sub.write("u", "u\n")
    if kind == "many":
        for n in range(8):
            sub.write(f"u{n}", "u\n")
    assert problems(repo) == {"lib/sub": message}


def test_unmerged_paths_are_named(repo: GitRepo, sub: GitRepo) -> None:
    sub.git("checkout", "-q", "-b", "side")
    sub.commit(s="side\n")
    sub.git("checkout", "-q", "-")
    sub.commit(s="main\n")
    sub.git("merge", "-q", "side", check=False)
    assert problems(repo) == {"lib/sub": "unmerged paths (s)"}


def test_settings_that_ignore_dirt_have_no_effect(repo: GitRepo, sub: GitRepo) -> None:
    repo.git("config", "diff.ignoreSubmodules", "all")
    repo.git("config", "submodule.lib/sub.ignore", "all")
    sub.write("s", "t\n")
    assert problems(repo) == {"lib/sub": "unstaged changes (s)"}


def test_every_dirty_one_is_reported_down_to_the_deepest(repo: GitRepo, sub: GitRepo) -> None:
    sub.write("s", "t\n")
    GitRepo(sub.path / "deep").write("u", "u\n")
    assert problems(repo) == {
        "lib/sub": "unstaged changes (s)",
        "lib/sub/deep": "untracked files (u)",
    }


def test_the_message_names_all_of_them(repo: GitRepo, sub: GitRepo) -> None:
    GitRepo(sub.path / "deep").write("u", "u\n")
    with pytest.raises(InvalidInput, match="lib/sub/deep: untracked files"):
        check(repo)


def test_one_that_is_not_checked_out_is_silent(repo: GitRepo, sub: GitRepo) -> None:
    sub.write("u", "u\n")
    repo.git("submodule", "--quiet", "deinit", "-f", "lib/sub")
    repo.write("lib/sub/stray", "not looked at by git either\n")
    check(repo)


def test_a_gitlink_without_gitmodules_counts(repo: GitRepo) -> None:
    inner = make_repo(repo.path / "inner")
    inner.commit(s="s\n")
    repo.git("-c", "advice.addEmbeddedRepo=false", "add", "inner")
    repo.commit("Embed")
    check(repo)
    inner.write("u", "u\n")
    assert problems(repo) == {"inner": "untracked files (u)"}


def test_an_unmerged_submodule_is_looked_at_once(repo: GitRepo, sub: GitRepo) -> None:
    head = repo.git("rev-parse", ":lib/sub")
    lines = "".join(f"160000 {head} {stage}\tlib/sub\n" for stage in (1, 2, 3))
    repo.git("update-index", "--force-remove", "lib/sub")
    repo.git("update-index", "--index-info", stdin=lines.encode())
    sub.write("u", "u\n")
    assert problems(repo) == {"lib/sub": "untracked files (u)"}


def test_a_link_in_its_place_is_not_followed(repo: GitRepo, sub: GitRepo) -> None:
    sub.write("u", "u\n")
    sub.path.rename(repo.path / "moved")
    sub.path.symlink_to(repo.path / "moved")
    check(repo)


def test_a_work_tree_elsewhere_is_refused(repo: GitRepo, sub: GitRepo, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    sub.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    with pytest.raises(ZdevError) as refused:
        check(repo)
    assert refused.value.code == "inner-work-tree-elsewhere"
    assert refused.value.details == {"path": "lib/sub"}


def test_a_gitfile_that_leads_nowhere_is_refused(repo: GitRepo, sub: GitRepo) -> None:
    (sub.path / ".git").write_text("gitdir: ../../nowhere\n")
    with pytest.raises(ZdevError) as refused:
        check(repo)
    assert refused.value.code == "invalid-gitfile"
    assert "lib/sub" in refused.value.message
