"""The files of a publication: put in place, with a check of the displaced ones, and rolled back.

Progress is not stored. The state of a file is read from the disk each time: from the file under its
name, in the waiting place (``<n>.new``) and in the aside place (``<n>.old``). So the same code can
roll back a publication that failed a moment ago and one whose process was killed last week, and can
itself be interrupted and repeated.
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

        The names are on the disk at the end, or after the journal's next flush.

        Raises:
            ZdevError: ``state-drifted`` for a file that is not as the plan expects; it is
                unchanged, but the files before it must still be rolled back.
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
        """Force the names in folders to the disk, unless the journal's next flush does so."""
        for folder in folders:
            if self.journal.is_piecewise or folder.device != self.journal.folder.device:
                self.disk.sync_folder(folder)

    def remove_emptied(self) -> None:
        """Remove the folders above deleted files that are now empty.

        A folder with any content stays, and so does the current directory, which can be that of the
        user's shell.
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
        """``(place, path)`` of every folder above a deleted file, outermost first."""
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
        """Roll back :meth:`put` from any state.

        The names are on the disk at the end, or after the journal's next flush.

        Args:
            shelf: Takes files that somebody wrote in place of ours; None leaves them in place.

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
            with contextlib.suppress(OSError, ZdevError):  # not empty, never made, or now a link
                spot = self.folders.spot(place, path)
                if spot is not None:
                    self.disk.remove_folder(spot)
            self.folders.forget(place, path)
        return sorted(kept)

    def restore(self, planned: Mapping[str, bytes | None], shelf: Shelf) -> bool:
        """Restore our bytes in files that somebody changed after us.

        Args:
            planned: The planned bytes of each file by path; None for a deleted file.
            shelf: Takes the files that are there.

        Returns:
            Whether any file was restored. A file that changes at this very moment is left.
        """
        found = False
        for entry, one in self._each():
            if one is not None and one.stands() != entry.new:
                found = one.restore(planned[entry.path], shelf) or found
        return found

    def unlike_before(self, *, by_others: bool) -> list[str]:
        """The paths that have our bytes instead of those from before.

        Args:
            by_others: Whether paths that have neither count too.
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
        """Make every file visible that is still as before; leave the others."""
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
        """Remove our files from other file systems; no rollback is possible afterwards."""
        for _, found in self._each():
            if found is not None:
                found.tidy()

    def _each(self) -> Iterator[tuple[Entry, OneFile | None]]:
        """The files; None if the folder is missing or no longer a folder."""
        for number, entry in enumerate(self.journal.plan.entries):
            yield entry, self._find(number, entry)

    def _never_put(self, number: int, entry: Entry) -> bool:
        """Whether a file whose folder is missing was never displaced, so that nothing is lost."""
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
