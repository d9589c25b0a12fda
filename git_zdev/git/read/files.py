"""Git's own files, read without ever waiting for something that is not a file.

Opening a FIFO blocks until somebody writes to it, and Git does block. Here the reader reports what
is there instead.
"""

from __future__ import annotations

import errno
import os
import stat

from git_zdev.disk import reading
from git_zdev.disk.reading import FIFO, identity_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FIFO", "fifos_in", "identity", "read", "special", "wrong_kind"]


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
    try:
        descriptor = reading.open_file(path, follow=True)
    except reading.WrongKind as error:
        if stat.S_ISDIR(error.mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path) from error
        raise
    with open(descriptor, "rb") as file:
        return file.read(limit)


def wrong_kind(path: str | int) -> str | None:
    """What is in the place of a file, in words; None for a file and if nothing is there.

    Args:
        path: The file, or a descriptor of what was opened.
    """
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # no file has a name with a NUL byte
        return None
    return reading.kind(mode)


def identity(found: os.stat_result) -> tuple[int, ...]:
    """Mode, number of links, and what :func:`identity_of` returns.

    A chmod or a new link changes ctime as well, except on a network file system that does not
    keep one.
    """
    return (found.st_mode, found.st_nlink, *identity_of(found))


def special(mode: int) -> str | None:
    """What a FIFO, a socket or a device is, in words; None for what Git can keep."""
    return None if stat.S_ISDIR(mode) or stat.S_ISLNK(mode) else reading.kind(mode)


def fifos_in(folder: str, *, deep: bool = False) -> Iterator[str]:
    """The FIFOs in a folder, and in the folders in it if ``deep``; links to some included."""
    waiting = [folder]
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if deep:
                    waiting.append(entry.path)
            elif not entry.is_file(follow_symlinks=False) and wrong_kind(entry.path) == FIFO:
                yield entry.path
