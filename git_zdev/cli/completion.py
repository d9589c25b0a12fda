"""What can come next on a command line, for the shells' completion scripts.

A script runs ``git-zdev __complete WORD…`` with the words after ``git zdev``, of which the last is
being typed. Each answer is a line ``value``, or ``value TAB description``. ``:files``,
``:branches`` and ``:revisions`` ask the shell for its own. Unreadable records yield neither answers
nor an error, which would only disturb the line that is being typed.
"""

from __future__ import annotations

import os

from git_zdev.cli import options, registry
from git_zdev.cli.options import Line
from git_zdev.commands.shared.arguments import BRANCHES, flat
from git_zdev.ground.errors import Moved, ZdevError
from git_zdev.ground.inert import escape
from git_zdev.ground.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from git_zdev.cli.registry import Command
    from git_zdev.commands.shared.arguments import Argument
    from git_zdev.commands.shared.session import Session

    Completer = Callable[[dict[str, str], Session], Iterator["Candidate"]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One answer: the word and its description, which can be empty."""

    value: str
    description: str = ""

    def line(self) -> str:
        """The answer as the scripts read it."""
        text = escape(" ".join(self.description.split()))
        return f"{self.value}\t{text}\n" if text else f"{self.value}\n"


def candidates(words: list[str], session: Session) -> Iterator[Candidate]:
    """Answer for ``words``, of which the last one is being typed.

    Args:
        words: The words after ``git zdev``; an empty list counts as one empty word.
        session: Where records are looked up.
    """
    *before, current = words or [""]
    found = _answers(before, current, session)
    typed, prefix = current, ""
    if current.startswith("--") and "=" in current:
        prefix, _, typed = current.partition("=")
        prefix += "="
    for candidate in found:
        if candidate.value.startswith(":") or candidate.value.startswith(typed):
            yield replace(candidate, value=f"{prefix}{candidate.value}") if prefix else candidate


def named_root(words: list[str]) -> str | None:
    """The value of ``--root`` in a line that cannot be parsed yet."""
    for index, word in enumerate(words[:-1]):
        if word.startswith("--root="):
            return word.removeprefix("--root=")
        if word == "--root" and index + 2 < len(words):
            return words[index + 1]
    return None


def _next_words(before: list[str]) -> Iterator[Candidate]:
    """The words that can follow those of an unfinished command."""
    words, _ = options.command_words(before)
    taken: set[str] = set()
    for command in registry.COMMANDS:
        parts = command.words.split()
        if parts[: len(words)] != words or parts[len(words)] in taken:
            continue
        taken.add(parts[len(words)])
        whole = len(parts) == len(words) + 1
        yield Candidate(parts[len(words)], command.summary if whole else "")


def _answers(before: list[str], current: str, session: Session) -> Iterator[Candidate]:
    command, words = options.split(before)
    declared = _declared(command)
    line = Line(words, declared)
    if line.waiting is not None:
        return _values(line.waiting, _given(line, declared), session)
    if current.startswith("-") and not line.literal:
        name, equals, _ = current.partition("=")
        named = next((one for one in declared if name in one.names), None)
        if equals and named is not None:
            return _values(named, _given(line, declared), session)
        return _options(declared, line)
    if command is None:
        return _next_words(before)
    positional = [one for one in declared if not one.names]
    if positional and (len(line.free) < len(positional) or positional[-1].count == "+"):
        argument = positional[min(len(line.free), len(positional) - 1)]
        return _values(argument, _given(line, declared), session)
    return iter(())


def _declared(command: Command | None) -> list[Argument]:
    """The arguments of a command, as its help lists them; the global options without one."""
    module = None if command is None else command.load()
    own = () if module is None else module.ARGUMENTS
    shared = options.global_options(module)
    return [*flat(own), *flat(shared), options.VERSION, options.HELP]


def _given(line: Line, declared: list[Argument]) -> dict[str, str]:
    """The values that the line already has, by the names of the arguments."""
    named = {one.name: value for one, value in line.given if value is not None}
    positional = [one.name for one in declared if not one.names]
    return named | dict(zip(positional, line.free, strict=False))


def _options(declared: list[Argument], line: Line) -> Iterator[Candidate]:
    seen = [one for one, _ in line.given]
    for one in declared:
        if one.names and (one.repeatable or one not in seen):
            yield Candidate(one.names[-1], one.meaning)


def _values(argument: Argument, given: dict[str, str], session: Session) -> Iterator[Candidate]:
    """The values that an argument can have."""
    if argument.choices:
        return map(Candidate, argument.choices)
    if argument.completer.startswith(":"):
        return iter((Candidate(argument.completer),))
    answer = COMPLETERS.get(argument.completer)
    return iter(()) if answer is None else _quietly(answer, given, session)


def _quietly(answer: Completer, given: dict[str, str], session: Session) -> Iterator[Candidate]:
    try:
        yield from answer(given, session)
    except (ZdevError, Moved, OSError, ValueError):
        return


def _areas(_given: dict[str, str], session: Session) -> Iterator[Candidate]:
    from git_zdev.plan.areas import read_areas

    for tag, area in read_areas(session.records, []).items():
        if area is not None:
            yield Candidate(tag, area.title)


def _tasks(state: str = "") -> Completer:
    """The tasks of the typed area, or only those in ``state`` if it is given."""

    def tasks(given: dict[str, str], session: Session) -> Iterator[Candidate]:
        from git_zdev.plan.areas import load_area

        graph = load_area(session.records, given.get("area", "")).graph
        for task in graph.tasks:
            if state in ("", graph.states[task.id]):
                yield Candidate(task.id, task.title)

    return tasks


def _slices(given: dict[str, str], session: Session) -> Iterator[Candidate]:
    from git_zdev.plan.areas import load_area

    for one in load_area(session.records, given.get("area", "")).slices.values():
        yield Candidate(one.key, one.title)


def _settings(_given: dict[str, str], _session: Session) -> Iterator[Candidate]:
    from git_zdev.plan.changes.project import SETTINGS

    return (Candidate(f"project.{name}") for name in SETTINGS)


def _changeable_settings(_given: dict[str, str], _session: Session) -> Iterator[Candidate]:
    from git_zdev.plan.changes.project import READ_ONLY, SETTINGS

    return (Candidate(f"project.{name}") for name in SETTINGS if name not in READ_ONLY)


def _setting_values(given: dict[str, str], session: Session) -> Iterator[Candidate]:
    """The possible values of the typed setting, if it names an area or a branch."""
    if given.get("key") == "project.default_area":
        yield from _areas(given, session)
    elif given.get("key") == "project.trunk":
        yield Candidate(BRANCHES)


def _stored(folder: str, suffix: str = "") -> Completer:
    """Names stored in the Git directory for the typed area, newest first."""

    def names(given: dict[str, str], session: Session) -> Iterator[Candidate]:
        area = given.get("area", "")
        if not area or "/" in area:
            return
        with os.scandir(session.location.git_path(f"zdev/{folder}/{area}")) as entries:
            found = [
                (-entry.stat(follow_symlinks=False).st_mtime_ns, entry.name.removesuffix(suffix))
                for entry in entries
                if entry.name.endswith(suffix) and entry.name[:1] in "WRD"
            ]
        yield from (Candidate(name) for _, name in sorted(found))

    return names


def _everything_stored(given: dict[str, str], session: Session) -> Iterator[Candidate]:
    for kind in ("snapshots", "reviews", "derived_reviews"):
        yield from _quietly(COMPLETERS[kind], given, session)


def _schemas(_given: dict[str, str], _session: Session) -> Iterator[Candidate]:
    from git_zdev.ground import schema

    return map(Candidate, schema.names())


def _pages(_given: dict[str, str], _session: Session) -> Iterator[Candidate]:
    """Pages of the manual, and first words of commands that another page describes."""
    from git_zdev.screen import manual

    commands = (command.words.partition(" ")[0] for command in registry.COMMANDS)
    return map(Candidate, dict.fromkeys([*manual.short_names(), *commands]))


COMPLETERS: dict[str, Completer] = {
    "areas": _areas,
    "tasks": _tasks(),
    "ready_tasks": _tasks("ready"),
    "done_tasks": _tasks("done"),
    "slices": _slices,
    "settings": _settings,
    "changeable_settings": _changeable_settings,
    "setting_values": _setting_values,
    "snapshots": _stored("work-context", ".json"),
    "reviews": _stored("reviews"),
    "derived_reviews": _stored("derived-reviews"),
    "everything_stored": _everything_stored,
    "schemas": _schemas,
    "pages": _pages,
}
"""The function behind an argument's completer: the given values by name → candidates."""
