"""Tells a person who waits what for: a line on a terminal that counts the seconds.

How much is left is known to nobody before the work is done, so no bar pretends to know it. Nothing
is shown in the first second, nothing where standard error is no terminal, and nothing stays.
"""

from __future__ import annotations

from git_zdev.cli import streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from types import TracebackType

SECOND = 1.0
ERASE = b"\r\x1b[K"


class shown:  # noqa: N801 - used like a function, as contextlib's own
    """Shows progress while its block runs.

    Args:
        label: What is done; None shows nothing.
        period: Seconds between two looks, the first one included.
    """

    def __init__(self, label: str | None, period: float = SECOND) -> None:
        self._label = label if streams.is_terminal(streams.STDERR) else None
        self._period = period
        self._running: LockType | None = None
        self._silent: LockType | None = None

    def __enter__(self) -> None:
        """Start to count; ``_thread`` is there at no cost, ``threading`` is not."""
        if self._label is None:
            return
        import _thread

        self._running, self._silent = _thread.allocate_lock(), _thread.allocate_lock()
        self._running.acquire()
        self._silent.acquire()
        _thread.start_new_thread(self._count, (self._label, self._running, self._silent))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop, and leave the line as it was found."""
        if self._running is not None and self._silent is not None:
            self._running.release()
            self._silent.acquire()

    def _count(self, label: str, running: LockType, silent: LockType) -> None:
        passed = 0
        while not running.acquire(timeout=self._period):
            passed += 1
            streams.write_stderr(ERASE + f"{label}: {passed} s".encode())
        if passed:
            streams.write_stderr(ERASE)
        silent.release()
