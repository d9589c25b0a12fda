"""The reading half of the disk: regular files and folders, opened safely, for every package.

A name is opened relative to an open folder. A symbolic link is followed only if the caller asks for
that, a FIFO never blocks, and no terminal becomes the controlling one. ``fstat`` checks the opened
file, so replacing the name in the meantime has no effect.
"""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    Name = str | bytes

FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
"""The flags for files and for folders; ``O_NOFOLLOW`` is added to either."""

LARGEST = 1 << 30
"""The most bytes of a file that is read completely; neither Git nor this program writes more."""

_BLOCK = 1 << 20
FIFO = "it is a FIFO, not a file"
_KINDS = {
    stat.S_IFDIR: "it is a directory, not a file",
    stat.S_IFIFO: FIFO,
    stat.S_IFSOCK: "it is a socket, not a file",
    stat.S_IFBLK: "it is a device, not a file",
    stat.S_IFCHR: "it is a device, not a file",
    stat.S_IFLNK: "it is a symbolic link, not a file",
}


class WrongKind(OSError):
    """The name is another kind of file.

    Attributes:
        mode: Its kind, as in ``st_mode``.
    """

    def __init__(self, mode: int, name: Name) -> None:
        super().__init__(errno.EINVAL, kind(mode) or "it is not a directory", name)
        self.mode = mode


class TooLarge(OSError):
    """A file has more bytes than are accepted.

    Attributes:
        size: Its number of bytes.
    """

    def __init__(self, size: int, limit: int) -> None:
        super().__init__(errno.EFBIG, f"it has {size} bytes, more than the limit of {limit}")
        self.size = size


def kind(mode: int) -> str | None:
    """The kind of a file in words; None for a regular file."""
    return None if stat.S_ISREG(mode) else _KINDS[stat.S_IFMT(mode)]


def identity_of(found: os.stat_result) -> tuple[int, int, int, int, int]:
    """Device, inode, size, mtime and ctime; any write, rename, link or chmod changes one."""
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def open_file(
    name: Name, folder: int | None = None, *, follow: bool = False, access: int = 0
) -> int:
    """Open a regular file.

    Args:
        name: Its name.
        folder: Descriptor of the folder that the name is relative to.
        follow: Whether symbolic links are followed. Then an empty character device can be opened
            too: ``/dev/null`` is a usual name for nothing, but ``/dev/zero`` has no end.
        access: Further flags, for callers that do more than read.

    Returns:
        Its descriptor.

    Raises:
        WrongKind: The name is another kind of file.
        OSError: Why it cannot be opened.
    """
    flags = FILE | access if follow else FILE | access | os.O_NOFOLLOW
    try:
        descriptor = os.open(name, flags, 0o666, dir_fd=folder)
    except OSError as error:
        mode = _mode(name, folder, follow=follow)
        if mode is None or stat.S_ISREG(mode):
            raise
        raise WrongKind(mode, name) from error
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISREG(mode) or (follow and stat.S_ISCHR(mode) and not os.read(descriptor, 1)):
            return descriptor
        raise WrongKind(mode, name)
    except BaseException:
        os.close(descriptor)
        raise


def open_folder(name: Name, folder: int | None = None, *, follow: bool = False) -> int:
    """Open a directory; the arguments, the result and the errors are those of :func:`open_file`."""
    try:
        return os.open(name, FOLDER if follow else FOLDER | os.O_NOFOLLOW, dir_fd=folder)
    except OSError as error:
        mode = _mode(name, folder, follow=follow)
        if mode is None or stat.S_ISDIR(mode):
            raise
        raise WrongKind(mode, name) from error


def _mode(name: Name, folder: int | None, *, follow: bool) -> int | None:
    """The mode of a name that could not be opened."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=follow).st_mode
    except (OSError, ValueError):
        return None


def read_all(descriptor: int, limit: int = LARGEST) -> bytes:
    """The bytes of an open file, including bytes appended meanwhile.

    Raises:
        TooLarge: It has more than ``limit`` bytes.
        OSError: It cannot be read.
    """
    size = os.fstat(descriptor).st_size
    if size > limit:
        raise TooLarge(size, limit)
    data = os.read(descriptor, size + 1)
    while len(data) != size and (more := os.read(descriptor, _BLOCK)):
        data += more
        if len(data) > limit:
            raise TooLarge(len(data), limit)
    return data


def read_file(
    name: Name, folder: int | None = None, *, follow: bool = False, limit: int = LARGEST
) -> bytes:
    """The bytes of a regular file; see :func:`open_file` and :func:`read_all`."""
    descriptor = open_file(name, folder, follow=follow)
    try:
        return read_all(descriptor, limit)
    finally:
        os.close(descriptor)


class Closing:
    """An object that is closed at the end of a ``with`` block."""

    __slots__ = ()

    def close(self) -> None:
        """Close what is open."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Walk(Closing):
    """Opening of many paths, which keeps the current folder open for the next one.

    Folders are opened one component at a time and never through a symbolic link, so no path leads
    out of the root and none is too long for the system.

    Attributes:
        folder: The path of the open folder; None if none is open.
    """

    def __init__(self, root: Name) -> None:
        """Walk below ``root``, which is opened on first use; links in its own path are followed."""
        self.folder: Name | None = None
        self._root = root
        self._top = self._descriptor = -1

    def close(self) -> None:
        """Close what is open; the next :meth:`open` begins at the root again."""
        self._leave()
        if self._top >= 0:
            os.close(self._top)
        self._top = self._descriptor = -1

    def open(self, folder: Name) -> int:
        """The descriptor of the folder at a ``/`` separated path; empty for the root.

        Raises:
            WrongKind: A link or another kind of file is on the way. ``filename`` is its path.
            OSError: A folder is missing or cannot be opened; also with its path.
        """
        if folder == self.folder:
            return self._descriptor
        self._leave()
        if self._top < 0:
            self._top = self._descriptor = open_folder(self._root, follow=True)
        slash = b"/" if isinstance(folder, bytes) else "/"
        at = 0
        while at < len(folder):
            end = folder.find(slash, at)  # type: ignore[arg-type]
            end = len(folder) if end < 0 else end
            self._enter(folder[at:end], folder[:end])
            at = end + 1
        self.folder = folder
        return self._descriptor

    def _enter(self, name: Name, path: Name) -> None:
        try:
            entered = open_folder(name, self._descriptor)
        except OSError as error:
            error.filename = path
            raise
        self._leave()
        self._descriptor = entered

    def _leave(self) -> None:
        descriptor, self._descriptor, self.folder = self._descriptor, self._top, None
        if descriptor != self._top:
            os.close(descriptor)
