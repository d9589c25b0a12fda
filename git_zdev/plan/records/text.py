"""The bytes of a record file as text, and back: UTF-8, no byte order mark, one kind of line end.

A file whose lines all end with CRLF reads as if they ended with LF, and is written with CRLF
again. Whatever else holds a carriage return is an error; nothing is repaired.
"""

from __future__ import annotations

from git_zdev.fast.toml import is_plain
from git_zdev.ground.errors import Problem
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Text:
    """A file's text with LF line ends, and whether its bytes have CRLF."""

    text: str
    crlf: bool


def decode(data: bytes, path: str, problems: list[Problem]) -> Text | None:
    """Read a file's bytes as text.

    Args:
        data: The whole file.
        path: Its path, for problems.
        problems: Receives ``byte-order-mark``, ``invalid-utf8`` or ``mixed-line-ends``.

    Returns:
        The text, None when there was a problem.
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
    """The bytes of a text with LF line ends, with CRLF where the file has it."""
    return (text.replace("\n", "\r\n") if crlf else text).encode()


def _mixed(text: str, path: str) -> Problem:
    lines = text.split("\n")
    first_has_cr = lines[0].endswith("\r")
    for number, line in enumerate(lines, 1):
        last = number == len(lines)
        if "\r" in line.removesuffix("" if last else "\r"):
            message = "the line holds a carriage return that is no line end"
            break
        if not last and line.endswith("\r") != first_has_cr:
            kinds = ("CRLF", "LF") if first_has_cr else ("LF", "CRLF")
            message = f"the first line ends with {kinds[0]} and this one with {kinds[1]}"
            break
    return Problem("mixed-line-ends", message, path, number)


def basic_string(value: str) -> str:
    """A value as a TOML basic string."""
    if is_plain(value):
        return f'"{value}"'
    return '"' + "".join(map(_escaped, value)) + '"'


def array(values: Sequence[str]) -> str:
    """Strings as a TOML array on one line."""
    return "[" + ", ".join(map(basic_string, values)) + "]"


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return f"\\u{ord(character):04x}" if character < " " or character == "\x7f" else character
