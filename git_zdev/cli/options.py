"""Reading of command lines: which command a line names, and the values of its arguments.

Options can be before, after and between the other words, as ``--name value`` or ``--name=value``,
and are never abbreviated. ``--`` ends the options. A word that begins with ``-`` is an option,
unless it is ``-`` alone or, in the place of a value, a negative number or a text with a blank such
as ``- one``.
"""

from __future__ import annotations

from git_zdev.cli import registry
from git_zdev.commands.shared.arguments import FILES, OneOf, flag, flat, option
from git_zdev.ground.errors import UsageError
from git_zdev.ground.text import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType
    from typing import Any

    from git_zdev.cli.registry import Command
    from git_zdev.commands.shared.arguments import Argument

    Table = tuple[Argument | OneOf, ...]

FORMATS = ("text", "json")
"""The values of ``--format``; a command's module can name others in its own ``FORMATS``."""
COLORS = ("auto", "always", "never")
GLOBAL_WITH_VALUE = ("--root", "--format", "--color")
GLOBAL_WITH_EQUALS = tuple(f"{name}=" for name in GLOBAL_WITH_VALUE)
VERSION = flag("--version", "print the version")
HELP = flag("-h, --help", "print this help")


class Asked(Exception):
    """The command line asks only for a text on standard output.

    Attributes:
        what: Which text: ``help`` or ``version``.
    """

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class Line:
    """The words of a command line by their role; nothing is checked yet.

    Args:
        words: The words after those of the command.
        arguments: What the command takes.

    Attributes:
        given: Options and flags in the order of the line, each with its value or None.
        free: The words for positional arguments.
        unknown: The words that look like options but are not.
        waiting: The option whose value the next word would be.
        literal: Whether ``--`` has ended the options.
    """

    def __init__(self, words: Sequence[str], arguments: Sequence[Argument]) -> None:
        self._options = {name: one for one in arguments for name in one.names}
        self._room = sum(len(words) if one.many else 1 for one in arguments if not one.names)
        self.given: list[tuple[Argument, str | None]] = []
        self.free: list[str] = []
        self.unknown: list[str] = []
        self.waiting: Argument | None = None
        self.literal = False
        for word in words:
            if self.literal or not word.startswith("-") or word == "-":
                self._take(word)
            elif word == "--":
                self.literal = True
            else:
                self._take_option(word)

    def _take(self, word: str) -> None:
        if self.waiting is None:
            self.free.append(word)
        else:
            self.given.append((self.waiting, word))
            self.waiting = None

    def _take_option(self, word: str) -> None:
        name, equals, value = word.partition("=")
        if name in self._options:
            self._give(self._options[name], value if equals else None)
        elif word[:2] in self._options:
            self._take_letters(word[1:])
        elif _is_text(word) and (self.waiting or len(self.free) < self._room):
            self._take(word)
        else:
            self._end_waiting()
            self.unknown.append(word)

    def _take_letters(self, letters: str) -> None:
        """Take one-letter options written as one word; the last can be followed by its value."""
        argument, rest = self._options[f"-{letters[0]}"], letters[1:]
        if not argument.metavar and f"-{rest[:1]}" in self._options:
            self._give(argument, None)
            self._take_letters(rest)
        else:
            self._give(argument, rest or None)

    def _give(self, argument: Argument, value: str | None) -> None:
        self._end_waiting()
        if argument.metavar and value is None:
            self.waiting = argument
        else:
            self.given.append((argument, value))

    def _end_waiting(self) -> None:
        if self.waiting is not None:
            self.given.append((self.waiting, None))
            self.waiting = None


def parse(command: Command, module: ModuleType, words: list[str]) -> dict[str, Any]:
    """The values of a command's arguments and of the global options, by name.

    Raises:
        UsageError: The words do not fit.
        Asked: The line asks for help or the version.
    """
    table = (*module.ARGUMENTS, *global_options(module))
    arguments = tuple(flat(table))
    line = Line(words, (*arguments, VERSION, HELP))
    taken = _options(line, table)
    free, complete = line.free, _has_what_is_required(taken, table)
    for one in arguments:
        if not one.names and complete:
            here, free = (free, []) if one.many else (free[:1], free[1:])
            if here:
                taken[one] = [_checked(one, word) for word in here]
            complete = one in taken or not one.required
    if not complete:
        raise UsageError(f"too few arguments; expected `{_least(command, table)}`")
    for problem, surplus in (("there is no option", line.unknown), ("too many arguments:", free)):
        if surplus:
            raise UsageError(f"{problem} {' '.join(f'`{word}`' for word in surplus)}")
    return {one.name: one.value(taken.get(one)) for one in arguments}


def global_options(module: ModuleType | None = None) -> Table:
    """The options that every command has, with the formats of ``module``."""
    formats = getattr(module, "FORMATS", FORMATS)
    return (
        option("--root", "PATH", "repository root instead of discovery", completer=FILES),
        option("--format", "", "form of the output", choices=formats, default="text"),
        option("--color", "", "when to use colour", choices=COLORS, default="auto"),
    )


def _options(line: Line, table: Table) -> dict[Argument, list[str]]:
    """The values that a line gives for each option."""
    taken: dict[Argument, list[str]] = {}
    last = [] if line.waiting is None else [(line.waiting, None)]
    for one, value in (*line.given, *last):
        checked = _checked(one, value)
        if one in (VERSION, HELP):
            raise Asked(one.name)
        for group in table:
            if isinstance(group, OneOf) and one in group.members:
                for other in group.members:
                    if other in taken and other is not one:
                        raise UsageError(f"{one.spelling} and {other.spelling} exclude each other")
        taken.setdefault(one, []).append(checked)
    return taken


def _checked(argument: Argument, value: str | None) -> str:
    """The value, if the argument takes it; an empty one for a flag."""
    if not argument.metavar and value is not None:
        raise UsageError(f"{argument.spelling} takes no value")
    if argument.metavar and value is None:
        raise UsageError(f"{argument.spelling} needs a value")
    if argument.choices and value not in argument.choices:
        raise UsageError(
            f"{argument.spelling} takes {'|'.join(argument.choices)}, not {quoted(value)}"
        )
    return value or ""


def _has_what_is_required(taken: dict[Argument, list[str]], table: Table) -> bool:
    """Whether no required option is missing."""
    return all(
        any(one in taken for one in entry.members)
        if isinstance(entry, OneOf)
        else entry in taken or not entry.names
        for entry in table
        if entry.required
    )


def _least(command: Command, table: Table) -> str:
    """The shortest line that the command accepts."""
    needed = [entry for entry in table if entry.required]
    single = [one for one in needed if not isinstance(one, OneOf)]
    groups = [" | ".join(one.usage for one in g.members) for g in needed if isinstance(g, OneOf)]
    words = [one.usage for one in sorted(single, key=lambda one: bool(one.names))]
    return " ".join([f"git zdev {command.words}", *words, *(f"({group})" for group in groups)])


def _is_text(word: str) -> bool:
    """Whether a word that begins with ``-`` can be a value: a number, or several words."""
    digits = word[1:]
    return " " in word or (digits.replace(".", "", 1).isdecimal() and not digits.endswith("."))


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
    """The leading words of ``argv`` that are not options, and their positions.

    Stops at the first option that is not global: after it, only the command's own parser can tell
    which words are values.
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


def asked_for(argv: list[str]) -> str | None:
    """What a line without a command asks for first: ``help``, ``version`` or None."""
    for word in argv:
        if word == "--":
            break
        for answer in (HELP, VERSION):
            if word in answer.names:
                return answer.name
    return None


def wanted(argv: list[str], option: str, choices: tuple[str, ...]) -> str:
    """The value of a global option, even if the command line cannot be parsed.

    The first choice replaces every value that is not a choice.
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
