"""The files that Git keeps for itself, read without ever waiting for one that is no file.

Opening a FIFO waits until somebody writes into it, and Git waits. A reader that must answer says
what stands there instead.
"""

from __future__ import annotations

import errno
import os
import stat

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
FIFO = "it is a FIFO, not a file"
_KINDS = {
    stat.S_IFDIR: "it is a directory, not a file",
    stat.S_IFIFO: FIFO,
    stat.S_IFSOCK: "it is a socket, not a file",
    stat.S_IFBLK: "it is a device, not a file",
    stat.S_IFCHR: "it is a device, not a file",
}


def read(path: str, limit: int = -1) -> bytes:
    """The bytes of a file, symbolic links followed.

    A character device may be read as long as it is empty: ``/dev/null`` is a usual way to name
    nothing, ``/dev/zero`` has no end.

    Args:
        path: The file.
        limit: Most bytes to read; all of them by default.

    Raises:
        OSError: Why it cannot be read; also for a FIFO, which is never waited for, for a device
            with something in it, and for a name that no file can have.
    """
    if "\0" in path:
        raise OSError(errno.EINVAL, "its name holds a NUL byte", path)
    descriptor = os.open(path, _FLAGS)
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISFIFO(mode) or (stat.S_ISCHR(mode) and os.read(descriptor, 1)):
            raise OSError(errno.EINVAL, _KINDS[stat.S_IFMT(mode)], path)
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(limit)
    finally:
        os.close(descriptor)


def wrong_kind(path: str | int) -> str | None:
    """What stands in the place of a file, in words; None for a file, and where nothing is.

    Args:
        path: The file, or a descriptor of what was opened.
    """
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # a name with a NUL byte is that of no file
        return None
    return None if stat.S_ISREG(mode) else _KINDS[stat.S_IFMT(mode)]


def special(mode: int) -> str | None:
    """What a FIFO, a socket or a device is, in words; None for what Git can keep."""
    return None if stat.S_ISDIR(mode) else _KINDS.get(stat.S_IFMT(mode))


def identity(found: os.stat_result) -> tuple[int, ...]:
    """What changes whenever the file does, were it only its name."""
    return (
        found.st_dev,
        found.st_ino,
        found.st_mode,
        found.st_nlink,
        found.st_size,
        found.st_mtime_ns,
        found.st_ctime_ns,
    )
