"""The full parser of a command's options: help, usage errors, and every way to write an option.

It is argparse, kept from printing, leaving and guessing. A plain line is read without it, by
:mod:`git_zdev.cli.plain_line`.
"""

from __future__ import annotations

import argparse
import re

from git_zdev import __version__
from git_zdev.cli.options import ANSWERS, VERSION, Stop, declare
from git_zdev.ground.errors import UsageError
from git_zdev.ground.text import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, NoReturn

    from git_zdev.cli.registry import Command

HELP_WIDTH = 80

_IN_OUR_WORDS = (
    (r"argument (\S+): expected .*", r"\1 needs a value"),
    (r"argument (\S+): ignored explicit argument .*", r"\1 takes no value"),
    (r"argument (\S+): not allowed with argument (\S+)", r"\1 and \2 exclude each other"),
)
"""What argparse says, and what a person is told instead."""

_TOO_FEW = ("the following arguments are required", "one of the arguments")
"""How argparse begins to say which arguments are missing, as far as it has looked."""


class Parser(argparse.ArgumentParser):
    """argparse that never prints, leaves or guesses an option."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, add_help=False, **options)

    def error(self, message: str) -> NoReturn:
        """Raise a usage error instead of printing and leaving."""
        said = " ".join(message.split()).rstrip(".")
        if said.startswith(_TOO_FEW):
            raise self._wrong(f"too few arguments, expected is `{self._least()}`")
        for theirs, ours in _IN_OUR_WORDS:
            said = re.sub(theirs, ours, said)
        raise self._wrong(said)

    def _wrong(self, message: str) -> UsageError:
        return UsageError(message, f"See `{self.prog} -h`")

    def demand_no_more(self, words: list[str]) -> None:
        """Refuse what no argument takes.

        Raises:
            UsageError: There is such a word.
        """
        options = [word for word in words if word[:1] == "-" and not isinstance(word, _Literal)]
        if options:
            raise self._wrong(f"there is no option {' '.join(f'`{word}`' for word in options)}")
        if words:
            raise self._wrong(f"too many arguments: {' '.join(f'`{word}`' for word in words)}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Argparse's question whether a value is among those that there are."""
        if action.choices is not None and value not in action.choices:
            name = "/".join(action.option_strings) or action.metavar
            raise self._wrong(f"{name} takes {'|'.join(action.choices)}, not {quoted(value)}")

    def _least(self) -> str:
        """The shortest line that the command accepts."""
        groups = [group for group in self._mutually_exclusive_groups if group.required]
        options = [_shown(one) for one in self._actions if one.option_strings and one.required]
        choices = [" | ".join(map(_shown, group._group_actions)) for group in groups]
        # While argparse reads options, it keeps the number of words that another argument takes.
        positional = [
            _shown(one)
            for one in self._actions
            if not one.option_strings and getattr(one, "save_nargs", one.nargs) in (None, "+")
        ]
        return " ".join([self.prog, *positional, *options, *(f"({one})" for one in choices)])

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

    def _metavar_formatter(self, action: argparse.Action, default_metavar: str) -> Any:
        """Argparse's name for a value; one of few is written ``a|b``, as in the manual."""
        if action.metavar is None and action.choices is not None:
            default_metavar = "|".join(action.choices)
            return lambda size: (default_metavar,) * size
        return super()._metavar_formatter(action, default_metavar)


def _shown(action: argparse.Action) -> str:
    """An argument as a usage line shows it."""
    value = str(action.metavar or "|".join(action.choices or ()) or action.dest)
    if not action.option_strings:
        return value
    return action.option_strings[0] if action.nargs == 0 else f"{action.option_strings[0]} {value}"


def parse(command: Command, module: ModuleType, arguments: list[str]) -> dict[str, Any]:
    """The values of a command's arguments and of the global options, by name.

    Raises:
        UsageError: The arguments do not fit.
        Stop: Help or the version is asked for.
    """
    parser = build(command, module)
    parser.usage = ""  # an unset one would be formatted at each parsing
    try:
        found, rest = parser.parse_known_intermixed_args(_literal_behind_dashes(arguments))
    except Stop as stop:
        parser.usage = None
        # Only now: while it reads options, argparse hides the other arguments from the usage.
        raise Stop(stop.text or parser.format_help()) from None
    parser.demand_no_more(rest)
    return {name: _plain(value) for name, value in vars(found).items()}


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
