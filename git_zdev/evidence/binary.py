"""Binary patches, as ``git diff --binary`` writes them.

Both directions, each as the whole content or as a delta to the other one (gitformat-pack(5)),
whichever is smaller once deflated; at level 1, as Git does by default. libgit2 computes the delta,
but deflates at another level, so only the delta is taken from it.
"""

from __future__ import annotations

import zlib
from base64 import b85decode, b85encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LEVEL = 1
_BYTES_A_LINE = 52
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def binary_body(old: bytes, new: bytes, patch: Callable[[bytes, bytes], bytes]) -> bytes:
    """The text behind the index line.

    Args:
        old: The content before.
        new: The content after.
        patch: Gives libgit2's binary patch of two contents.
    """
    deltas = _deltas(patch(old, new)) if old and new else [None, None]
    return b"GIT binary patch\n" + _direction(new, deltas[0]) + _direction(old, deltas[1])


def _direction(content: bytes, delta: bytes | None) -> bytes:
    data = zlib.compress(content, _LEVEL)
    head = b"literal %d\n" % len(content)
    if delta is not None:
        smaller = zlib.compress(delta, _LEVEL)
        if len(smaller) < len(data):
            data, head = smaller, b"delta %d\n" % len(delta)
    return head + b"".join(_encoded(data)) + b"\n"


def _encoded(data: bytes) -> Iterator[bytes]:
    """Lines of base85, each led by a letter for the number of bytes in it."""
    for start in range(0, len(data), _BYTES_A_LINE):
        part = data[start : start + _BYTES_A_LINE]
        count = _LETTERS[len(part) - 1 : len(part)]
        yield count + b85encode(part, pad=True) + b"\n"


def _deltas(patch: bytes) -> list[bytes | None]:
    """libgit2's two deltas, None for a direction in which it wrote the whole content."""
    body = patch[patch.index(b"GIT binary patch\n") :].partition(b"\n")[2]
    found: list[bytes | None] = []
    for section in body.split(b"\n\n")[:2]:
        head, *lines = section.split(b"\n")
        found.append(zlib.decompress(_decoded(lines)) if head.startswith(b"delta") else None)
    return found


def _decoded(lines: list[bytes]) -> bytes:
    return b"".join(b85decode(line[1:])[: _LETTERS.index(line[:1]) + 1] for line in lines)
