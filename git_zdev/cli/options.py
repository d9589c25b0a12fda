"""Command lines: which command they name, the global options, and the values of all options."""

from __future__ import annotations

from git_zdev.cli import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType
    from typing import Any

    from git_zdev.cli.registry import Command

FORMATS = ("text", "json")
"""What ``--format`` takes; a command's module may name others in its own ``FORMATS``."""
COLORS = ("auto", "always", "never")
GLOBAL_WITH_VALUE = ("--root", "--format", "--color")
GLOBAL_WITH_EQUALS = tuple(f"{name}=" for name in GLOBAL_WITH_VALUE)
HELP = ("-h", "--help")
VERSION = "--version"
ANSWERS = (((VERSION,), "print the version"), (HELP, "print this help"))
"""Options that end the reading of a line, and what the help says of them."""


class Stop(Exception):
    """The command line asks for nothing but a text on standard output."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


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
    words, positions = [], []
    for position, word in without_globals(argv):
        if word.startswith("-"):
            break
        words.append(word)
        positions.append(position)
    return words, positions


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
    from git_zdev.cli.plain_line import PlainLine

    line = PlainLine()
    declare(line, module)
    values = line.read(arguments)
    if values is None:
        from git_zdev.cli import parser

        values = parser.parse(command, module, arguments)
    return values


def declare(parser: Any, module: ModuleType) -> Any:
    """Declare a command's arguments and the global options; the group of the latter.

    Args:
        parser: An ``argparse.ArgumentParser``, or what takes declarations as it does.
        module: The command's module.
    """
    module.configure(parser)
    return declare_globals(parser, getattr(module, "FORMATS", FORMATS))


def declare_globals(parser: Any, formats: tuple[str, ...] = FORMATS) -> Any:
    """Declare the global options alone; their group."""
    group = parser.add_argument_group("global options")
    group.add_argument("--root", metavar="PATH", help="repository root instead of discovery")
    group.add_argument("--format", choices=formats, default="text", help="form of the output")
    group.add_argument("--color", choices=COLORS, default="auto", help="when to use colour")
    return group


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
