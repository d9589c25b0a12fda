"""Blocks as plain words, for pipes and files; no library."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from git_zdev.inert import escape
from git_zdev.view import Diff, Fields, Line, Markdown, Node, Table, Tree, Words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from git_zdev.view import Block

GAP = "  "
ZERO_WIDTH = frozenset({"Mn", "Me", "Cf"})
"""Unicode categories that take no column: marks that combine, and formats."""


def render(blocks: Iterable[Block]) -> str:
    """The text of blocks; every line ends with a line feed."""
    return "".join(f"{line}\n" for block in blocks for line in _lines(block))


def width(text: str) -> int:
    """Columns that a text takes in a terminal: wide characters two, marks and formats none."""
    if text.isascii():
        return len(text)
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> int:
    if unicodedata.category(character) in ZERO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Line(words):
            yield _join(words)
        case Fields(rows):
            yield from _fields(rows)
        case Table(columns, rows):
            yield from _table(columns, rows)
        case Tree(roots):
            for root in roots:
                yield from _tree(root, "", "")
        case Diff(text) | Markdown(text):
            yield from escape(text).removesuffix("\n").split("\n")


def _join(words: Iterable[Words]) -> str:
    return escape("".join(word.text for word in words))


def _fields(rows: Sequence[tuple[str, Words]]) -> Iterator[str]:
    column = max((width(label) for label, _ in rows), default=0)
    for label, value in rows:
        first, *rest = escape(value.text).split("\n")
        yield f"{label}:{' ' * (column - width(label))} {first}".rstrip()
        for continuation in rest:
            yield f"{' ' * (column + 2)}{continuation}".rstrip()


def _table(columns: Sequence[str], rows: Sequence[Sequence[Words]]) -> Iterator[str]:
    grid = [list(columns), *([_cell(cell) for cell in row] for row in rows)]
    widths = [max(width(row[index]) for row in grid) for index in range(len(columns))]
    for row in grid:
        cells = (cell + " " * (widths[index] - width(cell)) for index, cell in enumerate(row))
        yield GAP.join(cells).rstrip()


def _cell(cell: Words) -> str:
    return " ".join(escape(cell.text).split("\n"))


def _tree(node: Node, first: str, rest: str) -> Iterator[str]:
    yield first + _join(node.label)
    for child in node.children[:-1]:
        yield from _tree(child, f"{rest}├── ", f"{rest}│   ")
    for child in node.children[-1:]:
        yield from _tree(child, f"{rest}└── ", f"{rest}    ")
