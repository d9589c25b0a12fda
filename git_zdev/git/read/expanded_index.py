"""A split or sparse index, as the plain one that says the same (gitformat-index(5)).

libgit2 reads neither. A split index keeps most entries in a shared file and records which of them
were deleted or replaced. A sparse one has a single entry for a folder outside the checkout, with
the folder's tree. Here both become the bytes of a plain index, version 3, without extensions.
"""

from __future__ import annotations

import hashlib
import heapq
import os

from git_zdev.disk.reading import open_file
from git_zdev.git.failures import corrupt_index, index_fault
from git_zdev.git.read import files
from git_zdev.git.read.libgit2 import undeclared
from git_zdev.git.read.objects import DIRECTORY_MODE
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from git_zdev.git.read.objects import ObjectStore
    from git_zdev.git.read.opened import Opened

    Entries = list["Entry"]

_HEADER, _CHECKSUM, _ID = 12, 20, 20
_STAT, _MODE, _FIXED = 40, 24, 62
"""In an entry: the length of what stat(2) gives, where the mode is in it, all before the name."""
_EXTENDED, _STAGES, _LENGTH = 0x4000, 0x3000, 0xFFF
_SKIP_WORKTREE = 0x4000
_WORD = 64
_MOST_ENTRIES = 1 << 23
_DEEPEST = 4096
_PLAIN = b"DIRC" + (3).to_bytes(4, "big")
_NO_CHECKSUM = bytes(_CHECKSUM)
_VERSIONS = frozenset({2, 3, 4})
_KNOWN = frozenset({b"link", b"sdir"})


class Damaged(Exception):
    """An index that contradicts itself; the message says where."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry.

    Attributes:
        name: Its path; empty for one that replaces an entry of the shared file, with a slash at
            the end for the folder of a sparse index.
        head: The bytes before the flags.
        flags: The flags without the length of the name.
        more: The extended flags.
    """

    name: bytes
    head: bytes
    flags: int
    more: int

    @property
    def key(self) -> tuple[bytes, int]:
        """What the entries of an index are sorted by."""
        return self.name, self.flags & _STAGES

    @property
    def mode(self) -> int:
        """The mode."""
        return _number(self.head, _MODE, 4)


def plain_form(data: bytes, git_dir: str, objects: ObjectStore) -> bytes | None:
    """The bytes of a plain index with the entries of one that is split or sparse.

    Args:
        data: The bytes of the index.
        git_dir: The Git directory of the work tree, where the shared file is.
        objects: Reads the trees of folders outside the checkout.

    Returns:
        None for an index that is neither, and for one of another version or with another
        extension that must be understood.

    Raises:
        Damaged: The index, or its shared file, is not as it must be.
        ZdevError: What :class:`ObjectStore` raises for a tree.
    """
    if _number(data, 4, 4) not in _VERSIONS:
        return None
    entries, at = _entries(data)
    found = dict(_extensions(data, at))
    if any(_is_required(name) and name not in _KNOWN for name in found):
        return None
    if not found.keys() & _KNOWN:
        return None
    if b"link" in found:
        entries = _merged(entries, found[b"link"], git_dir)
    if b"sdir" in found:
        entries = list(_expanded(entries, objects))
    return _written(entries)


def _entries(data: bytes) -> tuple[Entries, int]:
    """The entries, and where the extensions begin."""
    if len(data) < _HEADER + _CHECKSUM or data[:4] != b"DIRC":
        raise Damaged("it is too short, or has another signature")
    checksum = data[-_CHECKSUM:]
    if checksum not in {_NO_CHECKSUM, _sum(data[:-_CHECKSUM])}:
        raise Damaged("its checksum is wrong")
    version, count = _number(data, 4, 4), _number(data, 8, 4)
    if version not in _VERSIONS:
        raise Damaged(f"its version is {version}")
    end = len(data) - _CHECKSUM
    if count * _WORD > end - _HEADER:
        raise Damaged(f"it is too short for {count} entries")
    found: Entries = []
    at, name = _HEADER, b""
    for _ in range(count):
        if at + _FIXED > end:
            raise Damaged("it ends within an entry")
        flags = _number(data, at + 60, 2)
        start = at + _FIXED + (2 if flags & _EXTENDED else 0)
        more = _number(data, at + _FIXED, 2) if flags & _EXTENDED else 0
        head = data[at : at + 60]
        if version == 4:
            name, at = _compressed(data, start, end, name)
        else:
            name = _name(data, start, end)
            at += (start - at + len(name) + 8) & ~7
        if min(len(name), _LENGTH) != flags & _LENGTH:
            raise Damaged(f"the length of {name!r} is not the recorded one")
        found.append(Entry(name, head, flags & ~(_EXTENDED | _LENGTH), more))
    if at > end:
        raise Damaged("it ends within an entry")
    return found, at


def _name(data: bytes, start: int, end: int) -> bytes:
    stop = data.find(b"\0", start, end)
    if stop < 0:
        raise Damaged("it ends within a name")
    return data[start:stop]


def _compressed(data: bytes, at: int, end: int, before: bytes) -> tuple[bytes, int]:
    """A name that says how much of the one before is to be cut off, and where the next entry is."""
    cut = -1
    while at < end:
        byte = data[at]
        cut = ((cut + 1) << 7) | (byte & 0x7F)
        at += 1
        if byte < 0x80 or cut > len(before):
            break
    if not 0 <= cut <= len(before):
        raise Damaged(f"a name after {before!r} shares too much with it")
    rest = _name(data, at, end)
    return before[: len(before) - cut] + rest, at + len(rest) + 1


def _extensions(data: bytes, at: int) -> Iterator[tuple[bytes, bytes]]:
    end = len(data) - _CHECKSUM
    while at < end:
        size = _number(data, at + 4, 4)
        if at + 8 + size > end:
            raise Damaged("it ends within an extension")
        yield data[at : at + 4], data[at + 8 : at + 8 + size]
        at += 8 + size


def _is_required(name: bytes) -> bool:
    """Whether a reader must understand the extension of that name."""
    return not b"A" <= name[:1] <= b"Z"


def _merged(own: Entries, link: bytes, git_dir: str) -> Entries:
    """The entries of a split index, together with those of the file that it shares."""
    if len(link) < _ID:
        raise Damaged("its link to the shared file is cut short")
    if link[:_ID] == bytes(_ID):
        return own
    base = _shared(f"{git_dir}/sharedindex.{link[:_ID].hex()}", link[:_ID])
    deleted, at = _bitmap(link, _ID, len(base)) if len(link) > _ID else ([], _ID)
    replaced, at = _bitmap(link, at, len(base)) if len(link) > _ID else ([], at)
    if at != len(link):
        raise Damaged("its link to the shared file has something behind it")
    if len(replaced) > len(own):
        raise Damaged("it replaces more entries than it has")
    kept: dict[int, Entry] = dict(enumerate(base))
    for number in deleted:
        del kept[number]
    for number, entry in zip(replaced, own, strict=False):
        if number not in kept or entry.name:
            raise Damaged(f"entry {number} of its shared file is replaced by none")
        kept[number] = Entry(kept[number].name, entry.head, entry.flags, entry.more)
    added = {entry.key: entry for entry in own[len(replaced) :]}
    if any(not name for name, _ in added):
        raise Damaged("it has an entry without a name")
    rest = (entry for entry in kept.values() if entry.key not in added)
    return list(heapq.merge(rest, added.values(), key=lambda entry: entry.key))


def _shared(path: str, name: bytes) -> Entries:
    try:
        data = files.read(path)
    except OSError as error:
        raise Damaged(f"its shared file {path} cannot be read: {error.strerror}") from error
    if data[-_CHECKSUM:] != name:
        raise Damaged(f"its shared file {path} is another one")
    try:
        entries, at = _entries(data)
        if any(_is_required(one) and one != b"sdir" for one, _ in _extensions(data, at)):
            raise Damaged("it has an extension that cannot be there")
    except Damaged as error:
        raise Damaged(f"its shared file {path}: {error}") from error
    return entries


def _bitmap(data: bytes, at: int, count: int) -> tuple[list[int], int]:
    """The numbers of the bits that an EWAH bitmap sets, and where it ends.

    Args:
        data: Where it is.
        at: Its first byte.
        count: How many bits it may have.
    """
    size, words = _number(data, at, 4), _number(data, at + 4, 4)
    at += 8
    end = at + 8 * words
    if size > count or end + 4 > len(data):
        raise Damaged("a bitmap of its link does not fit")
    found: list[int] = []
    bit = 0
    while at < end:
        marker = _number(data, at, 8)
        at += 8
        running, literals = marker >> 1 & 0xFFFFFFFF, marker >> 33
        if bit + running * _WORD >= size + _WORD or at + 8 * literals > end:
            raise Damaged("a bitmap of its link does not fit")
        if marker & 1:
            found += range(bit, bit + running * _WORD)
        bit += running * _WORD
        for start in range(at, at + 8 * literals, 8):
            word = _number(data, start, 8)
            found += (bit + one for one in range(_WORD) if word >> one & 1)
            bit += _WORD
        at += 8 * literals
    if found and found[-1] >= count:
        raise Damaged("a bitmap of its link does not fit")
    return found, end + 4


def _expanded(entries: Entries, objects: ObjectStore) -> Iterator[Entry]:
    """The entries, those of its files in the place of each folder outside the checkout."""
    count = 0
    for entry in entries:
        if entry.mode != DIRECTORY_MODE:
            yield entry
            continue
        if not entry.name.endswith(b"/") or not entry.more & _SKIP_WORKTREE:
            raise Damaged(f"{entry.name!r} is a folder of the checkout")
        for file in _files(entry, objects):
            count += 1
            if count > _MOST_ENTRIES:
                raise Damaged(f"its folders have more than {_MOST_ENTRIES} files")
            yield file


def _files(folder: Entry, objects: ObjectStore) -> Iterator[Entry]:
    """The files of a folder."""
    top = folder.name.count(b"/")

    def enters(above: bytes, name: bytes, _tree: str) -> bool:
        _require_name(above, name)
        if above.count(b"/") - top + 1 >= _DEEPEST:
            raise Damaged(f"{folder.name!r} is more than {_DEEPEST} folders deep")
        return True

    for above, name, found in objects.walk(folder.head[_STAT:].hex(), folder.name, enters):
        _require_name(above, name)
        mode = found.mode.to_bytes(4, "big")
        head = bytes(_MODE) + mode + bytes(12) + bytes.fromhex(found.blob)
        yield Entry(above + name, head, 0, _SKIP_WORKTREE)


def _require_name(above: bytes, name: bytes) -> None:
    if name in {b"", b".", b"..", b".git"} or b"/" in name:
        raise Damaged(f"the tree of {above!r} has an entry {name!r}")


def _written(entries: Entries) -> bytes:
    parts = [_PLAIN, len(entries).to_bytes(4, "big")]
    for entry in entries:
        extended = _EXTENDED if entry.more else 0
        flags = entry.flags | extended | min(len(entry.name), _LENGTH)
        more = entry.more.to_bytes(2, "big") if extended else b""
        fixed = entry.head + flags.to_bytes(2, "big") + more
        length = len(fixed) + len(entry.name)
        parts.append(fixed + entry.name + bytes(8 - length % 8))
    data = b"".join(parts)
    return data + _sum(data)


def _sum(data: bytes) -> bytes:
    return hashlib.sha1(data, usedforsecurity=False).digest()


def _number(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "big")


def open_expanded(repository: Opened) -> Any:
    """Give libgit2 an index that holds what the file stands for; free it after use.

    Its own walks, and its search for attributes, ask the repository for the index.

    Returns:
        The cffi ``git_index *``.

    Raises:
        ZdevError: ``corrupt-index``; ``unsupported-index``; ``missing-object``;
            ``unreadable-file``.
    """
    file = repository.location.index_file
    data, written = b"", 0
    try:
        with open(open_file(file, follow=True), "rb") as source:
            written = os.fstat(source.fileno()).st_mtime_ns
            data = source.read()
        plain = plain_form(data, repository.location.git_dir, repository.objects)
    except Damaged as error:
        raise corrupt_index(file, str(error)) from error
    except FileNotFoundError:
        plain = None
    except OSError as error:
        raise _unreadable(f"the index {file} cannot be read: {error.strerror}") from error
    try:
        return _given(repository, data if plain is None else plain, written)
    except OSError as error:
        reason = f"the index {file} cannot be expanded: {error.filename}: {error.strerror}"
        raise _unreadable(reason) from error


def _given(repository: Opened, data: bytes, written: int) -> Any:
    """The index of these bytes, which libgit2 takes for the repository's from now on.

    It reads them from a file outside the repository. The file is there only after the repository
    has got the index: libgit2 judges names by the settings of the repository that it belongs to.

    Args:
        repository: The repository.
        data: The bytes; none for an index without entries.
        written: The time of the index in nanoseconds.

    Raises:
        OSError: What the system reports.
    """
    import tempfile

    handles = repository.handles
    lib, box = handles.lib, handles.ffi.new("git_index **")
    with tempfile.TemporaryDirectory(prefix="git-zdev-") as folder:
        path = f"{folder}/index"
        if lib.git_index_open(box, os.fsencode(path)) < 0:
            raise index_fault(handles, repository.location.index_file)
        repository.has_expanded_index = True
        undeclared(handles, "git_repository_set_index", repository.pointer, box[0])
        if data:
            with open(path, "xb") as file:
                file.write(data)
            os.utime(path, ns=(written, written))
        if lib.git_index_read(box[0], 1) < 0:
            lib.git_index_free(box[0])
            raise index_fault(handles, repository.location.index_file)
    return box[0]


def _unreadable(reason: str) -> ZdevError:
    return ZdevError("unreadable-file", reason, "Make it readable for this user, or set TMPDIR")
