"""What a command returns: the document for programs, and blocks of words for people.

Blocks do not depend on a terminal. :mod:`git_zdev.screen.plain` prints their words as they are, and
:mod:`git_zdev.screen.terminal` prints the same words with colour and layout. Styles are names of
meanings, not of colours: ``""``, ``heading``, ``good``, ``warning``, ``bad``, ``muted``, ``id``.
"""

from __future__ import annotations

from git_zdev.ground.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any


@dataclass(frozen=True, slots=True)
class Words:
    """A run of text with one style, usually one line."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One line made of words."""

    words: tuple[Words, ...] = ()


@dataclass(frozen=True, slots=True)
class Fields:
    """Labels and values; the values are aligned."""

    rows: tuple[tuple[str, Words], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Columns with headings; every row has one cell per column."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Words, ...], ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a tree, with the nodes below it."""

    label: tuple[Words, ...]
    children: tuple[Node, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Tree:
    """Trees drawn below one another."""

    roots: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Diff:
    """A diff, line by line as Git prints it."""

    text: str


@dataclass(frozen=True, slots=True)
class Status:
    """The output of ``git status --short``, line by line."""

    text: str


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Output of another program, line by line, unchanged."""

    text: str


@dataclass(frozen=True, slots=True)
class Source:
    """Markdown from a person, shown character by character, so that nothing in it can hide."""

    text: str


@dataclass(frozen=True, slots=True)
class Markdown:
    """A page that the program wrote; typeset on a terminal, unchanged elsewhere."""

    text: str


@dataclass(frozen=True, slots=True)
class Manual:
    """A page of the manual in man(7)'s language, filled to the available width.

    Attributes:
        source: The page.
        columns: The width that the user has set; None for the terminal's.
    """

    source: str
    columns: int | None = None


Block = Line | Fields | Table | Tree | Diff | Status | Verbatim | Source | Markdown | Manual


def line(*words: Words | str) -> Line:
    """One line from words and plain strings."""
    return Line(tuple(Words(word) if isinstance(word, str) else word for word in words))


BLANK = Line()


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a successful command.

    Attributes:
        document: The JSON object, keys in the documented order.
        show: Makes the blocks of the text form; called only if text is wanted.
        status: Exit status.
        notes: Sentences for stderr in the text form, such as an advisory.
        forms: By value of ``--format``, makes the bytes of further formats; an entry for ``json``
            replaces a second encoding of ``document``.
    """

    document: Mapping[str, Any]
    show: Callable[[], Sequence[Block]]
    status: int = 0
    notes: tuple[str, ...] = field(default=())
    forms: Mapping[str, Callable[[], bytes]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RawResult:
    """Bytes that are printed as they are in both formats, such as a stored snapshot.

    Attributes:
        data: The bytes.
        show: Makes the blocks for a terminal; None prints the bytes there too.
        status: Exit status.
    """

    data: bytes
    show: Callable[[], Sequence[Block]] | None = None
    status: int = 0


def sorted_document(**values: Any) -> dict[str, Any]:
    """A result document with ``schema_version`` 1 and all top-level keys sorted."""
    return dict(sorted({"schema_version": 1, **values}.items()))


def sentence(text: str) -> Callable[[], Sequence[Block]]:
    """Make the blocks of a result that is one line."""

    def show() -> Sequence[Block]:
        return (line(text),)

    return show
