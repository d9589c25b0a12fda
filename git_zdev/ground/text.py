"""Small pieces of text: values and counts in messages, words of a command line."""

from __future__ import annotations

TYPE_CHECKING = False


def is_control(character: str) -> bool:
    """Whether a character is a C0 control, DEL or a C1 control."""
    return character < " " or "\x7f" <= character <= "\x9f"


def is_surrogate(character: str) -> bool:
    """Whether a character represents a byte that is not valid UTF-8 and cannot be written."""
    return "\ud800" <= character <= "\udfff"


def quoted(value: object) -> str:
    """A value as messages show it: strings in double quotes, on one line, cut if long."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return str(value)
    shown = value if len(value) <= 100 else f"{value[:100]}…"
    if not shown.isprintable():
        shown = "".join(f"\\x{ord(one):02x}" if is_control(one) else one for one in shown)
    return f'"{shown}"'


def counted(number: int, noun: str) -> str:
    """A number of things: ``1 task``, ``3 tasks``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def shell_word(text: str) -> str:
    """A text as one word of a command line that a user can copy."""
    if text and all(one.isalnum() or one in "-_./=:@%+," for one in text):
        return text
    return "'" + text.replace("'", "'\\''") + "'"


def printable(path: bytes) -> str:
    r"""A path for an error message: bytes that are not valid UTF-8 are shown as ``\xNN``."""
    return path.decode("utf-8", "backslashreplace")


def sha256_of(content: bytes) -> str:
    """The SHA-256 of some bytes in hexadecimal."""
    import hashlib

    return hashlib.sha256(content, usedforsecurity=False).hexdigest()
