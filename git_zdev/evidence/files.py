"""Files of the work tree, each read in one state.

A file is looked at (``lstat``), opened without following a link, read to its recorded size, and
looked at again (``fstat``). Both looks must agree in identity, size and times. Times alone would
miss a writer that is at work at this very moment, because kernels stamp files with a clock that
ticks every few milliseconds only; so a file that changed a moment ago is waited for.
"""

from __future__ import annotations

import errno
import os
import stat
import time

from git_zdev.errors import ZdevError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY

_BLOCK = 1 << 20
"""Bytes that one read asks for."""

_SETTLING = 0.02
"""Seconds for which a file's times may not tell a further change."""

_ATTEMPTS = 5
"""How often a file that changed a moment ago is looked at before it counts as changing."""

_GONE = frozenset(
    {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EMLINK, errno.EINVAL, errno.ENXIO}
)
"""What the system reports when a name no longer is what it was when the work tree was walked."""


def settled(path: bytes, name: bytes, parent: int | None = None) -> os.stat_result:
    """The state of what a name stands for, its times old enough to tell any change from now on.

    Args:
        path: The path in the work tree, for errors.
        name: The name to look at, relative to ``parent``.
        parent: Descriptor of an opened directory; None for an absolute name.

    Raises:
        ZdevError: ``file-changed-while-read`` when it keeps changing.
        OSError: What the system reports.
    """
    for _ in range(_ATTEMPTS):
        found = os.stat(name, dir_fd=parent, follow_symlinks=False)
        wait = found.st_ctime + _SETTLING - time.time()
        if not 0 < wait <= _SETTLING:
            return found
        time.sleep(wait)
    raise changed(path)


def blocks(
    path: bytes, name: bytes, found: os.stat_result, parent: int | None = None
) -> Iterator[bytes]:
    """The bytes of a regular file in the state ``found``, block by block.

    What was taken counts only when the end was reached without an error. Arguments and errors are
    those of :func:`settled`.
    """
    if not stat.S_ISREG(found.st_mode):
        raise changed(path)
    descriptor = os.open(name, _FLAGS, dir_fd=parent)
    try:
        left = found.st_size
        while left > 0 and (block := os.read(descriptor, min(left, _BLOCK))):
            left -= len(block)
            yield block
        if left or _identity(os.fstat(descriptor)) != _identity(found):
            raise changed(path)
    finally:
        os.close(descriptor)


def _identity(found: os.stat_result) -> tuple[int, ...]:
    return (
        found.st_dev,
        found.st_ino,
        found.st_mode,
        found.st_nlink,
        found.st_size,
        found.st_mtime_ns,
        found.st_ctime_ns,
    )


class Naming:
    """A ``with`` block in which what the system reports becomes a refusal that names the path."""

    __slots__ = ("_path",)

    def __init__(self, path: bytes) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, OSError):
            raise _refusal(self._path, error) from error


def _refusal(path: bytes, error: OSError) -> ZdevError:
    return changed(path) if error.errno in _GONE else unreadable(path, error)


def changed(path: bytes) -> ZdevError:
    """The refusal for a file that is no longer what it was a moment ago."""
    name = printable(path)
    return ZdevError(
        "file-changed-while-read",
        f"{name} changed or vanished while it was read",
        "Run the command again when nothing writes to the work tree",
        details={"path": name},
    )


def unreadable(path: bytes, error: OSError) -> ZdevError:
    """The refusal for a file that cannot be read."""
    name = printable(path)
    return ZdevError(
        "unreadable-file",
        f"{name} cannot be read: {error.strerror}",
        "Make it readable for this user, or remove it",
        details={"path": name},
    )


def printable(path: bytes) -> str:
    r"""A path for an error message: bytes that are no UTF-8 stand as ``\xNN``."""
    return path.decode("utf-8", "backslashreplace")
