"""The full parser of a command's options: help, usage errors, and every way to write an option.

It is argparse, kept from printing, leaving and guessing. A plain line is read without it, by
:mod:`git_zdev.cli.plain_line`.
"""

from __future__ import annotations

import argparse

from git_zdev import __version__
from git_zdev.cli.options import ANSWERS, VERSION, Stop, declare
from git_zdev.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, NoReturn

    from git_zdev.cli.registry import Command

HELP_WIDTH = 80


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
    """Ends the parsing with a constant text, or an empty one where the help is asked for."""

    def __init__(self, **options: Any) -> None:
        super().__init__(nargs=0, **options)

    def __call__(self, *_: object) -> None:
        raise Stop(self.const)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help of a fixed width, which spares argparse the look at the terminal at each argument."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=HELP_WIDTH)


def parse(command: Command, module: ModuleType, arguments: list[str]) -> dict[str, Any]:
    """The values of a command's arguments and of the global options, by name.

    Raises:
        UsageError: The arguments do not fit.
        Stop: Help or the version is asked for.
    """
    parser = build(command, module)
    parser.usage = ""  # an unset one would be formatted at each parsing
    try:
        values = vars(parser.parse_intermixed_args(_literal_behind_dashes(arguments)))
    except Stop as stop:
        parser.usage = None
        # Only now: while it reads options, argparse hides the other arguments from the usage.
        raise Stop(stop.text or parser.format_help()) from None
    return {name: _plain(value) for name, value in values.items()}


def build(command: Command, module: ModuleType) -> Parser:
    """The parser of one command."""
    parser = Parser(
        prog=f"git zdev {command.words}",
        description=(module.__doc__ or command.summary).rstrip(),
        formatter_class=_Formatter,
    )
    group = declare(parser, module)
    for names, meaning in ANSWERS:
        text = f"git-zdev {__version__}\n" if VERSION in names else ""
        group.add_argument(*names, action=_Answer, dest=argparse.SUPPRESS, const=text, help=meaning)
    return parser


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


def _sentence(message: str) -> str:
    """The message of argparse without its full stop or a line end, which a remedy follows."""
    return " ".join(message.split()).rstrip(".")
