"""Repositories that somebody prepared: clones with a folder like a Git directory, archives."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.disk.atomic import Disk
from git_zdev.disk.journal import open_journal, require_bound
from git_zdev.git.read.discovery import discover
from git_zdev.ground.errors import ZdevError
from tests.support.cli import changes, refused, result, tree_state, zdev
from tests.support.faults import NEW, ONE, TWO, crash, leftovers, tree
from tests.support.plan import commit_payments
from tests.support.repo import GitRepo, git

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from git_zdev.disk.journal import Journal
    from git_zdev.git.model import Location

WRITING = [
    ("config", "set", "project.guidance", "x"),
    ("recover",),
    ("init", "--record=project"),
    ("commit", "-m", "Change"),
    ("hooks", "install", "pre-commit"),
    ("task", "done", "payments", "payments-002", "--summary=Done.", "--validation=Ran."),
]


def planted(root: str, **entry: object) -> dict[str, bytes]:
    """The files of a journal that once created a folder outside of the repository."""
    old = b"content of the planted file\n"
    first = {
        "place": "plan-root",
        "path": "",
        "old": hashlib.sha256(old).hexdigest(),
        "new": None,
        "near": False,
    }
    second = {**first, "path": "no", "old": None, "new": "0" * 64}
    plan = {
        "version": 1,
        "identity": "0" * 32,
        "command": "x",
        "root": root,
        "entries": [{**first, **entry}, second],
        "folders": [],
        "commit": None,
    }
    return {"plan.json": json.dumps(plan).encode(), "0.old": old}


@pytest.fixture
def evil(repo: GitRepo, tmp_path: Path) -> Path:
    """A folder of a fresh clone: a Git directory whose work tree is the clone, with programs."""
    commit_payments(repo)
    mark = f"touch {tmp_path}/ran"
    config = (
        "[core]\n\trepositoryFormatVersion = 0\n\tbare = false\n\tworktree = ..\n"
        f"\tfsmonitor = {mark}; false\n\thooksPath = evil/hooks\n"
    )
    files = {f"zdev/journal/{name}": data for name, data in planted("../outside").items()}
    for name, data in {
        "HEAD": b"ref: refs/heads/main\n",
        "objects/.keep": b"",
        "refs/heads/.keep": b"",
        "config": config.encode(),
        "hooks/pre-commit": f"#!/bin/sh\n{mark}\n".encode(),
        **files,
    }.items():
        repo.write(f"evil/{name}", data)
    (repo.path / "evil/hooks/pre-commit").chmod(0o755)
    repo.git("add", "--force", ".")
    repo.commit("Innocent")
    git("clone", "-q", repo.path, "clone", cwd=tmp_path)
    return tmp_path / "clone/evil"


@pytest.mark.parametrize("words", WRITING, ids=lambda words: words[0])
def test_a_clone_brings_no_repository_along(
    evil: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    error = refused("embedded-repository", *words, cwd=evil, unchanged=tmp_path)
    assert str(evil) in error["error"]
    refused("embedded-repository", *words, cwd=evil / "refs", unchanged=tmp_path)
    explicit = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.bareRepository",
        "GIT_CONFIG_VALUE_0": "explicit",
    }
    refused("implicit-bare-repository", *words, cwd=evil, unchanged=tmp_path, env=explicit)


def test_the_clone_itself_is_worked_on_as_any_other(evil: Path, tmp_path: Path) -> None:
    result("config set", "project.guidance", "x", cwd=evil.parent)
    result("recover", cwd=evil.parent)
    assert git("status", "--porcelain", cwd=evil.parent).stdout == b" M .zdev/config.toml\n"
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("words", WRITING[:2], ids=lambda words: words[0])
def test_a_named_one_is_used_and_its_journal_is_not_believed(
    evil: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    journal = evil / "zdev/journal"
    env = {"GIT_DIR": str(evil)}
    error = refused("journal-corrupt", *words, cwd=evil, unchanged=tmp_path, env=env)
    assert error["error"].startswith(f"{journal} is not a publication journal of this program: ")


@pytest.mark.parametrize(
    "root", [".", "..", "../outside", "/tmp/outside", ".git", ".git/hooks", "a\0b", 7]
)
def test_a_journal_in_an_archive_is_not_believed(repo: GitRepo, root: Any) -> None:
    commit_payments(repo)
    for name, data in planted(root).items():
        repo.write(f".git/zdev/journal/{name}", data)
    writing = [words for words in WRITING if words[0] != "hooks"]
    for words in (*writing, ("status",), ("goal", "payments"), ("recover", "--dry-run")):
        refused("journal-corrupt", *words, cwd=repo.path, unchanged=repo.path.parent)


def test_a_fifo_in_the_place_of_any_file_is_not_waited_for(repo: GitRepo) -> None:
    crash(repo, "commit", "wait")
    journal = repo.path / ".git/zdev/journal"
    for name in sorted(os.listdir(journal)):
        (journal / name).rename(repo.path.parent / "kept")
        os.mkfifo(journal / name)
        for words in (("recover",), ("recover", "--dry-run"), ("goal", "payments")):
            refused("journal-corrupt", *words, cwd=repo.path)
        (journal / name).unlink()
        (journal / name).symlink_to("/dev/zero")
        refused("journal-corrupt", "recover", cwd=repo.path)
        (journal / name).unlink()
        (repo.path.parent / "kept").rename(journal / name)
    assert result("recover", cwd=repo.path)["outcome"] == "completed"


@pytest.mark.parametrize("kind", ["link", "file", "FIFO", "folder"])
def test_something_else_in_the_place_of_the_journal(repo: GitRepo, kind: str) -> None:
    commit_payments(repo)
    (repo.path / ".git/zdev").mkdir()
    journal = repo.path / ".git/zdev/journal"
    if kind == "link":
        (repo.path / ".git/zdev/real").mkdir()
        journal.symlink_to("real")
    elif kind == "file":
        journal.touch()
    elif kind == "FIFO":
        os.mkfifo(journal)
    else:
        journal.mkdir()
    for words in (("recover",), ("status",), WRITING[0]):
        error = refused("journal-corrupt", *words, cwd=repo.path)
        assert str(journal) in error["error"]


def test_rubbish_of_any_kind_stops_nobody(repo: GitRepo, tmp_path: Path) -> None:
    commit_payments(repo)
    home = repo.path / ".git/zdev"
    (home / "journal.folder/inner/more").mkdir(parents=True)
    (home / "journal.folder/inner/file").touch()
    (home / "journal.folder/inner/link").symlink_to(tmp_path)
    (home / "journal.link").symlink_to(tmp_path)
    os.mkfifo(home / "journal.fifo")
    (home / "journal.").mkdir()
    (home / "journal.file").touch()
    before = tree_state(tmp_path / "home")
    result("config set", "project.guidance", "x", cwd=repo.path)
    assert leftovers(repo) == []
    assert changes(before, tree_state(tmp_path / "home")) == []


def test_an_empty_lock_of_git_is_nobody_elses(repo: GitRepo) -> None:
    """Git makes the file before it writes into it; no name of a journal claims it."""
    commit_payments(repo)
    repo.write(".git/index.lock", "")
    (repo.path / ".git/zdev/journal.").mkdir(parents=True)
    result("config set", "project.guidance", "x", cwd=repo.path)
    assert (repo.path / ".git/index.lock").exists()


def test_a_journal_is_for_the_work_tree_that_it_was_written_in(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GIT_DIR alone makes the current folder the work tree; without it, the same paths differ."""
    sub = GitRepo(repo.path / "sub")
    sub.path.mkdir()
    with monkeypatch.context() as patch:
        patch.setenv("GIT_DIR", str(repo.path / ".git"))
        crash(sub, "files", "sync_folder tasks")
    shutil.copytree(sub.path / ".zdev", repo.path / ".zdev")
    for cwd in (repo.path, sub.path):
        error = refused("journal-elsewhere", "recover", cwd=cwd, unchanged=repo.path)
        named = f"`git --git-dir={repo.path}/.git --work-tree={sub.path} zdev recover`"
        assert named in error["error"]
        assert error["details"] == {
            "git_dir": str(repo.path / ".git"),
            "work_tree": str(sub.path),
        }
    before = tree(repo.path / ".zdev")
    where = {"GIT_DIR": str(repo.path / ".git"), "GIT_WORK_TREE": str(sub.path)}
    assert result("recover", cwd=repo.path, env=where)["paths"] == [ONE, TWO, NEW]
    assert tree(repo.path / ".zdev") == before
    assert (sub.path / ONE).read_bytes() == b"edited\n"
    assert leftovers(repo) == []


def test_a_copy_is_not_recovered_while_the_first_one_stands(repo: GitRepo, tmp_path: Path) -> None:
    crash(repo, "files", "sync_folder tasks")
    copy = tmp_path / "copy"
    shutil.copytree(repo.path, copy, symlinks=True)
    error = refused("journal-elsewhere", "recover", cwd=copy)
    assert str(repo.path) in error["error"]
    refused("journal-elsewhere", "config", "set", "project.guidance", "x", cwd=copy)
    assert result("recover", cwd=repo.path)["outcome"] == "completed"


def test_a_journal_that_was_carried_away(repo: GitRepo, tmp_path: Path) -> None:
    """The folder that it was for is not here; only a person knows whether this is it."""
    crash(repo, "files", "sync_folder tasks")
    copy = tmp_path / "copy"
    shutil.copytree(repo.path, copy, symlinks=True)
    shutil.rmtree(repo.path)
    error = refused("journal-elsewhere", "recover", cwd=copy)
    assert f"was written for the work tree {repo.path} " in error["error"]
    assert "`git zdev recover --assume-dead`" in error["error"]
    with _opened(copy) as (journal, location):
        folders = (location.work_tree, location.git_dir, location.common_dir)
        require_bound(journal, *folders, moved=True)
        with pytest.raises(ZdevError, match="was written for"):
            require_bound(journal, *folders)


def test_a_work_tree_that_was_replaced(repo: GitRepo, tmp_path: Path) -> None:
    crash(repo, "files", "sync_folder tasks")
    shutil.copytree(repo.path, tmp_path / "copy", symlinks=True)
    shutil.rmtree(repo.path)
    (tmp_path / "copy").rename(repo.path)
    error = refused("journal-elsewhere", "recover", cwd=repo.path)
    assert "That folder was replaced since" in error["error"]
    with _opened(repo.path) as (journal, location):
        folders = (location.work_tree, location.git_dir, location.common_dir)
        with pytest.raises(ZdevError, match="was written for"):
            require_bound(journal, *folders, moved=True)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[tuple[Journal, Location]]:
    """The journal of a repository, and where that is."""
    disk, location = Disk(), discover(str(path), os.environ)
    with disk.open_root(f"{location.git_dir}/zdev") as home:
        journal = open_journal(disk, home)
        assert journal is not None
        with journal.folder:
            yield journal, location


def test_a_root_behind_a_link_is_not_followed(
    repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of the plan was taken for a link since; what it leads to is not ours."""
    from tests.support.faults import PLAIN, begin, files_changed

    repo.git("config", "zdev.lockTimeout", "0")
    for path, data in PLAIN.items():
        repo.write(f"sub/{path}", data)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("git_zdev.publish.underway.Underway.finish", stop)
        patch.setattr("git_zdev.publish.underway.Underway.undo_after", stop)
        with pytest.raises(KeyboardInterrupt), begin(repo, root="sub") as tx:
            tx.publish(files_changed(area__new=(None, b"new\n")))
    shutil.copytree(repo.path / "sub", tmp_path / "outside")
    shutil.rmtree(repo.path / "sub")
    (repo.path / "sub").symlink_to(tmp_path / "outside")
    before = tree_state(tmp_path / "outside")
    run = zdev("--format=json", "recover", cwd=repo.path)
    assert json.loads(run.stderr)["code"] == "journal-corrupt"
    assert changes(before, tree_state(tmp_path / "outside")) == []
