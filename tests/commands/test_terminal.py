"""The program on a real terminal: layout, colour, characters, pager, interruptions."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.cli import PYTHON, in_terminal, run_in_terminal, succeed, zdev
from tests.support.plan import commit_payments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.repo import GitRepo

COMMANDS = [
    ("area", "list"),
    ("check",),
    ("config", "show"),
    ("goal", "payments"),
    ("next", "payments"),
    ("next", "--any"),
    ("schema", "list"),
    ("slice", "show", "payments", "api"),
    ("status",),
    ("status", "payments"),
    ("task", "show", "payments", "payments-002"),
    ("tasks", "graph", "payments"),
    ("tasks", "list", "payments"),
    ("work-context", "payments"),
]
GRAPH = ("tasks", "graph", "payments")


@pytest.fixture
def plan(repo: GitRepo) -> GitRepo:
    """The payments plan with an edited, a staged and an untracked file."""
    commit_payments(repo)
    repo.write("src/log.rs", "fn log() { say(); }\n")
    repo.git("add", "src/log.rs")
    repo.write("src/pay.rs", "fn pay() { once(); }\n")
    repo.write("src/new.rs", "\n")
    return repo


def ink(text: str) -> Counter[str]:
    """Every character but blanks and the lines of trees: folding parts words and cells."""
    return Counter(re.sub(r"\s|[├└│─]", "", text))


@pytest.mark.parametrize("columns", [40, 80, 200])
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_terminal_gets_the_words_of_a_pipe(
    words: tuple[str, ...], columns: int, plan: GitRepo
) -> None:
    shown = run_in_terminal(*words, cwd=plan.path, columns=columns, env={"GIT_PAGER": "cat"})
    assert ink(shown.plain) == ink(succeed(*words, cwd=plan.path).text)
    assert "\x1b" in shown.text or words == ("check",)
    if words != ("work-context", "payments"):  # the lines of a diff are left to the terminal
        lines = [line for line in shown.plain.splitlines() if not line.startswith("File: ")]
        assert max(map(len, lines)) <= columns


def test_a_command_that_has_nothing_to_fold_looks_the_same(plan: GitRepo) -> None:
    assert re.sub(r"\x1b\[[0-9;]*m", "", in_terminal(*GRAPH, cwd=plan.path, columns=200)) == (
        succeed(*GRAPH, cwd=plan.path).text
    )


@pytest.mark.parametrize(
    ("columns", "env", "widest"),
    [
        (60, {}, 58),
        (80, {}, 78),
        (200, {}, 97),
        (200, {"MANWIDTH": "120"}, 117),
        (200, {"COLUMNS": "70"}, 68),
        (80, {"MANWIDTH": "nonsense"}, 78),
    ],
)
def test_the_manual_fills_the_terminal(
    tmp_path: Path, columns: int, env: dict[str, str], widest: int
) -> None:
    """As wide as man makes it, but no line too long to read unless MANWIDTH asks for it."""
    shown = in_terminal("help", "status", cwd=tmp_path, columns=columns, env=env)
    assert widest - 8 < max(map(len, re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines())) <= widest


def test_the_manual_in_a_pipe_is_as_wide_as_man_makes_it(tmp_path: Path) -> None:
    for env, widest in (({}, 78), ({"MANWIDTH": "120"}, 117)):
        lines = succeed("help", "status", cwd=tmp_path, env=env).text.splitlines()
        assert widest - 8 < max(map(len, lines)) <= widest


def test_the_manual_goes_through_the_pager(tmp_path: Path) -> None:
    env = {"GIT_PAGER": "cat >paged"}
    assert run_in_terminal("help", cwd=tmp_path, env=env).text == ""
    assert "NAME" in (tmp_path / "paged").read_text()


def test_json_is_the_same_everywhere(plan: GitRepo) -> None:
    words = (*GRAPH, "--format=json")
    shown = run_in_terminal(*words, cwd=plan.path, rows=2, env={"GIT_PAGER": "exit 9"})
    assert shown.text == succeed(*words, cwd=plan.path).text


@pytest.mark.parametrize(
    ("env", "option", "coloured"),
    [
        ({}, (), True),
        ({"NO_COLOR": "1"}, (), False),
        ({"NO_COLOR": "1"}, ("--color=always",), True),
        ({"TERM": "dumb"}, (), False),
        ({"TERM": ""}, (), False),
        ({}, ("--color=never",), False),
    ],
)
def test_colour_on_a_terminal(
    env: dict[str, str], option: tuple[str, ...], coloured: bool, plan: GitRepo
) -> None:
    assert ("\x1b[" in in_terminal(*GRAPH, *option, cwd=plan.path, env=env)) is coloured


@pytest.mark.parametrize(
    ("key", "value", "coloured"),
    [
        ("color.ui", "never", False),
        ("color.ui", "always", True),
        ("color.zdev", "false", False),
        ("color.zdev", "nonsense", True),
    ],
)
def test_colour_follows_the_configuration(
    key: str, value: str, coloured: bool, plan: GitRepo
) -> None:
    plan.git("config", key, value)
    assert ("\x1b[" in in_terminal(*GRAPH, cwd=plan.path)) is coloured
    assert "\x1b" not in succeed(*GRAPH, cwd=plan.path).text


def test_colour_follows_git_dash_c(plan: GitRepo) -> None:
    env = {"GIT_CONFIG_PARAMETERS": "'color.zdev'='never'"}
    assert "\x1b[" not in in_terminal(*GRAPH, cwd=plan.path, env=env)


def test_colour_into_a_pipe_when_forced(plan: GitRepo) -> None:
    assert "\x1b[" in succeed(*GRAPH, cwd=plan.path, env={"CLICOLOR_FORCE": "1"}).text
    assert "\x1b[" in succeed(*GRAPH, "--color=always", cwd=plan.path).text


def test_a_pager_that_git_started_gets_what_a_terminal_gets(plan: GitRepo) -> None:
    env = {"GIT_PAGER_IN_USE": "true", "TERM": "xterm", "COLUMNS": "40"}
    paged = succeed("tasks", "list", "payments", cwd=plan.path, env=env).text
    assert paged == in_terminal("tasks", "list", "payments", cwd=plan.path, columns=40)


@pytest.mark.parametrize("env", [{"LC_ALL": "C"}, {"LC_ALL": "", "LANG": "C"}, {"LC_ALL": "POSIX"}])
def test_ascii_is_enough(env: dict[str, str], plan: GitRepo) -> None:
    plan.write(
        ".zdev/payments/tasks/004-tidy-the-logs.md",
        (plan.path / ".zdev/payments/tasks/004-tidy-the-logs.md").read_text().replace("Tidy", "日"),
    )
    tree = """\
payments-001  done  Measure the retries
`-- payments-002  ready  Settle the retry boundary
    `-- payments-003  blocked  Document the retries
payments-004  ready  \\u65e5 the logs
"""
    assert succeed(*GRAPH, cwd=plan.path, env=env).text == tree
    shown = run_in_terminal(*GRAPH, cwd=plan.path, env=env)
    assert shown.plain == tree
    for words in (("-h",), ("goal", "-h"), ("tasks", "list", "payments"), ("area", "list")):
        assert succeed(*words, cwd=plan.path, env=env).stdout.isascii()
    assert zdev("goal", "日", cwd=plan.path, env=env).stderr.isascii()


def test_a_locale_without_a_name_is_taken_for_unicode(plan: GitRepo) -> None:
    assert "└──" in succeed(*GRAPH, cwd=plan.path, env={"LC_ALL": "", "LANG": ""}).text


def test_errors_are_styled_where_standard_error_is_a_terminal(plan: GitRepo) -> None:
    shown = run_in_terminal("goal", "nothing", cwd=plan.path, piped="stdout")
    assert shown.text.startswith("\x1b[1;31merror:\x1b[0m ")
    assert shown.plain.split() == zdev("goal", "nothing", cwd=plan.path).error_text.split()
    assert (shown.status, shown.piped) == (1, "")
    shown = run_in_terminal("goal", "nothing", cwd=plan.path, piped="stderr")
    assert shown.text == ""
    assert "\x1b" not in shown.piped


def test_every_problem_of_a_check_is_folded_and_indented(plan: GitRepo) -> None:
    plan.write(".zdev/payments/area.toml", "schema_version = 9\nfoo = 1\n")
    shown = run_in_terminal("check", cwd=plan.path, columns=60)
    lines = shown.plain.splitlines()
    assert shown.status == 1
    assert lines[0].startswith("error: the plan has ")
    assert all(line.startswith("  ") for line in lines[1:])
    assert max(len(line) for line in lines if "`git " not in line) <= 60


PAGER = "cat >paged; echo $GIT_PAGER_IN_USE $LESS $LV >told"


def test_long_text_goes_through_the_pager(plan: GitRepo) -> None:
    env = {"GIT_PAGER": PAGER}
    shown = run_in_terminal(*GRAPH, cwd=plan.path, rows=4, env=env)
    assert (shown.status, shown.text) == (0, "")
    assert (plan.path / "paged").read_text() == in_terminal(*GRAPH, cwd=plan.path)
    assert (plan.path / "told").read_text() == "true FRX -c\n"


def test_text_that_fits_needs_no_pager(plan: GitRepo) -> None:
    shown = run_in_terminal(*GRAPH, cwd=plan.path, rows=5, env={"GIT_PAGER": PAGER})
    assert shown.plain.count("\n") == 4
    assert not (plan.path / "paged").exists()


def test_the_pager_is_found_in_the_configuration(plan: GitRepo) -> None:
    plan.git("config", "core.pager", "cat >core")
    run_in_terminal(*GRAPH, cwd=plan.path, rows=2)
    assert (plan.path / "core").exists()
    plan.git("config", "pager.zdev", "cat >own")
    run_in_terminal(*GRAPH, cwd=plan.path, rows=2)
    assert (plan.path / "own").exists()


@pytest.mark.parametrize("setting", ["pager.zdev=false", "core.pager=cat", "core.pager="])
def test_no_pager_is_no_pager(setting: str, plan: GitRepo) -> None:
    plan.git("config", *setting.split("=", 1))
    shown = run_in_terminal(*GRAPH, cwd=plan.path, rows=2, env={"PAGER": "cat >paged"})
    assert "payments-004" in shown.text
    assert not (plan.path / "paged").exists()


def test_errors_and_pipes_are_not_paged(plan: GitRepo) -> None:
    env = {"GIT_PAGER": "cat >paged"}
    assert run_in_terminal("goal", "none", cwd=plan.path, rows=1, env=env).status == 1
    assert run_in_terminal(*GRAPH, cwd=plan.path, rows=1, env=env, piped="stdout").status == 0
    assert not (plan.path / "paged").exists()


def test_a_pager_that_is_left_early_is_no_failure(plan: GitRepo) -> None:
    plan.write("large", "".join(f"{number}\n" for number in range(100_000)))
    plan.git("add", "large")
    env = {"GIT_PAGER": "head -n 1"}
    shown = run_in_terminal("work-context", "payments", cwd=plan.path, env=env)
    assert (shown.status, shown.plain) == (0, "Payments  .zdev/payments\n")


def test_a_pager_that_cannot_be_run_is_done_without(plan: GitRepo) -> None:
    env = {"GIT_PAGER": "no-such-pager"}
    shown = run_in_terminal(*GRAPH, cwd=plan.path, rows=2, env=env)
    assert shown.status == 0
    assert "payments-004" in shown.text
    assert "no-such-pager" in shown.text


def test_git_itself_pages_for_us(plan: GitRepo, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "git-zdev"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nfrom git_zdev.cli.main import entry\nentry()\n")
    program.chmod(0o755)
    env = {"PATH": f"{program.parent}:{os.environ['PATH']}", "GIT_PAGER": PAGER}
    git = ("git", "-p", "zdev")
    shown = run_in_terminal(*GRAPH, cwd=plan.path, rows=50, env=env, program=git)
    assert (shown.status, shown.text) == (0, "")
    assert "\x1b[36mpayments-004" in (plan.path / "paged").read_text()
    (plan.path / "paged").unlink()
    git = ("git", "--no-pager", "zdev")
    shown = run_in_terminal(*GRAPH, cwd=plan.path, rows=2, env=env, program=git)
    assert "payments-004" in shown.text
    assert not (plan.path / "paged").exists()


def test_ctrl_c_is_for_the_pager_while_it_runs(plan: GitRepo) -> None:
    pager = "trap 'echo got >interrupted; exit 0' INT; kill -INT $PPID; kill -INT $$; sleep 5"
    shown = run_in_terminal(*GRAPH, cwd=plan.path, rows=2, env={"GIT_PAGER": pager})
    assert shown.status == 0
    assert (plan.path / "interrupted").exists()


WAITING = {"GIT_PAGER": "cat", "GIT_PROGRESS_DELAY": "0"}
"""Progress is shown at once."""


@pytest.fixture
def slow(plan: GitRepo) -> Iterator[GitRepo]:
    """A plan whose work context waits for an untracked file that somebody is writing."""
    with open(plan.path / "growing", "wb") as file:
        file.write(b"x")
        file.flush()
        yield plan


def test_who_waits_sees_a_bar_that_leaves_nothing(slow: GitRepo) -> None:
    words = ("work-context", "payments")
    shown = run_in_terminal(*words, cwd=slow.path, env=WAITING)
    assert shown.status == 0
    *bars, result = shown.text.split("\r\x1b[K")
    assert any(re.fullmatch(r"Looking at untracked files ─+   0 %, 0 of 3", one) for one in bars)
    assert result == in_terminal(*words, cwd=slow.path)


def test_an_ascii_locale_gets_an_ascii_bar(slow: GitRepo) -> None:
    words = ("work-context", "payments", "--store")
    shown = run_in_terminal(*words, cwd=slow.path, env=WAITING | {"LC_ALL": "C"})
    assert re.search(r"Looking at untracked files \[\.+\]   0 %, 0 of 3", shown.text)


@pytest.mark.parametrize(
    ("env", "piped"),
    [
        ({}, "stderr"),
        ({"TERM": "dumb"}, ""),
        ({"CI": "true"}, ""),
        ({"GIT_PROGRESS_DELAY": "3600"}, ""),
    ],
    ids=["pipe", "dumb", "ci", "early"],
)
def test_where_nobody_waits_there_is_no_bar(slow: GitRepo, env: dict[str, str], piped: str) -> None:
    words = ("work-context", "payments", "--format=json")
    shown = run_in_terminal(*words, cwd=slow.path, env=WAITING | env, piped=piped)
    assert shown.status == 0
    assert "\r\x1b[K" not in shown.text
    assert shown.piped == ""


def test_an_interrupted_run_is_130_and_silent(plan: GitRepo) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "git_zdev", "tasks", "review", "payments", "--from", "-"],
        cwd=plan.path,
        env={**os.environ, **PYTHON},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    wait_until_reading(process.pid)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out, err) == (130, b"", b"")


@pytest.mark.parametrize("moment", ["secure", "main"])
def test_an_interrupt_before_and_behind_everything_is_130_too(moment: str, tmp_path: Path) -> None:
    script = f"""
import os, signal
from git_zdev.cli import main, streams
def interrupted(*_):
    os.kill(os.getpid(), signal.SIGINT)
    return 0
setattr(streams if {moment!r} == "secure" else main, {moment!r}, interrupted)
main.entry()
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, **PYTHON},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def wait_until_reading(pid: int) -> None:
    """Wait until a process has opened the records, which comes after all imports, and sleeps."""
    stat = Path(f"/proc/{pid}/wchan")
    if not stat.exists():
        pytest.skip("the system does not tell what a process waits for")
    while "pipe" not in stat.read_text():
        time.sleep(0.01)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("words", [GRAPH, (*GRAPH, "--format=json")])
def test_a_full_disk_is_told(words: tuple[str, ...], plan: GitRepo) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "git_zdev", *words],
            cwd=plan.path,
            env={**os.environ, **PYTHON},
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    said = done.stderr.decode()
    assert done.returncode == 1
    if "--format=json" in words:
        assert json.loads(said)["code"] == "system-error"
    else:
        assert said == "error: standard output: No space left on device.\n"
