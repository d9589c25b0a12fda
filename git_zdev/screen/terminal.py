"""Blocks for a terminal, with colour, and folded to its width.

Text from records and from Git passes :class:`~git_zdev.screen.plain.Characters` and becomes
``rich.text.Text``, never markup, so that nothing in it can style, link or hide. Colours are the
sixteen ANSI colours without black and white: the user's palette decides how they look on dark and
on light backgrounds.
"""

from __future__ import annotations

import io
import re
from itertools import zip_longest

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from rich.theme import Theme

from git_zdev.screen import roff
from git_zdev.screen.plain import GAP, UNICODE
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
    from collections.abc import Iterable, Iterator, Sequence

    from git_zdev.screen.plain import Characters
    from git_zdev.screen.result import Block

THEME = Theme(
    {
        "zdev.heading": "bold",
        "zdev.good": "green",
        "zdev.warning": "yellow",
        "zdev.bad": "red",
        "zdev.error": "bold red",
        "zdev.muted": "dim",
        "zdev.id": "cyan",
    }
)

WIDEST_TEXT = 100
"""Columns at which text is folded on wider terminals; tables can use the whole width."""

NARROWEST_CELL = 10
"""Columns below which folded cells are hard to read, so that each row runs on like a sentence."""

LONGEST_WORD = 32
"""Columns up to which a word in a table is not broken if possible."""

NARROWEST_VALUE = 20
"""If a value has fewer columns than this beside its label, it goes below the label."""

RICH_IN_ASCII = {ord("•"): "-", ord("▌"): "|"}
"""Characters beyond ASCII that rich itself draws in a page."""

PADDING = r"(?m) +(?=(?:\x1b\[0m)?$)"
"""The blanks that rich pads lines with."""

HANGING = GAP
COMMAND = r"`git [^`]*`"
"""A command that a user may copy: it stays on one line. If it is longer, the terminal folds it,
which does not break the copied text."""
STUCK = "\ue000"
"""Replaces a blank at which a line must not be folded."""


def render(
    blocks: Iterable[Block],
    width: int,
    *,
    colour: bool = True,
    characters: Characters = UNICODE,
) -> str:
    """Text for a terminal; every line ends with a line feed.

    Args:
        blocks: What to show.
        width: Columns.
        colour: Whether to style it; the words and the layout do not depend on it.
        characters: The characters that can be shown.
    """
    out = io.StringIO()
    console = Console(
        file=out,
        force_terminal=True,
        color_system="standard" if colour else None,
        width=width,
        theme=THEME,
        highlight=False,
        markup=False,
        emoji=False,
        no_color=False,
        legacy_windows=False,
        _environ={},
    )
    terminal = Terminal(console, characters)
    for block in blocks:
        terminal.print(block)
    text = out.getvalue()
    return text.translate(RICH_IN_ASCII) if characters.ascii_only else text


class Terminal:
    """Prints blocks on a console.

    Attributes:
        console: The console.
        characters: The characters that can be shown.
        text_width: Columns at which text is folded.
    """

    def __init__(self, console: Console, characters: Characters) -> None:
        self.console = console
        self.characters = characters
        self.text_width = min(console.width, WIDEST_TEXT)

    def print(self, block: Block) -> None:
        """Print one block."""
        if isinstance(block, Markdown):
            from git_zdev.screen.page import Page

            page = Page(self.characters.page(block.text), self)
            with self.console.capture() as typeset:
                self.console.print(page, width=self.text_width)
            self.console.out(re.sub(PADDING, "", typeset.get()), end="", highlight=False)
            return
        lines = list(self.lines(block))
        if lines:
            self.console.print(Text("\n").join(lines), soft_wrap=True)

    def lines(self, block: Block) -> Iterator[Text]:
        """The lines of any block except a page."""
        match block:
            case Line(words):
                yield from self._line(words, self.text_width)
            case Fields(rows):
                yield from self._fields(rows)
            case Table(columns, rows):
                heading = [Text(column, "zdev.muted") for column in columns]
                yield from self.table(heading, [[self._cell(cell) for cell in row] for row in rows])
            case Tree(roots):
                for root in roots:
                    yield from self._tree(root, "", "")
            case Source(text):
                yield from self._source(text)
            case Diff(text):
                yield from self.diff(self._shown_lines(text))
            case Verbatim(text):
                yield from map(Text, self._shown_lines(text))
            case Status(text):
                yield from map(_status_line, self._shown_lines(text))
            case Manual(source, columns):
                room = columns or min(self.console.width, WIDEST_TEXT)
                for line in roff.render(source, roff.width_in(room)):
                    yield from self._line(line.words, self.console.width)
            case Markdown():
                raise TypeError("a page is typeset, not folded")

    def folded(self, text: Text, width: int, hanging: str = "") -> Iterator[Text]:
        """Fold one line into lines of at most ``width`` columns, all but the first indented.

        Words longer than a line are folded too. A text with a command longer than a line is left to
        the terminal.
        """
        rest = max(1, width - len(hanging))
        commands = re.findall(COMMAND, text.plain)
        if text.cell_len <= width or any(cell_len(command) > rest for command in commands):
            yield text
            return
        text = text.copy()
        text.plain = re.sub(COMMAND, _stuck, text.plain)
        first, *_ = text.wrap(self.console, width, overflow="fold")
        first.rstrip()
        yield _loosened(first)
        remaining = text[len(first) :]
        start = len(remaining.plain) - len(remaining.plain.lstrip(" "))
        for line in remaining[start:].wrap(self.console, rest, overflow="fold"):
            line.rstrip()
            yield Text.assemble(hanging, _loosened(line))

    def table(self, heading: Sequence[Text], rows: Sequence[Sequence[Text]]) -> Iterator[Text]:
        """A table in columns, or in rows that run on if the columns would be too narrow."""
        grid = [heading, *rows]
        widths = _fitted(grid, self.console.width - len(GAP) * (len(heading) - 1))
        for row in grid:
            if widths is None:
                running = Text(GAP).join(cell for cell in row if cell)
                yield from self.folded(running, self.console.width, HANGING)
            else:
                yield from self._row(row, widths)

    def diff(self, lines: Iterable[str], columns: int = 0) -> Iterator[Text]:
        """The lines of a diff in Git's own default colours, combined diffs included.

        Args:
            lines: The lines.
            columns: How many columns of marks the first lines have; 0 outside of hunks.
        """
        for line in lines:
            ats = len(line) - len(line.lstrip("@"))
            if ats >= 2:
                columns = ats - 1
                head, mark, section = line.partition(f" {'@' * ats}")
                yield Text.assemble((head + mark, "cyan"), section)
            elif columns and line[:1] in {" ", "+", "-", "\\", ""}:
                yield Text(line, _hunk_style(line[:columns]))
            else:
                columns = 0
                yield Text(line, "bold" if line else "")

    def _shown_lines(self, text: str) -> list[str]:
        return self.characters.show(text).removesuffix("\n").split("\n")

    def _text(self, words: Iterable[Words]) -> Text:
        shown = self.characters.show
        return Text.assemble(*((shown(word.text), _style(word.style)) for word in words))

    def _cell(self, cell: Words) -> Text:
        shown = " ".join(self.characters.show(cell.text).split("\n"))
        return Text(shown, _style(cell.style))

    def _line(self, words: Iterable[Words], width: int) -> Iterator[Text]:
        for line in self._text(words).split("\n", allow_blank=True):
            indent = len(line.plain) - len(line.plain.lstrip(" "))
            yield from self.folded(line, width, " " * indent)

    def _fields(self, rows: Sequence[tuple[str, Words]]) -> Iterator[Text]:
        labels = [Text(f"{self.characters.show(label)}:", "zdev.muted") for label, _ in rows]
        column = max((label.cell_len for label in labels), default=0) + 1
        beside = self.text_width - column >= NARROWEST_VALUE
        indent = " " * column if beside else HANGING
        for label, (_, value) in zip(labels, rows, strict=True):
            lines = [
                line
                for part in self._text([value]).split("\n", allow_blank=True)
                for line in self._value(part, self.text_width - len(indent))
            ]
            if beside and lines[0]:
                yield Text.assemble(label, " " * (column - label.cell_len), lines.pop(0))
            elif not beside and label.cell_len + 1 + lines[0].cell_len <= self.text_width:
                yield Text.assemble(label, " ", lines.pop(0))
            else:
                yield label
            yield from (Text.assemble(indent, line) if line else line for line in lines)

    def _value(self, part: Text, width: int) -> Iterator[Text]:
        """The lines of a value; the terminal folds a long path, which keeps it whole."""
        if "/" in part.plain and " " not in part.plain:
            yield part
        else:
            yield from self.folded(part, width)

    def _row(self, cells: Sequence[Text], widths: Sequence[int]) -> Iterator[Text]:
        columns = [
            list(self.folded(cell, width)) for cell, width in zip(cells, widths, strict=True)
        ]
        for parts in zip_longest(*columns, fillvalue=Text()):
            line = Text()
            for part, width in zip(parts, widths, strict=True):
                line += part
                line.append(" " * (width - part.cell_len) + GAP)
            line.rstrip()
            yield line

    def _tree(self, node: Node, first: str, rest: str) -> Iterator[Text]:
        drawn, guides = self.characters, self.text_width - len(first)
        below = rest + (drawn.pipe if node.children else drawn.gap)
        label = self._text(node.label)
        for number, line in enumerate(self.folded(label, max(NARROWEST_CELL, guides - 4))):
            yield Text.assemble((below if number else first, "zdev.muted"), line)
        for child in node.children:
            last = child is node.children[-1]
            yield from self._tree(
                child,
                rest + (drawn.corner if last else drawn.fork),
                rest + (drawn.gap if last else drawn.pipe),
            )

    def _source(self, text: str) -> Iterator[Text]:
        fenced = False
        for line in self._shown_lines(text):
            opens = line.lstrip(" ").startswith(("```", "~~~"))
            if fenced or opens:
                yield Text(line, "zdev.muted" if opens else "")
                fenced = fenced != opens
            elif line.startswith("#"):
                yield from self.folded(Text(line, "zdev.heading"), self.text_width)
            else:
                yield from self.folded(Text(line), self.text_width, _hanging(line))


def _stuck(command: re.Match[str]) -> str:
    return command[0].replace(" ", STUCK)


def _loosened(line: Text) -> Text:
    line.plain = line.plain.replace(STUCK, " ")
    return line


def _style(name: str) -> str:
    return f"zdev.{name}" if name else ""


def _hunk_style(marks: str) -> str:
    """The style of a hunk's line, by its columns of marks."""
    if "+" in marks:
        return "green"
    return "red" if "-" in marks else ""


def _status_line(line: str) -> Text:
    """A line of a short status in Git's own default colours."""
    staged, unstaged = line[:1], line[1:2]
    if line.startswith("??") or "U" in line[:2] or line[:2] in {"AA", "DD"}:
        return Text.assemble((line[:2], "red"), line[2:])
    return Text.assemble((staged, "green"), (unstaged, "red"), line[2:])


def _hanging(line: str) -> str:
    """The indent of folded lines: as deep as the text of a list item."""
    text = line.lstrip(" ")
    indent = len(line) - len(text)
    for mark in ("- [ ] ", "- [x] ", "- ", "* ", "+ "):
        if text.startswith(mark):
            return " " * (indent + len(mark))
    return " " * indent


def _fitted(grid: Sequence[Sequence[Text]], available: int) -> list[int] | None:
    """Widths of the columns of a table; None if some would be too narrow to read.

    The widest column shrinks first, and no word is broken while lines can be folded between words.
    A long word is broken before other columns become too narrow.
    """
    columns = list(zip(*grid, strict=True))
    widths = [max(cell.cell_len for cell in column) for column in columns]
    words = [max(NARROWEST_CELL, min(_longest_word(column), LONGEST_WORD)) for column in columns]
    for _ in range(sum(widths) - available):
        wide = [index for index, width in enumerate(widths) if width > words[index]]
        widest = max(wide or range(len(widths)), key=widths.__getitem__)
        widths[widest] -= 1
        if widths[widest] < NARROWEST_CELL:
            return None
    return widths


def _longest_word(column: Sequence[Text]) -> int:
    return max((cell_len(word) for cell in column for word in cell.plain.split()), default=0)
