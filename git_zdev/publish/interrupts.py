"""Signals during a publication: noted at once, acted on between two steps."""

from __future__ import annotations

import contextlib
import os
import signal

from git_zdev.ground.errors import ZdevError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """The signals that arrived while the handlers were installed.

    Attributes:
        child: Pid that also gets the signal; None while no child runs.
    """

    def __init__(self) -> None:
        self.child: int | None = None
        self._arrived: int | None = None

    def note(self, number: int, __frame: FrameType | None = None) -> None:
        """Signal handler: remember the first signal, pass on every one."""
        self._arrived = self._arrived or number
        if self.child is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.child, number)

    def raise_pending(self) -> None:
        """Raise the error for a signal that arrived, which makes the publication roll back."""
        if self._arrived is not None:
            raise self._error("nothing was changed")

    def raise_late(self, done: str) -> None:
        """Raise it after the end; ``done`` says how the publication ended."""
        if self._arrived is not None:
            raise self._error(done)

    def _error(self, outcome: str) -> ZdevError:
        number = self._arrived or 0
        name = signal.Signals(number).name
        return ZdevError(
            "interrupted",
            f"{name} arrived; {outcome}",
            details={"signal": name},
            status=128 + number,
        )


@contextlib.contextmanager
def deferred() -> Iterator[Interrupts]:
    """Handle SIGINT, SIGTERM and SIGHUP until the context ends; ignored ones stay ignored.

    Outside of the main thread, where Python allows no handlers, nothing is handled.
    """
    interrupts = Interrupts()
    before = {}
    with contextlib.suppress(ValueError):
        for number in HANDLED:
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, interrupts.note)
    try:
        yield interrupts
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
