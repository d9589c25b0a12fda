"""Files of the work tree, each read in one state.

A file is opened without following a link, read to its size, and looked at again: identity, size
and times must be what they were. Times alone do not prove it. The system stamps a file when a write
begins, by a clock that ticks every few milliseconds; a writer that is held up inside one large
write leaves a file that is half old and half new behind a stamp that no longer moves, and a mapped
file is stamped even less. So a file that was changed a moment ago must also be still: on Linux by
a read lease (fcntl(2), ``F_SETLEASE``), which is granted only while nobody has the file open for
writing, and which keeps whoever would open it for writing waiting until it is given up. Where no
lease is to be had, the file has to come to rest.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time

from git_zdev.disk.reading import Closing, open_file
from git_zdev.git.read.files import identity, special
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

_BLOCK = 1 << 20
"""Bytes that one read asks for."""

_REST = 1.0
"""Seconds without a change after which a file is at rest, were it empty."""

_WRITTEN_A_SECOND = 200e6
"""Bytes of it for which a file has to rest a second longer: so long may one write take."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.001, 0.1
"""Seconds between two looks at a file that is not still yet."""

_CHANGES = 5
"""How often a file may be seen to change before it counts as changing all the time."""

_GONE = frozenset(
    {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EMLINK, errno.EINVAL, errno.ENXIO}
)
"""What the system reports when a name no longer is what it was when the work tree was walked."""


class StillFile(Closing):
    """A regular file that nobody changes while it is open here, to be used in a ``with`` block.

    Args:
        path: The path in the work tree, for errors.
        name: The name to open, relative to ``parent``.
        found: What was found at that name.
        parent: Descriptor of an opened directory; None for an absolute name.

    Attributes:
        state: The file's state, which is that of its bytes as well.

    Raises:
        ZdevError: ``file-changed-while-read`` when it is another file by now, or keeps changing;
            ``unreadable-file`` when a FIFO, a socket or a device was found, which Git refuses too.
        OSError: What the system reports.
    """

    __slots__ = ("_descriptor", "_leased", "_path", "state")

    def __init__(
        self, path: bytes, name: bytes, found: os.stat_result, parent: int | None = None
    ) -> None:
        if not stat.S_ISREG(found.st_mode):
            kind = special(found.st_mode)
            raise changed(path) if kind is None else unreadable(path, kind)
        self._path = path
        self._leased = False
        self._descriptor = open_file(name, parent)
        try:
            self.state = self._come_to_rest()
            if not os.path.samestat(self.state, found):
                raise changed(path)
        except BaseException:
            os.close(self._descriptor)
            raise

    def close(self) -> None:
        """Close it, which gives up the lease."""
        os.close(self._descriptor)

    def blocks(self) -> Iterator[bytes]:
        """The bytes, block by block; they count only when the end was reached without an error.

        Raises:
            ZdevError: ``file-changed-while-read`` when somebody changes it, or is waiting to.
            OSError: What the system reports.
        """
        left = self.state.st_size
        while left > 0 and (block := os.read(self._descriptor, min(left, _BLOCK))):
            left -= len(block)
            yield block
            if left and self._leased and not _holds_lease(self._descriptor):
                raise changed(self._path)
        if left or identity(os.fstat(self._descriptor)) != identity(self.state):
            raise changed(self._path)

    def _come_to_rest(self) -> os.stat_result:
        found = os.fstat(self._descriptor)
        pause, changes = _FIRST_PAUSE, 0
        while not _is_at_rest(found):
            self._leased = _take_lease(self._descriptor)
            if self._leased:
                return os.fstat(self._descriptor)
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            before, found = found, os.fstat(self._descriptor)
            changes += identity(before) != identity(found)
            if changes == _CHANGES:
                raise changed(self._path)
        return found


def _is_at_rest(found: os.stat_result) -> bool:
    """Whether the last change is long ago, or stamped by a clock that has nothing to do with ours.

    A file system of another machine has such a clock.
    """
    enough = _REST + found.st_size / _WRITTEN_A_SECOND
    return abs(time.time() - found.st_ctime) > enough


def _take_lease(descriptor: int) -> bool:
    """Whether a read lease was granted; closing the descriptor gives it up.

    It is refused while somebody has the file open for writing, to whoever does not own the file,
    and by file systems that know none. The signal for a holder who is in somebody's way would end
    the process; another one is asked for, which nobody minds.
    """
    if sys.platform != "linux":
        return False
    from _signal import SIGURG  # where `signal` has its numbers from, before it wraps them
    from fcntl import F_RDLCK, F_SETLEASE, F_SETSIG, fcntl

    try:
        fcntl(descriptor, F_SETSIG, SIGURG)
        fcntl(descriptor, F_SETLEASE, F_RDLCK)
    except OSError:
        return False
    return True


def _holds_lease(descriptor: int) -> bool:
    """Whether the lease is still there and nobody waits for its end."""
    from fcntl import F_GETLEASE, F_RDLCK, fcntl

    return fcntl(descriptor, F_GETLEASE) == F_RDLCK


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
    return changed(path) if error.errno in _GONE else unreadable(path, error.strerror)


def changed(path: bytes) -> ZdevError:
    """The refusal for a file that is no longer what it was a moment ago."""
    name = printable(path)
    return ZdevError(
        "file-changed-while-read",
        f"{name} changed or vanished while it was read",
        "Run the command again when nothing writes to the work tree",
        details={"path": name},
    )


def unreadable(path: bytes, reason: str | None) -> ZdevError:
    """The refusal for a file that cannot be read, for a reason such as the system gives."""
    name = printable(path)
    return ZdevError(
        "unreadable-file",
        f"{name} cannot be read: {reason}",
        "Make it readable for this user, or remove it",
        details={"path": name},
    )
