"""Which paths are changed, against what git's plumbing says."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from git_zdev.evidence.survey import PathSurvey
from git_zdev.git.read.discovery import discover
from git_zdev.git.read.index import Index
from git_zdev.git.read.repository import LibGit2Repository, open_repository

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.repo import GitRepo


def opened(repo: GitRepo) -> LibGit2Repository:
    return open_repository(discover(str(repo.path), os.environ), os.environ)


def listed(repo: GitRepo, *arguments: str) -> tuple[bytes, ...]:
    """The paths that a Git command lists, in byte order, each once."""
    output = os.fsencode(repo.git(*arguments, "-z"))
    return tuple(sorted({path for path in output.split(b"\0") if path}))


def agrees(repo: GitRepo) -> PathSurvey:
    """The survey, after a comparison with Git's."""
    survey = PathSurvey(opened(repo))
    changed = survey.changed
    unmerged = set(listed(repo, "diff", "--name-only", "--diff-filter=U"))
    cached = set(listed(repo, "diff", "--cached", "--name-only", "--no-renames")) - unmerged
    assert changed.unmerged == tuple(sorted(unmerged))
    assert changed.staged == tuple(sorted(cached | set(changed.added_later)))
    assert changed.unstaged == listed(repo, "diff", "--name-only", "--no-renames")
    assert changed.untracked == listed(repo, "ls-files", "--others", "--exclude-standard")
    return survey


@pytest.fixture
def started(repo: GitRepo) -> GitRepo:
    repo.commit(
        "Start",
        a__txt="a\n",
        b__txt="b\n",
        c__txt="c\n",
        d__txt="d\n",
        e__txt="e\n",
        **{"dir/f__txt": "f\n", "dir/g__txt": "g\n"},
    )
    return repo


def test_nothing_is_changed(started: GitRepo) -> None:
    agrees(started)


def test_every_kind_of_change(started: GitRepo, new_repo: Callable[..., GitRepo]) -> None:
    repo = started
    repo.write("a.txt", "changed\n")
    (repo.path / "b.txt").unlink()
    (repo.path / "c.txt").unlink()
    (repo.path / "c.txt").symlink_to("a.txt")
    (repo.path / "d.txt").chmod(0o755)
    repo.git("mv", "e.txt", "moved.txt")
    repo.write("dir/f.txt", "staged\n")
    repo.git("add", "dir/f.txt")
    repo.write("dir/f.txt", "staged and changed\n")
    repo.git("rm", "-q", "--cached", "dir/g.txt")
    repo.write("later.txt", "later\n")
    repo.git("add", "--intent-to-add", "later.txt")
    repo.write("new/caf\u00e9.txt", "new\n")
    repo.write(b"bad\xff", "no UTF-8\n")
    repo.write(".gitignore", "*.log\n")
    repo.write("ignored.log", "ignored\n")
    nested = new_repo("repo/nested")
    nested.commit("Inside", x__txt="x\n")
    changed = agrees(repo).changed
    assert changed.added_later == (b"later.txt",)
    assert b"later.txt" in changed.unstaged
    assert b"nested/" in changed.untracked


def test_an_unborn_branch(repo: GitRepo) -> None:
    repo.write("a.txt", "a\n")
    repo.git("add", "a.txt")
    assert PathSurvey(opened(repo)).changed.staged == (b"a.txt",)


def test_unmerged_paths(started: GitRepo) -> None:
    repo = started
    repo.git("switch", "-q", "-c", "side")
    repo.commit("Side", a__txt="side\n")
    repo.git("switch", "-q", "main")
    repo.commit("Main", a__txt="main\n")
    repo.git("merge", "-q", "side", check=False)
    assert agrees(repo).changed.unmerged == (b"a.txt",)


def test_hidden_changes(started: GitRepo) -> None:
    repo = started
    for flag, names in (
        ("--assume-unchanged", ("a.txt", "b.txt", "c.txt")),
        ("--skip-worktree", ("d.txt", "e.txt", "dir/f.txt")),
    ):
        repo.git("update-index", flag, *names)
    survey = agrees(repo)
    assert survey.hidden_changes() == ()
    for name in ("a.txt", "d.txt"):
        repo.write(name, "changed\n")
    for name in ("b.txt", "e.txt"):
        (repo.path / name).unlink()
    (repo.path / "dir/f.txt").chmod(0o755)
    survey = agrees(repo)
    assert survey.changed.unstaged == ()
    assert survey.hidden_changes() == (b"a.txt", b"b.txt", b"d.txt", b"dir/f.txt")


def test_hidden_entries_of_every_mode(started: GitRepo) -> None:
    repo = started
    (repo.path / "d.txt").chmod(0o755)
    (repo.path / "link").symlink_to("a.txt")
    repo.git("add", "d.txt", "link")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.rev('HEAD')},sub")
    for path in ("a.txt", "d.txt", "link", "sub"):
        repo.git("update-index", "--assume-unchanged", path)
        hidden = [entry.path for entry in Index(opened(repo)).hidden_entries()]
        assert hidden == [path.encode()]
        repo.git("update-index", "--no-assume-unchanged", path)
    assert list(Index(opened(repo)).hidden_entries()) == []


def test_hidden_files_are_compared_as_git_stores_them(started: GitRepo) -> None:
    repo = started
    repo.write(".gitattributes", "*.txt text\n")
    repo.git("update-index", "--assume-unchanged", "a.txt")
    repo.write("a.txt", "a\r\n")
    assert PathSurvey(opened(repo)).hidden_changes() == ()


def test_modes_in_the_index(started: GitRepo) -> None:
    survey = PathSurvey(opened(started))
    assert survey.mode_in_index(b"a.txt") == 0o100644
    assert survey.mode_in_index(b"dir") is None


IGNORE = "*.log\n!kept.log\n/build/\nnode_modules\ndeep/**/x\n"


@pytest.mark.parametrize(
    "path",
    [
        *("a.log", "kept.log", "build/", "build/x", "build/a/b", "src/build/x", "node_modules/a/b"),
        *("src/node_modules/x", "deep/x", "deep/a/b/x", "a.txt", "dir/a.log", "dir/secret"),
        *("user.tmp", "excluded", "caf\u00e9.log", "dir/user.tmp", "dir/deep/user.tmp"),
    ],
)
def test_ignored_paths(path: str, started: GitRepo) -> None:
    repo = started
    repo.write(".gitignore", IGNORE)
    repo.write("dir/.gitignore", "secret\n!user.tmp\n")
    repo.write(".git/info/exclude", "excluded\n")
    repo.write("../user-ignore", "*.tmp\n")
    repo.git("config", "core.excludesFile", str(repo.path.parent / "user-ignore"))
    (repo.path / "build").mkdir()
    git_says = bool(repo.git("check-ignore", "--no-index", "--", path, check=False))
    assert PathSurvey(opened(repo)).is_ignored(path.encode()) == git_says
