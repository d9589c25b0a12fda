"""How the program is reached: through Git, from anywhere, with any of Git's variables."""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from git_zdev import __version__
from git_zdev.cli.registry import COMMANDS
from tests.support.cli import PYTHON, SCHEMAS, refused, result, zdev
from tests.support.plan import write_empty_area
from tests.support.repo import git

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repo import GitRepo


RAW = {"schema show", "completion"}
"""Commands that print a document of another kind in both formats."""


@pytest.fixture
def area(planned: GitRepo) -> GitRepo:
    write_empty_area(planned.path, "payments", branch="payments", lifecycle="open")
    return planned


def areas(out: bytes) -> list[str]:
    document: dict[str, Any] = json.loads(out)
    return [area["tag"] for area in document["areas"]]


@pytest.mark.usefixtures("on_path")
def test_git_finds_the_command(area: GitRepo, tmp_path: Path) -> None:
    (area.path / "deep").mkdir()
    words = ("zdev", "area", "list", "--format=json")
    assert areas(git(*words, cwd=area.path).stdout) == ["payments"]
    assert areas(git(*words, cwd=area.path / "deep").stdout) == ["payments"]
    assert areas(git("-C", area.path, *words, cwd=tmp_path).stdout) == ["payments"]
    assert git("zdev", "-h", cwd=tmp_path).stdout.startswith(b"usage: git zdev ")
    assert git("zdev", "area", "list", "--help", cwd=tmp_path).stdout.startswith(
        b"usage: git zdev area list "
    )
    assert git("zdev", "--version", cwd=tmp_path).stdout == f"git-zdev {__version__}\n".encode()


@pytest.mark.usefixtures("on_path")
@pytest.mark.parametrize("alias", ["zdev area list", "!git zdev area list", "!git-zdev area list"])
def test_aliases(alias: str, area: GitRepo) -> None:
    area.git("config", "alias.areas", alias)
    (area.path / "deep").mkdir()
    done = git("areas", "--format=json", cwd=area.path / "deep")
    assert areas(done.stdout) == ["payments"]


@pytest.mark.usefixtures("on_path")
@pytest.mark.parametrize("alias", ["zdev config set", "!git zdev config set"])
def test_aliases_may_write(alias: str, area: GitRepo) -> None:
    area.git("config", "alias.put", alias)
    area.git("put", "project.guidance", "auto")
    assert area.git("zdev", "config", "get", "project.guidance") == "auto"


@pytest.mark.usefixtures("on_path")
def test_git_dir_and_work_tree_of_git_itself(area: GitRepo, tmp_path: Path) -> None:
    options = (f"--git-dir={area.path}/.git", f"--work-tree={area.path}")
    done = git(*options, "zdev", "area", "list", "--format=json", cwd=tmp_path)
    assert areas(done.stdout) == ["payments"]
    git(*options, "zdev", "config", "set", "project.guidance", "auto", cwd=tmp_path)
    assert 'guidance = "auto"' in (area.path / ".zdev/config.toml").read_text()


def test_relative_git_variables(area: GitRepo) -> None:
    (area.path / "deep").mkdir()
    env = {"GIT_DIR": "../.git", "GIT_WORK_TREE": ".."}
    made = result("config set", "project.guidance", "auto", cwd=area.path / "deep", env=env)
    assert made["status"] == "updated"


def test_a_linked_work_tree_has_its_own_records_and_lock(area: GitRepo, tmp_path: Path) -> None:
    area.git("add", ".zdev")
    area.commit("Plan")
    linked = tmp_path / "linked"
    area.git("worktree", "add", "-q", "-b", "other", linked)
    result("config set", "project.guidance", "here", cwd=linked)
    assert result("config get", "project.guidance", cwd=linked)["value"] == "here"
    assert area.git("status", "--porcelain") == ""
    assert (area.path / ".git/worktrees/linked/zdev-state.lock").exists()
    assert not (area.path / ".git/zdev-state.lock").exists()


def test_root_names_the_plan(area: GitRepo, tmp_path: Path) -> None:
    listed = result("area list", "--root", str(area.path), cwd=tmp_path)
    assert [one["tag"] for one in listed["areas"]] == ["payments"]
    assert result("area list", "--root", "../repo", cwd=area.path)["areas"] == listed["areas"]


def test_a_plan_is_not_looked_for_above_the_work_tree(area: GitRepo) -> None:
    inner = area.path / "inner"
    git("init", "-q", inner, cwd=area.path)
    run = zdev("area", "list", "--format=json", cwd=inner)
    assert (run.status, json.loads(run.stderr)["code"]) == (1, "not-initialized")


def test_ctrl_c_while_waiting_for_the_lock(area: GitRepo) -> None:
    before = (area.path / ".zdev/config.toml").read_bytes()
    lock = area.path / ".git/zdev-state.lock"
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        process = subprocess.Popen(
            [sys.executable, "-m", "git_zdev", "config", "set", "project.guidance", "x"],
            cwd=area.path,
            env={**os.environ, **PYTHON},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        while str(lock) not in open_files(process.pid):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    assert (area.path / ".zdev/config.toml").read_bytes() == before


def open_files(pid: int) -> list[str]:
    if not os.path.isdir(f"/proc/{pid}/fd"):
        pytest.skip("needs /proc")
    found = []
    for descriptor in os.listdir(f"/proc/{pid}/fd"):
        try:
            found.append(os.readlink(f"/proc/{pid}/fd/{descriptor}"))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.words)
def test_every_command_has_help_and_a_summary(command: Any, tmp_path: Path) -> None:
    run = zdev(*command.words.split(), "-h", cwd=tmp_path)
    assert (run.status, run.stderr) == (0, b"")
    assert run.text.startswith(f"usage: git zdev {command.words} ")
    assert all(len(line) <= 80 for line in run.text.splitlines())
    assert command.summary
    assert not command.summary.endswith(".")


@pytest.mark.parametrize(
    "command",
    [command for command in COMMANDS if command.words not in RAW],
    ids=lambda command: command.words,
)
def test_every_command_has_a_schema(command: Any) -> None:
    name = command.words.replace(" ", "-")
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_bytes())
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"{name}.schema.json"
    assert schema["title"]


def test_the_commands_of_the_table_are_there() -> None:
    words = {command.words for command in COMMANDS}
    assert len(words) == len(COMMANDS)
    for name in (
        *("init", "config show", "config get", "config set", "config unset", "config trunk"),
        *("area create", "area list", "area close", "area reopen", "area bind", "area parent"),
        *("area rebase", "slice create", "slice list", "slice show", "commit", "change-id"),
        *("change inspect", "change lookup", "cleanup squash"),
    ):
        assert name in words


@pytest.mark.parametrize(
    "words",
    [
        ("next", ""),
        ("status", ""),
        ("check", ""),
        ("area", "create", "new", "--title", "T", "--objective", "O.", "--branch", ""),
        ("area", "bind", "payments", ""),
        ("config", "trunk", ""),
    ],
)
def test_an_empty_word_is_not_a_word_left_out(area: GitRepo, words: tuple[str, ...]) -> None:
    code = {
        "area": "invalid-area",
        "config": "invalid-project",
    }.get(words[0], "unknown-area")
    refused(code, *words, cwd=area.path)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("task show payments-002", "task show AREA TASK"),
        ("task done payments", "task done AREA TASK --summary TEXT --validation TEXT"),
        ("tasks review payments", "tasks review AREA (--from FILE | --show)"),
        ("init", "init --record personal|project|pull-request"),
        ("area bind", "area bind AREA"),
    ],
)
def test_too_few_arguments_show_the_whole_line(words: str, line: str, repo: GitRepo) -> None:
    """Which of them is missing cannot be known: a task may stand where the area should."""
    error = refused("usage", *words.split(), cwd=repo.path, status=2)
    assert error["error"].startswith(f"too few arguments; expected `git zdev {line}`. See ")


def test_too_few_open_files_are_reported_in_a_line(payments: GitRepo) -> None:
    words = f"{shlex.quote(sys.executable)} -m git_zdev goal payments"
    for most in (5, 6, 7):
        done = subprocess.run(
            ["sh", "-c", f"ulimit -n {most}; exec {words}"],
            cwd=payments.path,
            env={**os.environ, **PYTHON},
            capture_output=True,
            check=False,
        )
        assert b"Traceback" not in done.stderr
        assert done.returncode == 0 or done.stderr.startswith(b"error: ")
