"""The state lock: one writer at a time in a work tree.

The lock is an advisory ``flock`` on ``zdev-state.lock`` in the work tree's own Git directory. The
kernel releases it when its holder ends for any reason, so the file is never deleted and its
existence means nothing. Its content is the pid of the last holder, for messages only. Readers take
it shared for a moment to learn whether a writer is active.
"""

from __future__ import annotations

import fcntl
import os
import time

from git_zdev.disk.atomic import storage_error
from git_zdev.disk.reading import Closing, WrongKind, open_file
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.progress import UNSEEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from git_zdev.ground.progress import Progress

LOCK_FILE = "zdev-state.lock"
DEFAULT_TIMEOUT = 30
_FIRST_PAUSE, _LONGEST_PAUSE = 0.002, 0.05


class StateLock(Closing):
    """Context manager that holds the state lock; close-on-exec, so that no child ever holds it.

    Args:
        git_dir: The work tree's own Git directory.
        timeout: Returns the seconds to wait; called only if another process holds the lock. 0 does
            not wait, a negative number waits forever.
        progress: Shows that the command waits for another one.
        reading: Whether nothing may be written, neither the file nor our pid in it.

    Raises:
        ZdevError: ``state-locked`` naming the holder's pid, or why the file cannot be opened.
    """

    def __init__(
        self,
        git_dir: str,
        timeout: Callable[[], float] = lambda: DEFAULT_TIMEOUT,
        progress: Progress = UNSEEN,
        *,
        reading: bool = False,
    ) -> None:
        self.path = f"{git_dir}/{LOCK_FILE}"
        self._timeout = timeout
        self._progress = progress
        self._reading = reading
        self._descriptor = -1

    def __enter__(self) -> StateLock:
        flags = os.O_RDONLY if self._reading else os.O_RDWR | os.O_CREAT
        try:
            self._descriptor = _open(self.path, flags)
        except FileNotFoundError as error:
            raise storage_error(error) from error
        try:
            if not _try(self._descriptor, fcntl.LOCK_EX):
                with self._progress.stage("Waiting for another command"):
                    self._wait()
            if not self._reading:
                self._sign()
        except BaseException:
            os.close(self._descriptor)
            raise
        return self

    def close(self) -> None:
        """Release the lock."""
        os.close(self._descriptor)

    def _wait(self) -> None:
        timeout = self._timeout()
        deadline = time.monotonic() + timeout
        pause = _FIRST_PAUSE
        while timeout < 0 or time.monotonic() < deadline:
            time.sleep(pause)
            if _try(self._descriptor, fcntl.LOCK_EX):
                return
            pause = min(pause * 1.5, _LONGEST_PAUSE)
        raise _locked(self.path, os.pread(self._descriptor, 32, 0), timeout)

    def _sign(self) -> None:
        """Write our pid, for messages; a full disk must not prevent the lock."""
        try:
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, b"%d\n" % os.getpid(), 0)
        except OSError:
            pass


def is_free(git_dir: str, meanwhile: Callable[[], bool]) -> bool:
    """Whether no writer is active, and ``meanwhile`` is still true while none can start.

    Nothing is created: without a lock file, the lock is free.

    Raises:
        ZdevError: ``unsafe-path`` for another kind of file in its place, without blocking on it.
    """
    try:
        descriptor = _open(f"{git_dir}/{LOCK_FILE}", os.O_RDONLY)
    except FileNotFoundError:
        return meanwhile()
    try:
        return _try(descriptor, fcntl.LOCK_SH) and meanwhile()
    finally:
        os.close(descriptor)


def still_held(git_dir: str, timeout: float) -> ZdevError:
    """The error of a reader that has waited ``timeout`` seconds for a writer."""
    path = f"{git_dir}/{LOCK_FILE}"
    try:
        descriptor = _open(path, os.O_RDONLY)
    except (OSError, ZdevError):
        return _locked(path, b"", timeout)
    try:
        return _locked(path, os.pread(descriptor, 32, 0), timeout)
    finally:
        os.close(descriptor)


def _locked(path: str, content: bytes, timeout: float) -> ZdevError:
    """The error for a lock that is not released; ``content`` is that of the file."""
    named = content.strip()
    holder = int(named) if named.isdigit() else None
    who = "another process" if holder is None else f"process {holder}"
    return ZdevError(
        "state-locked",
        f"{who} has held {path} for more than {timeout:g} s",
        "Wait until it is done, or raise zdev.lockTimeout; the file itself need not be deleted",
        details={} if holder is None else {"pid": holder},
    )


def _open(path: str, flags: int) -> int:
    """Open the lock's file, which must be regular, without blocking on a FIFO.

    Raises:
        FileNotFoundError: The file does not exist.
        ZdevError: ``unsafe-path``, or why it cannot be opened.
    """
    try:
        return open_file(path, access=flags)
    except FileNotFoundError:
        raise
    except WrongKind as error:
        raise _no_file(path) from error
    except OSError as error:
        raise storage_error(error) from error


def _no_file(path: str) -> ZdevError:
    return ZdevError(
        "unsafe-path",
        f"{path} is a symbolic link or another kind of file, not the file of a lock",
        "Remove it; a new one is made when it is needed",
    )


def _try(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise ZdevError(
            "lock-unsupported",
            f"the state lock cannot be taken: {error.strerror}",
            "Keep the Git directory on a file system that supports flock",
        ) from error
    return True
