"""Finish or roll back a publication whose process has ended."""

from __future__ import annotations

import os
import time

from git_zdev.disk.atomic import storage_error
from git_zdev.disk.folders import OpenFolders
from git_zdev.disk.journal import FOLDER, NAME, open_journal, require_bound, require_readable, sweep
from git_zdev.disk.lock import is_free
from git_zdev.disk.processes import git_commands_above
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import dataclass, replace
from git_zdev.publish.adoption import adopted_paths
from git_zdev.publish.gates import require_outside_git
from git_zdev.publish.hold import held, lock_timeout
from git_zdev.publish.interrupts import deferred
from git_zdev.publish.underway import Underway, roots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Literal

    from git_zdev.disk.atomic import Disk
    from git_zdev.disk.processes import ProcessIdentity
    from git_zdev.git.port import Publisher, Repository
    from git_zdev.publish.commit import Commit
    from git_zdev.publish.hold import Hold

    Outcome = Literal["none", "completed", "rolled-back"]


_PAUSE = 0.02


@dataclass(frozen=True, slots=True)
class Recovery:
    """What recovery did, or would do.

    Attributes:
        outcome: ``none`` if there was no journal.
        journal: The journal's path; None if there was none.
        command: The words of the interrupted command.
        paths: The publication's files, relative to their place.
        kept: Files of these that somebody changed after us; they stay as they are.
        commit: The commit that was made; None if there is none.
        notes: Sentences for the user.
    """

    outcome: Outcome
    journal: str | None = None
    command: str = ""
    paths: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    commit: str | None = None
    notes: tuple[str, ...] = ()

    def report(self) -> tuple[str, ...]:
        """The notes of a command that first recovered this; empty if nothing was recovered."""
        if self.journal is None:
            return ()
        command = f"`git zdev {self.command}`"
        if self.outcome == "completed":
            first = f"Note: {command} was interrupted earlier; it has been completed."
        else:
            first = f"Note: {command} was interrupted earlier; it has been undone. Run it again."
        return (first, *self.notes)


def require_uninterrupted(git_dir: str) -> None:
    """Refuse to read records while an interrupted publication waits for recovery.

    Without a journal it costs one ``stat`` call. A journal with a running writer is not refused.

    Args:
        git_dir: The work tree's own Git directory.

    Raises:
        ZdevError: ``interrupted-publication``; ``journal-corrupt`` for a journal that recovery
            would refuse.
    """
    journal = f"{git_dir}/{FOLDER}/{NAME}"

    def stands() -> bool:
        return os.path.lexists(journal)

    if stands() and is_free(git_dir, stands):
        try:
            require_readable(git_dir)
        except ZdevError:
            if not (stands() and is_free(git_dir, stands)):
                return  # another process recovers it
            raise
        raise ZdevError(
            "interrupted-publication",
            f"a command was interrupted while it wrote; its journal is {journal}",
            "Run `git zdev recover` (--dry-run shows what it would do)",
            details={"journal": journal},
        )


def recover(
    repository: Repository,
    environment: Mapping[str, str],
    *,
    dry_run: bool = False,
    keep_current: bool = False,
    assume_dead: bool = False,
    git: Publisher | None = None,
    disk: Disk | None = None,
) -> Recovery:
    """Finish or roll back an interrupted publication, under the state lock.

    Args:
        repository: The repository.
        environment: The process's environment.
        dry_run: Only say what would be done; nothing is written, not even a lock.
        keep_current: Leave files that were changed since as they are, instead of refusing.
        assume_dead: Assume that a ``git commit`` that cannot be seen from here, in another
            container or on another machine, has ended.
        git: The installed Git; None for the one on PATH.
        disk: The file system; None for the real one.

    Raises:
        ZdevError: ``recovery-conflict`` naming changed files, ``publication-running``,
            ``journal-corrupt``, ``inside-git-hook``, or why something could not be rolled back.
    """
    require_outside_git(environment, list(git_commands_above()), repository.config)
    location = repository.location
    if dry_run and not os.path.lexists(location.git_path(f"{FOLDER}/{NAME}")):
        return Recovery("none")
    with held(repository, environment, git, disk, reading=dry_run) as hold:
        return settle(hold, dry_run=dry_run, keep_current=keep_current, assume_dead=assume_dead)


def settle(
    hold: Hold, *, dry_run: bool = False, keep_current: bool = False, assume_dead: bool = False
) -> Recovery:
    """Recover under a lock that is already held, as every writing command does first."""
    try:
        if not dry_run:
            sweep(hold.disk, hold.git_dir, hold.home)
        journal = open_journal(hold.disk, hold.home)
        if journal is None:
            return Recovery("none")
        location = hold.repository.location
        plan_root = os.path.normpath(os.path.join(location.work_tree, journal.plan.root))
        with (
            journal.folder,
            deferred() as interrupts,
            OpenFolders(hold.disk, roots(location, plan_root)) as folders,
        ):
            require_bound(
                journal,
                location.work_tree,
                location.git_dir,
                location.common_dir,
                moved=assume_dead,
            )
            pause = interrupts.raise_pending
            underway = Underway(hold, journal, folders)
            dead = None
            if underway.commit is not None:
                patience = 0 if dry_run else lock_timeout(hold.repository)
                with hold.repository.progress.stage("Waiting for a commit that goes on"):
                    dead = _wait_for_child(underway.commit, patience, pause, assume_dead)
            found = _decide(underway)
            if dead is not None:
                found = replace(found, notes=(*found.notes, dead))
            if not dry_run:
                found = _carry_out(underway, found, pause, keep_current=keep_current)
            interrupts.raise_late("recovery was complete by then")
            return found
    except OSError as error:
        raise storage_error(error) from error


def _wait_for_child(
    commit: Commit,
    patience: float,
    pause: Callable[[], None],
    assume_dead: bool,
) -> str | None:
    """Wait until the ``git commit`` of a killed command has ended; it can still succeed.

    Returns:
        A note about one that is only assumed to have ended.

    Raises:
        ZdevError: ``publication-running``.
    """
    child = commit.search.child()
    deadline = time.monotonic() + patience
    while child is not None and (alive := child.alive()) is not False:
        pause()
        if alive is None and assume_dead:
            return f"Taken for ended: `git commit`, process {child.pid} on {child.host}"
        if alive is None or time.monotonic() >= deadline:
            raise _running(commit, child, in_sight=bool(alive))
        time.sleep(_PAUSE)
    return None


def _running(commit: Commit, child: ProcessIdentity, *, in_sight: bool) -> ZdevError:
    command = commit.journal.plan.command
    details = {"pid": child.pid, "host": child.host, "command": command, "in_sight": in_sight}
    if in_sight:
        return ZdevError(
            "publication-running",
            f"`git commit` of `git zdev {command}`, process {child.pid}, is still at work",
            "Wait for it or end it, then run `git zdev recover`",
            details=details,
        )
    return ZdevError(
        "publication-running",
        f"`git commit` of `git zdev {command}`, process {child.pid} on {child.host}, may still be "
        "at work: it runs in another container or on another machine, and cannot be seen from here",
        "If you know that it has ended, run `git zdev recover --assume-dead`",
        details=details,
    )


def _decide(underway: Underway) -> Recovery:
    """Decide what to do, by the branch and the files."""
    plan = underway.journal.plan
    paths = tuple(entry.path for entry in plan.entries)
    undone = Recovery(
        "rolled-back", underway.journal.path, plan.command, paths, tuple(underway.files.edited())
    )
    commit = underway.commit
    found = None if commit is None else commit.search.look()
    if found is not None:
        if not found.as_planned:
            return undone
        return replace(undone, outcome="completed", commit=found.commit, kept=())
    if commit is None and underway.files.complete():
        return replace(undone, outcome="completed", kept=())
    adopted = adopted_paths(underway)
    if not adopted:
        return undone
    note = f"Committed or staged since the interruption, so nothing is undone: {', '.join(adopted)}"
    return replace(undone, outcome="completed", notes=(note,))


def _carry_out(
    underway: Underway, found: Recovery, pause: Callable[[], None], *, keep_current: bool
) -> Recovery:
    commit = underway.commit
    adopted = found.outcome == "completed" and found.commit is None
    if commit is not None and not adopted:
        commit.lock(pause)
    if commit is not None:
        locks = commit.foreign_locks()
        notes = [f"{path} is left; remove it when no Git process runs here" for path in locks]
        found = replace(found, notes=(*found.notes, *notes))
    if adopted:
        underway.files.go_on()
        kept = tuple(underway.files.changed())
        underway.finish()
        return replace(found, kept=kept)
    if found.outcome == "completed":
        if commit is not None:
            found = replace(found, notes=(*found.notes, *commit.finish()))
        kept = tuple(underway.files.changed())
        underway.finish()
        return replace(found, kept=kept)
    undone = underway.undo()
    if undone.kept and not keep_current:
        raise ZdevError(
            "recovery-conflict",
            f"edited since the interruption and left alone: {', '.join(undone.kept)}",
            "To keep your version and settle the rest, run `git zdev recover --keep-current`, "
            "then `git zdev check`",
            details={"kept": list(undone.kept)},
        )
    if undone.kept:
        underway.close()
    return replace(found, kept=undone.kept)
