"""Files that appear, change and vanish in one step.

Everything is addressed as a :class:`Spot`: a name in an open folder. Names are never resolved
through a symbolic link. :class:`Disk` has one method for each call that touches the file system;
tests replace it with one that fails.

Two files are exchanged with ``renameat2(RENAME_EXCHANGE)`` (Linux) or ``renameatx_np(RENAME_SWAP)``
(macOS). If the system or the file system has no such call, :meth:`Disk.swap` returns False, and the
old file is moved aside before the new one is moved into the gap.

A file gets a name that must be free by a rename that replaces nothing, else by a hard link. Some
file systems have neither (exFAT, and others behind FUSE or SMB). There the name is *reserved*: an
empty file is created, which fails if the name exists, and the rename replaces it. In between,
readers see an empty file, and a kill leaves it; :meth:`Disk.place` says how to distinguish it from
another process's file. Bytes that another process writes into it in the microseconds between our
last check and the rename are lost. This is the only guarantee that such a file system cannot give.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

from git_zdev.disk import reading
from git_zdev.disk.reading import LARGEST, identity_of
from git_zdev.ground.errors import LACKING, Translating, ZdevError
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    FlaggedRename = Callable[[int, bytes, int, bytes, int], int]
    from collections.abc import Callable

_UNSUPPORTED = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
NO_LINKS = _UNSUPPORTED | {errno.EPERM, errno.EMLINK, errno.EXDEV}
"""The errors of link(2) without hard links: EPERM on exFAT and vfat, ENOSYS from FUSE, EOPNOTSUPP
from SMB, EXDEV from AFS between two folders."""


class Folder(reading.Closing):
    """An open directory.

    Attributes:
        descriptor: Its file descriptor, close-on-exec.
        path: Its path, for messages.
    """

    def __init__(self, descriptor: int, path: str) -> None:
        self.descriptor = descriptor
        self.path = path

    def close(self) -> None:
        """Close it."""
        os.close(self.descriptor)

    @property
    def device(self) -> int:
        """The number of its device."""
        return os.fstat(self.descriptor).st_dev

    def at(self, name: str) -> Spot:
        """A name in this folder."""
        return Spot(self, name)


@dataclass(frozen=True, slots=True)
class Spot:
    """A name in an open folder, whether or not it exists."""

    folder: Folder
    name: str

    @property
    def path(self) -> str:
        """The path, for messages."""
        return f"{self.folder.path}/{self.name}"


@dataclass(frozen=True, slots=True)
class Content:
    """A regular file, as it was read.

    Attributes:
        data: Its bytes.
        mode: Its permission bits.
        identity: Device, inode, size, mtime and ctime; any write, rename or chmod changes it.
    """

    data: bytes
    mode: int
    identity: tuple[int, int, int, int, int]

    @property
    def mtime_ns(self) -> int:
        """Modification time in nanoseconds."""
        return self.identity[3]


class Disk:
    """The file system. Every method either does its whole work or raises ``OSError``.

    The errors name the full path.
    """

    def __init__(self, *, portable: bool = False) -> None:
        """Use every call of the system, or with ``portable`` only those of POSIX."""
        self._portable = portable

    @property
    def has_barrier(self) -> bool:
        """Whether everything written is on the disk when :meth:`sync_everything` returns.

        If so, single files need not be forced before it, each at a cost.
        """
        return not self._portable and syncfs() is not None

    def open_root(self, path: str) -> Folder:
        """Open a directory by its path, following symbolic links."""
        return Folder(reading.open_folder(path, follow=True), path)

    def open_folder(self, spot: Spot) -> Folder:
        """Open a directory inside an open one; a symbolic link is ``unsafe-path``."""
        with _Naming(spot):
            try:
                descriptor = reading.open_folder(spot.name, spot.folder.descriptor)
            except reading.WrongKind as error:
                raise unsafe_path(spot.path, "a directory") from error
        return Folder(descriptor, spot.path)

    def make_folder(self, spot: Spot, mode: int = 0o777) -> bool:
        """Create a directory; return False if it exists. The umask applies to ``mode``."""
        with _Naming(spot):
            try:
                os.mkdir(spot.name, mode, dir_fd=spot.folder.descriptor)
            except FileExistsError:
                return False
        return True

    def remove_folder(self, spot: Spot) -> None:
        """Remove an empty directory."""
        with _Naming(spot):
            os.rmdir(spot.name, dir_fd=spot.folder.descriptor)

    def is_current(self, spot: Spot) -> bool:
        """Whether a directory is the current directory."""
        found = self.stat(spot)
        return found is not None and os.path.samestat(found, os.stat(os.curdir))

    def names(self, folder: Folder) -> list[str]:
        """The names in a folder, sorted."""
        with _Naming(folder.at("")):
            return sorted(os.listdir(folder.descriptor))

    def read(self, spot: Spot, limit: int = LARGEST) -> Content | None:
        """The regular file at ``spot``; None if nothing is there.

        Args:
            spot: Its name.
            limit: The most bytes that are accepted.

        Raises:
            ZdevError: ``unsafe-path`` for a link or another kind of file, without ever blocking
                on it; ``file-too-large``.
        """
        with _Naming(spot):
            try:
                descriptor = reading.open_file(spot.name, spot.folder.descriptor)
            except FileNotFoundError:
                return None
            except reading.WrongKind as error:
                raise unsafe_path(spot.path, "a regular file") from error
            try:
                data = reading.read_all(descriptor, limit)
                found = os.fstat(descriptor)
            except reading.TooLarge as error:
                raise _too_large(spot.path, limit) from error
            finally:
                os.close(descriptor)
        return Content(data, stat.S_IMODE(found.st_mode), identity_of(found))

    def stat(self, spot: Spot) -> os.stat_result | None:
        """The status of ``spot`` itself, without following links; None if nothing is there."""
        with _Naming(spot):
            try:
                return os.stat(spot.name, dir_fd=spot.folder.descriptor, follow_symlinks=False)
            except FileNotFoundError:
                return None

    def create(
        self, spot: Spot, data: bytes, mode: int | None = None, *, forced: bool = True
    ) -> os.stat_result:
        """Create a file that must not exist; return its ``fstat``.

        A file that could not be written in full is removed again.

        Args:
            spot: Its name.
            data: Its bytes.
            mode: Its exact permission bits, if the file system has any; None for ``0o666``
                less the umask.
            forced: Whether the bytes are forced to the disk, to survive a loss of power.
        """
        with _Naming(spot):
            descriptor = os.open(
                spot.name,
                os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC,
                0o666 if mode is None else mode,  # others never get more access
                dir_fd=spot.folder.descriptor,
            )
            try:
                with open(descriptor, "wb") as file:
                    self._fill(file.fileno(), data)
                    if mode is not None:
                        set_mode(descriptor, mode)
                    if forced:
                        self._force(descriptor)
                    return os.fstat(descriptor)
            except BaseException:
                os.unlink(spot.name, dir_fd=spot.folder.descriptor)
                raise

    def _fill(self, descriptor: int, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]

    def set_times(self, spot: Spot, mtime_ns: int) -> None:
        """Set a file's modification (and access) time to ``mtime_ns``."""
        with _Naming(spot):
            os.utime(
                spot.name,
                ns=(mtime_ns, mtime_ns),
                dir_fd=spot.folder.descriptor,
                follow_symlinks=False,
            )

    def sync(self, spot: Spot) -> None:
        """Force a file's bytes to the disk."""
        with _Naming(spot):
            descriptor = reading.open_file(spot.name, spot.folder.descriptor)
            try:
                self._force(descriptor)
            finally:
                os.close(descriptor)

    def sync_folder(self, folder: Folder) -> None:
        """Force a folder's names to the disk."""
        with _Naming(folder.at("")):
            sync_names(folder.descriptor, self._force)

    def sync_everything(self, folder: Folder) -> None:
        """Force the file system that holds ``folder`` to the disk, including others' writes."""
        with _Naming(folder.at("")):
            self._force_all(folder.descriptor)

    def link(self, source: Spot, target: Spot) -> None:
        """Give a file a second name that must not exist."""
        with _Naming(target):
            os.link(
                source.name,
                target.name,
                src_dir_fd=source.folder.descriptor,
                dst_dir_fd=target.folder.descriptor,
                follow_symlinks=False,
            )

    def rename(self, source: Spot, target: Spot) -> None:
        """Rename a file, replacing any file at ``target``."""
        with _Naming(target):
            os.rename(
                source.name,
                target.name,
                src_dir_fd=source.folder.descriptor,
                dst_dir_fd=target.folder.descriptor,
            )

    def place(self, source: Spot, target: Spot, sign: Spot | None = None) -> None:
        """Rename a file to a name that must not exist (``FileExistsError``).

        Args:
            source: The file.
            target: Its new name.
            sign: Where an empty file is created before ``target`` is reserved, if it has to be.
                Once it exists, an empty file at ``target`` can be our own, left by a kill.
        """
        if self._flagged(source, target, NO_REPLACE):
            return
        try:
            self.link(source, target)
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            self._place_over_reservation(source, target, sign)
        else:
            self.remove(source)

    def _place_over_reservation(self, source: Spot, target: Spot, sign: Spot | None) -> None:
        if sign is not None and self.stat(sign) is None:
            self.create(sign, b"")
            self.sync_folder(sign.folder)
        self.create(target, b"", forced=False)
        try:
            if not self.is_empty_file(target):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target.path)
            self.rename(source, target)
        except BaseException:
            self._give_up(target)
            raise

    def _give_up(self, reserved: Spot) -> None:
        """Free a reserved name again, if possible."""
        try:
            if self.is_empty_file(reserved):
                self.remove(reserved)
        except OSError:
            return

    def is_empty_file(self, spot: Spot) -> bool:
        """Whether ``spot`` is an empty regular file."""
        found = self.stat(spot)
        return found is not None and stat.S_ISREG(found.st_mode) and not found.st_size

    def swap(self, one: Spot, other: Spot) -> bool:
        """Exchange two files in one step; return False if the system cannot do that."""
        return self._flagged(one, other, EXCHANGE)

    def remove(self, spot: Spot) -> None:
        """Remove a file that must exist."""
        with _Naming(spot):
            os.unlink(spot.name, dir_fd=spot.folder.descriptor)

    def _force(self, descriptor: int) -> None:
        os.fsync(descriptor)

    def _force_all(self, descriptor: int) -> None:
        flush = syncfs()
        if flush is None:
            os.sync()
        else:
            flush(descriptor)

    def _flagged(self, source: Spot, target: Spot, flag: int) -> bool:
        rename = None if self._portable else flagged_rename()
        if rename is None:
            return False
        problem = rename(
            source.folder.descriptor,
            os.fsencode(source.name),
            target.folder.descriptor,
            os.fsencode(target.name),
            flag,
        )
        if problem in _UNSUPPORTED:
            return False
        if problem:
            raise OSError(problem, os.strerror(problem), target.path)
        return True


def set_mode(descriptor: int, mode: int) -> None:
    """Set the permission bits of one of our files; a file system without any keeps its own."""
    try:
        os.fchmod(descriptor, mode)
    except OSError as error:
        if error.errno not in _UNSUPPORTED | {errno.EPERM}:
            raise


def sync_names(descriptor: int, force: Callable[[int], None] = os.fsync) -> None:
    """Force a folder's names to the disk, if the system can force folders."""
    try:
        force(descriptor)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise


def unsafe_path(path: str, expected: str) -> ZdevError:
    """The error for a symbolic link or another kind of file in place of one of ours."""
    return ZdevError(
        "unsafe-path",
        f"{path} is a symbolic link or another kind of file, not {expected}",
        f"Put {expected} there; links are never followed for reading or writing records",
    )


def _too_large(path: str, limit: int) -> ZdevError:
    return ZdevError(
        "file-too-large",
        f"{path} has more than {limit} bytes; no such file belongs there",
        "Look at the file, and move it away",
    )


def storage_error(error: OSError) -> ZdevError:
    """An error of the file system, with the path and a remedy."""
    path = error.filename if isinstance(error.filename, str) else "a file"
    reason = error.strerror or str(error)
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        return ZdevError("no-space", f"{path} cannot be written: {reason}", "Make room, then retry")
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return ZdevError(
            "not-writable",
            f"{path} cannot be changed: {reason}",
            "Give yourself write permission there, then retry",
        )
    remedy = LACKING.get(error.errno or 0, "Check the disk, then retry")
    return ZdevError("storage-failed", f"{path} cannot be accessed: {reason}", remedy)


class _Naming(Translating):
    """Puts the full path into errors; system calls only know the last component."""

    __slots__ = ("_spot",)

    def __init__(self, spot: Spot) -> None:
        self._spot = spot

    def translated(self, error: BaseException) -> BaseException | None:
        """See the base class."""
        if isinstance(error, OSError):
            return OSError(error.errno, error.strerror, self._spot.path)
        return None


_DARWIN = sys.platform == "darwin"
NO_REPLACE = 4 if _DARWIN else 1
EXCHANGE = 2

_flagged_renames: list[FlaggedRename | None] = []


def flagged_rename() -> FlaggedRename | None:
    """The rename with flags, which returns 0 or an error number; None if the system has none."""
    if not _flagged_renames:
        _flagged_renames.append(_load_flagged_rename())
    return _flagged_renames[0]


def _load_flagged_rename() -> FlaggedRename | None:
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    try:
        call = library.renameatx_np if _DARWIN else library.renameat2
    except AttributeError:
        return None
    call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    call.restype = ctypes.c_int

    def rename(source: int, name: bytes, target: int, new_name: bytes, flags: int) -> int:
        failed = call(source, name, target, new_name, flags)
        return ctypes.get_errno() if failed else 0

    return rename


def syncfs() -> Callable[[int], None] | None:
    """The call that flushes a descriptor's file system (Linux); None if the system has none."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "syncfs"):
        return None

    def flush(descriptor: int) -> None:
        if library.syncfs(descriptor):
            problem = ctypes.get_errno()
            if problem != errno.ENOSYS:
                raise OSError(problem, os.strerror(problem))
            os.sync()  # a sandbox without syncfs; on Linux, sync waits too

    return flush
