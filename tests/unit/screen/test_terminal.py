"""Blocks for a terminal: the words of the plain form, with colour, and nothing hostile."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from git_zdev.screen import plain, terminal
from git_zdev.screen.plain import ASCII, UNICODE
from git_zdev.screen.result import (
    Diff,
    Fields,
    Line,
    Markdown,
    Node,
    Source,
    Status,
    Table,
    Tree,
    Words,
    line,
)

if TYPE_CHECKING:
    from git_zdev.screen.plain import Characters
    from git_zdev.screen.result import Block
    from tests.support.repo import GitRepo

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def shown(*blocks: Block, width: int = 80) -> str:
    return terminal.render(blocks, width)


TABLE = Table(
    ("Id", "State", "Task", "Waits for"),
    (
        (Words("a-001", "id"), Words("done"), Words("First"), Words("—")),
        (Words("a-002", "id"), Words("ready"), Words("A title of several words"), Words("a-001")),
        (Words("a-003", "id"), Words("blocked"), Words("支払いを数える 🎉"), Words("a-001, a-002")),
        (Words("a-004", "id"), Words("blocked"), Words("x" * 90), Words("e\u0301tude")),
    ),
)
LEAF = Node((Words("a-003", "id"), Words("  blocked", "warning"), Words("  A longer title here")))
BLOCKS = [
    line("plain ", Words("bad", "bad"), " [red]no markup[/red] :smile:"),
    line("A sentence that is longer than forty columns and is therefore folded at its blanks."),
    line("Run `git zdev tasks import payments --reviewed R0123456789abcdef0123456789abcdef` now."),
    Fields((("Branch", Words("main", "id")), ("Base", Words("trunk and more " * 6)))),
    Fields((("A label that is longer than most", Words("value " * 9)), ("B", Words("")))),
    TABLE,
    Tree((Node((Words("root"),), (Node((Words("limb " * 12),), (LEAF,)), LEAF)), LEAF)),
    Diff("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@ fn\n-a\n+b\n\\ No newline\n"),
    Status("R  old -> new\n M both\n?? new file\nUU torn\n"),
    Source(
        "## Head\n\n- [ ] an item that is long enough to be folded in a small terminal\n  <b>\n"
    ),
]


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("colour", [True, False])
@pytest.mark.parametrize("characters", [UNICODE, ASCII], ids=["unicode", "ascii"])
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: type(block).__name__)
def test_the_words_are_those_of_the_plain_form(
    block: Line, characters: Characters, colour: bool, width: int
) -> None:
    text = terminal.render([block], width, colour=colour, characters=characters)
    assert ("\x1b" in text) <= colour
    assert ink(text) == ink(plain.render([block], characters))


def ink(text: str) -> Counter[str]:
    """Every character but blanks, styles and the lines of trees: folding parts words and cells."""
    return Counter(re.sub(r"\s|[├└│─|`-]", "", ANSI.sub("", text)))


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: type(block).__name__)
def test_nothing_but_commands_and_git_s_own_lines_is_wider_than_the_terminal(
    block: Line, width: int
) -> None:
    lines = ANSI.sub("", shown(block, width=width)).splitlines()
    assert all(plain.width(one) <= width for one in lines if "`git " not in one)


@pytest.mark.parametrize(
    ("style", "codes"),
    [
        ("good", "32"),
        ("warning", "33"),
        ("bad", "31"),
        ("heading", "1"),
        ("muted", "2"),
        ("id", "36"),
        ("error", "1;31"),
    ],
)
def test_styles_are_the_palettes_colours(style: str, codes: str) -> None:
    assert shown(line(Words("word", style))) == f"\x1b[{codes}mword\x1b[0m\n"


COMBINED = """\
diff --cc x
index 1,2..3
--- a/x
+++ b/x
@@@ -1,2 -1,2 +1,3 @@@ fn main()
  both
- ours
 -theirs
++neither
-- gone
"""


def test_diff_lines_have_gits_colours(repo: GitRepo) -> None:
    repo.write("x", "fn main()\na\nb\nc\nd\n-- sql\n++i\n\n")
    repo.git("add", "x")
    repo.write("x", "fn main()\na\nb\nc\ne\n\nno end")
    bare = repo.git("diff")
    coloured = repo.git("-c", "core.whitespace=-trailing-space,-blank-at-eof", "diff", "--color")
    assert painted(shown(Diff(bare))) == painted(coloured)


def painted(text: str) -> list[tuple[str, str]]:
    """Each character with the codes of its style."""
    found: list[tuple[str, str]] = []
    style = ""
    for part in re.split(r"(\x1b\[[0-9;]*m)", text):
        if part.startswith("\x1b"):
            style = part.strip("\x1b[m").lstrip("0")
        else:
            found += [(character, style) for character in part if character != "\n"]
    return found


def test_combined_diffs_have_gits_colours() -> None:
    assert shown(Diff(COMBINED)).splitlines() == [
        "\x1b[1mdiff --cc x\x1b[0m",
        "\x1b[1mindex 1,2..3\x1b[0m",
        "\x1b[1m--- a/x\x1b[0m",
        "\x1b[1m+++ b/x\x1b[0m",
        "\x1b[36m@@@ -1,2 -1,2 +1,3 @@@\x1b[0m fn main()",
        "  both",
        "\x1b[31m- ours\x1b[0m",
        "\x1b[31m -theirs\x1b[0m",
        "\x1b[32m++neither\x1b[0m",
        "\x1b[31m-- gone\x1b[0m",
    ]


def test_a_short_status_has_gits_colours() -> None:
    assert shown(Status("MD x\n?? y\nUU z\n")).splitlines() == [
        "\x1b[32mM\x1b[0m\x1b[31mD\x1b[0m x",
        "\x1b[31m??\x1b[0m y",
        "\x1b[31mUU\x1b[0m z",
    ]


def test_lines_are_folded_at_blanks_and_commands_are_not() -> None:
    folded = shown(line("  one two three four"), width=12)
    assert folded == "  one two\n  three four\n"
    command = "Run `git zdev tasks import a --reviewed R1`."
    assert shown(line(command), width=12) == f"{command}\n"
    hint = "Run `git switch a`, or bind another with `git zdev area bind`."
    assert shown(line(hint), width=40) == (
        "Run `git switch a`, or bind another with\n`git zdev area bind`.\n"
    )


def test_paths_are_not_broken() -> None:
    path = f".zdev/payments/tasks/{'long-' * 12}.md"
    fields = Fields((("File", Words(path)), ("Branch", Words("a/b (" + "word " * 10 + ")"))))
    lines = ANSI.sub("", shown(fields, width=40)).splitlines()
    assert lines[0] == f"File:   {path}"
    assert max(map(len, lines[1:])) <= 40


def test_long_diff_lines_are_left_to_the_terminal() -> None:
    assert shown(Diff("+" + "y" * 200), width=40).count("\n") == 1


def test_text_is_not_wider_than_can_be_read() -> None:
    lines = shown(line("word " * 100), Source("word " * 100), width=200).splitlines()
    assert max(map(len, lines)) <= 100


def test_the_widest_column_gives_way_first() -> None:
    assert (
        ANSI.sub("", shown(TABLE, width=60))
        == """\
Id     State    Task                              Waits for
a-001  done     First                             —
a-002  ready    A title of several words          a-001
a-003  blocked  支払いを数える 🎉                 a-001,
                                                  a-002
a-004  blocked  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx  e\u0301tude
                xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                xxxxxxxxxxxxxxxxxxxxxxxxxx
"""
    )


def test_one_long_name_leaves_the_columns_of_all_others() -> None:
    rows = (
        (Words("x" * 30), Words("Two words"), Words("b" * 72)),
        (Words("x"), Words("Short and good"), Words("main")),
    )
    table = Table(("Area", "Title", "Branch"), rows)
    assert ANSI.sub("", shown(table, width=50)).splitlines() == [
        f"{'Area':18}  {'Title':10}  Branch",
        f"{'x' * 18}  Two words   {'b' * 18}",
        f"{'x' * 12:18}  {'':10}  {'b' * 18}",
        f"{'':18}  {'':10}  {'b' * 18}",
        f"{'':18}  {'':10}  {'b' * 18}",
        f"{'x':18}  Short and   main",
        f"{'':18}  good",
    ]


def test_rows_run_on_where_columns_would_be_too_narrow() -> None:
    assert ANSI.sub("", shown(TABLE, width=24)).splitlines()[:5] == [
        "Id  State  Task  Waits",
        "  for",
        "a-001  done  First  —",
        "a-002  ready  A title of",
        "  several words  a-001",
    ]


def test_a_value_stands_below_a_long_label() -> None:
    fields = Fields((("A label of some length", Words("a value of some length")),))
    assert ANSI.sub("", shown(fields, width=40)).splitlines() == [
        "A label of some length:",
        "  a value of some length",
    ]


def test_trees_keep_their_lines_where_labels_are_folded() -> None:
    child = Node((Words("child with a label"),), (Node((Words("leaf"),)),))
    tree = Tree((Node((Words("root"),), (child, Node((Words("last one that is long"),)))),))
    assert (
        ANSI.sub("", shown(tree, width=24))
        == """\
root
├── child with a
│   │   label
│   └── leaf
└── last one that is
        long
"""
    )


def test_what_ascii_cannot_show_is_escaped_and_aligned() -> None:
    rows = ((Words("日本"), Words("—")), (Words("a\u202eb"), Words("…")))
    text = terminal.render([Table(("A", "B"), rows)], 80, colour=False, characters=ASCII)
    assert text == "A             B\n\\u65e5\\u672c  -\na\\u202eb      ...\n"
    tree = Tree((Node((Words("a"),), (Node((Words("b"),)), Node((Words("c"),)))),))
    assert plain.render([tree], ASCII) == "a\n|-- b\n`-- c\n"


PAGE = """\
# Title of `this`

| Key | Task |
| --- | --- |
| `one` | Count \\<b>x\\</b> |

- item one
- item two

```diff
 same
-old
+new
```

```text
└── tree
```
"""


def test_pages_are_typeset_calmly() -> None:
    assert (
        ANSI.sub("", shown(Markdown(PAGE))).rstrip()
        == """\
Title of this

Key  Task
one  Count <b>x</b>

 • item one
 • item two

   same
  -old
  +new

  └── tree"""
    )
    assert "\x1b[31m-old\x1b[0m" in shown(Markdown(PAGE))
    assert "\x1b[4" not in re.sub(r"\x1b\[4m|\x1b\[1;4m", "", shown(Markdown(PAGE)))


def test_pages_in_ascii_are_ascii() -> None:
    text = terminal.render([Markdown(PAGE + "\n日本\n")], 80, characters=ASCII)
    assert text.isascii()
    assert "`-- tree" in text
    assert "\\u65e5\\u672c" in text


def test_a_source_shows_what_markdown_would_hide() -> None:
    text = "<!-- hidden -->\n\n[link]: http://e\n\n```\n- code\n```\n"
    assert ANSI.sub("", shown(Source(text))) == text


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
