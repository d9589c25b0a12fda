"""A publication whose journal exists: finish it or roll it back.

:class:`~git_zdev.publish.attempt.Attempt` does so while the command runs, recovery for a killed
command. Both can be interrupted at any point and begin again.
"""

from __future__ import annotations

import contextlib
import os

from git_zdev.disk.atomic import storage_error
from git_zdev.disk.journal import NAME
from git_zdev.disk.reading import identity_of
from git_zdev.ground.changeset import Place
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import dataclass, field
from git_zdev.publish.commit import Commit
from git_zdev.publish.files import Files
from git_zdev.publish.one_file import Shelf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from git_zdev.disk.folders import OpenFolders
    from git_zdev.disk.journal import Journal
    from git_zdev.git.model import Location
    from git_zdev.publish.hold import Hold
    from git_zdev.publish.sighting import Sighting


def roots(location: Location, plan_root: str) -> dict[str, str]:
    """Absolute path of every :class:`~git_zdev.ground.changeset.Place`."""
    return {
        Place.PLAN_ROOT: plan_root,
        Place.COMMON_DIR: location.common_dir,
        Place.GIT_DIR: location.git_dir,
    }


def index_identity(location: Location) -> tuple[int, ...] | None:
    """The identity that a rewritten index does not have; None if there is no index."""
    try:
        return identity_of(os.stat(location.index_file))
    except FileNotFoundError:
        return None


@dataclass(frozen=True, slots=True)
class Undone:
    """The outcome of a rollback.

    Attributes:
        kept: Paths that somebody changed after us. They stay as they are, and so does the journal.
        commit: Our commit, if it was found; else None.
        stays: Whether the commit stays, because others build on it.
        left: Our paths that are not as before although nothing more can be done.
    """

    kept: tuple[str, ...] = ()
    commit: Sighting | None = None
    stays: bool = False
    left: tuple[str, ...] = ()

    def sentence(self) -> str:
        """What happened to the commit; empty if there was none."""
        if self.commit is None:
            return ""
        if self.stays:
            return f"it stays, other commits build on it in {self.commit.ref}"
        return f"it was taken off {self.commit.ref} again"


@dataclass(frozen=True, slots=True)
class Underway:
    """A publication that has begun.

    Attributes:
        hold: The work tree.
        journal: Its journal.
        folders: The open folders of the places.
        set_aside: The shelf's versions: their absolute path, by a record's path.
    """

    hold: Hold
    journal: Journal
    folders: OpenFolders
    set_aside: dict[str, str] = field(default_factory=dict)

    @property
    def shelf(self) -> Shelf:
        """Storage for hooks' versions of our files."""
        return Shelf(self.hold.disk, self.hold.home, self.journal.plan.identity, self.set_aside)

    @property
    def files(self) -> Files:
        """Its files."""
        return Files(self.hold.disk, self.journal, self.folders)

    @property
    def commit(self) -> Commit | None:
        """Its commit; None if only files change."""
        entry = self.journal.plan.commit
        return None if entry is None else Commit(self.hold, self.journal, entry)

    def close(self) -> None:
        """Close the journal. Cleaning up that fails after its rename is left to the next writer."""
        self.files.tidy()
        self.journal.close()
        with contextlib.suppress(OSError):
            if self.commit is not None:
                self.commit.unlock()
            self.journal.remove()

    def finish(self) -> None:
        """Finish: every file is as planned, and so is the commit if there is one."""
        self.files.tidy()
        self.files.remove_emptied()
        self.close()

    def undo(self, shelf: Shelf | None = None) -> Undone:
        """Roll everything back; the journal is closed if nothing is left to decide.

        A commit of ours that a hook altered and on which others build cannot be taken back; then
        the index is made to fit it, and the files stay.

        Args:
            shelf: Takes files that were written in place of ours; None leaves them in place.
        """
        commit = self.commit
        found = None if commit is None else commit.take_back()
        if commit is not None and found is not None and not found.on_top:
            commit.finish()
            self.close()
            return Undone(commit=found, stays=True)
        self.folders.look_again()  # a hook may have recreated them
        kept = self.files.put_back(shelf)
        if commit is not None:
            self.hold.disk.sync_everything(self.hold.home)
        left = self.left_over()
        if not kept:
            self.close()
        elif commit is not None:
            commit.unlock()
        return Undone(tuple(kept), found, left=tuple(left))

    def left_over(self) -> list[str]:
        """The files that are still as we wrote them or, without a journal, are not as before."""
        return self.files.unlike_before(by_others=self._is_destroyed())

    def _is_destroyed(self) -> bool:
        """Whether somebody has removed the journal."""
        return self.hold.disk.stat(self.hold.home.at(NAME)) is None

    def undo_after(self, error: BaseException) -> ZdevError | None:
        """Roll back because of ``error``.

        Returns:
            The error to raise instead; None if ``error``, possibly extended, says everything.
        """
        first = as_zdev_error(error)
        try:
            shelf = self._shelf()
            undone = self.undo(shelf)
            locks = [] if self.commit is None else self.commit.foreign_locks()
        except (OSError, ZdevError) as second:
            return self._incomplete(first, as_zdev_error(second))
        if sentence := undone.sentence():
            first.message = f"{first.message}; {sentence}"
        if self.set_aside:
            set_aside(first, self.set_aside)
        if undone.kept:
            return kept_edits(first, undone.kept)
        if undone.left:
            return incomplete(first, None, undone.left)
        if not self.set_aside and first.code == "commit-failed" and self._head_is_as_before():
            first.hint = f"Everything else is as before; {first.hint[:1].lower()}{first.hint[1:]}"
        if locks:
            left_locks(first, locks)
        return None if isinstance(error, ZdevError) or not first.details else first

    def _incomplete(self, first: ZdevError, second: ZdevError) -> ZdevError:
        """The error if the rollback failed too; without a journal ``index.lock`` is useless."""
        paths = self._looked()
        if self.set_aside:
            set_aside(first, self.set_aside)
        with contextlib.suppress(OSError, ZdevError):
            if self._is_destroyed():
                if self.commit is not None:
                    self.commit.unlock()
                first.message += "; the journal was removed meanwhile"
                return incomplete(first, None, paths)
        return incomplete(first, second, paths)

    def _looked(self) -> list[str]:
        """The result of :meth:`left_over`, as far as the disk still responds."""
        with contextlib.suppress(OSError, ZdevError):
            return self.left_over()
        return [entry.path for entry in self.journal.plan.entries]

    def _shelf(self) -> Shelf | None:
        """Storage for versions that hooks may have written; None if no hook of the user ran."""
        if self.commit is None or not self.commit.ran_hooks():
            return None
        return self.shelf

    def _head_is_as_before(self) -> bool:
        commit, head = self.journal.plan.commit, self.hold.repository.head()
        return commit is not None and (head.branch, head.commit) == (commit.branch, commit.parent)


def as_zdev_error(error: BaseException) -> ZdevError:
    """Turn any failure into an error with a code."""
    if isinstance(error, OSError):
        return storage_error(error)
    if isinstance(error, ZdevError):
        return error
    return ZdevError("internal-error", f"{type(error).__name__}: {error}", "Report this")


def kept_edits(error: ZdevError, kept: Sequence[str]) -> ZdevError:
    """``error``, extended by files that were changed after us and stay so."""
    return ZdevError(
        error.code,
        f"{error.message}; edited in the meantime and left alone: {', '.join(kept)}",
        "To keep that version and settle the rest, run `git zdev recover --keep-current`, "
        "then `git zdev check`",
        details={**error.details, "kept": list(kept)},
        status=error.status,
    )


def incomplete(error: ZdevError, second: ZdevError | None, paths: Sequence[str]) -> ZdevError:
    """``error``, extended: the rollback failed or lost its journal, so it is incomplete."""
    why = "" if second is None else f": {second.message}"
    named = f". Not as before: {', '.join(paths)}" if paths else ""
    return ZdevError(
        "rollback-incomplete",
        f"{error.message}; not everything could be put back{why}{named}",
        "Run `git zdev recover` once the cause is gone"
        if second is not None
        else "Restore them with `git restore` and remove new ones, then run `git zdev check`",
        details={**error.details, "cause": error.code, "paths": list(paths)},
        status=error.status,
    )


def set_aside(error: ZdevError, kept: Mapping[str, str]) -> None:
    """Add to ``error`` where hooks' versions of our files are kept."""
    error.message = f"{error.message}; {rewritten(kept)}"
    error.hint = f"{EXCLUDE}, then run the command again"
    error.details["set_aside"] = dict(kept)


def rewritten(kept: Mapping[str, str]) -> str:
    """A sentence about files that a hook rewrote."""
    folder = next(iter(kept.values())).rpartition("/")[0]
    named = ", ".join(sorted(kept))
    return f"a hook rewrote {named}. The plan's files were restored; the hook's are in {folder}"


EXCLUDE = "Exclude .zdev/ from the hook that rewrites files (`git zdev help hooks` shows how)"


def left_locks(error: ZdevError, locks: list[str]) -> None:
    """Add to ``error`` the locks on HEAD and the branch; a killed Git leaves them."""
    error.hint = f"{error.hint}. Remove {' and '.join(locks)} first if no Git process runs here"
    error.details["locks"] = locks
