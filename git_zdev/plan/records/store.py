"""The sources of record files: a work tree, read safely, or a plan laid over another source.

Files are opened as :mod:`git_zdev.disk.reading` describes: no symlink is followed, and replacing
a parent folder meanwhile cannot redirect the read.
"""

from __future__ import annotations

import os
import stat

from git_zdev.disk.reading import Closing, TooLarge, Walk, WrongKind, read_file
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


SIZE_LIMIT = 8 * 1024 * 1024
"""Maximum size in bytes of one record file."""


class RecordSource(Protocol):
    """A readable ``.zdev`` tree; paths start with ``.zdev`` and use ``/``."""

    def read(self, path: str) -> bytes | None:
        """The bytes of a regular file, or None if it is missing.

        Raises:
            ZdevError: For a symlink or another kind of file on the path, or an unreadable file.
        """

    def names(self, folder: str) -> Sequence[tuple[str, bool]]:
        """Sorted ``(name, is_folder)`` of a folder; empty if it is missing."""


class PlannedSource:
    """Another source with some files replaced: the tree as a plan would leave it."""

    def __init__(self, base: RecordSource, files: Mapping[str, bytes | None]) -> None:
        """Lay ``files`` (new bytes by path, None for deleted) over ``base``."""
        self._base = base
        self._files = dict(files)

    def read(self, path: str) -> bytes | None:
        """The planned bytes of a file in the plan, else the base's."""
        return self._files[path] if path in self._files else self._base.read(path)

    def names(self, folder: str) -> Sequence[tuple[str, bool]]:
        """The base's names with the plan's files added and removed."""
        names = dict(self._base.names(folder))
        for path, data in self._files.items():
            if not path.startswith(f"{folder}/"):
                continue
            name, _, below = path[len(folder) + 1 :].partition("/")
            if data is not None:
                names[name] = bool(below)
            elif not below:
                names.pop(name, None)
        return sorted(names.items())


class FileSource(Closing):
    """The ``.zdev`` tree below a folder of the file system; no repository is needed.

    A source is for one look: it keeps the last folder open for the next file in it. Make a new
    source after anything may have been replaced.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        """Read below ``root``, the folder that holds ``.zdev``."""
        self._walk = Walk(os.fspath(root))

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close the folder that is still open; the source stays usable."""
        self._walk.close()

    def read(self, path: str) -> bytes | None:
        """The bytes of a regular file, or None if it is missing.

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
            raise refused("record-too-large", path, message, "Shorten the file") from error
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


def _refusal(path: str, error: OSError, *, folder: bool) -> ZdevError:
    if isinstance(error, WrongKind):
        return wrong_kind(path, error.mode, folder=folder)
    return refused(
        "unreadable-record", path, f"cannot be read: {error.strerror}", "Make it readable"
    )


def wrong_kind(path: str, mode: int, *, folder: bool) -> ZdevError:
    """The error for a path that should be a folder or a regular file and is not."""
    if stat.S_ISLNK(mode):
        message = "is a symlink; records are real files and folders"
        return refused("symlink-in-records", path, message, "Replace it by what it points to")
    if folder:
        message = f"is {_kind(mode)}; expected a folder"
        return refused("not-a-folder", path, message, "Put a folder there, or remove it")
    message = f"is {_kind(mode)}; expected a regular file"
    return refused("not-a-regular-file", path, message, "Put a regular file there, or remove it")


def refused(code: str, path: str, message: str, hint: str) -> ZdevError:
    """An error about one path, named in ``details.path`` and at the start of the message."""
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
