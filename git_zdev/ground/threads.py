"""Functions that run side by side, for work that does not need the interpreter meanwhile.

The threads are those of ``_thread``: importing ``threading`` takes longer than the work of a small
repository that would be shared out.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MOST = 4
"""Threads that one piece of work is shared out to at most; what more would give is not measured."""


def useful_threads() -> int:
    """How many threads a large piece of work may be shared out to."""
    return min(_MOST, os.cpu_count() or 1)


def side_by_side(*functions: Callable[[], None]) -> None:
    """Run functions at a time, the first one in this thread, and raise the first failure.

    Returns when all of them have ended. One for which the system has no thread left runs here.
    """
    import _thread

    failures: list[BaseException] = []

    def guarded(function: Callable[[], None], ended: _thread.LockType) -> None:
        try:
            function()
        except BaseException as error:  # noqa: BLE001  (raised again by the caller)
            failures.append(error)
        finally:
            ended.release()

    here, *others = functions
    started = []
    try:
        for function in others:
            ended = _thread.allocate_lock()
            ended.acquire()
            try:
                _thread.start_new_thread(guarded, (function, ended))
            except RuntimeError:
                guarded(function, ended)
            started.append(ended)
        here()
    finally:
        for ended in started:
            ended.acquire()
    if failures:
        raise failures[0]
