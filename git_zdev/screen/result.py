"""What a command returns: the document for programs, and blocks of words for people.

Blocks know no terminal. :mod:`git_zdev.screen.plain` prints their words as they are, and
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
    """A run of text with one style; one line unless it says otherwise."""

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
    """Columns with headings; every row has one cell a column."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Words, ...], ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a tree and what hangs below it."""

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
    """What another program printed, line by line as it is."""

    text: str


@dataclass(frozen=True, slots=True)
class Source:
    """Markdown that somebody wrote, shown character by character: nothing in it can hide."""

    text: str


@dataclass(frozen=True, slots=True)
class Markdown:
    """A page that the program wrote; a terminal shows it typeset, all else as it is."""

    text: str


@dataclass(frozen=True, slots=True)
class Manual:
    """A page of the manual in man(7)'s language, filled to the width that there is.

    Attributes:
        source: The page.
        columns: The width that its reader asked for; None for that of the terminal.
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
    """The outcome of a command that did what it was asked.

    Attributes:
        document: The JSON object, keys in the documented order.
        show: Makes the blocks of the text form; called only when text is wanted.
        status: Exit status.
        notes: Sentences for stderr in the text form, such as an advisory.
        forms: Makes the bytes of further formats by the word that ``--format`` takes; an entry
            for ``json`` stands in for encoding ``document`` once more.
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
    """The blocks of a result that one line says."""

    def show() -> Sequence[Block]:
        return (line(text),)

    return show
