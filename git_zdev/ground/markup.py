r"""Markdown around text that other people wrote: it shows the text and cannot be steered by it.

Whatever goes in comes out of a CommonMark renderer (with GitHub's tables) as the characters that
went in: no heading, link, HTML, table cell or fence of it takes effect. Characters that would act
on a terminal or hide are left to :mod:`git_zdev.ground.inert`, which every rendering passes last;
line ends and tabs inside of a line are shown as ``\n`` and ``\t``.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ACTIVE = re.compile(r"[\\`*\[\]<>&~]|(?<![^\W_])_|_(?![^\W_])")
"""Characters that begin or end something inside of a line; ``_`` does so only beside a word."""

_OPENING = re.compile(r"[#+\-=:]|\d+(?=[.)])")
"""What begins a block, a list item or a table where a line starts with it."""

_BREAKS = str.maketrans({"\n": "\\n", "\r": "\\r", "\t": "\\t"})


def inline(text: str) -> str:
    """A line of text that reads as itself wherever a line of Markdown may be."""
    escaped = _ACTIVE.sub(r"\\\g<0>", text.translate(_BREAKS))
    opening = _OPENING.match(escaped)
    if opening is None:
        return escaped
    place = opening.end() if opening[0].isdigit() else 0
    return f"{escaped[:place]}\\{escaped[place:]}"


def code(text: str) -> str:
    """A code span with a text of one line."""
    shown = text.translate(_BREAKS)
    ticks = "`" * (_longest_run(shown) + 1)
    if shown.startswith("`") or shown.endswith("`") or shown.strip() != shown or not shown:
        shown = f" {shown} "
    return f"{ticks}{shown}{ticks}"


def fence(text: str, language: str = "") -> str:
    """A fenced block with a text of any lines; it ends with a line end."""
    ticks = "`" * max(3, _longest_run(text) + 1)
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{ticks}{language}\n{text}{end}{ticks}\n"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown of one line; it ends with a line end."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(_row(line) for line in lines)


def _row(cells: Iterable[str]) -> str:
    escaped = [cell.replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(escaped)} |\n"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
