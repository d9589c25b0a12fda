"""Blocks as plain text, for pipes and files, and the characters that a screen can show.

Text from outside passes :meth:`Characters.show` on its way to any screen; the program's own text
and drawings have a form in ASCII. No library is needed.
"""

from __future__ import annotations

from git_zdev.ground.inert import escape
from git_zdev.screen.result import (
    Diff,
    Fields,
    Line,
    Manual,
    Markdown,
    Node,
    Source,
    Status,
    Table,
    Tree,
    Verbatim,
    Words,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from git_zdev.screen.result import Block

_OWN: Mapping[str, str] = {"—": "-", "…": "..."}
"""The program's own characters beyond ASCII, and their replacements in ASCII."""


class Characters:
    """A set of characters.

    Attributes:
        ascii_only: Whether only ASCII can be shown.
        fork: Drawn before a tree's node that has later siblings.
        corner: Drawn before the last sibling.
        pipe: Drawn before the lines below a ``fork``.
        gap: Drawn before the lines below a ``corner``.
    """

    def __init__(self, *, ascii_only: bool) -> None:
        self.ascii_only = ascii_only
        drawn = ("|-- ", "`-- ", "|   ") if ascii_only else ("├── ", "└── ", "│   ")
        self.fork, self.corner, self.pipe = drawn
        self.gap = "    "

    def show(self, text: str) -> str:
        r"""Text from outside; characters that cannot be shown, act or hide become ``\u202e``."""
        shown = escape(text)
        if not self.ascii_only or shown.isascii():
            return shown
        return _OWN.get(shown) or shown.encode("ascii", "backslashreplace").decode()

    def own(self, text: str) -> str:
        """The program's own text."""
        return (
            text.translate({ord(one): plain for one, plain in _OWN.items()})
            if self.ascii_only
            else text
        )

    def page(self, text: str) -> str:
        """A page of the program, with text from outside and trees in it."""
        if not self.ascii_only:
            return escape(text)
        unicode = UNICODE
        for drawn, plain in (
            (unicode.fork, self.fork),
            (unicode.corner, self.corner),
            (unicode.pipe, self.pipe),
        ):
            text = text.replace(drawn, plain)
        return self.show(text)


UNICODE = Characters(ascii_only=False)
ASCII = Characters(ascii_only=True)

GAP = "  "
ZERO_WIDTH = frozenset({"Mn", "Me", "Cf"})
"""Unicode categories that take no column: combining marks and format characters."""


def render(blocks: Iterable[Block], characters: Characters = UNICODE) -> str:
    """The text of blocks; every line ends with a line feed."""
    plain = _Plain(characters)
    return "".join(f"{line}\n" for block in blocks for line in plain.lines(block))


def width(text: str) -> int:
    """The columns of a text in a terminal: two for a wide character, none for marks and formats."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(
        2 if east_asian_width(character) in "WF" else 1
        for character in text
        if category(character) not in ZERO_WIDTH
    )


class _Plain:
    """Blocks as lines in one set of characters."""

    def __init__(self, characters: Characters) -> None:
        self.characters = characters
        self.show = characters.show

    def lines(self, block: Block) -> Iterator[str]:
        match block:
            case Line(words):
                yield self.joined(words)
            case Fields(rows):
                yield from self.fields(rows)
            case Table(columns, rows):
                yield from self.table(columns, rows)
            case Tree(roots):
                for root in roots:
                    yield from self.tree(root, "", "")
            case Markdown(text):
                yield from self.characters.page(text).removesuffix("\n").split("\n")
            case Manual(source, columns):
                from git_zdev.screen import roff

                for line in roff.render(source, roff.width_in(columns or roff.COLUMNS)):
                    yield self.joined(line.words)
            case Diff(text) | Status(text) | Verbatim(text) | Source(text):
                yield from self.show(text).removesuffix("\n").split("\n")

    def joined(self, words: Iterable[Words]) -> str:
        return "".join(self.show(word.text) for word in words)

    def fields(self, rows: Sequence[tuple[str, Words]]) -> Iterator[str]:
        shown = [(self.show(label), self.show(value.text)) for label, value in rows]
        column = max((width(label) for label, _ in shown), default=0)
        for label, value in shown:
            first, *rest = value.split("\n")
            yield f"{label}:{' ' * (column - width(label))} {first}".rstrip()
            for continuation in rest:
                yield f"{' ' * (column + 2)}{continuation}".rstrip()

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[Words]]) -> Iterator[str]:
        grid = [list(columns), *([self.cell(cell) for cell in row] for row in rows)]
        widths = [max(width(row[index]) for row in grid) for index in range(len(columns))]
        for row in grid:
            cells = (cell + " " * (widths[index] - width(cell)) for index, cell in enumerate(row))
            yield GAP.join(cells).rstrip()

    def cell(self, cell: Words) -> str:
        return " ".join(self.show(cell.text).split("\n"))

    def tree(self, node: Node, first: str, rest: str) -> Iterator[str]:
        drawn = self.characters
        yield first + self.joined(node.label)
        for child in node.children[:-1]:
            yield from self.tree(child, f"{rest}{drawn.fork}", f"{rest}{drawn.pipe}")
        for child in node.children[-1:]:
            yield from self.tree(child, f"{rest}{drawn.corner}", f"{rest}{drawn.gap}")
