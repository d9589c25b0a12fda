"""One publication from the plan to the end, good or bad."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from git_zdev.publication import gates
from git_zdev.publication.files import drifted
from git_zdev.publication.underway import Underway
from git_zdev.storage import journal as journals
from git_zdev.storage.journal import Entry, Plan, digest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from git_zdev.changeset import ChangeSet, FileChange
    from git_zdev.git.port import Head, Publisher, Repository
    from git_zdev.publication.interrupts import Interrupts
    from git_zdev.storage.atomic import Content, Disk, Folder
    from git_zdev.storage.folders import OpenFolders
    from git_zdev.storage.journal import Journal

    Gate = Callable[[], None]


@dataclass(frozen=True, slots=True)
class PublishResult:
    """What has become visible.

    Attributes:
        commit: The new commit's id; None for files only.
        paths: The files that changed, relative to their place; with a commit, the managed paths
            relative to the work tree; in the plan's order.
        notes: Sentences that a person should see, such as what a hook staged besides.
        said: What Git and its hooks printed.
    """

    commit: str | None = None
    paths: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """Everything that one publication works with; :meth:`run` is the story.

    Attributes:
        change: The plan.
        gates: The command's own gates.
        head: Where HEAD pointed when the command began to plan.
        index: The index file's identity at that time.
        repository: The repository.
        plan_root: Absolute path of the folder that holds ``.zdev``.
        git: The installed Git; None where no commit can follow.
        disk: The file system.
        home: The ``zdev`` folder of the Git directory.
        folders: The open folders of the places.
        interrupts: The signals that arrived.
    """

    change: ChangeSet
    gates: Sequence[Gate]
    head: Head
    index: tuple[int, ...] | None
    repository: Repository
    plan_root: str
    git: Publisher | None
    disk: Disk
    home: Folder
    folders: OpenFolders
    interrupts: Interrupts

    def run(self) -> PublishResult:
        """Publish.

        Raises:
            ZdevError: Nothing has changed, or what could not be undone is named.
            OSError: The same.
        """
        found = self._pass_gates()
        moving = [
            (change, content)
            for change, content in zip(self.change.changes, found, strict=True)
            if change.old != change.new
        ]
        plan = self._plan([change for change, _ in moving])
        if not plan.entries and plan.commit is None:
            return PublishResult()
        journal = self._begin(plan, moving)
        with journal.folder:
            underway = Underway(self.disk, journal, self.folders, self.repository, self.git)
            try:
                result = self._publish(underway)
                underway.close()
            except BaseException as error:
                underway.undo_after(error)
                raise
        return result

    def _publish(self, underway: Underway) -> PublishResult:
        pause = self.interrupts.raise_pending
        self._pass_gates()
        underway.files.put(pause)
        pause()
        return PublishResult(paths=tuple(entry.path for entry in underway.journal.plan.entries))

    def _pass_gates(self) -> list[Content | None]:
        """Check that everything still is as planned for; give the files that stand."""
        self.interrupts.raise_pending()
        for gate in self.gates:
            gate()
        self.folders.look_again()
        if self.repository.head() != self.head:
            raise drifted("HEAD", "moved meanwhile")
        return [self._expected(change) for change in self.change.changes]

    def _expected(self, change: FileChange) -> Content | None:
        """The file as it stands, which is as the plan expects it."""
        spot = self.folders.spot(change.place.value, gates.checked_path(change.path))
        found = None if spot is None else self.disk.read(spot)
        if (None if found is None else found.data) != change.old:
            raise drifted(change.path)
        return found

    def _plan(self, moving: Sequence[FileChange]) -> Plan:
        """The plan as the journal tells it."""
        folders: dict[tuple[str, str], None] = {}
        for change in moving:
            place = change.place.value
            folders |= {(place, path): None for path in self.folders.missing(place, change.path)}
        return Plan(
            identity=secrets.token_hex(16),
            command=self.change.command,
            root=os.path.relpath(self.plan_root, self.repository.location.work_tree),
            entries=tuple(self._entry(change) for change in moving),
            folders=tuple(folders),
        )

    def _entry(self, change: FileChange) -> Entry:
        place = change.place.value
        return Entry(
            place=place,
            path=change.path,
            old=None if change.old is None else digest(change.old),
            new=None if change.new is None else digest(change.new),
            near=self.folders.device(place, change.path) != self.home.device,
        )

    def _begin(self, plan: Plan, moving: Sequence[tuple[FileChange, Content | None]]) -> Journal:
        """Write the journal aside, then let it count."""
        files: dict[str, tuple[bytes, int | None]] = {
            f"{number}.new": (change.new, None if content is None else content.mode)
            for number, (change, content) in enumerate(moving)
            if change.new is not None
        }
        return journals.begin(self.disk, self.home, plan, files)
