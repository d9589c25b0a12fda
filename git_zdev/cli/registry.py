"""The commands: their words, the module of each, and one line of summary.

Imports nothing, so that help, completion and dispatch cost nothing.
"""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    """One command.

    Attributes:
        words: What the user types after ``git zdev``.
        module: Module below ``git_zdev.commands`` with ``configure`` and ``run``.
        summary: One line for the help.
        group: Heading of the help under which it stands.
    """

    words: str
    module: str
    summary: str
    group: str


PLAN = "Plan"
WORK = "Work"
COMMITS = "Commits"
TOOLS = "Tools"

COMMANDS: tuple[Command, ...] = ()
"""Every finished command, in the order of the help."""


def find(words: list[str]) -> tuple[Command, int] | None:
    """The command that the first words name, and how many words it took."""
    for count in range(min(3, len(words)), 0, -1):
        name = " ".join(words[:count])
        for command in COMMANDS:
            if command.words == name:
                return command, count
    return None


def below(prefix: str) -> list[Command]:
    """Commands whose words start with ``prefix`` and have more words after it."""
    return [command for command in COMMANDS if command.words.startswith(f"{prefix} ")]
