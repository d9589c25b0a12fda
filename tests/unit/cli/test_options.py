"""What a command takes is a table; the reader of lines does with it what argparse would do."""

from __future__ import annotations

import argparse
import inspect
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_zdev.cli import completion, options, registry
from git_zdev.commands.shared.arguments import OneOf, argument, flag, flat, one_of, option
from git_zdev.ground.errors import UsageError

if TYPE_CHECKING:
    from git_zdev.cli.registry import Command
    from git_zdev.commands.shared.arguments import Argument

every_command = pytest.mark.parametrize("command", registry.COMMANDS, ids=lambda one: one.words)

ODD = ["", "-", "-x", "--nothing", "-1", "a b", "- a", "=", "--format", "--format=json", "--col"]
"""Words that fit nowhere or look like something else."""
FEW = "too few arguments; expected"


class Strict(argparse.ArgumentParser):
    """The standard reader, which raises where it would leave."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def add(parser: Any, one: Argument) -> None:
    """Declare an argument to the standard reader."""
    traits: dict[str, Any] = {"dest": one.name} if one.names else {}
    if one.names and not one.metavar:
        parser.add_argument(*one.names, action="store_true", **traits)
        return
    if one.choices:
        traits["choices"] = one.choices
    if one.names:
        traits |= {"required": one.required, "default": one.default}
        traits |= {"action": "append", "default": []} if one.repeatable else {}
    elif one.count != "1":
        traits["nargs"] = one.count
    parser.add_argument(*(one.names or [one.name]), **traits)


def standard(command: Command, words: list[str]) -> dict[str, Any] | None:
    """The values that argparse finds; None where it refuses."""
    parser = Strict(allow_abbrev=False, add_help=False)
    module = command.load()
    for entry in (*module.ARGUMENTS, *options.global_options(module)):
        if isinstance(entry, OneOf):
            group = parser.add_mutually_exclusive_group(required=entry.required)
            for one in entry.members:
                add(group, one)
        else:
            add(parser, entry)
    try:
        return vars(parser.parse_intermixed_args(words))
    except UsageError:
        return None


def read(command: Command, words: list[str]) -> dict[str, Any] | None:
    """The values that our reader finds; None where it refuses."""
    try:
        return options.parse(command, command.load(), words)
    except UsageError:
        return None


def pieces(one: Argument) -> list[list[str]]:
    """Ways to write an option or an argument, right and wrong."""
    values = [*one.choices, "value", "-"]
    if not one.names:
        return [[value] for value in values]
    if not one.metavar:
        return [[name] for name in one.names] + [[f"{one.names[-1]}=x"]]
    return [
        way
        for name in one.names
        for value in (*values, "")
        for way in ([name, *([value] if value else [])], [f"{name}={value}"])
    ]


def lines(command: Command) -> st.SearchStrategy[list[str]]:
    module = command.load()
    table = (*module.ARGUMENTS, *options.global_options(module))
    known = [piece for one in flat(table) for piece in pieces(one)]
    parts = st.lists(st.one_of(st.sampled_from(known), st.sampled_from([[one] for one in ODD])))
    return parts.map(lambda some: [word for part in some for word in part])


@every_command
def test_no_answer_differs_from_argparses(command: Command) -> None:
    @given(lines(command))
    def agree(words: list[str]) -> None:
        assert read(command, words) == standard(command, words)

    agree()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("check", ["--staged"]),
        ("goal", ["payments", "--format", "json"]),
        ("goal", ["--format=json", "payments"]),
        ("next", ["--any"]),
        ("commit", ["-m", "Subject", "--body", "One", "--body=Two"]),
        ("commit", ["-mSubject"]),
        ("commit", ["-m=Subject", "--body", "- one - two"]),
        ("tasks import", ["payments", "--from", "-", "--approval", "R1"]),
        ("work-context", ["payments", "--compare", "W1", "--exit-code"]),
        ("context remove", ["payments", "W1", "--root", "x", "W2"]),
        ("help", []),
    ],
)
def test_plain_lines_are_read(name: str, words: list[str]) -> None:
    found = registry.find(name.split())
    assert found is not None
    assert read(found[0], words) == standard(found[0], words) is not None


@pytest.mark.parametrize(
    ("name", "words", "message"),
    [
        ("goal", [], f"{FEW} `git zdev goal AREA`"),
        ("goal", ["a", "b"], "too many arguments: `b`"),
        ("goal", ["a", "-"], "too many arguments: `-`"),
        ("goal", ["a", "--", "-b"], "too many arguments: `-b`"),
        ("goal", ["a", "-b c"], "there is no option `-b c`"),
        ("goal", ["a", "--x", "b"], "there is no option `--x`"),
        ("goal", ["a", "--format"], "--format needs a value"),
        ("goal", ["a", "--format", "--root=x"], "--format needs a value"),
        ("goal", ["a", "--format=xml"], '--format takes text|json, not "xml"'),
        ("goal", ["a", "-hx"], "-h/--help takes no value"),
        ("tasks list", ["a", "-zz", "-zx"], "-z takes no value"),
        ("commit", ["-m"], "-m/--message needs a value"),
        ("verify envelope", ["worker", "--from=-"], 'KIND takes implementer|audit, not "worker"'),
        ("tasks review", ["a", "--show", "--from=-"], "--from and --show exclude each other"),
        (
            "area create",
            ["--title=T", "--objective=O"],
            f"{FEW} `git zdev area create TAG --title TEXT --objective TEXT`",
        ),
        (
            "tasks import",
            ["a"],
            f"{FEW} `git zdev tasks import AREA (--from FILE | --reviewed REVIEW)`",
        ),
    ],
)
def test_what_is_wrong_is_said(name: str, words: list[str], message: str) -> None:
    found = registry.find(name.split())
    assert found is not None
    with pytest.raises(UsageError) as caught:
        options.parse(found[0], found[0].load(), words)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["-h"], "help"),
        (["a", "b", "c", "--help"], "help"),
        (["--wrong", "--version", "-h"], "version"),
        (["a", "-zh"], "help"),
    ],
)
def test_help_comes_before_what_is_missing_or_surplus(words: list[str], asked: str) -> None:
    found = registry.find(["tasks", "list"])
    assert found is not None
    with pytest.raises(options.Asked) as caught:
        options.parse(found[0], found[0].load(), words)
    assert caught.value.what == asked


def test_two_dashes_end_the_options_once() -> None:
    found = registry.find(["help"])
    assert found is not None
    words = ["--", "-h", "--", "--format=json"]
    assert options.parse(found[0], found[0].load(), words)["words"] == words[1:]


def test_values_do_not_share_a_list() -> None:
    found = registry.find(["commit"])
    assert found is not None
    first, second = (options.parse(found[0], found[0].load(), ["-mx"]) for _ in range(2))
    assert first["paragraphs"] == second["paragraphs"] == []
    assert first["paragraphs"] is not second["paragraphs"]


@every_command
def test_the_table_is_what_run_takes(command: Command) -> None:
    module = command.load()
    taken = [one.name for one in flat(module.ARGUMENTS)]
    _, *parameters = inspect.signature(module.run).parameters.values()
    assert taken == [one.name for one in parameters]
    assert {one.kind for one in parameters} <= {inspect.Parameter.KEYWORD_ONLY}


@every_command
def test_every_argument_can_be_read_explained_and_completed(command: Command) -> None:
    module = command.load()
    table = (*module.ARGUMENTS, *options.global_options(module), options.VERSION, options.HELP)
    every = list(flat(table))
    spellings = [name for one in every for name in one.names]
    assert len(set(spellings)) == len(spellings)
    for one in every:
        assert one.meaning
        assert not one.meaning.endswith(".")
        assert one.completer in {"", *completion.COMPLETERS} or one.completer.startswith(":")
    positional = [one for one in every if not one.names]
    assert all(one.count == "1" for one in positional[:-1])


def test_the_makers_of_a_table_say_what_it_holds() -> None:
    task = argument("TASK", "the task", count="+")
    message = option("-m, --message", "TEXT", "the text", required=True)
    state = option("--state", "", "the state", choices=("a", "b"))
    dry = flag("--dry-run", "nothing")
    shown = [(one.name, one.spelling, one.usage) for one in (task, message, state, dry)]
    assert shown == [
        ("task", "TASK", "TASK"),
        ("message", "-m/--message", "-m TEXT"),
        ("state", "--state", "--state a|b"),
        ("dry_run", "--dry-run", "--dry-run"),
    ]
    assert list(flat([task, one_of(message, dry), state])) == [task, message, dry, state]
    assert [task.value(None), message.value(None), dry.value(None)] == [[], None, False]
    assert [task.value(["a"]), message.value(["a", "b"]), dry.value([""])] == [["a"], "b", True]
