"""One look at the plan: what a command reads belongs together, or is read again.

A look begins with the first thing that is read and ends when the answer is about to count. If a
publication began or ended in between, the answer does not count, and the command begins again. If
one was under way all the time, the look shows what was there before it (``publication.reading``),
or waits for its end if that cannot be shown.

A publication begins and ends with a rename inside the ``zdev`` folder of the Git directory (see
``disk.journal``), and each gives that folder another time. So who reads needs no lock and keeps
no writer waiting: the same moment before and after means that nothing became visible in between,
and nothing ceased to be. Where nobody writes, a look costs four ``stat`` and imports nothing more.

The clock of a file system goes in steps. A folder that changed in the step which is still under way
could change once more and keep its time, so that a first look waits for the next step.
"""

from __future__ import annotations

import os
import time

from git_zdev.ground.errors import Moved
from git_zdev.ground.values import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from git_zdev.git.model import Location
    from git_zdev.git.port import Repository
    from git_zdev.ground.progress import Progress
    from git_zdev.plan.records.store import RecordSource
    from git_zdev.publish.reading import UnderWay

    Moment = tuple[tuple[int, int] | None, tuple[int, int, int, int] | None]

_STEP = 12_000_000
"""Nanoseconds; the kernel's clock goes in steps of 1 to 10 ms, or in finer ones."""

_SECOND = 1_000_000_000
_COARSE_STEP = 2 * _SECOND
"""The longest step of a file system that knows whole seconds only."""

_LOOKS = 3
"""How often a folder that changes again and again is waited for."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.002, 0.05


class Look:
    """A look that begins now.

    Args:
        location: Where the repository's parts are.
        environment: The process's environment.
        patience: Asked for the seconds to wait only where a publication is waited for.
        progress: Shows that a writer is waited for.
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
        """The publication in progress, of which this look sees nothing; None if there is none.

        Raises:
            ZdevError: ``interrupted-publication``, ``journal-corrupt``.
            Moved: It is over by now.
        """
        if self._began[0] is None:
            return None
        from git_zdev.publish.reading import under_way

        return under_way(self._location, self._environment)

    def records(self, root: str) -> RecordSource:
        """The record files below a plan's root.

        Raises:
            ZdevError: As for :attr:`publication`.
            Moved: As there.
        """
        from git_zdev.plan.records.store import FileSource

        standing = FileSource(root)
        return self.publication.records(standing, root) if self.publication else standing

    def require_refs(self, repository: Repository) -> None:
        """Go on only with refs that belong to the records: HEAD, and the branches.

        Raises:
            ZdevError: ``state-locked``, or as for :attr:`publication`.
            Moved: The publication was waited for.
        """
        if self.publication and not self.publication.shows_old_refs(repository):
            self._await_end()

    def require_index(self) -> None:
        """Go on only with an index of which no part is a publication's that is under way.

        Raises:
            ZdevError: ``state-locked``, or as for :attr:`publication`.
            Moved: The publication was waited for.
        """
        if self.publication and not self.publication.shows_old_index():
            self._await_end()

    def require_work_tree(self) -> None:
        """Go on only while no publication is under way.

        Raises:
            ZdevError: ``state-locked``, or as for :attr:`publication`.
            Moved: One was waited for.
        """
        if self.publication:
            self._await_end()

    def end(self) -> None:
        """Confirm what was read.

        Raises:
            Moved: It may not belong together.
        """
        publication = self.__dict__.get("publication")
        if moment(self._location.git_dir) != self._began or (
            publication and not publication.shows_the_same()
        ):
            raise Moved

    def _await_end(self) -> None:
        """Wait until the publication is over; what was read before that is worth nothing."""
        from git_zdev.disk.lock import still_held
        from git_zdev.publish.recovery import require_uninterrupted

        git_dir, patience = self._location.git_dir, self._patience()
        deadline = time.monotonic() + patience
        pause = _FIRST_PAUSE
        with self._progress.stage("Waiting for another command"):
            while moment(git_dir) == self._began:
                require_uninterrupted(git_dir)
                if time.monotonic() >= deadline:
                    raise still_held(git_dir, patience)
                time.sleep(pause)
                pause = min(pause * 1.5, _LONGEST_PAUSE)
        raise Moved


def moment(git_dir: str) -> Moment:
    """This moment. Costs two ``stat``.

    Args:
        git_dir: The work tree's own Git directory.

    Returns:
        Device and inode of the journal, None if there is none; device, inode, mtime, ctime
        of the folder that holds it, None if there is none.
    """
    home = _stat(f"{git_dir}/zdev")
    journal = None if home is None else _stat(f"{git_dir}/zdev/journal")
    return (
        None if journal is None else (journal.st_dev, journal.st_ino),
        None if home is None else (home.st_dev, home.st_ino, home.st_mtime_ns, home.st_ctime_ns),
    )


def first_moment(git_dir: str) -> Moment:
    """A moment with which a later one can be compared; waits for the step that it needs."""
    for _ in range(_LOOKS):
        found = moment(git_dir)
        home = found[1]
        rest = 0 if home is None else _rest_of_step(max(home[2:]))
        if not rest:
            break
        time.sleep(rest / _SECOND)
    return found


def _rest_of_step(changed: int) -> int:
    """Nanoseconds until a change could no longer get the time ``changed``."""
    step = _STEP if changed % _SECOND else _COARSE_STEP
    age = time.time_ns() - changed
    return step - age if 0 <= age < step else 0


def _stat(path: str) -> os.stat_result | None:
    """What is there, symbolic links not followed; None for nothing that can be seen."""
    try:
        return os.lstat(path)
    except OSError:
        return None
