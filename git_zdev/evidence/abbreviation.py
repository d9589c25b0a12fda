"""Abbreviated object ids, as ``core.abbrev=auto`` gives them (git-config(1)).

The length is half the bits of the number of packed objects, at least seven digits, and grows until
no other object of the repository or its alternates shares the prefix. Loose objects are compared,
but not counted. The tables of contents of packs (gitformat-pack(5)) and of multi-pack indexes are
read where they are; the objects themselves are not.
"""

from __future__ import annotations

import os

from git_zdev.disk.reading import open_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from mmap import mmap

    Table = bytes | mmap
    """The bytes of a table of contents."""

MINIMUM = 7
_HEX = 40
_ID = 20
_FANOUT = 256 * 4
_IDX_SIGNATURE = b"\xfftOc"
_SMALL = 1 << 16
"""Most bytes of a table that is read as a whole; larger ones are mapped, with another module."""


class IdTable:
    """The sorted object ids of one pack or multi-pack index: a sequence of 20-byte ids."""

    def __init__(self, data: Table, fanout: int, ids: int, stride: int = _ID) -> None:
        self._data = data
        self._ids = ids
        self._stride = stride
        self._fanout = fanout
        self._count = int.from_bytes(data[fanout + _FANOUT - 4 : fanout + _FANOUT], "big")

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, position: int) -> bytes:
        start = self._ids + position * self._stride
        return self._data[start : start + _ID]

    def near(self, wanted: bytes) -> list[bytes]:
        """The ids next to the place of ``wanted``, on either side."""
        position = self._position(wanted)
        return [self[at] for at in range(max(position - 1, 0), min(position + 2, len(self)))]

    def _position(self, wanted: bytes) -> int:
        """Where ``wanted`` is or would be; importing ``bisect`` costs more than it saves."""
        low, high = self._range(wanted[0])
        data, ids, stride = self._data, self._ids, self._stride
        while low < high:
            middle = (low + high) // 2
            start = ids + middle * stride
            if data[start : start + _ID] < wanted:
                low = middle + 1
            else:
                high = middle
        return low

    def _range(self, first: int) -> tuple[int, int]:
        end = self._fanout + first * 4
        low = int.from_bytes(self._data[end - 4 : end], "big") if first else 0
        return low, int.from_bytes(self._data[end : end + 4], "big")


class Abbreviator:
    """Abbreviates the ids of one repository.

    Args:
        object_folders: The repository's object folder and those of its alternates.
    """

    def __init__(self, object_folders: Sequence[str]) -> None:
        self._folders = object_folders
        self._tables = [table for folder in object_folders for table in _tables(folder)]
        self._length = default_length(sum(len(table) for table in self._tables))
        self._loose: dict[str, list[bytes]] = {}
        self._known: dict[str, bytes] = {}

    def __call__(self, full: str) -> bytes:
        """The shortest prefix that Git would print for a full hexadecimal id."""
        short = self._known.get(full)
        if short is None:
            short = self._known[full] = full[: self._unique_length(full)].encode("ascii")
        return short

    def _unique_length(self, full: str) -> int:
        wanted = bytes.fromhex(full)
        shared = _common_digits(wanted, self._loose_ids(full[:2]))
        for table in self._tables:
            shared = max(shared, _common_digits(wanted, table.near(wanted)))
        return min(max(self._length, shared + 1), _HEX)

    def _loose_ids(self, first: str) -> list[bytes]:
        found = self._loose.get(first)
        if found is None:
            found = self._loose[first] = [
                bytes.fromhex(first + name)
                for folder in self._folders
                for name in _listed(f"{folder}/{first}")
                if _is_hex(name) and len(name) == _HEX - 2
            ]
        return found


def default_length(packed: int) -> int:
    """The number of digits to start with in a repository with that many packed objects."""
    return max(MINIMUM, (max(packed.bit_length(), 1) + 1) // 2)


def _tables(folder: str) -> list[IdTable]:
    packs = f"{folder}/pack"
    names = _listed(packs)
    tables = []
    covered: frozenset[str] = frozenset()
    if "multi-pack-index" in names:
        data = _contents(f"{packs}/multi-pack-index")
        table, covered = _multi_pack_table(data) if data is not None else (None, covered)
        if table is not None:
            tables.append(table)
    for name in names:
        if name.endswith(".idx") and name not in covered:
            data = _contents(f"{packs}/{name}")
            if data is not None:
                tables.append(_pack_table(data))
    return tables


def _pack_table(data: Table) -> IdTable:
    if data[:4] == _IDX_SIGNATURE:
        return IdTable(data, 8, 8 + _FANOUT)
    return IdTable(data, 0, _FANOUT + 4, _ID + 4)


def _multi_pack_table(data: Table) -> tuple[IdTable | None, frozenset[str]]:
    """The ids of a multi-pack index, and the names of the pack indexes that it replaces."""
    chunks = {}
    for number in range(data[6] + 1):
        at = 12 + number * 12
        chunks[bytes(data[at : at + 4])] = int.from_bytes(data[at + 4 : at + 12], "big")
    if data[:4] != b"MIDX" or not {b"PNAM", b"OIDF", b"OIDL"} <= chunks.keys():
        return None, frozenset()
    end = min(start for start in chunks.values() if start > chunks[b"PNAM"])
    names = bytes(data[chunks[b"PNAM"] : end]).split(b"\0")
    covered = frozenset(name.decode("utf-8", "surrogateescape") for name in names if name)
    return IdTable(data, chunks[b"OIDF"], chunks[b"OIDL"]), covered


def _contents(path: str) -> Table | None:
    """The bytes of the file; None if it is gone or too small to be a table of contents."""
    try:
        with open(open_file(path, follow=True), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size <= _SMALL:
                return file.read() if size > _FANOUT else None
            from mmap import ACCESS_READ, mmap

            return mmap(file.fileno(), 0, access=ACCESS_READ)
    except OSError:
        return None


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _is_hex(name: str) -> bool:
    return not name.strip("0123456789abcdef")


def _common_digits(wanted: bytes, others: Iterable[bytes]) -> int:
    """The most hexadecimal digits that another id shares with ``wanted``.

    Ids that share fewer bytes than the shortest abbreviation are skipped, so 0 can also mean a few
    digits.
    """
    start = wanted[: MINIMUM // 2]
    most = 0
    for other in others:
        if other.startswith(start) and other != wanted:
            difference = int.from_bytes(wanted, "big") ^ int.from_bytes(other, "big")
            most = max(most, (_ID * 8 - difference.bit_length()) // 4)
    return most
