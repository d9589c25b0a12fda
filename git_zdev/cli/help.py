"""The help of a command, the overview of all, and the error for a line without a command."""

from __future__ import annotations

from git_zdev.cli import options, registry
from git_zdev.commands.shared.arguments import OneOf, flat
from git_zdev.ground.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from git_zdev.cli.registry import Command
    from git_zdev.commands.shared.arguments import Argument

WIDTH = 80
COLUMN = 24
"""The column in which the explanation of an argument begins."""

HEAD = """\
usage: git zdev [--root PATH] [--format text|json] [--color auto|always|never]
                <command> …

A plan beside the code, and work context that can be trusted.
"""
FOOT = """
`git zdev <command> -h` lists a command's arguments. `git help zdev` opens the
manual, and `git zdev help <command>` prints it if man is missing.
"""


def overview(prefix: str = "") -> str:
    """The commands in their groups; only those below ``prefix`` if there are any."""
    commands = registry.below(prefix) or list(registry.COMMANDS)
    column = max((len(command.words) for command in commands), default=0)
    parts = [HEAD]
    for group in dict.fromkeys(command.group for command in commands):
        parts.append(f"\n{group}\n")
        parts += [
            f"  {command.words:<{column}}  {command.summary}\n"
            for command in commands
            if command.group == group
        ]
    return "".join([*parts, FOOT])


def of_command(command: Command, module: ModuleType) -> str:
    """The text of ``git zdev <command> -h``."""
    shared = (*options.global_options(module), options.VERSION, options.HELP)
    positional = [one for one in flat(module.ARGUMENTS) if not one.names]
    own = [one for one in flat(module.ARGUMENTS) if one.names]
    listed = [one for one in (*module.ARGUMENTS, *shared) if one not in positional]
    words = [word for one in listed for word in _usage(one)]
    free = [word for one in positional for word in _usage(one)]
    parts = [_usage_lines(f"usage: git zdev {command.words}", words, free), module.__doc__ or ""]
    for title, arguments in (
        ("positional arguments", positional),
        ("options", own),
        ("global options", flat(shared)),
    ):
        entries = [line for one in arguments for line in _entry(one)]
        if entries:
            parts.append("\n".join([f"{title}:", *entries]))
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def wrong_words(words: str, argv: list[str]) -> UsageError:
    """The error for a line whose leading words do not name a command.

    Args:
        words: The leading words, joined by blanks; can be empty.
        argv: The whole line.
    """
    if words and registry.below(words):
        return UsageError(f"`git zdev {words}` needs a sub-command", f"See `git zdev {words} -h`")
    if words:
        return UsageError(f"`{words}` is not a git-zdev command", _nearest(words))
    for _, option in options.without_globals(argv):
        return UsageError(f"`{option}` needs a command", "See `git zdev -h`")
    return UsageError("no command is given", "See `git zdev -h`")


def _nearest(words: str) -> str:
    """A sentence that names the closest command."""
    import difflib

    names = [command.words for command in registry.COMMANDS]
    close = difflib.get_close_matches(words, names, n=1)
    return f"The nearest is `git zdev {close[0]}`" if close else "See `git zdev -h`"


def _usage_lines(start: str, words: list[str], free: list[str]) -> str:
    """The usage in one line, or with the positional arguments on lines of their own."""
    whole = " ".join([start, *words, *free])
    if len(whole) <= WIDTH:
        return whole
    margin = " " * len(start)
    lines = _folded(start, words, margin)
    return "\n".join(lines + (_folded(margin, free, margin) if free else []))


def _usage(entry: Argument | OneOf) -> list[str]:
    """An argument in the usage line, in pieces that each stay on one line."""
    if isinstance(entry, OneOf):
        choice = " | ".join(one.usage for one in entry.members)
        return [f"({choice})" if entry.required else f"[{choice}]"]
    if entry.names:
        return entry.usage.split(" ") if entry.required else [f"[{entry.usage}]"]
    name = entry.metavar
    pieces = {"1": [name], "?": [f"[{name}]"], "*": [f"[{name} ...]"], "+": [name, f"[{name} ...]"]}
    return pieces[entry.count]


def _entry(argument: Argument) -> list[str]:
    """The lines that explain an argument."""
    value = f" {argument.metavar}" if argument.metavar else ""
    label = ", ".join(f"{name}{value}" for name in argument.names) or argument.metavar
    margin = " " * (COLUMN - 1)
    first = f"  {label:<{COLUMN - 4}} "
    if len(first) < COLUMN:
        return _folded(first, argument.meaning.split(), margin)
    return [f"  {label}", *_folded(margin, argument.meaning.split(), margin)]


def _folded(start: str, words: Iterable[str], margin: str) -> list[str]:
    """``start`` and words, separated by blanks, in lines as wide as the help."""
    lines = [start]
    for word in words:
        if len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append(margin)
        lines[-1] += f" {word}"
    return lines
