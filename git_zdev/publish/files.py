"""The files of a publication: exchanged in, checked as they come out, and put back.

Nothing here remembers its progress. The state of a file is read from the disk each time: from the
file under its name, in the waiting place (``<n>.new``) and in the aside place (``<n>.old``). So the
same code undoes a publication that failed a moment ago and one whose process was killed last week,
and it may itself be interrupted and repeated.
"""

from __future__ import annotations

import contextlib

from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import dataclass
from git_zdev.publish.one_file import OneFile, content_hash, drifted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from git_zdev.disk.atomic import Disk, Folder
    from git_zdev.disk.folders import OpenFolders
    from git_zdev.disk.journal import Entry, Journal
    from git_zdev.publish.one_file import Shelf

EMPTIED = "emptied"
"""The journal's note of folders that may have been removed."""


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
        self._force(touched)

    def _force(self, folders: Iterable[Folder]) -> None:
        """Force the names in folders to the disk, unless the journal's next flush does."""
        for folder in folders:
            if self.journal.is_piecewise or folder.device != self.journal.folder.device:
                self.disk.sync_folder(folder)

    def remove_emptied(self) -> None:
        """Remove the folders above deleted files that hold nothing any more.

        One that holds something, whoever put it there, stays; so does the current directory, in
        which somebody's shell may be.
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
            with contextlib.suppress(OSError, ZdevError):  # then reported as kept
                if self.folders.folder(place, path) is None:
                    self.folders.make(place, path)

    def put_back(self, shelf: Shelf | None = None) -> list[str]:
        """Undo :meth:`put`, however far it came.

        The names are on the disk in the end, or after the journal's next flush.

        Args:
            shelf: Takes what somebody wrote in place of ours; None leaves that where it is.

        Returns:
            The paths that somebody changed after us, which stay as they are.
        """
        self._bring_emptied_back()
        kept, touched = [], set()
        for number, entry in reversed(list(enumerate(self.journal.plan.entries))):
            one = self._find(number, entry)
            if one is None:
                back = entry.near or entry.old is None or self._never_put(number, entry)
            elif back := one.put_back() or (shelf is not None and one.clear(shelf)):
                one.tidy()
            if one is not None:
                touched.add(one.target.folder)
            if not back:
                kept.append(entry.path)
        self._force(touched)
        for place, path in reversed(self.journal.plan.folders):
            with contextlib.suppress(OSError, ZdevError):  # not empty, never made, or a link by now
                spot = self.folders.spot(place, path)
                if spot is not None:
                    self.disk.remove_folder(spot)
            self.folders.forget(place, path)
        return sorted(kept)

    def restore(self, planned: Mapping[str, bytes | None], shelf: Shelf) -> bool:
        """Put our bytes again where somebody wrote others after us.

        Args:
            planned: Path of each file to the bytes that it is to have; None for no file.
            shelf: Takes what is there.

        Returns:
            Whether there was such a file. A file that changes at this very moment stays as it is.
        """
        found = False
        for entry, one in self._each():
            if one is not None and one.stands() != entry.new:
                found = one.restore(planned[entry.path], shelf) or found
        return found

    def unlike_before(self, *, by_others: bool) -> list[str]:
        """The paths that have our bytes and not those from before.

        Args:
            by_others: Whether those that have neither count as well.
        """
        found = []
        for entry, one in self._each():
            stands = None if one is None else one.stands()
            is_ours = stands is not None and stands == entry.new
            if stands != entry.old and (by_others or is_ours):
                found.append(entry.path)
        return found

    def edited(self) -> list[str]:
        """The paths that somebody changed after us, which :meth:`put_back` would leave."""
        return sorted(
            entry.path for entry, one in self._each() if one is not None and one.is_edited()
        )

    def go_on(self) -> None:
        """Make every file visible that still is as it was before; the others stay."""
        for place, path in self.journal.plan.folders:
            if self.folders.folder(place, path) is None:
                self.folders.make(place, path)
        for entry, one in self._each():
            if one is not None and one.stands() == entry.old != entry.new:
                one.bring_near()
                one.put()

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

    def _each(self) -> Iterator[tuple[Entry, OneFile | None]]:
        """The files; None if the folder is not there, or no folder any more."""
        for number, entry in enumerate(self.journal.plan.entries):
            yield entry, self._find(number, entry)

    def _never_put(self, number: int, entry: Entry) -> bool:
        """Whether a file whose folder is gone was never displaced, so that nothing is lost."""
        waiting, aside = self.journal.at(f"{number}.new"), self.journal.at(f"{number}.old")
        return content_hash(self.disk, aside) is None and (
            content_hash(self.disk, waiting) == entry.new
        )

    def _find(self, number: int, entry: Entry) -> OneFile | None:
        try:
            target = self.folders.spot(entry.place, entry.path)
        except ZdevError:
            return None
        if target is None:
            return None
        return OneFile(self.disk, self.journal, number, entry, target)
