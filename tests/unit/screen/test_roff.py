"""The renderer of manual pages, against man itself and by hand."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from git_zdev.screen import manual, plain, roff
from git_zdev.screen.result import Line, Manual

if TYPE_CHECKING:
    from collections.abc import Iterable

MAN = shutil.which("man")
needs_man = pytest.mark.skipif(MAN is None, reason="man is not installed")


def text(source: str, width: int = 40) -> str:
    return plain.render(roff.render(source, width))


def test_headings_paragraphs_and_filling() -> None:
    source = """\
.TH NAME 1
.SH FIRST
One two three four five
six seven eight nine ten.
.PP
Next.
.SS Below
Text.
.SH SECOND
End.
"""
    assert text(source) == (
        "FIRST\n"
        "       One two three four five six seven\n"
        "       eight nine ten.\n"
        "\n"
        "       Next.\n"
        "\n"
        "   Below\n"
        "       Text.\n"
        "\n"
        "SECOND\n"
        "       End.\n"
    )


def test_lists_and_indents() -> None:
    source = """\
.SH S
.TP
\\fB\\-x\\fP
Short label.
.TP
.B label\\-that\\-is\\-long
Below it.
.RS 4
.nf
a  b

c
.fi
.RE
.PP
Out again.
"""
    assert text(source) == (
        "S\n"
        "       -x     Short label.\n"
        "\n"
        "       label-that-is-long\n"
        "              Below it.\n"
        "           a  b\n"
        "\n"
        "           c\n"
        "\n"
        "       Out again.\n"
    )


def test_fonts_and_escapes() -> None:
    source = (
        '.SH S\n\\fBbold\\fP, \\fIplace\\fP\n.BR git (1)\n.RB ( "a b" )\n\\(aq\\(ga\\(dq\\e\\&.\n'
    )
    (_, line) = roff.render(source, 80)
    assert isinstance(line, Line)
    assert [(word.text, word.style) for word in line.words] == [
        ("       ", ""),
        ("bold", "heading"),
        (", ", ""),
        ("place", "id"),
        (" ", ""),
        ("git", "heading"),
        ("(1) (", ""),
        ("a b", "heading"),
        (") '`\"\\.", ""),
    ]


@pytest.mark.parametrize("source", [".IP x\n", ".ds a b\n", "\\*(lq\n", "\\(bu\n", ".BOLD x\n"])
def test_what_it_does_not_know_is_not_left_out(source: str) -> None:
    with pytest.raises(ValueError, match="unknown"):
        roff.render(source, 80)


@needs_man
@pytest.mark.parametrize("page", manual.pages())
def test_it_says_what_man_says(page: str) -> None:
    assert _words(text(manual.read(page), 2000).splitlines()) == _words(man(page, 2000))


@needs_man
@pytest.mark.parametrize("columns", [60, 80, 100, 132])
def test_it_fills_lines_as_wide_as_man_does(columns: int) -> None:
    """man sets two blanks behind some sentences, so single lines may part elsewhere."""
    ours = plain.render([Manual(manual.read("git-zdev"), columns)]).splitlines()
    long = [line for line in ours if len(line) > columns]
    assert long == [line for line in man("git-zdev", columns) if len(line) > columns]
    assert columns - 4 <= max(len(line) for line in ours if line not in long) <= columns - 1


def man(page: str, columns: int) -> list[str]:
    """The lines between the header and the footer of a page as man prints it."""
    words = ["man", "--nh", "--nj", "--warnings", "-E", "UTF-8", "-l", manual.pages()[page]]
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PAGER": "cat"}
    environment["MANWIDTH"] = str(columns)
    done = subprocess.run(words, capture_output=True, env=environment, check=True)
    assert done.stderr == b""
    _, *body, _ = done.stdout.decode().strip().splitlines()
    return body


def _words(lines: Iterable[str]) -> list[list[str]]:
    return [words for line in lines if (words := line.split())]
