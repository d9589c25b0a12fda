"""The index as it stands in its file (gitformat-index(5)), read through libgit2."""

from __future__ import annotations

from git_zdev.git.failures import last_message
from git_zdev.git.model import IndexEntry
from git_zdev.ground.errors import ZdevError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from git_zdev.git.model import Location
    from git_zdev.git.read.libgit2 import Handles

_ASSUME_UNCHANGED = 0x8000
_STAGE_SHIFT = 12
_INTENT_TO_ADD = 1 << 13
_SKIP_WORKTREE = 1 << 14
_REMEDY = "`git fsck` tells more; removing the index and `git reset` write it anew"
_MODES = frozenset({0o100644, 0o100755, 0o120000, 0o160000, 0o040000})


def open_index(handles: Handles, repository: Any, location: Location) -> Any:
    """The repository's cffi ``git_index *``, read again if its file changed; free it after use.

    Raises:
        ZdevError: ``unsupported-index`` for one with an extension that must be understood
            (split or sparse index); ``corrupt-index``.
    """
    box = handles.ffi.new("git_index **")
    code = handles.lib.git_repository_index(box, repository)
    if code == 0:
        code = handles.lib.git_index_read(box[0], 0)
    if code < 0:
        raise index_fault(handles, location.index_file)
    return box[0]


def entries(
    handles: Handles, repository: Any, location: Location, prefix: bytes
) -> Iterator[IndexEntry]:
    """Entries whose path starts with ``prefix``, in index order; errors as above."""
    index = open_index(handles, repository, location)
    try:
        lib, ffi = handles.lib, handles.ffi
        count = lib.git_index_entrycount(index)
        for number in range(position(handles, index, prefix, count), count):
            entry = lib.git_index_get_byindex(index, number)
            path = ffi.string(entry.path)
            if not path.startswith(prefix):
                break
            yield as_entry(handles, entry)
    finally:
        handles.lib.git_index_free(index)


def as_entry(handles: Handles, entry: Any) -> IndexEntry:
    """A cffi ``git_index_entry *`` as a value.

    Raises:
        ZdevError: ``corrupt-index`` for a mode or a flag that Git never records.
    """
    path = handles.ffi.string(entry.path)
    require_mode(path, entry.mode)
    flags, extended = entry.flags, entry.flags_extended
    if extended & ~(_INTENT_TO_ADD | _SKIP_WORKTREE):
        raise _bad_entry(path, f"with the flags {extended:04x}")
    return IndexEntry(
        path=path,
        mode=entry.mode,
        blob=bytes(handles.ffi.buffer(entry.id.id)).hex(),
        stage=flags >> _STAGE_SHIFT & 3,
        intent_to_add=bool(extended & _INTENT_TO_ADD),
        assume_unchanged=bool(flags & _ASSUME_UNCHANGED),
        skip_worktree=bool(extended & _SKIP_WORKTREE),
    )


def require_mode(path: bytes, mode: int) -> None:
    """Refuse an entry whose mode Git never records; libgit2 takes any."""
    if mode not in _MODES:
        raise _bad_entry(path, f"with the mode {mode:06o}")


def _bad_entry(path: bytes, how: str) -> ZdevError:
    name = path.decode("utf-8", "backslashreplace")
    return ZdevError(
        "corrupt-index",
        f"the index records {name} {how}, which Git does not know",
        _REMEDY,
        details={"path": name},
    )


def unmerged(handles: Handles, repository: Any, location: Location) -> list[bytes]:
    """The unmerged paths, each once and in index order; cheap where there are none."""
    index = open_index(handles, repository, location)
    try:
        if not handles.lib.git_index_has_conflicts(index):
            return []
    finally:
        handles.lib.git_index_free(index)
    found = entries(handles, repository, location, b"")
    return list(dict.fromkeys(entry.path for entry in found if entry.stage))


def position(handles: Handles, index: Any, prefix: bytes, count: int) -> int:
    """The number of the first entry that is not before ``prefix`` in byte order."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        path = handles.ffi.string(handles.lib.git_index_get_byindex(index, middle).path)
        if path < prefix:
            low = middle + 1
        else:
            high = middle
    return low


def index_fault(handles: Handles, file: str) -> ZdevError:
    """The error for an index file that libgit2 could not read.

    Args:
        handles: The libgit2 handles.
        file: Path of the index.
    """
    reason = last_message(handles)
    if "unsupported" in reason or "version" in reason:
        return ZdevError(
            "unsupported-index",
            f"the index {file} is in a format that is not supported: {reason}",
            "`git update-index --no-split-index` or `git sparse-checkout reapply "
            "--no-sparse-index` writes it in the usual one",
        )
    return corrupt_index(file, reason)


def corrupt_index(file: str, reason: str, path: bytes | None = None) -> ZdevError:
    """The error for an index file with something in it that cannot be, perhaps about a path."""
    details = {} if path is None else {"path": path.decode("utf-8", "backslashreplace")}
    sentence = f"the index {file} cannot be read: {reason}"
    return ZdevError("corrupt-index", sentence, _REMEDY, details=details)
