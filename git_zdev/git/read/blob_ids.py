"""The ids of blobs: the SHA-1 of a header and the content (gitglossary(7), "object identifier")."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import _Hash as Hash


def hasher(size: int) -> Hash:
    """A hash object that awaits the content of a blob of so many bytes."""
    import hashlib

    hashing = hashlib.sha1(usedforsecurity=False)
    hashing.update(b"blob %d\0" % size)
    return hashing


def blob_id(content: bytes) -> str:
    """The id that Git gives to a blob of this content."""
    hashing = hasher(len(content))
    hashing.update(content)
    return hashing.hexdigest()
