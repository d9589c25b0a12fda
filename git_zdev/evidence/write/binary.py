"""Binary patches, as ``git diff --binary`` writes them.

Both directions, each as the whole content or as a delta to the other one, whichever is smaller once
deflated. A delta longer than the deflated content is not considered.
"""

from __future__ import annotations

import zlib
from base64 import b85encode

from git_zdev.evidence.write.delta import delta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST = 32 << 20
"""Bytes of a content up to which deltas are searched for, which takes about a second for two
million of them."""

_BYTES_A_LINE = 52
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_STORED = b"\x78\x01"
_LONGEST_STORED = 0xFFFF


def binary_body(old: bytes, new: bytes, level: int) -> bytes:
    """The text behind the index line.

    Args:
        old: The content before.
        new: The content after.
        level: How hard to compress, 0 to 9; -1 leaves it to zlib.
    """
    parts = (_direction(old, new, level), _direction(new, old, level))
    return b"GIT binary patch\n" + b"".join(parts)


def _direction(old: bytes, new: bytes, level: int) -> bytes:
    data, head = _deflated(new, level), b"literal %d\n" % len(new)
    found = delta(old, new, len(data)) if old and new else None
    if found is not None:
        smaller = _deflated(found, level)
        if len(smaller) < len(data):
            data, head = smaller, b"delta %d\n" % len(found)
    return head + b"".join(_encoded(data)) + b"\n"


def _deflated(data: bytes, level: int) -> bytes:
    """The zlib stream (RFC 1950); where nothing is compressed, in the largest possible blocks.

    zlib itself cuts those by the room that it is given, and Git gives it enough.
    """
    if level:
        return zlib.compress(data, level)
    starts = range(0, max(len(data), 1), _LONGEST_STORED)
    blocks = []
    for start in starts:
        part = data[start : start + _LONGEST_STORED]
        size = len(part).to_bytes(2, "little")
        inverted = (len(part) ^ 0xFFFF).to_bytes(2, "little")
        blocks.append(bytes([start == starts[-1]]) + size + inverted + part)
    return _STORED + b"".join(blocks) + zlib.adler32(data).to_bytes(4, "big")


def _encoded(data: bytes) -> Iterator[bytes]:
    """Lines of base85, each led by a letter for the number of bytes in it."""
    for start in range(0, len(data), _BYTES_A_LINE):
        part = data[start : start + _BYTES_A_LINE]
        count = _LETTERS[len(part) - 1 : len(part)]
        yield count + b85encode(part, pad=True) + b"\n"
