"""The progress of a run, for a user who waits for its end.

Long work runs in stages and counts in them. Here nothing is shown, so a stage costs almost nothing;
the command line has a :class:`Progress` that draws on a terminal.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType
    from typing import TypeVar

    Thing = TypeVar("Thing")


class Stage:
    """One stage of work, used in a ``with`` block.

    Attributes:
        what: What is done, in words: ``Hashing untracked files``.
        total: How much there is to do; None if it is unknown.
        done: How much of it is done. The work itself counts here; two threads can lose a few
            counts, which is not visible in a bar.
        in_bytes: Whether bytes are counted.
    """

    __slots__ = ("_progress", "done", "in_bytes", "total", "what")

    def __init__(self, progress: Progress, what: str, total: int | None, *, in_bytes: bool) -> None:
        self._progress = progress
        self.what = what
        self.total = total
        self.done = 0
        self.in_bytes = in_bytes

    def __enter__(self) -> Stage:
        self._progress.begin(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.end(self)

    def counted(self, things: Iterable[Thing]) -> Iterator[Thing]:
        """The same things; each is counted after it has been processed."""
        for thing in things:
            yield thing
            self.done += 1


class Progress:
    """The stages of one run, used as a ``with`` block around it.

    Attributes:
        watched: Whether progress can be seen; if not, expensive counting is skipped.
    """

    watched = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass

    def stage(self, what: str, total: int | None = None, *, in_bytes: bool = False) -> Stage:
        """A stage; see :class:`Stage` for the arguments."""
        return Stage(self, what, total, in_bytes=in_bytes)

    def begin(self, stage: Stage) -> None:
        """Called when a stage begins, inside of the stages that have not ended."""

    def end(self, stage: Stage) -> None:
        """Called when a stage ends; nothing of it may be visible afterwards."""


UNSEEN = Progress()
"""Progress for work that nobody watches at a terminal."""
