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
    """One argument of a command.

    Attributes:
        names: The spellings of an option or a flag; empty for a positional argument.
        metavar: What the help calls the value; empty for a flag.
        meaning: Its explanation in the help, without a full stop.
        name: The keyword of ``run``.
        choices: The values that it takes; empty if it takes any.
        count: How many words a positional argument takes: ``1``, ``?``, ``*`` or ``+``.
        completer: What completes its value: a name in ``git_zdev.cli.completion.COMPLETERS``, or
            a word that the shells' scripts know; empty if nothing does.
        required: Whether the option must be given.
        repeatable: Whether the option can be given again; its value is then a list.
        default: The value of the option if it is not given.
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
        """Its name in messages."""
        return "/".join(self.names) or self.metavar

    @property
    def usage(self) -> str:
        """Its form on the command line, with its value."""
        return " ".join([*self.names[:1], *([self.metavar] if self.metavar else [])])

    def value(self, given: list[str] | None) -> str | bool | list[str] | None:
        """Its value for ``run``.

        Args:
            given: What the line gives for it; empty strings for a flag; None if it is not given.
        """
        if self.repeatable or self.many:
            return given or []
        if not self.metavar:
            return given is not None
        return given[-1] if given else self.default


class OneOf:
    """Options of which at most one can be given, or exactly one if ``required``."""

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
    """A positional argument; see :class:`Argument`. Its name is its metavar in lower case."""
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
        names: The spellings, separated by ``, ``. The last one is its name.
        metavar: Empty if the help shows the choices instead.
        meaning: Its explanation in the help.
        name: The keyword of ``run``, if it is not the last spelling.
        choices: The values that it takes.
        completer: What completes its value.
        required: Whether it must be given.
        repeatable: Whether it can be given again.
        default: Its value if it is not given.
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
"""What is recorded about a task that is done."""


def task_named(completer: str) -> Argument:
    """A task of the area that precedes it."""
    return argument("TASK", "the task's id, such as payments-007", completer=completer)


def slice_key(completer: str = "") -> Argument:
    """A slice of the area that precedes it."""
    return argument("KEY", "the slice's key: 1 to 80 of a-z, 0-9 and -", completer=completer)


def texts(what: str) -> tuple[Argument, Argument]:
    """Title and objective of something new."""
    return (
        option("--title", "TEXT", f"what the {what} is called", required=True),
        option("--objective", "TEXT", "what will be true at its end", required=True),
    )


def input_of(what: str) -> Argument:
    """The file that the input is read from."""
    meaning = f"the {what}; - reads standard input"
    return option("--from", "FILE", meaning, name="source", completer=FILES)


def input_or_show(what: str) -> OneOf:
    """The file with the input to review, or a flag that shows the stored review."""
    return one_of(input_of(what), flag("--show", "print the stored rendering"), required=True)


def input_or_review(what: str, completer: str) -> OneOf:
    """The file with the input, or the stored review that holds it."""
    meaning = f"the {what} of this stored review"
    reviewed = option("--reviewed", "REVIEW", meaning, completer=completer)
    return one_of(input_of(what), reviewed, required=True)


def require_tag(area: str) -> None:
    """Refuse a text that cannot be an area's tag, before it is used as a folder name.

    Raises:
        ZdevError: ``unknown-area``.
    """
    if not is_segment(area):
        raise ZdevError(
            "unknown-area",
            f"{quoted(area)} is not the tag of an area",
            "`git zdev area list` lists them",
        )
