"""The manual and the program say the same."""

from __future__ import annotations

import ast
import importlib
import itertools
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import git_zdev
from git_zdev.cli import options, registry
from git_zdev.commands.shared.arguments import flat
from git_zdev.screen import manual, plain, roff
from git_zdev.screen.result import Line
from tests.support import cli as documents
from tests.support.cli import refused, result, succeed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from git_zdev.cli.registry import Command

PACKAGE = Path(git_zdev.__file__).parent
GLOBAL = {"--root", "--format", "--color", "--version", "-h", "--help"}
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")
every_command = pytest.mark.parametrize("command", registry.COMMANDS, ids=lambda one: one.words)
every_page = pytest.mark.parametrize("page", manual.pages())


def page_of_command(words: str) -> str:
    """The name of the page that explains a command, given its words."""
    for count in (2, 1):
        group = " ".join(words.split()[:count])
        if group in manual._PAGE_OF:
            return f"{manual.PREFIX}-{manual._PAGE_OF[group]}"
    return f"{manual.PREFIX}-{words.split(maxsplit=1)[0]}"


def sections(page: str) -> dict[tuple[str, str], list[str]]:
    """The text lines of a page by heading and sub-heading, one line a paragraph or label."""
    found: dict[tuple[str, str], list[str]] = {}
    place = ("", "")
    for block in roff.render(manual.read(page), 10_000):
        assert isinstance(block, Line)
        shown = plain.render([block]).rstrip("\n")
        indent = len(shown) - len(shown.lstrip())
        if shown and indent == 0:
            place = (shown, "")
        elif shown and indent == 3:
            place = (place[0], shown.strip())
        else:
            found.setdefault(place, []).append(shown)
    return found


def labels(page: str, heading: str, below: str = "") -> list[str]:
    """The labels of the lists in a section."""
    source = manual.read(page)
    part = "\n" + source.partition(f"\n.SH {heading}\n")[2].partition("\n.SH ")[0]
    if below:
        escaped = below.replace("-", "\\-")
        part = part.partition(f"\n.SS {escaped}\n")[2].partition("\n.SS ")[0]
    found = re.findall(r"^\.TP\n(.*)$", part, re.MULTILINE)
    return [plain.render(roff.render(f"{label}\n", 10_000)).strip() for label in found]


def own_options(command: Command) -> set[str]:
    """The option strings of a command, without those of every command."""
    return {name for one in flat(command.load().ARGUMENTS) for name in one.names}


def synopsis(command: Command) -> str:
    lines = sections(page_of_command(command.words))["SYNOPSIS", ""]
    start = f"git zdev {command.words}"
    return "\n".join(
        line.strip()
        for line in lines
        if line.strip() == start or line.strip().startswith((f"{start} ", f"{start}\n"))
    )


@every_command
def test_every_command_has_its_part_of_a_page(command: Command) -> None:
    assert manual.find(command.words) == page_of_command(command.words)
    homes = [page for page in manual.pages() if ("COMMANDS", command.words) in sections(page)]
    assert homes == [page_of_command(command.words)]
    text = " ".join(sections(homes[0])["COMMANDS", command.words])
    assert text.strip()
    assert synopsis(command)


@every_command
def test_every_option_is_explained_and_every_explained_one_exists(command: Command) -> None:
    page = page_of_command(command.words)
    known = own_options(command)
    assert set(OPTION.findall(synopsis(command))) - GLOBAL == known - {"--message"}
    text = " ".join(sections(page)["COMMANDS", command.words])
    assert known <= set(OPTION.findall(text))
    labelled = {
        option
        for label in labels(page, "COMMANDS", command.words)
        if label.startswith("-")
        for option in OPTION.findall(label)
    }
    assert labelled - GLOBAL <= known


def test_the_first_page_lists_every_command_in_its_group() -> None:
    for group in dict.fromkeys(command.group for command in registry.COMMANDS):
        lines = [line.strip() for line in sections("git-zdev")["COMMANDS", group]]
        text = " ".join(" ".join(lines).split())
        expected = [command for command in registry.COMMANDS if command.group == group]
        assert labels("git-zdev", "COMMANDS", group) == [command.words for command in expected]
        for command in expected:
            assert f"{command.words} {command.summary}" in text
            assert page_of_command(command.words) in text


def test_every_page_has_the_other_name_that_git_help_looks_for() -> None:
    """Git puts only ``git`` before a word that is not a command of its own, such as zdev-area."""
    stubs = {path.name: path for path in Path(manual.folder()).glob("man?/gitzdev*")}
    for page, path in manual.pages().items():
        if page != "git-zdev":
            stub = stubs.pop(f"git{page.removeprefix('git-')}{Path(path).suffix}")
            assert stub.read_text() == f".so {Path(path).parent.name}/{Path(path).name}\n"
    assert stubs == {}


def test_every_page_is_for_something() -> None:
    commands = {page_of_command(command.words) for command in registry.COMMANDS}
    others = {"git-zdev", "git-zdev-format", "git-zdev-errors", "git-zdev-handoff"}
    assert set(manual.pages()) == commands | others | {"git-zdevtutorial"}


@every_page
def test_references_lead_somewhere(page: str) -> None:
    source = manual.read(page)
    name, section = roff.title(source)
    assert (name.lower(), f"man{section}") == (page, Path(manual.pages()[page]).parent.name)
    flat = " ".join(line for part in sections(page).values() for line in part)
    known = {(name, Path(path).suffix[1:]) for name, path in manual.pages().items()}
    found = set(re.findall(r"\b(git-zdev[a-z-]*)\((\d)\)", flat))
    assert found <= known
    assert found


@every_page
def test_examples_are_command_lines(page: str) -> None:
    for step in documents.steps(documents.page_blocks(manual.read(page))):
        words = shlex.split(step.command.replace("\\\n", " "))
        if words[:2] != ["git", "zdev"]:
            continue
        plain_words = list(itertools.takewhile(lambda word: word[:1] not in "<>|", words[2:]))
        command, arguments = options.split(plain_words)
        assert command is not None, step.command
        module = importlib.import_module(f"git_zdev.commands.{command.module}")
        options.parse(command, module, arguments)


@every_page
def test_examples_fit_a_terminal(page: str) -> None:
    """No line of what is shown literally is folded by a terminal of 80 columns."""
    lines = plain.render(roff.render(manual.read(page), roff.width_in(80))).splitlines()
    assert [line for line in lines if len(line) > 80] == []


@every_page
def test_pages_can_be_read_in_every_locale(page: str) -> None:
    assert manual.read(page).isascii()


# What looks like an error code in the source and is none.
OTHER_WORDS = {
    *("git-lfs", "filter-process"),  # Git LFS's commands
    *("verifier-reply", "implementer-reply", "audit-reply", "review-metadata"),  # schemas
    *("a-z", "advanced-implementer", "assume-unchanged", "change-id", "cherry-pick", "commit-msg"),
    *("commit-index", "common-dir", "derived-proposal", "derived-reviews", "diff-index"),
    *("former-index", "git-config", "git-core", "git-dir", "git-zdev", "git-zdevtutorial"),
    *("head-name", "latin-1", "multi-pack-index", "needs-review", "noop-v1", "orig-head"),
    *(
        "packed-refs",
        "post-commit",
        "post-index-change",
        "pre-auto-gc",
        "prepare-commit-msg",
        "reference-transaction",
        "set-aside",
        "plan-root",
        "pre-commit",
        "pull-request",
        "read-tree",
        "rebase-apply",
        "rebase-merge",
    ),
    *(
        "rev-parse",
        "rolled-back",
        "skip-worktree",
        "symbolic-ref",
        "update-index",
        "update-ref",
        "utf-16",
    ),
    *("utf-8", "work-context", "working-tree-encoding", "write-tree"),
}
CODES_OF_ONE_WORD = {"usage", "interrupted"}
COMPOSED = {"task-not-": {"task-not-open", "task-not-done"}, "invalid-": set[str]()}
"""Codes that the source puts together: their beginning and what they can be."""


def strings() -> Iterator[str]:
    """Every string in the program's source, and the beginning of every composed one."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def codes() -> set[str]:
    found = set(strings())
    shaped = {word for word in found if re.fullmatch(r"[a-z]+(-[a-z0-9]+)+", word)}
    composed = {code for start, ends in COMPOSED.items() if start in found for code in ends}
    return shaped - OTHER_WORDS | (CODES_OF_ONE_WORD & found) | composed


def test_every_error_code_is_explained_once() -> None:
    headings = [place[0] for place in sections("git-zdev-errors")]
    listed = [
        code
        for heading in dict.fromkeys(headings)
        for label in labels("git-zdev-errors", heading)
        for code in label.split(", ")
    ]
    assert sorted(listed) == sorted(set(listed))
    assert set(listed) == codes()


def test_every_setting_is_explained() -> None:
    names = r"zdev\.(?:[a-z]+[A-Z]\w*|evidence)|(?:color|pager)\.(?:zdev|ui|pager)|core\.pager"
    found = {word for word in strings() if re.fullmatch(names, word)}
    listed = labels("git-zdev", "CONFIGURATION")
    assert {name for label in listed for name in label.split(", ")} == found


def test_every_variable_is_explained() -> None:
    inner = {
        "GIT_EDITOR",  # set for a rebase that goes on
        "GIT_IMPLICIT_WORK_TREE",  # between Git's own processes
        "ZDEV_FULL",  # for tests: without the fast ways
        "ZDEV_CONFIG_PARAMETERS",  # between a commit of ours and the scripts that run its hooks
        "GIT_TEST_ASSUME_DIFFERENT_OWNER",
    }
    names = r"(?:GIT|ZDEV)_[A-Z_]+|NO_COLOR|CLICOLOR\w*|(?:XDG_CONFIG_)?HOME|TERM|PAGER|LESS|LV"
    names += r"|COLUMNS|LC_[A-Z]+|LANG|CI|MANWIDTH"
    found = {word for word in strings() if re.fullmatch(names, word)} - inner
    explained = {
        name.removesuffix("n")  # the number in GIT_CONFIG_KEY_<n>
        for label in labels("git-zdev", "ENVIRONMENT")
        for name in label.split(", ")
    }
    assert explained == found


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ((), "git-zdev"),
        (("area", "create"), "git-zdev-area"),
        (("area",), "git-zdev-area"),
        (("tasks", "derive", "apply"), "git-zdev-derive"),
        (("tasks", "import"), "git-zdev-tasks"),
        (("check",), "git-zdev-status"),
        (("errors",), "git-zdev-errors"),
        (("tutorial",), "git-zdevtutorial"),
        (("git-zdev-format",), "git-zdev-format"),
        (("zdev",), "git-zdev"),
        (("git-zdev",), "git-zdev"),
        (("zdev-area",), "git-zdev-area"),
        (("zdevtutorial",), "git-zdevtutorial"),
        (("next",), "git-zdev-status"),
        (("git", "zdev", "next"), "git-zdev-status"),
        (("zdev-change-inspect",), "git-zdev-commit"),
        (("git-zdev-tasks-derive-review",), "git-zdev-derive"),
    ],
)
def test_help_finds_the_page(words: tuple[str, ...], page: str, tmp_path: Path) -> None:
    shown = result("help", *words, cwd=tmp_path)
    assert (shown["page"], f"man{shown['section']}") == (
        page,
        Path(manual.pages()[page]).parent.name,
    )
    text = succeed("help", *words, cwd=tmp_path).text
    assert text == shown["text"]
    assert text.startswith("NAME\n       git-zdev")


def test_help_names_the_pages_there_are(tmp_path: Path) -> None:
    error = refused("unknown-page", "help", "nonsense", cwd=tmp_path)
    _, _, listed = error["error"].removesuffix(".").partition("Its pages are ")
    named = {result("help", name, cwd=tmp_path)["page"] for name in listed.split(", ")}
    assert named == set(manual.pages())
    assert {"tutorial", "errors", "area"} <= set(listed.split(", "))


@pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed")
@pytest.mark.parametrize(
    ("words", "start"),
    [
        (["zdev"], "git-zdev - "),
        (["zdev-area"], "git-zdev-area - "),
        (["zdev-errors"], "git-zdev-errors - "),
        (["zdevtutorial"], "git-zdevtutorial - "),
    ],
)
def test_git_help_opens_the_pages(
    words: list[str], start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """man looks in share/man beside the folder bin of PATH that pip put the program into."""
    folder = tmp_path / "prefix/bin"
    folder.mkdir(parents=True)
    program = folder / "git-zdev"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    (tmp_path / "prefix/share").mkdir()
    shutil.copytree(manual.folder(), tmp_path / "prefix/share/man")
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.delenv("MANPATH", raising=False)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    done = subprocess.run(
        ["git", "-c", "core.pager=cat", "help", "-m", *words],
        capture_output=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PAGER": "cat", "MANPAGER": "cat"},
    )
    assert start in " ".join(done.stdout.decode().split())
