"""What a command takes, as data, and the arguments that several commands take.

A command's module lists them in ``ARGUMENTS``, in the order of its help. The reader of command
lines, the help and the completion all work from that table, and each argument is a keyword of the
module's ``run``.
"""

from __future__ import annotations

from git_zdev.ground.errors import ZdevError
from git_zdev.ground.text import quoted
from git_zdev.plan.records.fields import is_segment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FILES, BRANCHES, REVISIONS = ":files", ":branches", ":revisions"
"""Completers that leave the answer to the shell."""


class Argument:
    """One thing that a command takes.

    Attributes:
        names: The spellings of an option or a flag; empty for a positional argument.
        metavar: What the help calls the value; empty for a flag.
        meaning: What the help says of it, without a full stop.
        name: The keyword of ``run``.
        choices: The values that it takes; empty for any.
        count: How many words a positional argument takes: ``1``, ``?``, ``*`` or ``+``.
        completer: What completes its value: a name in ``git_zdev.cli.completion.COMPLETERS``, or
            a word that the shells' scripts know; empty for nothing.
        required: Whether a line without it is wrong.
        repeatable: Whether an option may be given again; its value is a list then.
        default: The value of an option where a line does not have it.
    """

    __slots__ = (
        *("choices", "completer", "count", "default", "meaning", "metavar", "name", "names"),
        *("repeatable", "required"),
    )

    def __init__(
        self,
        names: tuple[str, ...],
        metavar: str,
        meaning: str,
        *,
        name: str = "",
        choices: tuple[str, ...] = (),
        count: str = "1",
        completer: str = "",
        required: bool = False,
        repeatable: bool = False,
        default: str | None = None,
    ) -> None:
        self.names = names
        self.metavar = metavar or "|".join(choices)
        self.meaning = meaning
        self.name = name or (names[-1].lstrip("-") if names else metavar.lower()).replace("-", "_")
        self.choices = choices
        self.count = count
        self.completer = completer
        self.required = required
        self.repeatable = repeatable
        self.default = default

    @property
    def many(self) -> bool:
        """Whether a positional argument takes all further words."""
        return self.count in ("*", "+")

    @property
    def spelling(self) -> str:
        """What a message calls it."""
        return "/".join(self.names) or self.metavar

    @property
    def usage(self) -> str:
        """How it is written on a line, with its value."""
        return " ".join([*self.names[:1], *([self.metavar] if self.metavar else [])])

    def value(self, given: list[str] | None) -> str | bool | list[str] | None:
        """Its value for ``run``.

        Args:
            given: What a line gave for it; empty strings for a flag; None if it was not given.
        """
        if self.repeatable or self.many:
            return given or []
        if not self.metavar:
            return given is not None
        return given[-1] if given else self.default


class OneOf:
    """Options of which a line has one at most, or exactly one where that is required."""

    __slots__ = ("members", "required")

    def __init__(self, members: tuple[Argument, ...], *, required: bool) -> None:
        self.members = members
        self.required = required


def argument(
    metavar: str,
    meaning: str,
    *,
    name: str = "",
    choices: tuple[str, ...] = (),
    count: str = "1",
    completer: str = "",
) -> Argument:
    """A positional argument; see :class:`Argument`. Its name is its metavar in small letters."""
    return Argument(
        (),
        metavar,
        meaning,
        name=name,
        choices=choices,
        count=count,
        completer=completer,
        required=count in ("1", "+"),
    )


def option(
    names: str,
    metavar: str,
    meaning: str,
    *,
    name: str = "",
    choices: tuple[str, ...] = (),
    completer: str = "",
    required: bool = False,
    repeatable: bool = False,
    default: str | None = None,
) -> Argument:
    """An option with a value; see :class:`Argument`.

    Args:
        names: The spellings, with ``, `` between them. The last one is its name.
        metavar: Empty where the help shows the choices.
        meaning: What the help says of it.
        name: Another name.
        choices: The values that it takes.
        completer: What completes its value.
        required: Whether a line without it is wrong.
        repeatable: Whether it may be given again.
        default: Its value where a line does not have it.
    """
    return Argument(
        tuple(names.split(", ")),
        metavar,
        meaning,
        name=name,
        choices=choices,
        completer=completer,
        required=required,
        repeatable=repeatable,
        default=default,
    )


def flag(names: str, meaning: str, *, name: str = "") -> Argument:
    """An option without a value; see :func:`option`."""
    return Argument(tuple(names.split(", ")), "", meaning, name=name)


def one_of(*members: Argument, required: bool = False) -> OneOf:
    """Options that exclude each other."""
    return OneOf(members, required=required)


def flat(table: Iterable[Argument | OneOf]) -> Iterator[Argument]:
    """The arguments of a table in its order, with those of its groups."""
    for entry in table:
        if isinstance(entry, OneOf):
            yield from entry.members
        else:
            yield entry


AREA = argument("AREA", "the area's tag", completer="areas")
ANY_AREA = argument("AREA", "the area's tag", count="?", completer="areas")
OWN_TASK = option(
    "--task", "ID", "this ready task instead of the next one", completer="ready_tasks"
)
BYTES = flag("--bytes", "hold evidence that is not UTF-8 as bytes instead of refusing it")
TRUNK = flag("--trunk", "work on the project's trunk instead of an own branch")
ALLOW_DIVERGENT = flag("--allow-divergent", "accept a trunk without the commits of the old one")
SETTING = argument(
    "KEY",
    "project.default_area, project.trunk or project.guidance",
    completer="changeable_settings",
)
SNAPSHOT = option(
    "--snapshot",
    "SNAPSHOT",
    "as `verify admit` printed it",
    required=True,
    completer="snapshots",
)
REPLY = option(
    "--from",
    "FILE",
    "the reply as it came; - reads standard input",
    name="source",
    required=True,
    completer=FILES,
)
COMPLETION = (
    option("--summary", "TEXT", "what was achieved, one line", required=True),
    option(
        "--validation",
        "TEXT",
        "how it was checked, one line; may be repeated",
        required=True,
        repeatable=True,
    ),
)
"""What is written down about a task that is done."""


def task_named(completer: str) -> Argument:
    """A task of the area, which the line names before it."""
    return argument("TASK", "the task's id, such as payments-007", completer=completer)


def slice_key(completer: str = "") -> Argument:
    """A slice of the area, which the line names before it."""
    return argument("KEY", "the slice's key: 1 to 80 of a-z, 0-9 and -", completer=completer)


def texts(what: str) -> tuple[Argument, Argument]:
    """Title and objective of something new."""
    return (
        option("--title", "TEXT", f"what the {what} is called", required=True),
        option("--objective", "TEXT", "what will be true at its end", required=True),
    )


def input_of(what: str) -> Argument:
    """The file that something is read from."""
    meaning = f"the {what}; - reads standard input"
    return option("--from", "FILE", meaning, name="source", completer=FILES)


def input_or_show(what: str) -> OneOf:
    """Where something to review is read from, or that the stored review is shown."""
    return one_of(input_of(what), flag("--show", "print the stored rendering"), required=True)


def input_or_review(what: str, completer: str) -> OneOf:
    """Where something to take is read from, or the review that holds it."""
    meaning = f"the {what} of this stored review"
    reviewed = option("--reviewed", "REVIEW", meaning, completer=completer)
    return one_of(input_of(what), reviewed, required=True)


def require_tag(area: str) -> None:
    """Refuse what cannot be an area's tag, before it names a folder.

    Raises:
        ZdevError: ``unknown-area``.
    """
    if not is_segment(area):
        raise ZdevError(
            "unknown-area",
            f"{quoted(area)} is not the tag of an area",
            "`git zdev area list` lists them",
        )
