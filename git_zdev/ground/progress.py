"""The progress of a run, for a person who waits for its end.

Work that may take long is done in stages, and counts in them. This base shows nothing, so a stage
costs almost nothing; the command line has a :class:`Progress` that is drawn on a terminal.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType
    from typing import TypeVar

    Thing = TypeVar("Thing")


class Stage:
    """Work under way, to be used in a ``with`` block.

    Attributes:
        what: What is being done, in words: ``Hashing untracked files``.
        total: How much there is to do; None if only the end will show.
        done: How much of it is done. The worker counts here; two threads may lose a few counts,
            which does not show in a bar.
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
        """The same items; each is counted after it has been processed."""
        for thing in things:
            yield thing
            self.done += 1


class Progress:
    """The stages of one run, which is the ``with`` block that this is used in.

    Attributes:
        watched: Whether somebody may look. If not, expensive counting is skipped.
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
        """Called when a stage begins, inside of those that have not ended."""

    def end(self, stage: Stage) -> None:
        """Called when a stage ends; it must not be visible any more."""


UNSEEN = Progress()
"""For work that nobody waits for at a terminal."""
