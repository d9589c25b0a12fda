"""The overview that ``git zdev -h`` prints, and what to say about a line without a command."""

from __future__ import annotations

from git_zdev.cli import options, registry
from git_zdev.ground.errors import UsageError

HEAD = """\
usage: git zdev [--root PATH] [--format text|json] [--color auto|always|never]
                <command> …

A plan beside the code, and work context that can be trusted.
"""
FOOT = """
`git zdev <command> -h` tells a command's arguments. `git help zdev` opens the
manual, and `git zdev help <command>` prints it where there is no man.
"""


def overview(prefix: str = "") -> str:
    """The commands in their groups; only those below ``prefix`` when there are any."""
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


def wrong_words(words: str, argv: list[str]) -> UsageError:
    """The error for a line whose leading words name no command.

    Args:
        words: The leading words, joined by blanks; may be empty.
        argv: The whole line.
    """
    if words and registry.below(words):
        return UsageError(f"`git zdev {words}` needs a sub-command", f"See `git zdev {words} -h`")
    if words:
        return UsageError(f"`{words}` is no git-zdev command", _nearest(words))
    for _, option in options.without_globals(argv):
        return UsageError(f"`{option}` stands without a command", "See `git zdev -h`")
    return UsageError("no command is given", "See `git zdev -h`")


def _nearest(words: str) -> str:
    """A sentence that names the closest command."""
    import difflib

    names = [command.words for command in registry.COMMANDS]
    close = difflib.get_close_matches(words, names, n=1)
    return f"The nearest is `git zdev {close[0]}`" if close else "See `git zdev -h`"
