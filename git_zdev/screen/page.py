"""Pages that the program wrote in Markdown, typeset for a terminal.

Other people's text in them has passed :mod:`git_zdev.ground.markup`, so all of it is shown. rich's
own style is replaced where it frames, centres, colours by language or sets a background.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol, cast

from rich import markdown
from rich.text import Text

from git_zdev.screen.plain import GAP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from markdown_it.token import Token
    from rich.console import Console, ConsoleOptions, RenderResult


class Blocks(Protocol):
    """What a page uses of the terminal that shows it."""

    def diff(self, lines: Iterable[str], columns: int = 0) -> Iterator[Text]:
        """The lines of a diff, coloured."""

    def folded(self, text: Text, width: int, hanging: str = "") -> Iterator[Text]:
        """A line of text, folded into lines of at most ``width`` columns."""

    def table(self, heading: Sequence[Text], rows: Sequence[Sequence[Text]]) -> Iterator[Text]:
        """The lines of a table."""


STYLES = {
    **{f"markdown.h{level}": "bold" for level in range(1, 7)},
    "markdown.h1": "bold underline",
    **{f"markdown.h{level}": "dim" for level in range(3, 7)},
    "markdown.code": "cyan",
    "markdown.item.bullet": "none",
}


class Page(markdown.Markdown):
    """A page, laid out like the terminal's other blocks."""

    def __init__(self, text: str, terminal: Blocks) -> None:
        super().__init__(text, hyperlinks=False)
        self.terminal = terminal

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Typeset the page."""
        from rich.theme import Theme

        with console.use_theme(Theme(STYLES)):
            yield from super().__rich_console__(console, options)


class _Heading(markdown.Heading):
    LEVEL_ALIGN: ClassVar = {}


class _Fence(markdown.CodeBlock):
    """A fenced block, indented; a diff in its colours."""

    terminal: Blocks

    @classmethod
    def create(cls, page: markdown.Markdown, token: Token) -> _Fence:
        fence = cls(token.info.partition(" ")[0], "")
        fence.terminal = cast("Page", page).terminal
        return fence

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = self.text.plain.removesuffix("\n").split("\n")
        is_diff = self.lexer_name == "diff"
        for line in self.terminal.diff(lines, columns=1) if is_diff else map(Text, lines):
            for part in self.terminal.folded(line, options.max_width - len(GAP)):
                yield Text.assemble(GAP, part)


class _Table(markdown.TableElement):
    """A table, laid out like every other table."""

    terminal: Blocks

    @classmethod
    def create(cls, page: markdown.Markdown, _token: Token) -> _Table:
        table = cls()
        table.terminal = cast("Page", page).terminal
        return table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rows = [
            [cell.content for cell in row.cells]
            for part in (self.header and [self.header.row], self.body and self.body.rows)
            for row in part or ()
            if row is not None
        ]
        for cell in rows[0]:
            cell.stylize("zdev.muted")
        yield from self.terminal.table(rows[0], rows[1:])


Page.elements = {
    **markdown.Markdown.elements,
    "heading_open": _Heading,
    "fence": _Fence,
    "table_open": _Table,
}
