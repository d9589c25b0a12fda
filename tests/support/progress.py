"""Progress that remembers how far each stage has come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from git_zdev.ground.progress import Progress

if TYPE_CHECKING:
    from git_zdev.ground.progress import Stage


class Seen(Progress):
    """Somebody looks.

    Attributes:
        stages: What each stage that has ended did, how much of it, and of how much.
    """

    watched = True

    def __init__(self) -> None:
        self.stages: list[tuple[str, int, int | None]] = []

    def end(self, stage: Stage) -> None:
        """Note it down."""
        self.stages.append((stage.what, stage.done, stage.total))
