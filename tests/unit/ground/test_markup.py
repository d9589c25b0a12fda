"""Text in Markdown comes out as it went in, whatever it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from git_zdev.ground import markup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it.token import Token

RENDERER = MarkdownIt("commonmark").enable(["table", "strikethrough"])

HOSTILE = [
    "# heading",
    "- item",
    "+ item",
    "1. item",
    "12) item",
    "---",
    "===",
    "> quote",
    "[link](http://example.org)",
    "![image](x)",
    "<b>bold</b>",
    "<http://example.org>",
    "&copy; &#65;",
    "*strong* **strong** _weak_ __x__",
    "snake_case and _leading",
    "~~gone~~",
    "`code` and ``more``",
    "a | b",
    "\\ \\* \\|",
    "``` fence",
    "~~~ fence",
    "[x]: http://example.org",
    "[bold red]markup[/]",
    "|---|",
    ":--",
    "_",
    "__",
    "\u00e9_\u00e9_",
]
LINE = (
    st.text(
        st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"])
        | st.sampled_from("`*_[]<>&|~\\#-+=1.):! "),
        min_size=1,
    )
    .map(str.strip)
    .filter(bool)
)
"""Lines that start and end with something; Markdown does not keep white space at either end."""


def leaves(markdown: str) -> Iterator[Token]:
    for token in RENDERER.parse(markdown):
        yield from token.children or [token]


def text_of(markdown: str, kind: str) -> list[str]:
    """The content of every token of a kind; no other token may hold any."""
    found = []
    for token in leaves(markdown):
        if token.content:
            assert token.type == kind, token
            found.append(token.content)
    return found


@given(LINE)
@pytest.mark.parametrize("around", ["{}", "- {}", "Summary: {}\n", "> {}", "## {}"])
def test_inline_text_reads_as_itself(around: str, line: str) -> None:
    shown = "".join(text_of(around.format(markup.inline(line)), "text"))
    assert shown.removeprefix("Summary: ").split() == line.split()


@pytest.mark.parametrize("line", HOSTILE)
def test_hostile_lines_read_as_themselves(line: str) -> None:
    assert "".join(text_of(markup.inline(line), "text")) == line
    assert text_of(markup.code(line), "code_inline") == [line]
    assert text_of(markup.fence(line), "fence") == [f"{line}\n"]


@given(LINE, LINE)
def test_cells_hold_any_line(one: str, other: str) -> None:
    rendered = markup.table(["A", "B"], [[markup.inline(one), markup.code(other)]])
    rows = [token for token in RENDERER.parse(rendered) if token.type == "td_open"]
    assert len(rows) == 2
    cells = [token for token in RENDERER.parse(rendered) if token.type == "inline"][2:]
    texts = ["".join(child.content for child in cell.children or []) for cell in cells]
    assert [text.split() for text in texts] == [one.split(), other.split()]
    assert [child.type for child in cells[1].children or []] == ["code_inline"]


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0")))
def test_a_fence_holds_any_text(text: str) -> None:
    tokens = RENDERER.parse(markup.fence(text, "text"))
    assert [token.type for token in tokens] == ["fence"]
    assert tokens[0].content == text + ("" if text.endswith("\n") or not text else "\n")


def test_line_ends_are_shown() -> None:
    assert markup.code("a\nb\tc") == "`a\\nb\\tc`"
    assert markup.inline("a\rb") == "a\\\\rb"
