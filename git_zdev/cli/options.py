"""Command-line options: the global ones, and one argparse parser for the command that runs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NoReturn

from git_zdev.errors import UsageError

if TYPE_CHECKING:
    from types import ModuleType

    from git_zdev.cli.registry import Command

FORMATS = ("text", "json")
COLORS = ("auto", "always", "never")
GLOBAL_WITH_VALUE = ("--root", "--format", "--color")


class Parser(argparse.ArgumentParser):
    """argparse that reports through the program's own errors and never guesses an option."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Raise a usage error instead of printing and leaving."""
        raise UsageError(message, f"See `{self.prog} -h`")


def command_words(argv: list[str]) -> tuple[list[str], list[int]]:
    """The leading words of ``argv`` that are no options, and their positions.

    Stops at the first option that is not a global one: from there on the command's own parser
    decides what is a value.
    """
    words: list[str] = []
    positions: list[int] = []
    index = 0
    while index < len(argv):
        word = argv[index]
        if word in GLOBAL_WITH_VALUE:
            index += 2
            continue
        if word.startswith(tuple(f"{name}=" for name in GLOBAL_WITH_VALUE)):
            index += 1
            continue
        if word.startswith("-"):
            break
        words.append(word)
        positions.append(index)
        index += 1
    return words, positions


def global_parser() -> argparse.ArgumentParser:
    """The options that every command takes, for use as a parent parser."""
    parser = argparse.ArgumentParser(add_help=False)
    group = parser.add_argument_group("global options")
    group.add_argument("--root", metavar="PATH", help="repository root instead of discovery")
    group.add_argument("--format", choices=FORMATS, default="text", help="form of the output")
    group.add_argument("--color", choices=COLORS, default="auto", help="when to use colour")
    return parser


def build(command: Command, module: ModuleType) -> Parser:
    """The parser of one command."""
    parser = Parser(
        prog=f"git zdev {command.words}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[global_parser()],
    )
    module.configure(parser)
    return parser
