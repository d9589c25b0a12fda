"""Take the bytes of a record file apart into text, front matter and TOML, and encode text again.

Text is UTF-8 without a byte order mark and with one kind of line end. A file whose lines all end
with CRLF reads as if they ended with LF, and is written with CRLF again. Any other carriage
return is an error; nothing is repaired.
"""

from __future__ import annotations

from git_zdev.fast.toml import read_canonical, read_canonical_file
from git_zdev.ground.errors import Problem
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


FENCE = "+++"
"""The line before and after the front matter of a Markdown record file."""


@dataclass(frozen=True, slots=True)
class Text:
    """A file's text with LF line ends, and whether its bytes have CRLF."""

    text: str
    crlf: bool


@dataclass(frozen=True, slots=True)
class Parts:
    """A record file taken apart; offsets count characters of ``text``.

    Attributes:
        text: The whole file with LF line ends.
        crlf: Whether the file has CRLF line ends.
        block: The TOML: the lines between the fences without the last line end, or the whole file.
        line: 1-based line on which the TOML starts.
        body: Where the body starts.
    """

    text: str
    crlf: bool
    block: str
    line: int
    body: int


def decode(data: bytes, path: str, problems: list[Problem]) -> Text | None:
    """Read a file's bytes as text.

    Args:
        data: The whole file.
        path: Its path, for problems.
        problems: Receives ``byte-order-mark``, ``invalid-utf8`` or ``mixed-line-ends``.

    Returns:
        The text, or None after a problem.
    """
    if data.startswith(b"\xef\xbb\xbf"):
        problems.append(
            Problem("byte-order-mark", "the file starts with a byte order mark", path, 1)
        )
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"the byte 0x{data[error.start]:02x} is not UTF-8"
        problems.append(Problem("invalid-utf8", message, path, line))
        return None
    if "\r" not in text:
        return Text(text, crlf=False)
    pairs = text.count("\r\n")
    if pairs == text.count("\r") == text.count("\n"):
        return Text(text.replace("\r\n", "\n"), crlf=True)
    problems.append(_mixed(text, path))
    return None


def encode(text: str, *, crlf: bool = False) -> bytes:
    """Encode text that has LF line ends; ``crlf`` writes CRLF instead."""
    return (text.replace("\n", "\r\n") if crlf else text).encode()


def _mixed(text: str, path: str) -> Problem:
    lines = text.split("\n")
    first_has_cr = lines[0].endswith("\r")
    for number, line in enumerate(lines, 1):
        last = number == len(lines)
        if "\r" in line.removesuffix("" if last else "\r"):
            message = "the line holds a carriage return that is not a line end"
            break
        if not last and line.endswith("\r") != first_has_cr:
            kinds = ("CRLF", "LF") if first_has_cr else ("LF", "CRLF")
            message = f"the first line ends with {kinds[0]} and this one with {kinds[1]}"
            break
    return Problem("mixed-line-ends", message, path, number)


def split_toml(data: bytes, path: str, problems: list[Problem]) -> Parts | None:
    """Take a TOML file apart: the whole file is the block, and there is no body."""
    decoded = decode(data, path, problems)
    if decoded is None:
        return None
    return Parts(decoded.text, decoded.crlf, decoded.text, 1, len(decoded.text))


def split_markdown(data: bytes, path: str, problems: list[Problem]) -> Parts | None:
    """Take a Markdown record file apart at its two ``+++`` lines."""
    decoded = decode(data, path, problems)
    if decoded is None:
        return None
    whole = decoded.text
    if not whole.startswith(f"{FENCE}\n"):
        message = f"the first line is not {FENCE}, which opens the front matter"
        problems.append(Problem("missing-front-matter", message, path, 1))
        return None
    end = whole.find(f"\n{FENCE}\n", len(FENCE))
    if end < 0 and whole.endswith(f"\n{FENCE}"):
        end = len(whole) - len(FENCE) - 1
    if end < 0:
        message = f"the front matter is not closed by a second {FENCE} line"
        problems.append(Problem("unclosed-front-matter", message, path, 1))
        return None
    return Parts(whole, decoded.crlf, whole[4:end], 2, min(end + 5, len(whole)))


def read_table(parts: Parts, path: str, problems: list[Problem]) -> dict[str, Any] | None:
    """The table of a file's TOML; None after a problem, which ``toml.read`` describes."""
    plain = read_canonical if parts.line > 1 else read_canonical_file
    table = plain(parts.block)
    if table is None:  # not in the writers' form: written by hand
        from git_zdev.plan.records import toml

        table = toml.read(parts.block, path, parts.line, problems)
    return table


def key_lines(block: str) -> dict[tuple[str, ...], int]:
    """1-based line of every key of a TOML text; loads the scanner only when it is called."""
    from git_zdev.plan.records import toml

    return toml.key_lines(block)
