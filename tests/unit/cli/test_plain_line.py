"""Where a plain line is read without argparse, argparse reads the same."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_zdev.cli import options, parser, registry
from git_zdev.cli.plain_line import PlainLine
from git_zdev.ground.errors import UsageError

if TYPE_CHECKING:
    from argparse import Action

    from git_zdev.cli.registry import Command

ODD = [
    "",
    "-",
    "--",
    "-x",
    "--nothing",
    "-1",
    "a b",
    "=",
    "--format",
    "--format=json",
    "--col",
    "é",
]


def plain(command: Command, words: list[str]) -> dict[str, Any] | None:
    line = PlainLine()
    options.declare(line, importlib.import_module(f"git_zdev.commands.{command.module}"))
    return line.read(words)


def full(command: Command, words: list[str]) -> dict[str, Any] | str:
    module = importlib.import_module(f"git_zdev.commands.{command.module}")
    try:
        return parser.parse(command, module, words)
    except UsageError as error:
        return str(error)
    except options.Stop as stop:
        return stop.text


def pieces(action: Action) -> list[list[str]]:
    """Ways to write an option or an argument, right and wrong."""
    values = [*(action.choices or ()), "value", "-"]
    if not action.option_strings:
        return [[str(value)] for value in values]
    name = action.option_strings[0]
    if action.nargs == 0:
        return [[name], [f"{name}=x"]]
    return [[name, *([value] if value else [])] for value in (*values, "")] + [
        [f"{name}={value}"] for value in (*values, "")
    ]


def lines(command: Command) -> st.SearchStrategy[list[str]]:
    module = importlib.import_module(f"git_zdev.commands.{command.module}")
    known = [piece for one in parser.build(command, module)._actions for piece in pieces(one)]
    parts = st.lists(st.one_of(st.sampled_from(known), st.sampled_from([[one] for one in ODD])))
    return parts.map(lambda some: [word for part in some for word in part])


@pytest.mark.parametrize("command", registry.COMMANDS, ids=lambda command: command.words)
def test_no_answer_differs_from_argparses(command: Command) -> None:
    @given(lines(command))
    def agree(words: list[str]) -> None:
        read = plain(command, words)
        assert read is None or read == full(command, words)

    agree()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("check", ["--staged"]),
        ("goal", ["payments", "--format", "json"]),
        ("goal", ["--format=json", "payments"]),
        ("next", ["--any"]),
        ("commit", ["-m", "Subject", "--body", "One", "--body=Two"]),
        ("tasks import", ["payments", "--from", "-", "--approval", "R1"]),
        ("work-context", ["payments", "--compare", "W1", "--exit-code"]),
    ],
)
def test_plain_lines_are_read(name: str, words: list[str]) -> None:
    found = registry.find(name.split())
    assert found is not None
    assert plain(found[0], words) == full(found[0], words)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["a", "b"],
        ["a", "-h"],
        ["a", "--format"],
        ["a", "--format=xml"],
        ["--", "a"],
        ["a", "--x"],
    ],
)
def test_all_else_is_left_to_argparse(words: list[str]) -> None:
    found = registry.find(["goal"])
    assert found is not None
    assert plain(found[0], words) is None
