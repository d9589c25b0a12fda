"""Git's bytes as values of JSON, whose strings are text.

By default whatever is not UTF-8 is refused. On request it is held as bytes: ``{"base64": "…"}`` in
place of a string, and a key that begins with ``base64:`` in place of a name. No other key begins
so, in either form: a name that does is written in this way too.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Text = str | dict[str, str]
    """A string, or ``{"base64": "…"}``."""

PREFIX = "base64:"
"""What a key begins with that stands for bytes."""


def is_utf8(data: bytes) -> bool:
    """Whether bytes are valid UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def held(data: bytes) -> Text:
    """Bytes as a string if they are UTF-8, otherwise as an object that holds them."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": _encoded(data)}


def key(name: bytes) -> str:
    """A name as a key."""
    found = held(name)
    if isinstance(found, str) and not found.startswith(PREFIX):
        return found
    return PREFIX + _encoded(name)


def shown(text: Text) -> str:
    r"""A value for people: bytes that are not UTF-8 as ``\xff``."""
    if isinstance(text, str):
        return text
    from binascii import a2b_base64

    return a2b_base64(text["base64"]).decode("utf-8", "backslashreplace")


def _encoded(data: bytes) -> str:
    from binascii import b2a_base64

    return b2a_base64(data, newline=False).decode("ascii")
