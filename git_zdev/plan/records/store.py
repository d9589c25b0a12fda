"""Reading record files safely: from a work tree or from an index.

Files are reached as :mod:`git_zdev.disk.reading` says: no symlink is followed, and replacing a
parent while a file is being reached leads nowhere else.
"""

from __future__ import annotations

import os
import stat

from git_zdev.disk.reading import Closing, TooLarge, Walk, WrongKind, read_file
from git_zdev.ground.errors import ZdevError
from git_zdev.plan.records.model import RECORD_ROOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from git_zdev.git.model import IndexEntry
    from git_zdev.git.port import Index

SIZE_LIMIT = 8 * 1024 * 1024
"""Most bytes of one record file."""


class FileSource(Closing):
    """The ``.zdev`` tree below a folder of the file system; no repository is needed.

    One source is one look: the folder that was used last stays open for the next file in it. Make
    a new source to look again after something may have been replaced.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        """Read below ``root``, the folder that holds ``.zdev``."""
        self._walk = Walk(os.fspath(root))

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Give up the folder that is still open; the source can be used again."""
        self._walk.close()

    def read(self, path: str) -> bytes | None:
        """The bytes of a regular file, None when nothing is there.

        Raises:
            ZdevError: ``symlink-in-records``, ``not-a-folder``, ``not-a-regular-file``,
                ``record-too-large`` or ``unreadable-record``.
        """
        folder, _, name = path.rpartition("/")
        parent = self._open_folder(folder)
        if parent is None:
            return None
        try:
            return read_file(name, parent, limit=SIZE_LIMIT)
        except FileNotFoundError:
            return None
        except TooLarge as error:
            message = f"has {error.size} bytes, more than the limit of {SIZE_LIMIT}"
            raise _refuse("record-too-large", path, message, "Shorten the file") from error
        except OSError as error:
            raise _refusal(path, error, folder=False) from error

    def names(self, folder: str) -> Sequence[tuple[str, bool]]:
        """Sorted names of a folder; True for folders and for symlinks, which are never followed.

        Raises:
            ZdevError: ``symlink-in-records``, ``not-a-folder`` or ``unreadable-record``.
        """
        descriptor = self._open_folder(folder)
        if descriptor is None:
            return []
        try:
            with os.scandir(descriptor) as entries:
                return sorted(
                    (entry.name, entry.is_dir(follow_symlinks=False) or entry.is_symlink())
                    for entry in entries
                )
        except OSError as error:
            raise _refusal(folder, error, folder=True) from error

    def _open_folder(self, folder: str) -> int | None:
        if folder != self._walk.folder:
            self._walk.close()  # the root may be another folder by now
        try:
            return self._walk.open(folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _refusal(error.filename, error, folder=True) from error


class IndexSource:
    """The ``.zdev`` tree as it is staged."""

    def __init__(self, index: Index, prefix: bytes = b"") -> None:
        """Read from ``index``.

        Args:
            index: The index.
            prefix: Path of the plan root relative to the work tree's root, with a final ``/``;
                empty when they are the same.
        """
        self._index = index
        self._entries: dict[str, IndexEntry] = {}
        self._folders: dict[str, dict[str, bool]] = {}
        for entry in index.entries(prefix + RECORD_ROOT.encode()):
            path = entry.path[len(prefix) :].decode("utf-8", "surrogateescape")
            if not entry.intent_to_add and path.partition("/")[0] == RECORD_ROOT:
                self._add(path, entry)

    def read(self, path: str) -> bytes | None:
        """The staged bytes of a regular file, None when nothing is staged.

        Raises:
            ZdevError: ``symlink-in-records``, ``not-a-regular-file``, ``not-a-folder`` or
                ``unmerged-record``.
        """
        entry = self._entries.get(path)
        if entry is None:
            self._require_folder(path.rpartition("/")[0])
            if path in self._folders:
                raise _wrong_kind(path, stat.S_IFDIR, folder=False)
            return None
        if entry.stage:
            hint = "Resolve the conflict and stage the file"
            raise _refuse("unmerged-record", path, "is unmerged in the index", hint)
        if not stat.S_ISREG(entry.mode):
            raise _wrong_kind(path, entry.mode, folder=False)
        return self._index.read_blob(entry.blob)

    def names(self, folder: str) -> Sequence[tuple[str, bool]]:
        """Sorted names below a staged folder; True for folders, symlinks and submodules.

        Raises:
            ZdevError: As for ``read``.
        """
        self._require_folder(folder)
        return sorted(self._folders.get(folder, {}).items())

    def _add(self, path: str, entry: IndexEntry) -> None:
        self._entries[path] = entry
        below = not stat.S_ISREG(entry.mode)
        while path != RECORD_ROOT:
            path, _, name = path.rpartition("/")
            self._folders.setdefault(path, {}).setdefault(name, below)
            below = True

    def _require_folder(self, folder: str) -> None:
        while folder:
            entry = self._entries.get(folder)
            if entry is not None:
                raise _wrong_kind(folder, entry.mode, folder=True)
            folder = folder.rpartition("/")[0]


def _refusal(path: str, error: OSError, *, folder: bool) -> ZdevError:
    if isinstance(error, WrongKind):
        return _wrong_kind(path, error.mode, folder=folder)
    return _refuse(
        "unreadable-record", path, f"cannot be read: {error.strerror}", "Make it readable"
    )


def _wrong_kind(path: str, mode: int, *, folder: bool) -> ZdevError:
    if stat.S_ISLNK(mode):
        message = "is a symlink; records are real files and folders"
        return _refuse("symlink-in-records", path, message, "Replace it by what it points to")
    if folder:
        message = f"is {_kind(mode)}, expected is a folder"
        return _refuse("not-a-folder", path, message, "Put a folder there, or remove it")
    message = f"is {_kind(mode)}, expected is a regular file"
    return _refuse("not-a-regular-file", path, message, "Put a regular file there, or remove it")


def _refuse(code: str, path: str, message: str, hint: str) -> ZdevError:
    """An error about one path, which stands in ``details.path`` and at the message's start."""
    return ZdevError(code, f"{path} {message}", hint, details={"path": path})


def _kind(mode: int) -> str:
    kinds = {
        stat.S_IFREG: "a regular file",
        stat.S_IFDIR: "a folder",
        stat.S_IFIFO: "a FIFO",
        stat.S_IFSOCK: "a socket",
        stat.S_IFLNK: "a symlink",
        0o160000: "a submodule",
    }
    return kinds.get(stat.S_IFMT(mode), "a device")
