"""Command-line options: the global ones, and one argparse parser for the command that runs."""

from __future__ import annotations

import argparse
import itertools
from typing import TYPE_CHECKING, Any, NoReturn

from git_zdev import __version__
from git_zdev.cli import registry
from git_zdev.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from git_zdev.cli.registry import Command

FORMATS = ("text", "json")
"""What ``--format`` takes; a command's module may name others in its own ``FORMATS``."""
COLORS = ("auto", "always", "never")
GLOBAL_WITH_VALUE = ("--root", "--format", "--color")
GLOBAL_WITH_EQUALS = tuple(f"{name}=" for name in GLOBAL_WITH_VALUE)
HELP = ("-h", "--help")
VERSION = "--version"
HELP_WIDTH = 80


class Stop(Exception):
    """The command line asks for nothing but a text on standard output."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class Parser(argparse.ArgumentParser):
    """argparse that never prints, leaves or guesses an option."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, add_help=False, **options)

    def error(self, message: str) -> NoReturn:
        """Raise a usage error instead of printing and leaving."""
        raise UsageError(_sentence(message), f"See `{self.prog} -h`")

    def _parse_optional(self, arg_string: str) -> Any:
        """Argparse's question whether a word is an option; None says no.

        ``parse_intermixed_args`` reads the words twice and forgets a ``--`` in between, so the
        words behind it carry that knowledge themselves.
        """
        return None if isinstance(arg_string, _Literal) else super()._parse_optional(arg_string)


class _Literal(str):
    """A word behind ``--``, which is never an option."""

    __slots__ = ()


class _Answer(argparse.Action):
    """Ends the parsing with a text: the help, or a constant."""

    def __init__(self, **options: Any) -> None:
        super().__init__(nargs=0, **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        parser.usage = None
        raise Stop(self.const or parser.format_help())


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help of a fixed width, which spares argparse the look at the terminal at each argument."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=HELP_WIDTH)


def without_globals(argv: list[str]) -> Iterator[tuple[int, str]]:
    """The words of ``argv`` that belong to no global option, with their positions."""
    index = 0
    while index < len(argv):
        word = argv[index]
        if word in GLOBAL_WITH_VALUE:
            index += 1
        elif not word.startswith(GLOBAL_WITH_EQUALS):
            yield index, word
        index += 1


def command_words(argv: list[str]) -> tuple[list[str], list[int]]:
    """The leading words of ``argv`` that are no options, and their positions.

    Stops at the first option that is not a global one: from there on the command's own parser
    decides what is a value.
    """
    leading = list(itertools.takewhile(lambda item: item[1][:1] != "-", without_globals(argv)))
    return [word for _, word in leading], [index for index, _ in leading]


def split(argv: list[str]) -> tuple[Command | None, list[str]]:
    """The command that ``argv`` names, and its arguments: ``argv`` without the command's words."""
    words, positions = command_words(argv)
    found = registry.find(words)
    if found is None:
        return None, argv
    command, count = found
    taken = set(positions[:count])
    return command, [word for index, word in enumerate(argv) if index not in taken]


def parse(command: Command, module: ModuleType, arguments: list[str]) -> dict[str, Any]:
    """The values of a command's arguments and of the global options, by name.

    Raises:
        UsageError: The arguments do not fit.
        Stop: Help or the version is asked for.
    """
    parser = build(command, module)
    parser.usage = ""  # an unset one would be formatted at each parsing
    values = vars(parser.parse_intermixed_args(_literal_behind_dashes(arguments)))
    return {name: _plain(value) for name, value in values.items()}


def _literal_behind_dashes(arguments: list[str]) -> list[str]:
    if "--" not in arguments:
        return arguments
    at = arguments.index("--")
    return [*arguments[:at], *map(_Literal, arguments[at + 1 :])]


def _plain(value: Any) -> Any:
    """A value with ordinary strings."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, _Literal) else value


def build(command: Command, module: ModuleType) -> Parser:
    """The parser of one command."""
    parser = Parser(
        prog=f"git zdev {command.words}",
        description=(module.__doc__ or command.summary).rstrip(),
        formatter_class=_Formatter,
    )
    module.configure(parser)
    group = parser.add_argument_group("global options")
    group.add_argument("--root", metavar="PATH", help="repository root instead of discovery")
    formats = getattr(module, "FORMATS", FORMATS)
    group.add_argument("--format", choices=formats, default="text", help="form of the output")
    group.add_argument("--color", choices=COLORS, default="auto", help="when to use colour")
    group.add_argument(
        VERSION,
        action=_Answer,
        dest=argparse.SUPPRESS,
        const=f"git-zdev {__version__}\n",
        help="print the version",
    )
    group.add_argument(*HELP, action=_Answer, dest=argparse.SUPPRESS, help="print this help")
    return parser


def asked_for(argv: list[str]) -> str | None:
    """``help``, ``version`` or None: what a line without a command asks for, first one first."""
    for word in argv:
        if word == "--":
            break
        if word in HELP:
            return "help"
        if word == VERSION:
            return "version"
    return None


def wanted(argv: list[str], option: str, choices: tuple[str, ...]) -> str:
    """The value of a global option, known even where the command line cannot be parsed.

    The first choice stands for everything that is not one of them.
    """
    value = ""
    for index, word in enumerate(argv):
        if word == "--":
            break
        if word.startswith(f"{option}="):
            value = word.removeprefix(f"{option}=")
        elif word == option:
            value = "".join(argv[index + 1 : index + 2])
    return value if value in choices else choices[0]


def _sentence(message: str) -> str:
    """The message of argparse without its full stop or a line end, which a remedy follows."""
    return " ".join(message.split()).rstrip(".")
