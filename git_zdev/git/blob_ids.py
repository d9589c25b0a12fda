"""The ids of blobs: the SHA-1 of a header and the content (gitglossary(7), "object identifier").

``hashlib`` brings OpenSSL with it, which hashes ten times as fast as Python's own SHA-1 and takes
longer to load than most runs hash. So the first bytes of a run are hashed by Python itself, where
it has that.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from hashlib import _Hash as Hash

    Sha1 = Callable[..., Hash]

_ENOUGH = 1 << 19
"""Bytes of content from which OpenSSL pays."""


class _Hashing:
    """Which SHA-1 is in use; it changes once, for good."""

    def __init__(self) -> None:
        self._left = _ENOUGH
        self._sha1 = _builtin() or _openssl()

    def begin(self, size: int) -> Hash:
        if self._left > 0:
            self._left -= size
            if self._left <= 0:
                self._sha1 = _openssl()
        return self._sha1(b"blob %d\0" % size, usedforsecurity=False)


def _builtin() -> Sha1 | None:
    try:
        from _sha1 import sha1
    except ImportError:
        return None
    return sha1  # type: ignore[no-any-return]


def _openssl() -> Sha1:
    from hashlib import sha1

    return sha1


hasher = _Hashing().begin
"""Gives a hash object for the content of a blob of so many bytes."""


def blob_id(content: bytes) -> str:
    """The id that Git gives to a blob of this content."""
    hashing = hasher(len(content))
    hashing.update(content)
    return hashing.hexdigest()
