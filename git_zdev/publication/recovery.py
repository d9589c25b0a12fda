"""What becomes of a publication whose process is gone."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from git_zdev.errors import ZdevError
from git_zdev.publication.interrupts import deferred
from git_zdev.publication.underway import Underway, roots
from git_zdev.storage.atomic import Disk, storage_error
from git_zdev.storage.folders import OpenFolders
from git_zdev.storage.journal import FOLDER, NAME, open_home, open_journal, sweep
from git_zdev.storage.lock import DEFAULT_TIMEOUT, StateLock, is_free

if TYPE_CHECKING:
    from git_zdev.git.port import Publisher, Repository
    from git_zdev.storage.atomic import Folder

Outcome = Literal["none", "completed", "rolled-back"]


@dataclass(frozen=True, slots=True)
class Recovery:
    """What recovery did, or would do.

    Attributes:
        outcome: ``none`` when there was no journal.
        journal: The journal's path; None when there was none.
        paths: The publication's files, relative to their place.
        kept: Those of them that somebody changed after us; they stay as they are.
        commit: The commit that stands; None for none.
    """

    outcome: Outcome
    journal: str | None = None
    paths: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    commit: str | None = None


def state_lock(repository: Repository) -> StateLock:
    """The work tree's state lock, waiting up to ``zdev.lockTimeout`` seconds."""
    return StateLock(
        repository.location.git_dir,
        lambda: repository.config.get_int("zdev.lockTimeout", default=DEFAULT_TIMEOUT),
    )


def refuse_interrupted(git_dir: str) -> None:
    """Refuse to read records while an interrupted publication waits for recovery.

    Costs one ``stat`` where there is no journal. A journal whose writer is alive is no reason.

    Args:
        git_dir: The work tree's own Git directory.

    Raises:
        ZdevError: ``interrupted-publication``.
    """
    journal = f"{git_dir}/{FOLDER}/{NAME}"

    def stands() -> bool:
        return os.path.lexists(journal)

    if stands() and is_free(git_dir, stands):
        raise ZdevError(
            "interrupted-publication",
            f"a command was interrupted while it wrote; its journal is {journal}",
            "Run `git zdev recover` (--dry-run shows what it would do)",
            details={"journal": journal},
        )


def recover(
    repository: Repository,
    git: Publisher | None,
    *,
    dry_run: bool = False,
    keep_current: bool = False,
    disk: Disk | None = None,
) -> Recovery:
    """Finish or undo an interrupted publication, under the state lock.

    Args:
        repository: The repository.
        git: The installed Git; needed when the publication has a commit.
        dry_run: Only say what would be done.
        keep_current: Leave files that were changed since as they are, instead of refusing.
        disk: The file system.

    Raises:
        ZdevError: ``recovery-conflict`` naming such files, ``publication-running``,
            ``journal-corrupt``, or why something could not be put back.
    """
    disk = disk or Disk()
    with contextlib.ExitStack() as stack:
        stack.enter_context(state_lock(repository))
        try:
            git_dir = stack.enter_context(disk.open_root(repository.location.git_dir))
            home = stack.enter_context(open_home(disk, git_dir))
            return _settle(repository, git, disk, home, dry_run=dry_run, keep_current=keep_current)
        except OSError as error:
            raise storage_error(error) from error


def recover_first(
    repository: Repository, git: Publisher | None, disk: Disk, home: Folder
) -> Recovery:
    """What every writing command does first; the state lock is held."""
    return _settle(repository, git, disk, home, dry_run=False, keep_current=False)


def _settle(
    repository: Repository,
    git: Publisher | None,
    disk: Disk,
    home: Folder,
    *,
    dry_run: bool,
    keep_current: bool,
) -> Recovery:
    if not dry_run:
        sweep(disk, home)
    journal = open_journal(disk, home)
    if journal is None:
        return Recovery("none")
    plan_root = os.path.join(repository.location.work_tree, journal.plan.root)
    with (
        journal.folder,
        deferred() as interrupts,
        OpenFolders(disk, roots(repository.location, os.path.normpath(plan_root))) as folders,
    ):
        underway = Underway(disk, journal, folders, repository, git)
        found = _decide(underway)
        if not dry_run:
            _carry_out(underway, found, keep_current=keep_current)
        interrupts.raise_late("recovery was complete by then")
        return found


def _decide(underway: Underway) -> Recovery:
    outcome: Outcome = "completed" if underway.files.complete() else "rolled-back"
    paths = tuple(entry.path for entry in underway.journal.plan.entries)
    return Recovery(outcome, underway.journal.path, paths)


def _carry_out(underway: Underway, found: Recovery, *, keep_current: bool) -> None:
    if found.outcome == "completed":
        underway.close()
        return
    kept = underway.undo()
    if kept and not keep_current:
        raise ZdevError(
            "recovery-conflict",
            f"changed since the interruption and left as they are: {', '.join(kept)}",
            "Run `git zdev recover --keep-current` to accept them as they stand",
            details={"kept": kept},
        )
    if kept:
        underway.close()
