"""An index of the plain form, read without libgit2 (gitformat-index(5)).

A hook asks for the few entries below one folder of what may be a large index. They are sorted by
path, so reading stops after them, and libgit2 is not even loaded. The evidence asks which of all
entries need more than a comparison; one pass over the bytes answers that, in a fraction of the time
that it takes to ask libgit2 about each. Versions 2 and 3 are plain as long as neither of the
extensions that a reader must understand is there (``link`` of a split index, ``sdir`` of a sparse
one); whatever is not plain, or looks damaged, is left to libgit2. The checksum at the end is not
looked at, as Git does not look at it either.
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
"""Offsets in an entry; the name is two bytes later where the flags are extended."""

_WORD = 0xFFFFFFFF
_SHORTEST = 64
_CHECKSUM = 20
_LONG_NAME = 0xFFF
_ANY_FLAG, _STAGE = 0xF0, 0x30
"""In the first byte of the flags: everything but the start of the name's length, and the stage."""
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
        What :class:`git_zdev.git.model.IndexEntry` is made of, in that order; None if the index
        is not plain.
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
        second: The second in which the index was written, since the epoch.

    Returns:
        What :class:`git_zdev.git.read.plain_index.Marks` is made of; None if the index is not
        plain.

    Raises:
        ValueError: Names that are out of order, or not as long as recorded; libgit2 minds neither.
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

    ``mentions`` are the places of the endings and of the time, and one after all entries.
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
        # Only an entry in which something wanted was found is looked at: most are passed over.
        if mention < at:
            if name.endswith(endings):
                named.append(name)
            if data.startswith(time, begin + _MTIME):
                racy.append(number)
            while mention < at:
                mention = next(mentions)
    return special, named, racy, paths


def _require_order(before: bytes, name: bytes, flags_before: int, flags: int) -> None:
    """Refuse a name that does not follow the one before, unless it is a later stage of the same."""
    stages = flags_before & _STAGE, flags & _STAGE
    if name < before or (name == before and not 0 < stages[0] < stages[1]):
        raise ValueError(f"{name!r} is out of order after {before!r}")


def _occurrences(data: bytes, wanted: bytes) -> Iterator[int]:
    at = data.find(wanted)
    while at >= 0:
        yield at
        at = data.find(wanted, at + 1)


def _below(data: bytes, prefix: bytes) -> Iterator[Entry | None]:
    """The wanted entries; None, and nothing more, at one that is not plain."""
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
        at += (start - at + length + 8) & ~7


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

    Finding their end would mean to read every one; it cannot be before all of them could end if
    each had the shortest name. What is found may also be part of a path, but what follows there is
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
