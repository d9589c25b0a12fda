r"""Markdown around text that other people wrote: it shows the text, which cannot affect it.

A CommonMark renderer (with GitHub's tables) shows exactly the characters of the text: no heading,
link, HTML, table cell or fence in it takes effect. Characters that would act on a terminal or hide
are left to :mod:`git_zdev.ground.inert`, which every rendering passes last; line ends and tabs
inside of a line are shown as ``\n`` and ``\t``.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ACTIVE = re.compile(r"[\\`*\[\]<>&~]|(?<![^\W_])_|_(?![^\W_])")
"""Characters that begin or end inline markup; ``_`` does so only beside a word."""

_OPENING = re.compile(r"[#+\-=:]|\d+(?=[.)])")
"""Characters that begin a block, a list item or a table at the start of a line."""

_BREAKS = str.maketrans({"\n": "\\n", "\r": "\\r", "\t": "\\t"})


def inline(text: str) -> str:
    """A line of text, escaped so that it reads as itself anywhere in Markdown."""
    escaped = _ACTIVE.sub(r"\\\g<0>", text.translate(_BREAKS))
    opening = _OPENING.match(escaped)
    if opening is None:
        return escaped
    place = opening.end() if opening[0].isdigit() else 0
    return f"{escaped[:place]}\\{escaped[place:]}"


def code(text: str) -> str:
    """A code span with one line of text."""
    shown = text.translate(_BREAKS)
    ticks = "`" * (_longest_run(shown) + 1)
    if shown.startswith("`") or shown.endswith("`") or shown.strip() != shown or not shown:
        shown = f" {shown} "
    return f"{ticks}{shown}{ticks}"


def fence(text: str, language: str = "") -> str:
    """A fenced block with text of any number of lines; it ends with a line end."""
    ticks = "`" * max(3, _longest_run(text) + 1)
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{ticks}{language}\n{text}{end}{ticks}\n"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells of one-line Markdown; it ends with a line end."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(_row(line) for line in lines)


def _row(cells: Iterable[str]) -> str:
    escaped = [cell.replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(escaped)} |\n"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
