"""Reading record files safely: from a work tree or from an index.

Every component of a path is opened relative to its opened parent, without following symlinks and
without waiting for a FIFO, and the opened file is checked with ``fstat``. Replacing a
parent while a file is being reached leads nowhere else.
"""

from __future__ import annotations

import os
import stat

from git_zdev.ground.errors import ZdevError
from git_zdev.plan.records.model import RECORD_ROOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from git_zdev.git.model import IndexEntry
    from git_zdev.git.port import Index

SIZE_LIMIT = 8 * 1024 * 1024
"""Most bytes of one record file."""

_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER_FLAGS = _FILE_FLAGS | os.O_DIRECTORY


class FileSource:
    """The ``.zdev`` tree below a folder of the file system; no repository is needed.

    One source is one look: the folder that was used last stays open for the next file in it. Make
    a new source to look again after something may have been replaced.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        """Read below ``root``, the folder that holds ``.zdev``."""
        self._descriptor = -1
        self._folder: str | None = None
        self._root = os.fspath(root)

    def __enter__(self) -> FileSource:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Give up the folder that is still open; the source can be used again."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        self._folder = None

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
            descriptor = os.open(name, _FILE_FLAGS, dir_fd=parent)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _refusal(path, _mode(name, parent), error, folder=False) from error
        try:
            return _read_regular(path, descriptor)
        finally:
            os.close(descriptor)

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
            raise _refusal(folder, None, error, folder=True) from error

    def _open_folder(self, folder: str) -> int | None:
        if folder == self._folder:
            return self._descriptor
        self.close()
        descriptor = -1
        opened = ""
        for name in (self._root, *folder.split("/")):
            parent = descriptor
            try:
                if parent < 0:
                    descriptor = os.open(name, _FOLDER_FLAGS & ~os.O_NOFOLLOW)
                else:
                    opened = f"{opened}/{name}" if opened else name
                    descriptor = os.open(name, _FOLDER_FLAGS, dir_fd=parent)
            except FileNotFoundError:
                return None
            except OSError as error:
                mode = _mode(name, parent) if parent >= 0 else None
                raise _refusal(opened or name, mode, error, folder=True) from error
            finally:
                if parent >= 0:
                    os.close(parent)
        self._folder, self._descriptor = folder, descriptor
        return descriptor


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


def _read_regular(path: str, descriptor: int) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise _wrong_kind(path, status.st_mode, folder=False)
    size = status.st_size
    if size > SIZE_LIMIT:
        message = f"has {size} bytes, more than the limit of {SIZE_LIMIT}"
        raise _refuse("record-too-large", path, message, "Shorten the file")
    try:
        data = os.read(descriptor, size + 1)
        while len(data) > size:  # it grew since the look at its size
            more = os.read(descriptor, SIZE_LIMIT)
            if not more:
                break
            data += more
    except OSError as error:
        raise _refusal(path, None, error, folder=False) from error
    return data


def _mode(name: str, parent: int) -> int | None:
    """What stands there, for the message only."""
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    except OSError:
        return None


def _refusal(path: str, mode: int | None, error: OSError, *, folder: bool) -> ZdevError:
    expected = stat.S_ISDIR if folder else stat.S_ISREG
    if mode is not None and not expected(mode):
        return _wrong_kind(path, mode, folder=folder)
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
