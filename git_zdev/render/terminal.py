"""The same words for a terminal, with colour and layout; the only import of rich.

Text from records and from Git passes :func:`git_zdev.inert.escape` and becomes
``rich.text.Text``, never markup, so that nothing in it can style, link or hide.
"""

from __future__ import annotations

import io
import shutil
from typing import TYPE_CHECKING, ClassVar

from rich.console import Console
from rich.markdown import Markdown as RichMarkdown
from rich.markdown import MarkdownElement, TableElement
from rich.table import Table as RichTable
from rich.text import Text
from rich.theme import Theme
from rich.tree import Tree as RichTree

from git_zdev.inert import escape
from git_zdev.view import Diff, Fields, Line, Markdown, Node, Table, Tree, Words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import ConsoleOptions, RenderableType, RenderResult

    from git_zdev.view import Block

THEME = Theme(
    {
        "zdev.heading": "bold",
        "zdev.good": "green",
        "zdev.warning": "yellow",
        "zdev.bad": "red",
        "zdev.muted": "dim",
        "zdev.id": "cyan",
        "markdown.code": "cyan",
        "markdown.code_block": "none",
    }
)
"""ANSI colours only, so that the user's own palette decides how they look on dark and light."""

DIFF_STYLES = (
    ("diff --", "bold"),
    ("index ", "bold"),
    ("--- ", "bold"),
    ("+++ ", "bold"),
    ("@@", "cyan"),
    ("+", "green"),
    ("-", "red"),
)
"""First matching prefix of a diff line and its style: Git's own default colours."""


def render(blocks: Iterable[Block], width: int | None = None) -> str:
    """Text with ANSI styles.

    Args:
        blocks: What to show.
        width: Columns; None asks the terminal.
    """
    out = io.StringIO()
    console = Console(
        file=out,
        force_terminal=True,
        color_system="standard",
        width=width or shutil.get_terminal_size().columns,
        theme=THEME,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for block in blocks:
        console.print(_renderable(block), soft_wrap=isinstance(block, Line | Diff))
    return out.getvalue()


def _renderable(block: Block) -> RenderableType:
    match block:
        case Line(words):
            return _text(words)
        case Fields(rows):
            return _fields(rows)
        case Table(columns, rows):
            return _table(columns, rows)
        case Tree(roots):
            return _trees(roots)
        case Diff(text):
            return _diff(text)
        case Markdown(text):
            return _Markdown(escape(text), code_theme="ansi_dark", hyperlinks=False)


class _WholeTable(TableElement):
    """A Markdown table that breaks long words instead of cutting them off."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for table in super().__rich_console__(console, options):
            if isinstance(table, RichTable):
                for column in table.columns:
                    column.overflow = "fold"
            yield table


class _Markdown(RichMarkdown):
    """Markdown of which nothing is left out, however narrow the terminal is."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **RichMarkdown.elements,
        "table_open": _WholeTable,
    }


def _style(name: str) -> str:
    return f"zdev.{name}" if name else ""


def _text(words: Iterable[Words]) -> Text:
    return Text.assemble(*((escape(word.text), _style(word.style)) for word in words))


def _fields(rows: Sequence[tuple[str, Words]]) -> RichTable:
    grid = RichTable.grid(padding=(0, 1))
    for label, value in rows:
        grid.add_row(Text(f"{label}:", "zdev.muted"), _text((value,)))
    return grid


def _table(columns: Sequence[str], rows: Sequence[Sequence[Words]]) -> RichTable:
    table = RichTable(box=None, pad_edge=False, header_style="zdev.muted", padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(Text(column), overflow="fold")
    for row in rows:
        table.add_row(*(_text((cell,)) for cell in row))
    return table


def _trees(roots: Sequence[Node]) -> RenderableType:
    from rich.console import Group

    return Group(*(_tree(root) for root in roots))


def _tree(node: Node) -> RichTree:
    tree = RichTree(_text(node.label), guide_style="zdev.muted")
    for child in node.children:
        tree.children.append(_tree(child))
    return tree


def _diff(text: str) -> Text:
    shown = Text()
    for line in escape(text).removesuffix("\n").split("\n"):
        style = next((style for prefix, style in DIFF_STYLES if line.startswith(prefix)), "")
        shown.append(f"{line}\n", style)
    return shown[:-1]
