"""One look at the plan: what a command reads belongs together, or is read again.

A look begins with the first read and ends just before the answer is used. If a publication began or
ended in between, the answer is discarded and the command begins again. If one was under way all the
time, the look shows the state before it (``publish.reading``), or waits for its end if that state
cannot be shown.

A publication begins and ends with a rename inside the ``zdev`` folder of the Git directory (see
``disk.journal``), and each rename changes that folder's times. So a reader needs no lock and keeps
no writer waiting: if the moment is the same before and after, nothing became visible or vanished in
between. While nobody writes, a look costs four ``stat`` calls and imports nothing more.

A file system's clock advances in steps. A folder that changed in the current step could change
again and keep its times, so a first look waits for the next step.
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
"""Nanoseconds; the kernel's clock advances in steps of 1 to 10 ms, or in finer ones."""

_SECOND = 1_000_000_000
_COARSE_STEP = 2 * _SECOND
"""The longest step of a file system that stores whole seconds only."""

_LOOKS = 3
"""How often to wait for a folder that keeps changing."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.002, 0.05


class Look:
    """A look, which begins when it is made.

    Args:
        location: Where the repository's parts are.
        environment: The process's environment.
        patience: Returns the seconds to wait for a publication; called only for such a wait.
        progress: Shows that the command waits for another one.
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
        """The publication in progress, which this look does not see; None if there is none.

        Raises:
            ZdevError: ``interrupted-publication``, ``journal-corrupt``.
            Moved: It has ended since.
        """
        if self._began[0] is None:
            return None
        from git_zdev.publish.reading import under_way

        return under_way(self._location, self._environment)

    def records(self, root: str) -> RecordSource:
        """The record files below a plan's root.

        Raises:
            ZdevError: As for :attr:`publication`.
            Moved: As for :attr:`publication`.
        """
        from git_zdev.plan.records.store import FileSource

        files = FileSource(root)
        return self.publication.records(files, root) if self.publication else files

    def require_refs(self, repository: Repository) -> None:
        """Require that HEAD and the branches belong to the records.

        Raises:
            ZdevError: ``state-locked``, or as for :attr:`publication`.
            Moved: The publication was waited for.
        """
        if self.publication and not self.publication.shows_old_refs(repository):
            self._await_end()

    def require_index(self) -> None:
        """Require that a publication under way has not touched the index.

        Raises:
            ZdevError: ``state-locked``, or as for :attr:`publication`.
            Moved: The publication was waited for.
        """
        if self.publication and not self.publication.shows_old_index():
            self._await_end()

    def require_work_tree(self) -> None:
        """Require that no publication is under way.

        Raises:
            ZdevError: ``state-locked``, or as for :attr:`publication`.
            Moved: A publication was waited for.
        """
        if self.publication:
            self._await_end()

    def end(self) -> None:
        """Accept what was read.

        Raises:
            Moved: What was read may not belong together.
        """
        publication = self.__dict__.get("publication")
        if moment(self._location.git_dir) != self._began or (
            publication and not publication.shows_the_same()
        ):
            raise Moved

    def _await_end(self) -> None:
        """Wait until the publication is over, and discard what was read before."""
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
    """The current moment. Costs two ``stat`` calls.

    Args:
        git_dir: The work tree's own Git directory.

    Returns:
        Device and inode of the journal, and device, inode, mtime and ctime of the folder that
        holds it; None for either that does not exist.
    """
    home = _stat(f"{git_dir}/zdev")
    journal = None if home is None else _stat(f"{git_dir}/zdev/journal")
    return (
        None if journal is None else (journal.st_dev, journal.st_ino),
        None if home is None else (home.st_dev, home.st_ino, home.st_mtime_ns, home.st_ctime_ns),
    )


def first_moment(git_dir: str) -> Moment:
    """A moment that a later one can be compared with; waits for the clock's next step if needed."""
    for _ in range(_LOOKS):
        found = moment(git_dir)
        home = found[1]
        rest = 0 if home is None else _rest_of_step(max(home[2:]))
        if not rest:
            break
        time.sleep(rest / _SECOND)
    return found


def _rest_of_step(changed: int) -> int:
    """Nanoseconds until a new change can no longer get the time ``changed``."""
    step = _STEP if changed % _SECOND else _COARSE_STEP
    age = time.time_ns() - changed
    return step - age if 0 <= age < step else 0


def _stat(path: str) -> os.stat_result | None:
    """The status of ``path`` itself, without following links; None if it cannot be read."""
    try:
        return os.lstat(path)
    except OSError:
        return None
