"""Commits by the installed Git: hooks, identity and signing are the user's."""

from __future__ import annotations

import errno
import os
import resource
import signal
from typing import TYPE_CHECKING

import pytest

from git_zdev.git import process
from git_zdev.git.model import CommitFiles
from git_zdev.git.process import InstalledGit, show_in_pager
from git_zdev.git.read.discovery import discover
from git_zdev.ground.errors import ZdevError
from tests.support.repo import git

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repo import GitRepo


def installed(cwd: Path, **env: str) -> InstalledGit:
    environment = {**os.environ, **env}
    return InstalledGit(discover(str(cwd), environment), environment)


def failure(cwd: Path, message: str = "Message\n", **env: str) -> ZdevError:
    with pytest.raises(ZdevError) as caught:
        installed(cwd, **env).commit_index(message)
    assert caught.value.code == "git-failed"
    return caught.value


def hook(repo: GitRepo, name: str, script: str) -> None:
    path = repo.path / ".git" / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def staged(repo: GitRepo) -> GitRepo:
    repo.commit("First", a="1\n")
    repo.write("a", "2\n")
    repo.git("add", "a")
    repo.write("a", "3\n")
    return repo


def test_the_index_is_committed_as_it_is(staged: GitRepo) -> None:
    commit, _ = installed(staged.path).commit_index("Subject\n\n# kept\n\nToken: x\n")
    assert commit == staged.rev("HEAD")
    assert staged.git("show", "HEAD:a") == "2"
    assert staged.git("log", "-1", "--format=%B") == "Subject\n\n# kept\n\nToken: x\n"
    assert staged.git("status", "--short") == " M a"


def test_the_users_cleanup_and_template_do_not_matter(staged: GitRepo) -> None:
    staged.git("config", "commit.cleanup", "strip")
    staged.git("config", "commit.template", "missing")
    staged.git("config", "commit.verbose", "true")
    installed(staged.path).commit_index("Subject\n\n# kept\n")
    assert staged.git("log", "-1", "--format=%B") == "Subject\n\n# kept\n"


def test_nothing_staged_is_said(repo: GitRepo) -> None:
    repo.commit()
    assert "nothing to commit" in failure(repo.path).said


def test_a_missing_identity_is_said(staged: GitRepo) -> None:
    staged.git("config", "user.useConfigOnly", "true")
    unset = dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL"), "")
    assert "empty ident name" in failure(staged.path, **unset).said
    assert staged.git("log", "--format=%s") == "First"


def test_a_hook_that_refuses_is_heard(staged: GitRepo) -> None:
    hook(staged, "pre-commit", "echo no way >&2; exit 1")
    error = failure(staged.path)
    assert (error.message, error.said) == ("`git commit` failed", "no way")
    assert error.details["said"] == "no way\n"


def test_hooks_see_and_change_the_message(staged: GitRepo) -> None:
    hook(staged, "commit-msg", 'echo "Hooked: yes" >> "$1"')
    installed(staged.path).commit_index("Subject\n\nToken: x\n")
    assert staged.git("log", "-1", "--format=%B") == "Subject\n\nToken: x\nHooked: yes\n"


def test_a_signature_that_fails_fails_the_commit(staged: GitRepo) -> None:
    staged.git("config", "commit.gpgSign", "true")
    staged.git("config", "gpg.program", "false")
    assert "gpg failed to sign" in failure(staged.path).said


def test_relative_variables_mean_what_they_meant(staged: GitRepo) -> None:
    folder = staged.path / "sub"
    folder.mkdir()
    git = installed(folder, GIT_DIR="../.git", GIT_WORK_TREE="..")
    assert git.commit_index("Message\n")[0] == staged.rev("HEAD")
    assert staged.git("log", "-1", "--format=%s") == "Message"


def test_the_named_index_is_the_one_that_counts(staged: GitRepo) -> None:
    staged.git("read-tree", "HEAD", env={"GIT_INDEX_FILE": "other"})
    assert "no changes added" in failure(staged.path, GIT_INDEX_FILE="other").said


def test_no_git_on_the_path_is_said(staged: GitRepo) -> None:
    error = failure(staged.path, PATH="/nowhere")
    assert error.message == "`git commit` cannot be started: PATH does not have it"
    assert error.hint == "Put Git on PATH, then retry"


@pytest.mark.parametrize(
    ("number", "word"),
    [
        (errno.EMFILE, "ulimit -n"),
        (errno.ENFILE, "files are open"),
        (errno.EAGAIN, "ulimit -u"),
        (errno.ENOMEM, "memory"),
        (errno.E2BIG, "environment"),
        (errno.ENOSPC, "Make room"),
        (errno.EACCES, "executable"),
        (errno.ENOEXEC, "made for this system"),
        (errno.EIO, "what the system says"),
    ],
)
def test_what_keeps_git_from_starting_has_its_own_remedy(
    staged: GitRepo, monkeypatch: pytest.MonkeyPatch, number: int, word: str
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise OSError(number, os.strerror(number), "/usr/bin/git")

    monkeypatch.setattr(os, "posix_spawn", refuse)
    error = failure(staged.path)
    assert os.strerror(number) in error.message
    assert word in error.hint
    assert "PATH" not in error.hint or number in {errno.EACCES, errno.ENOEXEC}


def test_a_git_that_nobody_may_run_is_named(staged: GitRepo, tmp_path: Path) -> None:
    path = tmp_path / "tools/git"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\n")
    error = failure(staged.path, PATH=str(path.parent))
    assert error.message == f"`git commit` cannot be started: {path}: Permission denied"
    assert error.hint.startswith("Make it executable")


def test_a_git_that_is_no_program_is_named(staged: GitRepo, tmp_path: Path) -> None:
    path = tmp_path / "tools/git"
    path.parent.mkdir()
    path.write_bytes(b"\0garbage")
    path.chmod(0o755)
    error = failure(staged.path, PATH=str(path.parent))
    assert f"{path}: Exec format error" in error.message


def test_too_many_open_files_are_said(staged: GitRepo) -> None:
    git = installed(staged.path)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(0)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, hard))
    try:
        with pytest.raises(ZdevError, match="Too many open files") as caught:
            git.commit_index("Message\n")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert "ulimit -n" in caught.value.hint


def test_a_missing_shell_is_said(
    staged: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git itself has no need of it before a hook runs; the gate in front of a commit has."""
    monkeypatch.setattr(process, "_SHELL", str(tmp_path / "missing"))
    files = CommitFiles(*(str(tmp_path / name) for name in ("message", "said", "summary", "hooks")))
    (tmp_path / "message").write_text("Second\n")
    with pytest.raises(ZdevError) as caught:
        installed(staged.path).start_commit(str(staged.path / ".git/index"), files, "x")
    assert caught.value.code == "git-failed"
    assert str(tmp_path / "missing") in caught.value.hint
    assert not show_in_pager("cat", os.environ, b"text")


def test_an_interrupted_git_may_put_its_files_in_order(
    staged: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for Git that is interrupted with this process and needs a moment to clean up."""
    tools = tmp_path / "tools"
    tools.mkdir()
    steps = ("trap '' INT", "cat >/dev/null", "kill -INT $PPID", "sleep 0.5", 'touch "$MARK"')
    (tools / "git").write_text("\n".join(("#!/bin/sh", *steps)))
    (tools / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            installed(staged.path, MARK=str(tmp_path / "done")).commit_index("Message\n")
    finally:
        signal.signal(signal.SIGINT, before)
    assert (tmp_path / "done").exists()


@pytest.mark.parametrize("memory", [True, False])
def test_git_reads_and_says_as_much_as_it_likes(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch, *, memory: bool
) -> None:
    """More than fits into a pipe in every direction, and a hook's child that goes on."""
    if not memory:
        monkeypatch.delattr(os, "memfd_create", raising=False)
    hook(repo, "pre-commit", "seq 1 50000; seq 1 50000 >&2; sleep 60 & echo $! >.git/left; exit 1")
    repo.write("a", "1\n")
    repo.git("add", "a")
    lines = "".join(f"{number}\n" for number in range(1, 50_001))
    try:
        assert failure(repo.path, "Long " * 100_000).details["said"] == lines * 2
    finally:
        os.kill(int((repo.path / ".git/left").read_text()), signal.SIGTERM)


def test_git_is_not_told_where_a_foreign_repository_is(staged: GitRepo, tmp_path: Path) -> None:
    """What GIT_DIR names is trusted by Git, so who sets it has to ask first, as Git would."""
    files = tmp_path / "files"
    files.mkdir()
    staged.git("config", "core.worktree", str(files))
    foreign = {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
    assert git("status", cwd=staged.path, env=foreign, check=False).returncode == 128
    with pytest.raises(ZdevError) as caught:
        installed(staged.path, **foreign)
    assert caught.value.code == "foreign-repository"
    assert installed(staged.path)
    assert installed(staged.path, GIT_DIR=str(staged.path / ".git"), **foreign)


@pytest.fixture
def sigchld_ignored() -> Iterator[None]:
    """What a program may do that uses the package as a library."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    yield
    assert signal.signal(signal.SIGCHLD, before) is signal.SIG_IGN


@pytest.mark.usefixtures("sigchld_ignored")
def test_an_outcome_that_the_system_did_not_keep_is_not_told_as_a_failure(
    staged: GitRepo,
) -> None:
    with pytest.raises(ZdevError) as caught:
        installed(staged.path).commit_index("Message\n")
    assert caught.value.code == "git-outcome-unknown"
    assert "`git commit` has ended" in caught.value.message
    assert b"Message" in (staged.path / ".git/COMMIT_EDITMSG").read_bytes()


@pytest.mark.usefixtures("sigchld_ignored")
def test_a_gated_commit_is_waited_for_where_the_system_keeps_no_outcome(
    staged: GitRepo, tmp_path: Path
) -> None:
    """Who asked for it judges by the branch."""
    (tmp_path / "message").write_text("Second\n")
    files = CommitFiles(*(str(tmp_path / name) for name in ("message", "said", "summary", "hooks")))
    index = str(staged.path / ".git/index")
    child = installed(staged.path).start_commit(index, files, "publication")
    child.release()
    assert child.wait(lambda _: True) == 255
    assert (tmp_path / "summary").read_text().startswith("[main ")


@pytest.mark.usefixtures("sigchld_ignored")
def test_a_pager_whose_end_is_not_told_has_shown_its_text(tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    assert show_in_pager(f"cat >{shown}", os.environ, b"text")
    assert shown.read_bytes() == b"text"
