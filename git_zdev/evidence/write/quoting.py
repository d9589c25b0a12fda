"""Path names as Git prints them: C-style quoted where they hold unusual bytes.

Gives what ``core.quotePath=true`` gives (git-config(1), "core.quotePath"): control characters,
the double quote, the backslash and every byte from 0x7f up are escaped, and the name is put in
double quotes when anything was.
"""

from __future__ import annotations

_NAMED = {
    0x07: b"\\a",
    0x08: b"\\b",
    0x09: b"\\t",
    0x0A: b"\\n",
    0x0B: b"\\v",
    0x0C: b"\\f",
    0x0D: b"\\r",
    0x22: b'\\"',
    0x5C: b"\\\\",
}
_PLAIN = bytes(byte for byte in range(0x20, 0x7F) if byte not in _NAMED)


def is_plain(name: bytes) -> bool:
    """Whether Git prints the name without quotes."""
    return not name.translate(None, _PLAIN)


def quote(name: bytes, prefix: bytes = b"") -> bytes:
    """The name after the prefix (``a/``, ``b/`` or nothing), quoted as one word where needed."""
    if is_plain(name):
        return prefix + name
    return b'"' + prefix + _escape(name) + b'"'


def quote_for_status(name: bytes) -> bytes:
    """The name as ``git status --short`` prints it: one that holds a space is quoted as well."""
    if is_plain(name) and b" " in name:
        return b'"' + name + b'"'
    return quote(name)


def _escape(name: bytes) -> bytes:
    return b"".join(
        _NAMED.get(byte) or (b"%c" % byte if 0x20 <= byte < 0x7F else b"\\%03o" % byte)
        for byte in name
    )
