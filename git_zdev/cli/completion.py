"""What may come next on a command line; the shells' completion scripts ask for it.

A script runs ``git-zdev __complete WORD…`` with the words behind ``git zdev``, the last one being
typed. Each answer is a line ``value``, or ``value TAB description``. ``:files``, ``:branches`` and
``:revisions`` ask the shell for its own. Records that cannot be read give no answers and no error:
a completion that fails would only disturb the line that is being typed.
"""

from __future__ import annotations

import os

from git_zdev.cli import options, registry
from git_zdev.cli.plain_line import PlainLine
from git_zdev.ground.errors import Moved, ZdevError
from git_zdev.ground.inert import escape
from git_zdev.ground.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from git_zdev.cli.plain_line import Argument
    from git_zdev.cli.registry import Command
    from git_zdev.commands.shared.session import Session

FILES = ":files"
BRANCHES = ":branches"
REVISIONS = ":revisions"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One answer: the word, and what it stands for (may be empty)."""

    value: str
    description: str = ""

    def line(self) -> str:
        """The answer as the scripts read it."""
        text = escape(" ".join(self.description.split()))
        return f"{self.value}\t{text}\n" if text else f"{self.value}\n"


@dataclass(frozen=True, slots=True)
class _Line:
    """A command line up to the word that is being typed.

    Attributes:
        command: The words of the command that it names; empty while it names none.
        pending: The option whose value is being typed.
        position: How many positional arguments stand before.
        values: The values before, by the name of their argument.
        seen: The option strings before.
        literal: Whether ``--`` stands before.
    """

    command: str
    pending: Argument | None
    position: int
    values: dict[str, str]
    seen: frozenset[str]
    literal: bool


def candidates(words: list[str], session: Session) -> Iterator[Candidate]:
    """Answer for ``words``, of which the last one is being typed.

    Args:
        words: The words behind ``git zdev``; an empty list counts as one empty word.
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
    """The words that may follow those of an unfinished command."""
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
    command, arguments = options.split(before)
    declared = _declared(command)
    line = _read(command.words if command else "", arguments, declared)
    if line.pending is not None:
        return _values(line.pending, line, session)
    if current.startswith("-") and not line.literal:
        name, equals, _ = current.partition("=")
        named = next((one for one in declared if one.optional and name in one.names), None)
        if equals and named is not None:
            return _values(named, line, session)
        return _options(declared, line)
    if command is None:
        return _next_words(before)
    positional = [one for one in declared if not one.optional]
    if positional and (line.position < len(positional) or positional[-1].many):
        return _values(positional[min(line.position, len(positional) - 1)], line, session)
    return iter(())


def _declared(command: Command | None) -> list[Argument]:
    """The arguments of a command, as its help lists them; the global options without one."""
    line = PlainLine()
    group = (
        options.declare_globals(line) if command is None else options.declare(line, command.load())
    )
    for names, meaning in options.ANSWERS:
        group.add_argument(*names, action="store_true", help=meaning)
    return line.arguments


def _read(command: str, arguments: list[str], declared: list[Argument]) -> _Line:
    """Tell what each word before the current one was."""
    by_name = {name: one for one in declared if one.optional for name in one.names}
    positional = [one for one in declared if not one.optional]
    pending: Argument | None = None
    values: dict[str, str] = {}
    seen: set[str] = set()
    position, literal = 0, False
    for word in arguments:
        if pending is not None:
            values[pending.dest] = word
            pending = None
        elif literal or not word.startswith("-") or word == "-":
            if position < len(positional):
                values[positional[position].dest] = word
            position += 1
        elif word == "--":
            literal = True
        else:
            name, equals, value = word.partition("=")
            seen.add(name)
            option = by_name.get(name)
            if option is not None and option.takes_value:
                if equals:
                    values[option.dest] = value
                else:
                    pending = option
    return _Line(command, pending, position, values, frozenset(seen), literal)


def _options(declared: list[Argument], line: _Line) -> Iterator[Candidate]:
    for one in declared:
        if one.optional and (one.repeatable or line.seen.isdisjoint(one.names)):
            yield Candidate(one.names[-1], one.help)


def _values(argument: Argument, line: _Line, session: Session) -> Iterator[Candidate]:
    """The values that an argument may have, by what its placeholder in the help says."""
    if argument.choices is not None:
        return (Candidate(choice) for choice in argument.choices)
    answer = _KINDS.get(argument.metavar)
    return iter(()) if answer is None else _quietly(answer(line, session))


def _quietly(found: Iterable[Candidate]) -> Iterator[Candidate]:
    try:
        yield from found
    except (ZdevError, Moved, OSError, ValueError):
        return


def _areas(_line: _Line, session: Session) -> Iterator[Candidate]:
    from git_zdev.plan.areas import read_areas

    for tag, area in read_areas(session.records, []).items():
        if area is not None:
            yield Candidate(tag, area.title)


def _tasks(line: _Line, session: Session) -> Iterator[Candidate]:
    """Tasks of the area that was typed, in the state that the command is about."""
    from git_zdev.plan.areas import load_area

    wanted = {
        "task done": "ready",
        "task reopen": "done",
        "verify admit": "ready",
        "work-context": "ready",
    }
    state = wanted.get(line.command)
    graph = load_area(session.records, line.values.get("area", "")).graph
    for task in graph.tasks:
        if state is None or graph.states[task.id] == state:
            yield Candidate(task.id, task.title)


def _keys(line: _Line, session: Session) -> Iterator[Candidate]:
    """Settings for the config commands; slices for the others."""
    if line.command.startswith("config "):
        from git_zdev.plan.changes.project import READ_ONLY, SETTINGS

        changing = line.command in ("config set", "config unset")
        for name in SETTINGS:
            if not (changing and name in READ_ONLY):
                yield Candidate(f"project.{name}")
    elif line.command == "slice show":
        from git_zdev.plan.areas import load_area

        for one in load_area(session.records, line.values.get("area", "")).slices.values():
            yield Candidate(one.key, one.title)


def _setting_values(line: _Line, session: Session) -> Iterator[Candidate]:
    """What the setting that was typed may be set to, where that is the name of something."""
    kind = {"project.default_area": _areas, "project.trunk": _constant(BRANCHES)}
    answer = kind.get(line.values.get("key", ""))
    return iter(()) if answer is None else answer(line, session)


def _stored(folder: str, suffix: str) -> Callable[[_Line, Session], Iterator[Candidate]]:
    """Names of what is stored in the Git directory for the area that was typed, newest first."""

    def names(line: _Line, session: Session) -> Iterator[Candidate]:
        area = line.values.get("area", "")
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


def _schemas(_line: _Line, _session: Session) -> Iterator[Candidate]:
    from git_zdev.ground import schema

    yield from (Candidate(name) for name in schema.names())


def _pages(_line: _Line, _session: Session) -> Iterator[Candidate]:
    """Pages of the manual, and first words of commands that stand on the page of others."""
    from git_zdev.screen import manual

    commands = (command.words.partition(" ")[0] for command in registry.COMMANDS)
    yield from map(Candidate, dict.fromkeys([*manual.short_names(), *commands]))


def _reviews(line: _Line, session: Session) -> Iterator[Candidate]:
    derived = line.command.startswith("tasks derive")
    return _stored("derived-reviews" if derived else "reviews", "")(line, session)


def _everything_stored(line: _Line, session: Session) -> Iterator[Candidate]:
    for names in (_SNAPSHOTS, _stored("reviews", ""), _stored("derived-reviews", "")):
        yield from _quietly(names(line, session))


def _constant(value: str) -> Callable[[_Line, Session], Iterator[Candidate]]:
    return lambda _line, _session: iter((Candidate(value),))


_SNAPSHOTS = _stored("work-context", ".json")

_KINDS: dict[str, Callable[[_Line, Session], Iterator[Candidate]]] = {
    "AREA": _areas,
    "PARENT": _areas,
    "TASK": _tasks,
    "ID": _tasks,
    "KEY": _keys,
    "SNAPSHOT": _SNAPSHOTS,
    "STORED": _everything_stored,
    "REVIEW": _reviews,
    "NAME": _schemas,
    "PAGE": _pages,
    "FILE": _constant(FILES),
    "PATH": _constant(FILES),
    "BRANCH": _constant(BRANCHES),
    "REV": _constant(REVISIONS),
    "VALUE": _setting_values,
}
