"""Whether the indexes of packs lead into their packs (gitformat-pack(5)).

libgit2 (1.9) follows an offset that is far beyond the end of a pack, which ends the process. All of
a pack's offsets are compared with its size once, most of them by whole columns of bytes: a pack of
300,000 objects takes about a millisecond.
"""

from __future__ import annotations

import os
import sys

from git_zdev.disk import reading
from git_zdev.git.failures import unreadable_because

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterable, Sequence

_VERSION_2 = b"\xfftOc\0\0\0\2"
_FANOUT = 256 * 4
_WORD = 4
_ID = 20
_LARGE = 1 << 31
"""Set in an offset that is the number of an offset of 64 bits instead."""

_MANY_HEADER = 12
_CHUNK = 12


def require_packs(folders: Iterable[str]) -> None:
    """Refuse packs whose index names a place outside of them.

    Whatever else is wrong with an index, libgit2 notices.

    Args:
        folders: The folders in which objects are looked for.

    Raises:
        ZdevError: ``unreadable-repository``.
    """
    for folder in folders:
        packs = f"{folder}/pack"
        try:
            names = os.listdir(packs)
        except OSError:
            continue
        for name in names:
            if name.endswith(".idx"):
                _require_pack(f"{packs}/{name}", _size(f"{packs}/{name[:-4]}.pack"))
            elif name == "multi-pack-index":
                _require_many(packs, f"{packs}/{name}")


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _require_pack(path: str, size: int) -> None:
    if not size:  # libgit2 does not use an index without a pack
        return
    with _Index(path) as index:
        start = len(_VERSION_2) + _FANOUT
        head = index.read(0, start)
        if head.startswith(_VERSION_2):
            count = _number(head, start - _WORD)
            start += count * (_ID + _WORD)
            data = index.read(start, count * _WORD)
            if not _all_below(data, size):
                end = start + count * _WORD
                large = _large(index.read(end, index.size - 2 * _ID - end))
                _require(path, _words(data), large, size)
        else:
            entries = _words(index.read(_FANOUT, index.size - _FANOUT - 2 * _ID))
            _require(path, entries[:: 1 + _ID // _WORD], (), size)


class _Index(reading.Closing):
    """An opened index file; one that cannot be opened is an empty one, which libgit2 refuses."""

    def __init__(self, path: str) -> None:
        self.size, self._descriptor = 0, -1
        try:
            self._descriptor = reading.open_file(path, follow=True)
            self.size = os.fstat(self._descriptor).st_size
        except OSError:
            pass

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)

    def read(self, start: int, count: int) -> bytes:
        """Up to that many bytes, in whole words."""
        count = min(count, self.size - start)
        return os.pread(self._descriptor, count // _WORD * _WORD, start) if count > 0 else b""


def _all_below(data: bytes, size: int) -> bool:
    """Whether all offsets of 32 bits are below a size; False also where this way cannot tell.

    The two high bytes of all offsets are compared with those of the last byte's, and an offset is
    looked at by itself only if both are the same.
    """
    last = size - 1
    first, second = last >> 24, last >> 16 & 0xFF
    if first > 0xFF or data[::_WORD].translate(None, bytes(range(first + 1))):
        return first > 0xFF and not data[::_WORD].translate(None, bytes(range(0x80)))
    at_first = data[::_WORD].translate(_only(first))
    if _both(at_first, data[1::_WORD]).translate(None, bytes(range(second + 1))):
        return False
    near = _both(at_first, data[1::_WORD].translate(_only(second)))
    at = near.find(0xFF)
    while at >= 0:
        if _number(data, at * _WORD) >= size:
            return False
        at = near.find(0xFF, at + 1)
    return True


def _only(byte: int) -> bytes:
    """The table that makes one byte 255 and all others 0."""
    return bytes(0xFF * (number == byte) for number in range(256))


def _both(one: bytes, other: bytes) -> bytes:
    """The bitwise AND of two texts of one length."""
    both = int.from_bytes(one, "big") & int.from_bytes(other, "big")
    return both.to_bytes(len(one), "big")


def _require_many(folder: str, path: str) -> None:
    """The same for the index of several packs: each entry is the number of a pack and an offset."""
    with _Index(path) as index:
        data = index.read(0, _MANY_HEADER + _CHUNK * 256)
        chunks = {}
        for number in range(data[6] if len(data) > _MANY_HEADER else 0):
            at = _MANY_HEADER + number * _CHUNK
            start, end = (
                int.from_bytes(data[place + 4 : place + _CHUNK], "big")
                for place in (at, at + _CHUNK)
            )
            chunks[data[at : at + 4]] = index.read(start, end - start)
    names = chunks.get(b"PNAM", b"").rstrip(b"\0").split(b"\0")
    entries = _words(chunks.get(b"OOFF", b""))
    large = _large(chunks.get(b"LOFF", b""))
    by_pack: dict[int, list[int]] = {}
    for pack, offset in zip(entries[::2], entries[1::2], strict=False):
        by_pack.setdefault(pack, []).append(offset)
    for pack, offsets in by_pack.items():
        if pack >= len(names):
            raise _outside(path)
        name = os.fsdecode(names[pack]).removesuffix(".idx").removesuffix(".pack")
        _require(path, offsets, large, _size(f"{folder}/{name}.pack"))


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + _WORD], "big")


def _words(data: bytes) -> array[int]:
    from array import array

    found = array("I", data)
    if sys.byteorder == "little":
        found.byteswap()
    return found


def _large(data: bytes) -> list[int]:
    """The offsets of 64 bits."""
    halves = _words(data)
    return [high << 32 | low for high, low in zip(halves[::2], halves[1::2], strict=False)]


def _require(path: str, offsets: Sequence[int], large: Sequence[int], size: int) -> None:
    most = max(offsets, default=0)
    if most >= _LARGE:
        numbers = [offset - _LARGE for offset in offsets if offset >= _LARGE]
        small = max((offset for offset in offsets if offset < _LARGE), default=0)
        beyond = max(numbers) >= len(large)
        most = size if beyond else max(small, *(large[number] for number in numbers))
    if most >= size:
        raise _outside(path)


def _outside(path: str) -> Exception:
    return unreadable_because(path, "it names a place outside of its pack")
