"""No lock is minded, nothing has to be writable, and no process is started.

That nothing changes is held for every state, where it is compared with Git's output.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from git_zdev.evidence import survey
from git_zdev.ground.errors import ZdevError
from tests.support.evidence import git_strings, own_document, own_strings
from tests.support.repo import as_unprivileged, open_folder, trusting
from tests.support.states import StateRepo, make_state_repo
from tests.support.states.repo import numbered

CHECKOUT = Path(__file__).resolve().parent.parent.parent
CAPTURE = """
import os, sys
from git_zdev.evidence.collecting import collect
from git_zdev.git.read.discovery import discover
from git_zdev.git.read.repository import open_repository
evidence = collect(open_repository(discover(os.getcwd(), os.environ), os.environ))
sys.stdout.buffer.write(evidence.git_status.encode())
"""
"""A whole capture in a process of its own."""


@pytest.fixture
def repo(tmp_path: Path, hermetic: Path) -> StateRepo:
    """Something staged, unstaged, touched, and untracked."""
    repo = make_state_repo(tmp_path / "repo", hermetic)
    repo.base({name: numbered(9) for name in ("a.txt", "b.txt", "c.txt", "d/e.txt")})
    repo.write("a.txt", numbered(10))
    repo.add()
    repo.write("b.txt", numbered(10))
    os.utime(repo.file("c.txt"), (1, 1))
    repo.write("u.txt", "u\n")
    return repo


def test_a_lock_of_somebody_else_does_not_matter(repo: StateRepo) -> None:
    expected = git_strings(repo.path)
    for lock in ("index.lock", "HEAD.lock", "config.lock", "refs/heads/main.lock"):
        repo.file(f".git/{lock}").touch()
    assert own_strings(repo.path) == expected


def test_a_read_only_repository() -> None:
    """Nothing in it is writable for the user; as root, an unprivileged user captures."""
    with open_folder() as folder:
        (folder / "home").mkdir()
        repo = make_state_repo(folder / "repo", folder / "home")
        repo.base({"a.txt": numbered(9), "d/e.txt": numbered(9)})
        repo.write("a.txt", numbered(10))
        os.utime(repo.file("d/e.txt"), (1, 1))
        repo.write("u.txt", "u\n")
        expected = git_strings(repo.path)["git_status"].decode()
        paths = [repo.path, *repo.path.rglob("*")]
        for path in reversed(paths):
            path.chmod(path.stat().st_mode & ~0o222 | 0o444)
        environment = trusting(repo.home)
        found = as_unprivileged(lambda: own_document(repo.path, environment)["git_status"])
        for path in paths:
            path.chmod(path.stat().st_mode | 0o200)
    assert found == expected == " M a.txt\n?? u.txt\n"


def test_a_capture_starts_no_process(repo: StateRepo, tmp_path: Path) -> None:
    """One ``execve``, that of Python itself, and no other process to run anything in."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed")
    log = tmp_path / "calls"
    subprocess.run(
        [strace, "-f", "-qq", "-e", "trace=execve,execveat,fork,vfork", "-o", str(log),
         sys.executable, "-c", CAPTURE],
        cwd=repo.path,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        stdout=subprocess.DEVNULL,
        check=True,
    )  # fmt: skip
    calls = [line for line in log.read_text().splitlines() if "(" in line]
    assert len(calls) == 1, calls
    assert "execve(" in calls[0]


def test_python_is_never_asked_to_start_one(repo: StateRepo) -> None:
    """The same where strace is missing: Python reports every way to start a process."""
    guard = """
import sys
def refuse(event, arguments):
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork"):
        raise SystemExit(f"{event} {arguments}")
sys.addaudithook(refuse)
"""
    done = subprocess.run(
        [sys.executable, "-c", guard + CAPTURE],
        cwd=repo.path,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        check=False,
    )
    assert done.stderr == b""
    assert done.stdout == git_strings(repo.path)["git_status"]


def test_fifos_are_never_opened(repo: StateRepo, tmp_path: Path) -> None:
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed")
    os.mkfifo(repo.file("d/pipe"))
    log = tmp_path / "calls"
    subprocess.run(
        [
            strace,
            "-f",
            "-qq",
            "-e",
            "trace=open,openat",
            "-o",
            str(log),
            sys.executable,
            "-c",
            CAPTURE,
        ],
        cwd=repo.path,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    assert "u.txt" in log.read_text()
    assert "pipe" not in log.read_text()


WRITER = """
import os, sys
while True:
    for letter in b"ab":
        for name in ("b.txt", "u.txt"):
            file = os.open(name, os.O_WRONLY)
            os.pwrite(file, bytes([letter]) * 400_000 + b"\\n", 0)
            os.close(file)
"""


def test_while_the_work_tree_is_rewritten(repo: StateRepo) -> None:
    """Each file's evidence is one of its states, or the capture is an error that names a file."""
    contents = [letter * 400_000 + "\n" for letter in "ab"]
    allowed = set()
    for text in contents:
        repo.write("b.txt", text)
        repo.write("u.txt", text)
        allowed.add(git_strings(repo.path)["git_diff"].decode())
    hashes = {repo.git("hash-object", "--stdin", stdin=text.encode()) for text in contents}
    writer = subprocess.Popen([sys.executable, "-c", WRITER], cwd=repo.path)
    outcomes, refusals = [], []
    try:
        for _ in range(60):
            try:
                found = own_document(repo.path)
                outcomes.append((found["git_diff"], found["git_untracked"]["u.txt"]["hash"]))
            except ZdevError as error:
                refusals.append((error.code, error.details["path"]))
    finally:
        writer.kill()
        writer.wait()
    assert {diff for diff, _ in outcomes} <= allowed
    assert {blob for _, blob in outcomes} <= hashes
    assert set(refusals) <= {("file-changed-while-read", name) for name in ("b.txt", "u.txt")}


def test_status_and_diff_tell_of_one_state(
    repo: StateRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that changes between the look at it and the reading of it is refused."""
    real = survey.WorkTreeChanges

    def look(*arguments: Any, **named: Any) -> Any:
        found = real(*arguments, **named)
        repo.write("b.txt", numbered(9))
        return found

    monkeypatch.setattr(survey, "WorkTreeChanges", look)
    with pytest.raises(ZdevError) as refused:
        own_document(repo.path)
    assert refused.value.code == "file-changed-while-read"
    assert refused.value.details == {"path": "b.txt"}
