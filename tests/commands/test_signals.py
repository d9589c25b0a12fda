"""Signals that the caller ignores or blocks: what was done is reported as done."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.cli import PYTHON, result
from tests.support.faults import COMMANDS, Writing, copy_of, lasting
from tests.support.repo import make_repo

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repo import GitRepo

SETTINGS = {
    "ignored": "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
    "blocked": "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD, signal.SIGPIPE])",
}
"""What a caller does before it becomes this program."""

CALLER = """
import os, signal, sys
{setting}
os.execv(sys.executable, [sys.executable, "-m", "git_zdev", *sys.argv[1:]])
"""


def call(
    setting: str, *words: str, cwd: Path, stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run the program from such a caller."""
    return subprocess.run(
        [sys.executable, "-c", CALLER.format(setting=SETTINGS[setting]), *words],
        cwd=cwd,
        env={**os.environ, **PYTHON},
        input=stdin,
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: one.name)
def test_sigchld_may_be_ignored(tmp_path: Path, command: Writing) -> None:
    """Nobody could wait for Git then; the system keeps no exit status."""
    original = make_repo(tmp_path / "original", options=("--template=",))
    command.prepare(original)
    plain, called = copy_of(original, tmp_path / "a/copy"), copy_of(original, tmp_path / "b/copy")
    subprocess.run(
        [sys.executable, "-m", "git_zdev", *command.arguments(plain)],
        cwd=plain.path,
        env={**os.environ, **PYTHON},
        input=command.stdin,
        capture_output=True,
        check=True,
    )
    done = call("ignored", *command.arguments(called), cwd=called.path, stdin=command.stdin)
    assert (done.returncode, b"error" in done.stderr) == (0, False), done.stderr.decode()
    assert lasting(called) == lasting(plain)


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_commit_is_told(repo: GitRepo, setting: str) -> None:
    repo.commit("First", a="1\n")
    repo.write("a", "2\n")
    repo.git("add", "a")
    done = call(setting, "commit", "-m", "Second", cwd=repo.path)
    assert done.returncode == 0, done.stderr.decode()
    assert repo.rev("HEAD")[:7] in done.stdout.decode()
    assert repo.git("log", "-1", "--format=%s") == "Second"


@pytest.mark.skipif(sys.platform != "linux", reason="signals are read from /proc")
def test_git_and_its_hooks_can_wait_for_their_children(repo: GitRepo) -> None:
    hook = repo.write(".git/hooks/pre-commit", "#!/bin/sh\ngrep SigIgn /proc/self/status >&2\n")
    hook.chmod(0o755)
    repo.write("a", "1\n")
    repo.git("add", "a")
    done = call("ignored", "commit", "-m", "First", cwd=repo.path)
    ignored = int(done.stderr.split()[1], 16)
    assert not ignored & (1 << (signal.SIGCHLD - 1) | 1 << (signal.SIGPIPE - 1))


def test_reading_does_not_depend_on_it(repo: GitRepo) -> None:
    repo.commit("First", a="1\n")
    done = call("ignored", "--format=json", "change", "inspect", "HEAD", cwd=repo.path)
    plain = result("change inspect", "HEAD", cwd=repo.path)
    assert plain["commit"] in done.stdout.decode()
