"""Functions that run in parallel, for work that does not hold the interpreter lock.

The threads are those of ``_thread``: importing ``threading`` takes longer than the work of a small
repository.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _thread
    from collections.abc import Callable
    from typing import TypeVar

    _Result = TypeVar("_Result")

_MOST = 4
"""The most threads for one piece of work; the gain of more is not measured."""


def useful_threads() -> int:
    """The number of threads for a large piece of work."""
    return min(_MOST, os.cpu_count() or 1)


def side_by_side(*functions: Callable[[], None]) -> None:
    """Run functions in parallel, the first one in this thread, and raise the first failure.

    Returns when all have ended. A function for which the system has no thread left runs here.
    """
    import _thread

    failures: list[BaseException] = []
    here, *others = functions
    started = []
    try:
        for function in others:
            ended = _thread.allocate_lock()
            ended.acquire()
            try:
                _thread.start_new_thread(_guarded, (function, failures, ended))
            except RuntimeError:
                _guarded(function, failures, ended)
            started.append(ended)
        here()
    finally:
        for ended in started:
            ended.acquire()
    if failures:
        raise failures[0]


def _guarded(
    function: Callable[[], object], failures: list[BaseException], ended: _thread.LockType
) -> None:
    """Run a function; keep its exception for another thread, and release the lock at its end."""
    try:
        function()
    except BaseException as error:  # noqa: BLE001  (raised again by the caller)
        failures.append(error)
    finally:
        ended.release()


_PATIENCE = 2.0
"""Seconds after which the reason for slow work is looked for."""

_abandoned: list[object] = []
"""Work that never ended, and everything that it uses, which must not be freed."""


def patiently(work: Callable[[], _Result], ask: Callable[[], None], kept: object = None) -> _Result:
    """Run work that may never end, and that holds the interpreter's lock at no time.

    It runs in a thread of its own, so an interrupt reaches the waiting thread.

    Args:
        work: The work.
        ask: Called once if the work takes long. If it raises, the waiting ends and the work is
            abandoned; it goes on until the process ends.
        kept: What must live as long as the work.

    Returns:
        The result of ``work``; its exceptions are raised.
    """
    import _thread

    results: list[_Result] = []
    failures: list[BaseException] = []
    ended = _thread.allocate_lock()
    ended.acquire()
    try:
        _thread.start_new_thread(_guarded, (lambda: results.append(work()), failures, ended))
    except RuntimeError:  # the system has no thread left
        return work()
    try:
        if not ended.acquire(timeout=_PATIENCE):
            ask()
            ended.acquire()
    except BaseException:
        _abandoned.append((work, kept))
        raise
    if failures:
        raise failures[0]
    return results[0]
