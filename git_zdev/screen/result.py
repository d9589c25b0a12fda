"""What a command returns: the document for programs, and blocks of words for people.

Blocks are independent of terminals. :mod:`git_zdev.screen.plain` prints their words as they are,
and :mod:`git_zdev.screen.terminal` prints the same words with colour and layout. Styles name
meanings, not colours: ``""``, ``heading``, ``good``, ``warning``, ``bad``, ``muted``, ``id``.
"""

from __future__ import annotations

from git_zdev.ground.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any


@dataclass(frozen=True, slots=True)
class Words:
    """Text with one style, usually on one line."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One line made of words."""

    words: tuple[Words, ...] = ()


@dataclass(frozen=True, slots=True)
class Fields:
    """Labels and values, the values aligned."""

    rows: tuple[tuple[str, Words], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Columns with headings; every row has one cell for each column."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Words, ...], ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a tree and the nodes below it."""

    label: tuple[Words, ...]
    children: tuple[Node, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Tree:
    """Trees drawn below one another."""

    roots: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Diff:
    """Output of a diff, line by line as Git gives it."""

    text: str


@dataclass(frozen=True, slots=True)
class Status:
    """Output of ``git status --short``, line by line as Git gives it."""

    text: str


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Output of another program, line by line as it is."""

    text: str


@dataclass(frozen=True, slots=True)
class Source:
    """Markdown from outside, shown character by character, so that nothing in it can hide."""

    text: str


@dataclass(frozen=True, slots=True)
class Markdown:
    """A page that the program wrote; a terminal typesets it, other outputs show it as it is."""

    text: str


@dataclass(frozen=True, slots=True)
class Manual:
    """A manual page in the language of man(7), filled to the available width.

    Attributes:
        source: The page.
        columns: The requested width; None for that of the terminal.
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
        show: Makes the blocks of the text form; called only when text is wanted.
        status: Exit status.
        notes: Sentences for stderr in the text form, such as an advisory.
        forms: Functions for the bytes of further formats, by the word for ``--format``; one for
            ``json`` saves encoding ``document`` again.
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
        show: Blocks for a person at a terminal; None prints the bytes there too.
        status: Exit status.
    """

    data: bytes
    show: Callable[[], Sequence[Block]] | None = None
    status: int = 0


def sorted_document(**values: Any) -> dict[str, Any]:
    """A result document with ``schema_version`` 1 and all top-level keys sorted."""
    return dict(sorted({"schema_version": 1, **values}.items()))


def sentence(text: str) -> Callable[[], Sequence[Block]]:
    """The blocks of a result that is one line."""

    def show() -> Sequence[Block]:
        return (line(text),)

    return show
