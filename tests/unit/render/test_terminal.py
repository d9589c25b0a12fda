"""Blocks for a terminal: the words of the plain form, with colour, and nothing hostile."""

from __future__ import annotations

import re

import pytest

from git_zdev.render import plain, terminal
from git_zdev.view import Diff, Fields, Line, Markdown, Node, Table, Tree, Words, line

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def shown(*blocks: Line | Fields | Table | Tree | Diff | Markdown, width: int = 80) -> str:
    return terminal.render(blocks, width)


def words(text: str) -> list[str]:
    return ANSI.sub("", text).split()


BLOCKS = [
    line("plain ", Words("bad", "bad"), " [red]no markup[/red] :smile:"),
    Fields((("Branch", Words("main", "id")), ("Base", Words("trunk")))),
    Table(("Area", "Title"), ((Words("one", "id"), Words("The first")),)),
    Tree((Node((Words("root"),), (Node((Words("leaf", "muted"),)),)),)),
    Diff("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"),
]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: type(block).__name__)
def test_the_words_are_those_of_the_plain_form(block: Line) -> None:
    assert words(shown(block)) == words(plain.render([block]))


@pytest.mark.parametrize(
    ("style", "codes"),
    [
        ("good", "32"),
        ("warning", "33"),
        ("bad", "31"),
        ("heading", "1"),
        ("muted", "2"),
        ("id", "36"),
    ],
)
def test_styles_are_the_palettes_colours(style: str, codes: str) -> None:
    assert shown(line(Words("word", style))) == f"\x1b[{codes}mword\x1b[0m\n"


def test_diff_lines_have_gits_colours() -> None:
    text = shown(Diff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n c\n"))
    assert text.splitlines() == [
        "\x1b[1m--- a/x\x1b[0m",
        "\x1b[1m+++ b/x\x1b[0m",
        "\x1b[36m@@ -1 +1 @@\x1b[0m",
        "\x1b[31m-a\x1b[0m",
        "\x1b[32m+b\x1b[0m",
        " c",
    ]


def test_long_lines_are_left_to_the_terminal() -> None:
    assert shown(line("x" * 200), Diff("+" + "y" * 200), width=40).count("\n") == 2


def test_a_table_folds_at_the_width_and_loses_no_character() -> None:
    table = Table(("Area", "Title"), ((Words("one"), Words("w" * 60)),))
    lines = ANSI.sub("", shown(table, width=40)).splitlines()
    assert max(map(len, lines)) <= 40
    assert "".join(lines).count("w") == 60


@pytest.mark.parametrize(
    "block",
    [
        line("\x1b]8;;http://e\x07\u202ea"),
        Fields((("k", Words("\x1b]8;;http://e\x07\u202ea")),)),
        Table(("k",), ((Words("\x1b]8;;http://e\x07\u202ea"),),)),
        Tree((Node((Words("\x1b]8;;http://e\x07\u202ea"),)),)),
        Diff("\x1b]8;;http://e\x07\u202ea"),
        Markdown("\x1b]8;;http://e\x07\u202ea"),
        Markdown("[click](javascript:x)"),
    ],
    ids=lambda block: type(block).__name__,
)
def test_hostile_text_cannot_act(block: Line) -> None:
    text = ANSI.sub("", shown(block))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text


def test_a_markdown_table_loses_no_character() -> None:
    path = "src/" + "long" * 60
    text = ANSI.sub("", shown(Markdown(f"| Path | Owner |\n| --- | --- |\n| `{path}` | one |\n")))
    cells = [row.split()[0] for row in text.splitlines() if "src" in row or "long" in row]
    assert "".join(cells) == path
    assert max(map(len, text.splitlines())) <= 80
