"""An index in a plain form, read without libgit2 (gitformat-index(5)).

A hook needs the few entries below one folder of an index that can be large. Entries are sorted by
path, so reading stops after them, and libgit2 is not even loaded. ``evidence`` needs to know which
entries require more than a comparison; one pass over the bytes finds them in a fraction of the time
that libgit2 takes. An index of version 2 or 3 is plain unless it has an extension that a reader
must understand (``link`` of a split index, ``sdir`` of a sparse one). An index that is not plain,
or looks damaged, is left to libgit2. Like Git, this module does not verify the checksum at the end.
"""

from __future__ import annotations

from git_zdev.fast import OFF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Entry = tuple[bytes, int, str, int, bool, bool, bool]
    Marks = tuple[list[int], list[bytes], list[int], list[bytes]]

_SIGNATURE = b"DIRC"
_VERSIONS = frozenset({2, 3})
_HEADER = 12
_MTIME, _MODE, _BLOB, _FLAGS, _NAME = 8, 24, 40, 60, 62
"""Offsets in an entry; extended flags move the name by two bytes."""

_WORD = 0xFFFFFFFF
_SHORTEST = 64
_CHECKSUM = 20
_LONG_NAME = 0xFFF
_ANY_FLAG, _STAGE = 0xF0, 0x30
"""In the first byte of the flags: all bits except the name's length, and the stage."""
_EXTENDED = 0x4000
_EXTENDED_BYTE = _EXTENDED >> 8
_ASSUME_UNCHANGED = 0x8000
_INTENT_TO_ADD, _SKIP_WORKTREE = 0x2000, 0x4000
_MODES = frozenset({0o100644, 0o100755, 0o120000, 0o160000})
_GITLINK_BYTE = 0o160000 >> 8


def entries(data: bytes, prefix: bytes) -> list[Entry] | None:
    """The entries whose path starts with ``prefix``, in index order.

    Args:
        data: The bytes of an index.
        prefix: The start of the wanted paths.

    Returns:
        The fields of :class:`git_zdev.git.model.IndexEntry`, in its order; None if the index is
        not plain.
    """
    if OFF or len(data) < _HEADER + _CHECKSUM or data[:4] != _SIGNATURE:
        return None
    if _number(data, 4, 4) not in _VERSIONS:
        return None
    if any(_may_have_extension(data, name) for name in (b"link", b"sdir")):
        return None
    found = list(_below(data, prefix))
    return None if None in found else [entry for entry in found if entry is not None]


def marks(data: bytes, names: Iterable[bytes], second: int) -> Marks | None:
    """The entries that need more than a comparison.

    Args:
        data: The bytes of an index.
        names: Base names of files to find.
        second: When the index was written, in whole seconds since the epoch.

    Returns:
        The fields of :class:`git_zdev.git.read.plain_index.Marks`; None if the index is not plain.

    Raises:
        ValueError: Names are out of order, or not as long as recorded; libgit2 accepts both.
    """
    if OFF or len(data) < _HEADER + _CHECKSUM or _number(data, 4, 4) not in _VERSIONS:
        return None
    endings = tuple(b"/" + name for name in names)
    time = (second & _WORD).to_bytes(4, "big")
    wanted = (time, *(ending + b"\0" for ending in endings))
    mentions = sorted(at for one in wanted for at in _occurrences(data, one))
    try:
        return _marked(data, endings, time, iter([*mentions, len(data)]))
    except (IndexError, StopIteration):
        return None


def _marked(
    data: bytes, endings: tuple[bytes, ...], time: bytes, mentions: Iterator[int]
) -> Marks | None:
    """The marks.

    ``mentions`` are the offsets of the endings and of the time, and one after all entries.
    """
    special, named, racy, paths = list[int](), list[bytes](), list[int](), list[bytes]()
    at, mention, before, last = _HEADER, next(mentions), b"", 0
    for number in range(_number(data, 8, 4)):
        flags = data[at + _FLAGS]
        length = (flags & 15) << 8 | data[at + _FLAGS + 1]
        start = at + _NAME
        if flags & _ANY_FLAG or data[at + _MODE + 2] == _GITLINK_BYTE:
            special.append(number)
            if flags & _EXTENDED_BYTE:
                start += 2  # the extended flags precede the name
        if length == _LONG_NAME:
            return None
        begin = at
        at += (start - at + length + 8) & ~7  # one to eight NULs end an entry at a multiple of 8
        name = data[start : start + length]
        if name <= before or 0 in name or data[start + length]:
            _require_order(before, name, data[last + _FLAGS], flags)
            if 0 in name or data[start + length]:
                raise ValueError(f"the length of the name {name!r} is not the recorded one")
        before, last = name, begin
        paths.append(name)
        # Only an entry that contains a mention is inspected: most are skipped.
        if mention < at:
            if name.endswith(endings):
                named.append(name)
            if data.startswith(time, begin + _MTIME):
                racy.append(number)
            while mention < at:
                mention = next(mentions)
    return special, named, racy, paths


def _require_order(before: bytes, name: bytes, flags_before: int, flags: int) -> None:
    """Refuse a name that does not sort after the previous one or is not a later stage of it."""
    stages = flags_before & _STAGE, flags & _STAGE
    if name < before or (name == before and not 0 < stages[0] < stages[1]):
        raise ValueError(f"{name!r} is out of order after {before!r}")


def _occurrences(data: bytes, wanted: bytes) -> Iterator[int]:
    at = data.find(wanted)
    while at >= 0:
        yield at
        at = data.find(wanted, at + 1)


def _below(data: bytes, prefix: bytes) -> Iterator[Entry | None]:
    """The wanted entries; ends with None at an entry that is not plain."""
    at = _HEADER
    end = len(data) - _CHECKSUM
    for _ in range(_number(data, 8, 4)):
        flags = data[at + _FLAGS] << 8 | data[at + _FLAGS + 1] if at + _NAME < end else _LONG_NAME
        length = flags & _LONG_NAME
        start = at + _NAME + (2 if flags & _EXTENDED else 0)
        name = data[start : start + length]
        if length == _LONG_NAME or start + length >= end:
            yield None
            return
        if name.startswith(prefix):
            yield _entry(data, at, name, flags)
        elif name > prefix:
            return
        at += (start - at + length + 8) & ~7  # entries end at a multiple of 8, with a NUL or more


def _entry(data: bytes, at: int, name: bytes, flags: int) -> Entry | None:
    mode = _number(data, at + _MODE, 4)
    if mode not in _MODES:
        return None
    more = _number(data, at + _NAME, 2) if flags & _EXTENDED else 0
    return (
        name,
        mode,
        data[at + _BLOB : at + _FLAGS].hex(),
        flags >> 12 & 3,
        bool(more & _INTENT_TO_ADD),
        bool(flags & _ASSUME_UNCHANGED),
        bool(more & _SKIP_WORKTREE),
    )


def _may_have_extension(data: bytes, name: bytes) -> bool:
    """Whether an extension of that name can follow the entries.

    To find their end, every entry would have to be read; they cannot end before as many entries
    with the shortest name would. A match can also be part of a path, but the bytes after it are
    hardly ever a size that fits the file.
    """
    at = data.find(name, _HEADER + _SHORTEST * _number(data, 8, 4))
    while at >= 0:
        if at + 8 + _number(data, at + 4, 4) <= len(data) - _CHECKSUM:
            return True
        at = data.find(name, at + 1)
    return False


def _number(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "big")
