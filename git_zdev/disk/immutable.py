"""Files that appear complete and never change, without a lock.

A hard link, which replaces nothing, makes a file visible. If the system can do it (Linux with
``O_TMPFILE``), the bytes first go to a file without a name, which vanishes with its process. Else
they go to a named temporary file in the same folder. Its writer holds an ``flock`` on it, and the
next writer removes temporary files that nobody holds any more.

Without hard links the temporary file is renamed, after a check that the name is free. Two writers
can find it free at the same moment, and the later one replaces the other's file. The bytes are
equal, because names are derived from the content. A reader still sees no file or a complete one.
"""

from __future__ import annotations

import errno
import fcntl
import os

from git_zdev.disk import reading
from git_zdev.disk.atomic import NO_LINKS, set_mode, sync_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.disk.atomic import Spot

TEMPORARY = ".writing-"
MODE = 0o444

_NO_NAMELESS_FILES = {errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT}
"""The errors of ``O_TMPFILE`` on file systems and kernels without it."""


def publish(spot: Spot, data: bytes) -> None:
    """Create a file of mode 0444, and force its bytes and its name to the disk.

    Raises:
        FileExistsError: The name is taken; the existing file is left alone.
        OSError: The file cannot be written; the folder is as it was before.
    """
    if not _link_nameless(spot, data):
        _link_named(spot, data)
    sync_names(spot.folder.descriptor)


def _link_nameless(spot: Spot, data: bytes) -> bool:
    """Write a file without a name and link it; return False if that cannot be done."""
    if not hasattr(os, "O_TMPFILE"):
        return False
    folder = spot.folder.descriptor
    try:
        descriptor = os.open(".", os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o600, dir_fd=folder)
    except OSError as error:
        if error.errno in _NO_NAMELESS_FILES:
            return False
        raise
    try:
        _fill(descriptor, data)
        os.link(f"/proc/self/fd/{descriptor}", spot.name, dst_dir_fd=folder)
    except FileNotFoundError:  # no /proc
        return False
    except OSError as error:
        if error.errno in NO_LINKS:
            return False
        raise
    finally:
        os.close(descriptor)
    return True


def _link_named(spot: Spot, data: bytes) -> None:
    folder = spot.folder.descriptor
    sweep(folder)
    temporary, descriptor = _temporary(folder)
    moved = False
    try:
        _fill(descriptor, data)
        moved = not _linked(temporary, spot) and _renamed(temporary, spot)
    finally:
        if not moved:
            os.unlink(temporary, dir_fd=folder)
        os.close(descriptor)


def _linked(temporary: str, spot: Spot) -> bool:
    """Link the temporary file to its name; return False without hard links."""
    folder = spot.folder.descriptor
    try:
        os.link(temporary, spot.name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        return False
    return True


def _renamed(temporary: str, spot: Spot) -> bool:
    """Rename the temporary file to its name."""
    folder = spot.folder.descriptor
    try:
        os.lstat(spot.name, dir_fd=folder)
    except FileNotFoundError:
        os.rename(temporary, spot.name, src_dir_fd=folder, dst_dir_fd=folder)
        return True
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), spot.path)


def _temporary(folder: int) -> tuple[str, int]:
    """Create a temporary file and lock it; return its name and descriptor."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    while True:
        temporary = TEMPORARY + os.urandom(8).hex()
        descriptor = os.open(temporary, flags, 0o600, dir_fd=folder)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return temporary, descriptor
        os.close(descriptor)  # a sweep came between the creation and the lock


def sweep(folder: int) -> None:
    """Remove the temporary files of ended writers from an open folder."""
    for name in os.listdir(folder):
        if name.startswith(TEMPORARY):
            _remove_if_abandoned(folder, name)


def _remove_if_abandoned(folder: int, name: str) -> None:
    try:
        descriptor = os.open(name, reading.FILE | os.O_NOFOLLOW, dir_fd=folder)
    except OSError:
        return  # its writer has just removed it
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(name, dir_fd=folder)
    except (BlockingIOError, FileNotFoundError):
        pass
    finally:
        os.close(descriptor)


def _fill(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    set_mode(descriptor, MODE)
    os.fsync(descriptor)
