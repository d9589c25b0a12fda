"""Blocks as plain text: the exact lines."""

from __future__ import annotations

import pytest

from git_zdev.screen import plain
from git_zdev.screen.result import (
    BLANK,
    Diff,
    Fields,
    Line,
    Markdown,
    Node,
    Table,
    Tree,
    Words,
    line,
)


def test_lines_are_their_words() -> None:
    assert plain.render([line("a ", Words("b", "good")), BLANK, Line()]) == "a b\n\n\n"


def test_nothing_is_nothing() -> None:
    assert plain.render([]) == ""
    assert plain.render([Fields(()), Tree(())]) == ""


def test_fields_align_and_continue_below_the_value() -> None:
    rows = (("Branch", Words("main")), ("Id", Words("one\ntwo")), ("Empty", Words("")))
    assert plain.render([Fields(rows)]) == "Branch: main\nId:     one\n        two\nEmpty:\n"


def test_tables_align_by_columns_that_characters_take() -> None:
    rows = (
        (Words("日本"), Words("x")),
        (Words("e\u0301"), Words("y")),
        (Words("abc"), Words("")),
    )
    assert plain.render([Table(("Name", "To"), rows)]) == "Name  To\n日本  x\ne\u0301     y\nabc\n"


def test_a_cell_stays_on_its_line() -> None:
    assert plain.render([Table(("A",), ((Words("b\nc"),),))]) == "A\nb c\n"


def test_trees_draw_their_branches() -> None:
    leaf = Node((Words("leaf"),))
    tree = Tree((Node((Words("root"),), (Node((Words("limb"),), (leaf,)), leaf)), leaf))
    assert plain.render([tree]) == "root\n├── limb\n│   └── leaf\n└── leaf\nleaf\n"


@pytest.mark.parametrize("kind", [Diff, Markdown])
def test_text_keeps_its_lines_and_gets_one_end(kind: type[Diff | Markdown]) -> None:
    assert plain.render([kind("+a\n\n-\tb\n")]) == "+a\n\n-\tb\n"
    assert plain.render([kind("+a")]) == "+a\n"


@pytest.mark.parametrize(
    "block",
    [
        line("\x1b[31m\u202ea"),
        Fields((("k", Words("\x1b[31m\u202ea")),)),
        Table(("k",), ((Words("\x1b[31m\u202ea"),),)),
        Tree((Node((Words("\x1b[31m\u202ea"),)),)),
        Diff("\x1b[31m\u202ea"),
        Markdown("\x1b[31m\u202ea"),
    ],
    ids=lambda block: type(block).__name__,
)
def test_hostile_text_is_visible_in_every_block(block: Line) -> None:
    text = plain.render([block])
    assert "\\x1b[31m\\u202ea" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize(
    ("text", "columns"),
    [("", 0), ("ab", 2), ("é", 1), ("e\u0301", 1), ("漢", 2), ("\ufe0f", 0), ("\uff21", 2)],
)
def test_width(text: str, columns: int) -> None:
    assert plain.width(text) == columns
