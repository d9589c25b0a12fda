"""A publication whose journal stands: the way on and the way back.

:class:`~git_zdev.publication.attempt.Attempt` walks it while the command runs, and recovery walks
it for a command that was killed. Both may be interrupted at any point and begin again.
"""

from __future__ import annotations

import contextlib
import os

from git_zdev.changeset import Place
from git_zdev.errors import ZdevError
from git_zdev.publication.commit import Commit
from git_zdev.publication.files import Files
from git_zdev.storage.atomic import identity_of, storage_error
from git_zdev.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.git.model import Location
    from git_zdev.publication.hold import Hold
    from git_zdev.storage.folders import OpenFolders
    from git_zdev.storage.journal import Journal


def roots(location: Location, plan_root: str) -> dict[str, str]:
    """Absolute path of every :class:`~git_zdev.changeset.Place`."""
    return {
        Place.PLAN_ROOT: plan_root,
        Place.COMMON_DIR: location.common_dir,
        Place.GIT_DIR: location.git_dir,
    }


def index_identity(location: Location) -> tuple[int, ...] | None:
    """What tells the index from a rewritten one; None when there is no index."""
    try:
        return identity_of(os.stat(location.index_file))
    except FileNotFoundError:
        return None


@dataclass(frozen=True, slots=True)
class Underway:
    """A publication that has begun.

    Attributes:
        hold: The work tree.
        journal: Its journal.
        folders: The open folders of the places.
    """

    hold: Hold
    journal: Journal
    folders: OpenFolders

    @property
    def files(self) -> Files:
        """Its files."""
        return Files(self.hold.disk, self.journal, self.folders)

    @property
    def commit(self) -> Commit | None:
        """Its commit; None for files only."""
        entry = self.journal.plan.commit
        return None if entry is None else Commit(self.hold, self.journal, entry)

    def close(self) -> None:
        """End it as it stands. What fails after the one rename is left to the next writer."""
        self.files.tidy()
        self.journal.close()
        with contextlib.suppress(OSError):
            if self.commit is not None:
                self.commit.unlock()
            self.journal.remove()

    def finish(self) -> None:
        """End it well: every file is as planned, and the commit stands where there is one."""
        self.files.tidy()
        self.files.remove_emptied()
        self.close()

    def undo(self) -> list[str]:
        """Put everything back; the journal ends when nothing is left to decide.

        A commit of ours that a hook altered, and on which others stand by now, cannot be taken
        back; then the index is made to fit it, and the files stay.

        Returns:
            Paths that somebody changed after us. They stay as they are, and so does the journal.
        """
        if self.commit is not None and not self.commit.take_back():
            self.commit.finish()
            self.close()
            return []
        kept = self.files.put_back()
        if not kept:
            self.close()
        elif self.commit is not None:
            self.commit.unlock()
        return kept

    def undo_after(self, error: BaseException) -> None:
        """Undo because of ``error``, which the caller raises again when all is as before.

        Raises:
            ZdevError: The same error, with what is not as before.
        """
        try:
            kept = self.undo()
        except (OSError, ZdevError) as second:
            raise incomplete(error, second) from error
        if kept:
            raise kept_edits(error, kept) from error


def as_zdev_error(error: BaseException) -> ZdevError:
    """Any failure as an error with a code."""
    if isinstance(error, OSError):
        return storage_error(error)
    if isinstance(error, ZdevError):
        return error
    return ZdevError("internal-error", f"{type(error).__name__}: {error}", "Report this")


def kept_edits(error: BaseException, kept: list[str]) -> ZdevError:
    """``error``, and files that were changed after us and stay so."""
    first = as_zdev_error(error)
    return ZdevError(
        first.code,
        f"{first.message}; changed meanwhile and left as they are: {', '.join(kept)}",
        "Run `git zdev recover --keep-current` to accept them as they stand",
        details={**first.details, "kept": kept},
        status=first.status,
    )


def incomplete(error: BaseException, second: BaseException) -> ZdevError:
    """``error``, and the undoing failed as well."""
    first, then = as_zdev_error(error), as_zdev_error(second)
    return ZdevError(
        "rollback-incomplete",
        f"{first.message}; putting everything back failed too: {then.message}",
        "Run `git zdev recover` once the cause is gone",
        details={**first.details, "cause": first.code},
        status=first.status,
    )
