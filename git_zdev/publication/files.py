"""The files of a publication: exchanged in, checked as they come out, and put back.

Nothing here remembers how far it came. Where a file stands is read off the disk each time: by
what is under its name and what lies in the waiting place (``<n>.new``) and the aside place
(``<n>.old``). So the same code undoes a publication that failed a moment ago and one whose process
was killed last week, and it may be interrupted and repeated itself.
"""

from __future__ import annotations

import contextlib

from git_zdev.errors import ZdevError
from git_zdev.storage.journal import corrupt, digest
from git_zdev.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from git_zdev.storage.atomic import Disk, Spot
    from git_zdev.storage.folders import OpenFolders
    from git_zdev.storage.journal import Entry, Journal

STRANGE = "not a regular file"
EMPTIED = "emptied"
"""The journal's note of folders that may have been removed."""


def drifted(path: str, what: str = "was changed by another process meanwhile") -> ZdevError:
    """The error for something that is not as it was planned for."""
    return ZdevError(
        "state-drifted",
        f"{path} {what}",
        "Nothing was changed; look at it, then run the command again",
        details={"path": path},
    )


def content_hash(disk: Disk, spot: Spot) -> str | None:
    """SHA-256 of a regular file; None for nothing, :data:`STRANGE` for another kind of file."""
    try:
        found = disk.read(spot)
    except ZdevError:
        return STRANGE
    return None if found is None else digest(found.data)


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one journal.

    Attributes:
        disk: The file system.
        journal: The journal.
        folders: The places' folders.
    """

    disk: Disk
    journal: Journal
    folders: OpenFolders

    def put(self, pause: Callable[[], None]) -> None:
        """Make every new file visible; ``pause`` is called before each and may raise.

        The names are on the disk in the end, or after the journal's next flush.

        Raises:
            ZdevError: ``state-drifted`` for a file that is not what the plan expects; that one is
                as it was, the ones before it are still to be put back.
        """
        for place, path in self.journal.plan.folders:
            self.folders.make(place, path)
        touched = set()
        for entry, one in self._each():
            pause()
            if one is None:
                raise drifted(entry.path)
            one.bring_near()
            one.put()
            touched.add(one.target.folder)
        for folder in touched:
            if self.journal.is_piecewise or folder.device != self.journal.folder.device:
                self.disk.sync_folder(folder)

    def remove_emptied(self) -> None:
        """Remove the folders above deleted files that hold nothing any more.

        One that holds something, whoever put it there, stays; so does the current directory, in
        which somebody's shell may stand.
        """
        above = self._above_deleted()
        if not above:
            return
        if self.journal.noted(EMPTIED) is None:
            self.journal.note(EMPTIED, {"folders": above})
            self.journal.flush()
        for place, path in reversed(above):
            with contextlib.suppress(OSError, ZdevError):
                spot = self.folders.spot(place, path)
                if spot is not None and not self.disk.is_current(spot):
                    self.disk.remove_folder(spot)
                    self.folders.forget(place, path)

    def _above_deleted(self) -> list[tuple[str, str]]:
        """``(place, path)`` of every folder above a deleted file, outer ones first."""
        found = set()
        for entry in self.journal.plan.entries:
            above = entry.path.rpartition("/")[0] if entry.new is None else ""
            while above:
                found.add((entry.place, above))
                above = above.rpartition("/")[0]
        return sorted(found)

    def _bring_emptied_back(self) -> None:
        """Undo :meth:`remove_emptied`."""
        noted = self.journal.noted(EMPTIED) or {}
        for place, path in noted.get("folders", ()):
            with contextlib.suppress(OSError, ZdevError):  # what is missing then is told as kept
                if self.folders.folder(place, path) is None:
                    self.folders.make(place, path)

    def put_back(self) -> list[str]:
        """Undo :meth:`put`, however far it came.

        Returns:
            The paths that somebody changed after us, which stay as they are.
        """
        self._bring_emptied_back()
        kept = []
        for number, entry in reversed(list(enumerate(self.journal.plan.entries))):
            one = self._find(number, entry)
            if one is None:
                back = entry.near or entry.old is None or self._never_put(number, entry)
            elif back := one.put_back():
                one.tidy()
            if not back:
                kept.append(entry.path)
        for place, path in reversed(self.journal.plan.folders):
            with contextlib.suppress(OSError, ZdevError):  # not empty, never made, or a link by now
                spot = self.folders.spot(place, path)
                if spot is not None:
                    self.disk.remove_folder(spot)
            self.folders.forget(place, path)
        return sorted(kept)

    def complete(self) -> bool:
        """Whether every file is as planned."""
        return not self.changed()

    def changed(self) -> list[str]:
        """The paths that are not as planned."""
        return [
            entry.path
            for entry, found in self._each()
            if (None if found is None else found.stands()) != entry.new
        ]

    def tidy(self) -> None:
        """Remove what waits beside files on another file system; there is no way back after it."""
        for _, found in self._each():
            if found is not None:
                found.tidy()

    def _each(self) -> Iterator[tuple[Entry, _File | None]]:
        """The files; None where the folder is not there, or no folder any more."""
        for number, entry in enumerate(self.journal.plan.entries):
            yield entry, self._find(number, entry)

    def _never_put(self, number: int, entry: Entry) -> bool:
        """Whether a file whose folder is gone was never displaced, so that nothing is lost."""
        waiting, aside = self.journal.at(f"{number}.new"), self.journal.at(f"{number}.old")
        return content_hash(self.disk, aside) is None and (
            content_hash(self.disk, waiting) == entry.new
        )

    def _find(self, number: int, entry: Entry) -> _File | None:
        try:
            target = self.folders.spot(entry.place, entry.path)
        except ZdevError:
            return None
        if target is None:
            return None
        return _File(self.disk, self.journal, number, entry, target)


@dataclass(frozen=True, slots=True)
class _File:
    disk: Disk
    journal: Journal
    number: int
    entry: Entry
    target: Spot

    @property
    def waiting(self) -> Spot:
        return self._beside(f"{self.number}.new")

    @property
    def aside(self) -> Spot:
        return self._beside(f"{self.number}.old")

    def _beside(self, name: str) -> Spot:
        if self.entry.near:
            return self.target.folder.at(f".zdev-{self.journal.plan.identity}-{name}")
        return self.journal.at(name)

    def stands(self) -> str | None:
        return self._hash(self.target)

    def bring_near(self) -> None:
        """Copy the new file to the file system where it is to stand, if that is another one."""
        if not self.entry.near or self.entry.new is None:
            return
        journaled = self.disk.read(self.journal.at(f"{self.number}.new"))
        if journaled is None:
            raise corrupt(self.journal.path, f"{self.number}.new is missing")
        self.disk.create(self.waiting, journaled.data, journaled.mode)

    def tidy(self) -> None:
        """Remove what waits or lies aside there."""
        for spot in (self.waiting, self.aside) if self.entry.near else ():
            if self.disk.stat(spot) is not None:
                self.disk.remove(spot)

    def put(self) -> None:
        try:
            if self.entry.new is None:
                self._move_aside()
            elif self.entry.old is None:
                self.disk.place(self.waiting, self.target)
            elif self.disk.swap(self.waiting, self.target):
                if self._hash(self.waiting) != self.entry.old:
                    self._swap_back(self.waiting)
                    raise drifted(self.entry.path)
            else:
                self._move_aside()
                self.disk.place(self.waiting, self.target)
        except (FileNotFoundError, FileExistsError) as error:
            raise drifted(self.entry.path) from error

    def _move_aside(self) -> None:
        self.disk.place(self.target, self.aside)
        if self._hash(self.aside) != self.entry.old:
            self.disk.place(self.aside, self.target)
            raise drifted(self.entry.path)

    def put_back(self) -> bool:
        """Undo :meth:`put`; False when somebody changed the file after us and it was left."""
        if self.entry.new is None:
            return self._bring_back()
        if self.entry.old is None:
            return self._take_away()
        return self._exchange_back()

    def _bring_back(self) -> bool:
        """Undo a deletion."""
        if self._hash(self.aside) is None:
            return not (self.entry.near and self.stands() is None)  # tidied up already
        if self.stands() is not None:
            return self._same(self.aside, self.target)  # linked aside, not yet unlinked
        self.disk.place(self.aside, self.target)
        return True

    def _take_away(self) -> bool:
        """Undo a creation."""
        if self._hash(self.waiting) is not None:
            if not self._same(self.waiting, self.target):
                return True  # ours was never put there
            self.disk.remove(self.waiting)
        stands = self.stands()
        if stands is None:
            return True
        return stands == self.entry.new and self._take_ours()

    def _take_ours(self) -> bool:
        """Move our file back to where it waited, unless it was changed at the last moment."""
        self.disk.place(self.target, self.waiting)
        if self._hash(self.waiting) == self.entry.new:
            return True
        self.disk.place(self.waiting, self.target)
        return False

    def _exchange_back(self) -> bool:
        """Undo an edit."""
        displaced = self._displaced()
        stands = self.stands()
        if displaced is None:
            return not (self.entry.near and stands == self.entry.new)  # tidied up already
        if stands == self.entry.old:
            return True
        moved_aside = displaced.name == self.aside.name
        if stands is None and moved_aside and self._hash(self.waiting) == self.entry.new:
            self.disk.place(displaced, self.target)  # we were between the two steps
            return True
        if stands != self.entry.new:
            return False
        swapped = self._swap_back(displaced)
        return self._move_back(displaced) if swapped is None else swapped

    def _swap_back(self, displaced: Spot) -> bool | None:
        """Exchange our file for the displaced one.

        Returns:
            False when somebody changed ours at the last moment, and theirs stands again; None
            where files cannot be exchanged.
        """
        if not self.disk.swap(displaced, self.target):
            return None
        if self._hash(displaced) == self.entry.new:
            return True
        self.disk.swap(displaced, self.target)
        return False

    def _move_back(self, displaced: Spot) -> bool:
        """The same in two steps."""
        if displaced.name != self.aside.name:
            self.disk.place(displaced, self.aside)
        elif self.disk.stat(self.waiting) is not None:
            self.disk.remove(self.waiting)
        if not self._take_ours():
            return False
        self.disk.place(self.aside, self.target)
        return True

    def _displaced(self) -> Spot | None:
        """Where the file that we displaced lies; None when it was never displaced."""
        if self._hash(self.aside) is not None:
            return self.aside
        return self.waiting if self._hash(self.waiting) == self.entry.old else None

    def _hash(self, spot: Spot) -> str | None:
        return content_hash(self.disk, spot)

    def _same(self, one: Spot, other: Spot) -> bool:
        first, second = self.disk.stat(one), self.disk.stat(other)
        return (
            first is not None
            and second is not None
            and (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino)
        )
