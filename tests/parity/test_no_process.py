"""The commands that only look start no process: one ``execve``, that of Python itself."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.states import StateRepo, make_state_repo
from tests.support.states.repo import numbered

CHECKOUT = Path(__file__).resolve().parent.parent.parent
PROGRAM = (sys.executable, "-m", "git_zdev")
BUNDLE = {
    "schema_version": 1,
    "area": "tour",
    "tasks": [{"key": "look", "title": "Look", "outcome": "Looked.", "done_when": ["Seen."]}],
}
COMMANDS = {
    "work-context": ("work-context", "tour"),
    "status": ("status", "tour"),
    "next": ("next", "tour"),
    "goal": ("goal", "tour"),
    "check": ("check",),
}
GUARD = """
import runpy, sys
def refuse(event, arguments):
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork"):
        raise SystemExit(f"{event} {arguments}")
sys.addaudithook(refuse)
runpy.run_module("git_zdev", run_name="__main__", alter_sys=True)
"""


@pytest.fixture
def repo(tmp_path: Path, hermetic: Path, monkeypatch: pytest.MonkeyPatch) -> StateRepo:
    """An area with a task, on its branch, with something changed."""
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))
    repo = make_state_repo(tmp_path / "repo", hermetic)
    repo.base({"a.txt": numbered(9)})
    run(repo, *PROGRAM, "init", "--record", "project")
    repo.git("switch", "-q", "-c", "tour")
    run(repo, *PROGRAM, "area", "create", "tour", "--title", "T", "--objective", "O",
        "--branch", "tour")  # fmt: skip
    run(repo, *PROGRAM, "tasks", "import", "tour", "--from", "-", stdin=json.dumps(BUNDLE))
    repo.commit_all("Plan")
    repo.write("a.txt", numbered(10))
    repo.write("u.txt", "u\n")
    return repo


def run(repo: StateRepo, *argv: str, stdin: str = "") -> str:
    done = subprocess.run(
        argv,
        cwd=repo.path,
        input=stdin,
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("command", COMMANDS)
def test_strace_sees_a_single_execve(
    repo: StateRepo, command: str, form: str, tmp_path: Path
) -> None:
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed")
    log = tmp_path / "calls"
    traced = (strace, "-f", "-qq", "-e", "trace=execve,execveat,fork,vfork", "-o", str(log))
    assert run(repo, *traced, *PROGRAM, *COMMANDS[command], "--format", form)
    calls = [line for line in log.read_text().splitlines() if "(" in line]
    assert len(calls) == 1, calls
    assert "execve(" in calls[0]


@pytest.mark.parametrize("command", COMMANDS)
def test_python_is_not_asked_to_start_one(repo: StateRepo, command: str) -> None:
    """The same where strace is missing: Python reports every way to start a process."""
    assert run(repo, sys.executable, "-c", GUARD, *COMMANDS[command])


def test_the_guard_would_notice(repo: StateRepo) -> None:
    started = GUARD.replace("runpy.run_module(", "__import__('os').system('true'); dict(x=")
    started = started[: started.index("; dict(x=")]
    done = subprocess.run(
        [sys.executable, "-c", started], capture_output=True, text=True, check=False
    )
    assert "os.system" in done.stderr
