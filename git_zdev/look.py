"""One look at the plan: what a command reads belongs together, or is read again.

A look begins with the first thing that is read and ends when the answer is about to count. When a
publication began or ended in between, the answer is none, and the command begins again. When one
was under way all the time, the look shows what was before it (``publication.reading``), or waits
for its end where that cannot be shown.

Where no publication is under way a look costs a few ``stat``, and imports nothing more.
"""

from __future__ import annotations

from git_zdev.errors import Moved
from git_zdev.storage.moment import first_moment, moment
from git_zdev.values import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from git_zdev.git.model import Location
    from git_zdev.git.port import Repository
    from git_zdev.progress import Progress
    from git_zdev.publication.reading import UnderWay
    from git_zdev.records.source import RecordSource

_FIRST_PAUSE, _LONGEST_PAUSE = 0.002, 0.05


class Look:
    """A look that begins now.

    Args:
        location: Where the repository's parts are.
        environment: The process's environment.
        patience: Asked for the seconds to wait only where a publication is waited for.
        progress: Told that somebody is waited for.
    """

    def __init__(
        self,
        location: Location,
        environment: Mapping[str, str],
        patience: Callable[[], float],
        progress: Progress,
    ) -> None:
        self._location = location
        self._environment = environment
        self._patience = patience
        self._progress = progress
        self._began = first_moment(location.git_dir)

    @cached_property
    def publication(self) -> UnderWay | None:
        """The publication under way, of which this look sees nothing; None for none.

        Raises:
            ZdevError: ``interrupted-publication``, ``journal-corrupt``.
            Moved: It is over by now.
        """
        if self._began.journal is None:
            return None
        from git_zdev.publication.reading import under_way

        return under_way(self._location, self._environment)

    def records(self, root: str) -> RecordSource:
        """The record files below a plan's root.

        Raises:
            ZdevError: As for :attr:`publication`.
            Moved: As there.
        """
        from git_zdev.records.store import FileSource

        standing = FileSource(root)
        return self.publication.records(standing, root) if self.publication else standing

    def demand_refs(self, repository: Repository) -> None:
        """Go on only with refs that belong to the records: HEAD, and the branches.

        Raises:
            ZdevError: ``state-locked``, or as for :attr:`publication`.
            Moved: The publication was waited for.
        """
        if self.publication and not self.publication.shows_old_refs(repository):
            self._await_end()

    def demand_index(self) -> None:
        """Go on only with an index of which no part is a publication's that is under way.

        Raises:
            ZdevError: ``state-locked``, or as for :attr:`publication`.
            Moved: The publication was waited for.
        """
        if self.publication and not self.publication.shows_old_index():
            self._await_end()

    def demand_work_tree(self) -> None:
        """Go on only while no publication is under way.

        Raises:
            ZdevError: ``state-locked``, or as for :attr:`publication`.
            Moved: One was waited for.
        """
        if self.publication:
            self._await_end()

    def end(self) -> None:
        """Let count what was read.

        Raises:
            Moved: It need not belong together.
        """
        publication = self.__dict__.get("publication")
        if moment(self._location.git_dir) != self._began or (
            publication and not publication.shows_the_same()
        ):
            raise Moved

    def _await_end(self) -> None:
        """Wait until the publication is over; what was read before that is worth nothing."""
        import time

        from git_zdev.publication.recovery import refuse_interrupted
        from git_zdev.storage.lock import still_held

        git_dir, patience = self._location.git_dir, self._patience()
        deadline = time.monotonic() + patience
        pause = _FIRST_PAUSE
        with self._progress.stage("Waiting for another command"):
            while moment(git_dir) == self._began:
                refuse_interrupted(git_dir)
                if time.monotonic() >= deadline:
                    raise still_held(git_dir, patience)
                time.sleep(pause)
                pause = min(pause * 1.5, _LONGEST_PAUSE)
        raise Moved
