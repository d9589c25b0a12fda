"""Completion: what the program answers, and that each shell shows it at a real prompt."""

from __future__ import annotations

import configparser
import json
import os
import pty
import re
import select
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from git_zdev import fast
from tests.support.cli import markdown_blocks, modules_of, succeed, zdev

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

GIT_BASH_COMPLETION = Path("/usr/share/bash-completion/completions/git")
BASH_COMPLETION = Path("/usr/share/bash-completion/bash_completion")


@pytest.fixture
def plan(repo: GitRepo) -> GitRepo:
    """Two areas; payments has a done task, a ready one and one that waits for it."""
    repo.commit("first", README="x\n")
    succeed("init", "--record", "project", cwd=repo.path)
    for tag, title in (("payments", "Money: in and out"), ("parsing", "Read it")):
        words = ("area", "create", tag, "--title", title, "--objective", "Be done.", "--trunk")
        succeed(*words, cwd=repo.path)
    drafts = [
        {"key": key, "title": f"The {key}", "outcome": "Done.", "done_when": ["Done."]}
        for key in ("first", "second", "third")
    ]
    drafts[2]["blocked_by"] = ["second"]
    bundle = {"schema_version": 1, "area": "payments", "tasks": drafts}
    words = ("tasks", "import", "payments", "--from", "-")
    succeed(*words, cwd=repo.path, stdin=json.dumps(bundle).encode())
    words = ("task", "done", "payments", "payments-001", "--summary", "S", "--validation", "V")
    succeed(*words, cwd=repo.path)
    repo.git("branch", "one")
    repo.git("tag", "one-tag")
    repo.git("update-ref", "refs/remotes/origin/one", "HEAD")
    return repo


def answers(plan: GitRepo, *words: str) -> list[str]:
    run = zdev("__complete", *words, cwd=plan.path)
    assert (run.status, run.stderr) == (0, b"")
    return [line.partition("\t")[0] for line in run.text.splitlines()]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["are"], ["area"]),
        (["area", "cr"], ["create"]),
        (["tasks", "i"], ["import", "index"]),
        (["goal", ""], ["parsing", "payments"]),
        (["goal", "pay"], ["payments"]),
        (["verify", "admit", "payments", "--task", ""], ["payments-002"]),
        (["help", "err"], ["errors"]),
        (["--format", "json", "goal", "pay"], ["payments"]),
        (["goal", "--format", ""], ["text", "json"]),
        (["goal", "--format=j"], ["--format=json"]),
        (["goal", "--col"], ["--color"]),
        (["goal", "payments", "pay"], []),
        (["task", "done", "payments", ""], ["payments-002"]),
        (["task", "reopen", "payments", ""], ["payments-001"]),
        (["task", "show", "payments", ""], ["payments-001", "payments-002", "payments-003"]),
        (["work-context", "payments", "--task", ""], ["payments-002"]),
        (["work-context", "payments", "--task="], ["--task=payments-002"]),
        (["tasks", "import", "payments", "--from", "b"], [":files"]),
        (["area", "bind", "payments", ""], [":branches"]),
        (["config", "get", "project.t"], ["project.trunk"]),
        (["config", "set", "project.n"], []),
        (["task", "done", "nowhere", ""], []),
        (["task", "done", "payments", "payments-002", "--summary", ""], []),
        (["unheard-of", ""], []),
        (["goal", "--", "pay"], ["payments"]),
        (["help", "tu"], ["tutorial"]),
        (["help", "ne"], ["next"]),
        (["help", "area", ""], []),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["goal", "-"], ["--root", "--format", "--color", "--version", "--help"]),
        (["goal", "-h", "--"], ["--root", "--format", "--color", "--version"]),
        (["check", "--staged=", "pay"], ["payments"]),
        (["--format", ""], ["text", "json"]),
        (["--format="], ["--format=text", "--format=json"]),
        (["area", "--format", "j"], ["json"]),
        (["--color", "a"], ["auto", "always"]),
        (["--root", ""], [":files"]),
        (["--"], ["--root", "--format", "--color", "--version", "--help"]),
        (["--format", "json", "--"], ["--root", "--color", "--version", "--help"]),
        (["--format", "json", "area", "cr"], ["create"]),
        (["change", "inspect", "ma"], [":revisions"]),
        (["config", "set", "project.default_area", "pay"], ["payments"]),
        (["config", "set", "project.trunk", ""], [":branches"]),
        (["config", "set", "project.guidance", ""], []),
    ],
)
def test_answers(plan: GitRepo, words: list[str], expected: list[str]) -> None:
    assert answers(plan, *words) == expected


def test_answers_say_what_they_stand_for(plan: GitRepo) -> None:
    assert zdev("__complete", "goal", "pay", cwd=plan.path).text == "payments\tMoney: in and out\n"


def test_options_that_were_given_are_not_offered_again(plan: GitRepo) -> None:
    assert "--summary" in answers(plan, "task", "done", "payments", "payments-002", "--")
    given = answers(plan, "task", "done", "payments", "payments-002", "--summary", "S", "--")
    assert "--summary" not in given
    assert "--validation" in given


def test_snapshots_come_newest_first(plan: GitRepo) -> None:
    stored = []
    for content in ("a", "b"):
        (plan.path / "new").write_text(content)
        run = zdev("work-context", "payments", "--store", "--format", "json", cwd=plan.path)
        stored.append(json.loads(run.stdout)["snapshot"])
    os.utime(plan.path / f".git/zdev/work-context/payments/{stored[0]}.json", (1, 1))
    assert answers(plan, "work-context", "payments", "--show", "") == stored[::-1]


def test_records_that_cannot_be_read_give_no_answers_and_no_error(plan: GitRepo) -> None:
    (plan.path / ".zdev/parsing/area.toml").write_text("nonsense")
    assert answers(plan, "goal", "") == ["payments"]
    (plan.path / ".zdev/payments/tasks/002-the-second.md").write_text("nonsense")
    assert answers(plan, "task", "show", "payments", "") == []


@pytest.mark.parametrize(
    "words",
    [
        ("are",),
        ("goal", ""),
        ("goal", "--"),
        ("status", ""),
        ("next", "--"),
        ("work-context", "payments", "--task", ""),
        ("work-context", "payments", "--show", ""),
    ],
    ids=" ".join,
)
@pytest.mark.skipif(fast.OFF, reason="the full ways load what they need")
def test_what_a_completion_loads_costs_little(plan: GitRepo, words: tuple[str, ...]) -> None:
    succeed("work-context", "payments", "--store", cwd=plan.path)
    by_itself = modules_of("--version", cwd=plan.path)
    loaded = modules_of("__complete", *words, cwd=plan.path) - by_itself
    assert (
        loaded & {"argparse", "dataclasses", "jsonschema", "pygit2", "rich", "subprocess"} == set()
    )


@pytest.fixture
def shell(on_path: Path, tmp_path: Path) -> Path:
    """A folder with ``git-zdev``, first on PATH, and the scripts as the command prints them."""
    folder = on_path
    for name in ("bash", "zsh", "fish"):
        script = zdev("completion", name, cwd=tmp_path)
        (folder / f"git-zdev.{name}").write_bytes(script.stdout)
    (folder / "_git-zdev").write_bytes((folder / "git-zdev.zsh").read_bytes())
    return folder


LINES = [
    ("git zdev are", ["area"]),
    ("git zdev tasks i", ["import", "index"]),
    ("git zdev goal pay", ["payments"]),
    ("git zdev task done payments ", ["payments-002"]),
    ("git-zdev goal pay", ["payments"]),
    ("git zdev --format j", ["json"]),
    ("git zdev change inspect one", ["one", "one-tag"]),
    ("git zdev change inspect origin/o", ["origin/one"]),
    ("git zdev area bind payments one", ["one"]),
]


ALIASES = {
    "wc": "zdev work-context",
    "fin": "zdev task done payments",
    "shell": "!git zdev goal",
    "twice": "wc",
}
"""The user's aliases of Git; zsh's git completion does not follow the last two."""

ALIAS_LINES = [
    ("git wc pay", ["payments"]),
    ("git wc payments --task ", ["payments-002"]),
    ("git fin ", ["payments-002"]),
]


@pytest.fixture
def aliases(plan: GitRepo) -> GitRepo:
    """The plan of somebody who has aliases."""
    for name, meaning in ALIASES.items():
        plan.git("config", "--global", f"alias.{name}", meaning)
    return plan


def bash(shell: Path, plan: GitRepo, line: str, *, cwd: Path | None = None) -> list[str]:
    words = line.split(" ")
    script = f"""
        source {BASH_COMPLETION}
        source {GIT_BASH_COMPLETION}
        source {shell}/git-zdev.bash
        COMP_LINE=$1 COMP_POINT=${{#1}} COMP_TYPE=9 COMP_KEY=9
        shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        case $1 in git) __git_wrap__git_main ;; *) __git_zdev_alone ;; esac
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script, "bash", line, *words],
        cwd=cwd or plan.path,
        capture_output=True,
        check=True,
    )
    return [word.rstrip() for word in done.stdout.decode().split("\n") if word]


needs_bash = pytest.mark.skipif(
    not (BASH_COMPLETION.exists() and GIT_BASH_COMPLETION.exists()),
    reason="bash-completion is not installed",
)


@needs_bash
@pytest.mark.parametrize(("line", "expected"), LINES)
def test_bash(shell: Path, plan: GitRepo, line: str, expected: list[str]) -> None:
    assert bash(shell, plan, line) == expected


FURTHER_ALIAS_LINES = [
    ("git shell pay", ["payments"]),
    ("git twice pay", ["payments"]),
    ("git -C . wc pay", ["payments"]),
]


@needs_bash
@pytest.mark.parametrize(("line", "expected"), [*ALIAS_LINES, *FURTHER_ALIAS_LINES])
def test_bash_follows_aliases(
    shell: Path, aliases: GitRepo, line: str, expected: list[str]
) -> None:
    assert bash(shell, aliases, line) == expected


@needs_bash
def test_bash_follows_gits_own_options_and_completes_files(shell: Path, plan: GitRepo) -> None:
    outside = plan.path.parent
    assert bash(shell, plan, f"git -C {plan.path} zdev goal pay", cwd=outside) == ["payments"]
    (plan.path / "bundle.json").write_text("{}")
    line = "git zdev tasks import payments --from bun"
    assert bash(shell, plan, line) == ["bundle.json"]
    plan.git("branch", "topic/one")
    assert bash(shell, plan, "git zdev area bind payments to") == ["topic/one"]


@needs_bash
@pytest.mark.parametrize(
    ("line", "whole"),
    [
        ("git zdev wor", "git zdev work-context "),
        ("git zdev goal pay", "git zdev goal payments "),
        ("git zdev goal payments --fo", "git zdev goal payments --format "),
        ("git zdev goal --format=j", "git zdev goal --format=json "),
        ("git wc pay", "git wc payments "),
        ("git zdev tasks review x --from bun", "git zdev tasks review x --from bundle "),
        ("git zdev tasks review x --from fol", "git zdev tasks review x --from folder/"),
        ("git zdev area bind payments ma", "git zdev area bind payments main "),
        ("git zdev tasks i", "git zdev tasks i"),
        ("git-zdev wor", "git-zdev work-context "),
        ("git-zdev goal --format=j", "git-zdev goal --format=json "),
    ],
)
def test_bash_ends_a_word_that_is_certain(
    shell: Path, aliases: GitRepo, line: str, whole: str
) -> None:
    (aliases.path / "bundle").write_text("{}")
    (aliases.path / "folder").mkdir()
    assert f"<<{whole}>>" in at_a_bash_prompt(shell, aliases.path, line)


def fish(shell: Path, cwd: Path, line: str, *, more: str = "") -> list[str]:
    script = (
        "source $__fish_data_dir/completions/git.fish;"
        f"source {shell}/git-zdev.fish; {more} complete -C {line!r}"
    )
    done = subprocess.run(
        ["fish", "--no-config", "-c", script], cwd=cwd, capture_output=True, check=True
    )
    return [word.partition("\t")[0] for word in done.stdout.decode().splitlines()]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(("line", "expected"), LINES)
def test_fish(shell: Path, plan: GitRepo, line: str, expected: list[str]) -> None:
    assert fish(shell, plan.path, line) == expected


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(("line", "expected"), [*ALIAS_LINES, *FURTHER_ALIAS_LINES])
def test_fish_follows_aliases(
    shell: Path, aliases: GitRepo, line: str, expected: list[str]
) -> None:
    assert fish(shell, aliases.path, line) == expected


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_follows_gits_own_options(shell: Path, plan: GitRepo) -> None:
    outside = plan.path.parent
    assert fish(shell, outside, f"git -C {plan.path} zdev goal pay") == ["payments"]
    plan.git("branch", "topic/one")
    assert fish(shell, outside, f"git -C {plan.path} zdev area bind payments to") == ["topic/one"]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_asks_no_second_time_without_the_words_of_an_alias(
    shell: Path, aliases: GitRepo
) -> None:
    """Newer versions complete every git-* program like this; the words of an alias are lost."""
    generic = (
        'function __fish_git_complete_custom_command -a name; complete -C "git-$name "; end;'
        "complete -c git -f -a '(__fish_git_complete_custom_command zdev)';"
    )
    assert fish(shell, aliases.path, "git wc pay", more=generic) == ["payments"]


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
@pytest.mark.parametrize(("line", "expected"), ALIAS_LINES)
def test_zsh_follows_aliases(shell: Path, aliases: GitRepo, line: str, expected: list[str]) -> None:
    typed = line.rpartition(" ")[2]
    shown = at_a_zsh_prompt(shell, aliases.path, line)
    assert f"{line[: len(line) - len(typed)]}{expected[0]}" in shown


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
@pytest.mark.parametrize(("line", "expected"), [one for one in LINES if len(one[1]) == 1])
def test_zsh(shell: Path, plan: GitRepo, line: str, expected: list[str]) -> None:
    typed = line.rpartition(" ")[2]
    shown = at_a_zsh_prompt(shell, plan.path, line)
    assert f"{line[: len(line) - len(typed)]}{expected[0]}" in shown


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_follows_gits_own_options(shell: Path, plan: GitRepo) -> None:
    line = f"git -C {plan.path} zdev goal pay"
    assert f"{line}ments" in at_a_zsh_prompt(shell, plan.path.parent, line)


def at_a_zsh_prompt(shell: Path, cwd: Path, line: str) -> str:
    """Type a line and a tab at an interactive zsh; what it then has on the line, in << and >>."""
    show = 'show-line () { print -r -- "<<$BUFFER>>"; exit }; zle -N show-line'
    setup = f"fpath=({shell} $fpath); autoload -U compinit; compinit -u -D; {show}"
    words = ["zsh", "--no-rcs", "-i"]
    return _at_a_prompt(words, f"{setup}; bindkey '^X' show-line; print -r READY'!'", cwd, line)


def at_a_bash_prompt(shell: Path | None, cwd: Path, line: str) -> str:
    """Type a line and a tab at an interactive bash; what it then has on the line, in << and >>.

    Without a folder of scripts bash-completion has to find them.
    """
    show = "show_line () { printf '<<%s>>\\n' \"$READLINE_LINE\"; exit; }"
    script = f"source {shell}/git-zdev.bash; " if shell else ""
    setup = f"source {BASH_COMPLETION}; {script}{show}"
    words = ["bash", "--noprofile", "--norc", "-i"]
    return _at_a_prompt(words, f"{setup}; bind -x '\"\\C-x\": show_line'; echo READY'!'", cwd, line)


def _at_a_prompt(words: list[str], setup: str, cwd: Path, line: str) -> str:
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.environ["TERM"] = "dumb"
        os.execvp(words[0], words)
    try:
        _type(terminal, f"{setup}\n")
        _until(terminal, b"READY!")
        _type(terminal, f"{line}\t")
        _until(terminal, b"\0", patience=1.0)
        _type(terminal, "\x18")
        shown = _until(terminal, b">>").decode()
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)
    return shown


def _type(terminal: int, text: str) -> None:
    os.write(terminal, text.encode())


def _until(terminal: int, mark: bytes, patience: float = 20.0) -> bytes:
    """Read until ``mark`` is seen, or nothing has come for ``patience`` seconds."""
    seen = b""
    while mark not in seen and select.select([terminal], [], [], patience)[0]:
        try:
            seen += os.read(terminal, 4096)
        except OSError:
            break
    return seen


TOP = Path(__file__).parents[2]


@pytest.fixture
def installed(on_path: Path, plan: GitRepo, monkeypatch: pytest.MonkeyPatch) -> GitRepo:
    """The plan of somebody who installed as the README says; only ~/.local/bin has the program."""
    home = Path(os.environ["HOME"])
    (home / ".git-zdev/bin").mkdir(parents=True)
    (on_path / "git-zdev").rename(home / ".git-zdev/bin/git-zdev")
    setup = configparser.ConfigParser()
    setup.read(TOP / "setup.cfg")
    for folder, patterns in setup["options.data_files"].items():
        (home / ".git-zdev" / folder).mkdir(parents=True)
        for source in (one for pattern in patterns.split() for one in TOP.glob(pattern)):
            shutil.copy(source, home / ".git-zdev" / folder)
    (block,) = [
        one for one in markdown_blocks((TOP / "README.md").read_text(), "sh") if "/.local" in one
    ]
    first, *rest = block.splitlines()
    assert first == "python3 -m venv ~/.git-zdev && ~/.git-zdev/bin/pip install ."
    subprocess.run(["sh", "-ec", "\n".join(rest)], check=True)
    monkeypatch.setenv("PATH", f"{home}/.local/bin:{os.environ['PATH']}")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    return plan


@needs_bash
def test_bash_finds_what_was_installed(installed: GitRepo) -> None:
    assert "<<git zdev goal payments >>" in at_a_bash_prompt(
        None, installed.path, "git zdev goal pay"
    )


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize("by_hand", [False, True])
def test_a_fresh_fish_finds_what_was_installed(installed: GitRepo, *, by_hand: bool) -> None:
    """Also as `git zdev help completion` says it for other places."""
    if by_hand:
        home = Path(os.environ["HOME"])
        shutil.rmtree(home / ".local/share/fish")
        page = zdev("help", "completion", cwd=home).text
        (said,) = re.findall(r"^ +fish +(git zdev completion fish > .*)$", page, re.MULTILINE)
        (home / ".config/fish/conf.d").mkdir(parents=True)
        subprocess.run(["sh", "-ec", said], check=True)
    for line in ("git zdev goal pay", "git-zdev goal pay"):
        done = subprocess.run(
            ["fish", "-c", f"complete -C '{line}'"],
            cwd=installed.path,
            capture_output=True,
            check=True,
        )
        assert done.stdout.decode().splitlines() == ["payments\tMoney: in and out"]


@pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed")
def test_man_finds_what_was_installed(installed: GitRepo) -> None:
    done = subprocess.run(
        ["git", "help", "zdev-area"], cwd=installed.path, capture_output=True, check=True
    )
    assert b"git-zdev-area - " in done.stdout
