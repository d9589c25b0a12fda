"""One file of a publication: put in place, with a check of the displaced one, and rolled back.

Its state is read from the disk each time: from the file under its name, in the waiting place
(``<n>.new``) and in the aside place (``<n>.old``).
"""

from __future__ import annotations

from git_zdev.disk.journal import corrupt, digest
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.disk.atomic import Content, Disk, Folder, Spot
    from git_zdev.disk.journal import Entry, Journal

SHELF = "set-aside"
"""The folder below ``zdev`` for hooks' versions of our files."""
STRANGE = "not a regular file"


def drifted(path: str, what: str = "was changed by another process meanwhile") -> ZdevError:
    """The error for something that is not as the plan expects."""
    return ZdevError(
        "state-drifted",
        f"{path} {what}",
        "Nothing was changed; look at it, then run the command again",
        details={"path": path},
    )


def content_hash(disk: Disk, spot: Spot) -> str | None:
    """SHA-256 of a regular file; None if it is missing, :data:`STRANGE` if of another kind."""
    try:
        found = disk.read(spot)
    except ZdevError:
        return STRANGE
    return None if found is None else digest(found.data)


@dataclass(frozen=True, slots=True)
class Shelf:
    """Storage for hooks' versions of our files: ``zdev/set-aside/<identity>/``.

    Attributes:
        disk: The file system.
        home: The ``zdev`` folder.
        identity: The publication's identity.
        kept: The absolute path of the hook's version, by a record's path.
    """

    disk: Disk
    home: Folder
    identity: str
    kept: dict[str, str] = field(default_factory=dict)

    def keep(self, number: int, entry: Entry, content: Content) -> None:
        """Store a copy; it is on the disk afterwards."""
        self.disk.make_folder(self.home.at(SHELF), 0o700)
        with self.disk.open_folder(self.home.at(SHELF)) as shelf:
            self.disk.make_folder(shelf.at(self.identity), 0o700)
            with self.disk.open_folder(shelf.at(self.identity)) as folder:
                spot = folder.at(f"{number}-{entry.path.rpartition('/')[2]}")
                if self.disk.stat(spot) is not None:
                    self.disk.remove(spot)  # left by a killed rollback
                self.disk.create(spot, content.data)
                self.disk.sync_folder(folder)
            self.disk.sync_folder(shelf)
        self.kept[entry.path] = spot.path


@dataclass(frozen=True, slots=True)
class OneFile:
    """One file of a journal.

    Attributes:
        disk: The file system.
        journal: The journal.
        number: Its number in the plan.
        entry: Its entry in the plan.
        target: The file's own name.
    """

    disk: Disk
    journal: Journal
    number: int
    entry: Entry
    target: Spot

    @property
    def waiting(self) -> Spot:
        """The place of our file before an exchange, and of the displaced one after it."""
        return self._beside(f"{self.number}.new")

    @property
    def aside(self) -> Spot:
        """The place of a displaced file that was moved aside."""
        return self._beside(f"{self.number}.old")

    @property
    def gone(self) -> Spot:
        """The place for a version that a hook wrote."""
        return self._beside(f"{self.number}.gone")

    @property
    def again(self) -> Spot:
        """The place of our file before it replaces such a version."""
        return self._beside(f"{self.number}.again")

    @property
    def sign(self) -> Spot:
        """An empty file that exists once the name can be reserved; see ``Disk.place``."""
        return self._beside(f"{self.number}.reserved")

    def _beside(self, name: str) -> Spot:
        if self.entry.near:
            return self.target.folder.at(f".zdev-{self.journal.plan.identity}-{name}")
        return self.journal.at(name)

    def stands(self) -> str | None:
        """The :func:`content_hash` of the file under its own name."""
        return self._hash(self.target)

    def is_edited(self) -> bool:
        """Whether somebody changed it after us, so that :meth:`put_back` would leave it."""
        if self._is_free():
            moved_aside = self._hash(self.aside) is not None
            between = moved_aside and self._hash(self.waiting) is not None
            return None not in {self.entry.old, self.entry.new} and not between
        return self.stands() not in {self.entry.old, self.entry.new}

    def bring_near(self) -> None:
        """Copy the new file to the target's file system, if that is not the journal's."""
        if not self.entry.near or self.entry.new is None:
            return
        journaled = self.disk.read(self.journal.at(f"{self.number}.new"))
        if journaled is None:
            raise corrupt(self.journal.path, f"{self.number}.new is missing")
        self.disk.create(self.waiting, journaled.data, journaled.mode)

    def tidy(self) -> None:
        """Remove our other files on the target's file system."""
        spots = (self.waiting, self.aside, self.again, self.gone, self.sign)
        for spot in spots if self.entry.near else ():
            if self.disk.stat(spot) is not None:
                self.disk.remove(spot)

    def put(self) -> None:
        """Make the new file visible.

        Raises:
            ZdevError: ``state-drifted`` if the displaced file is not as expected; it is put back.
        """
        try:
            if self.entry.new is None:
                self._move_aside()
            elif self.entry.old is None:
                self._place(self.waiting)
            elif self.disk.swap(self.waiting, self.target):
                if self._hash(self.waiting) != self.entry.old:
                    self._swap_back(self.waiting)
                    raise drifted(self.entry.path)
            else:
                self._move_aside()
                self._place(self.waiting)
        except (FileNotFoundError, FileExistsError) as error:
            raise drifted(self.entry.path) from error

    def _move_aside(self) -> None:
        if not self._move(self.aside, self.entry.old):
            raise drifted(self.entry.path)

    def _place(self, source: Spot) -> None:
        """Give one of our files the target's name, which is free or only reserved."""
        if self._reserved():
            self.disk.rename(source, self.target)
        else:
            self.disk.place(source, self.target, self.sign)

    def _reserved(self) -> bool:
        """Whether the target only reserves the name, as a kill has left it.

        An empty file that another process made after the kill looks the same, and holds nothing.
        """
        return self.disk.stat(self.sign) is not None and self.disk.is_empty_file(self.target)

    def _is_free(self) -> bool:
        return self.disk.stat(self.target) is None or self._reserved()

    def put_back(self) -> bool:
        """Roll back :meth:`put`; return False if the file was changed after us and so left."""
        if self.entry.new is None:
            return self._bring_back()
        if self.entry.old is None:
            return self._take_away()
        return self._exchange_back()

    def _bring_back(self) -> bool:
        """Roll back a deletion."""
        if self._hash(self.aside) is None:
            return not (self.entry.near and self.stands() is None)  # tidied up already
        if not self._is_free():
            same = self._same(self.aside, self.target)  # linked back, but not yet unlinked
            return same or self.stands() == self.entry.old
        self._place(self.aside)
        return True

    def _take_away(self) -> bool:
        """Roll back a creation."""
        if self._hash(self.waiting) is not None:
            if not self._same(self.waiting, self.target):
                return not self._reserved() or self._free()  # ours was never put there
            self.disk.remove(self.waiting)
        stands = self.stands()
        if stands is None:
            return True
        return stands == self.entry.new and self._take_ours()

    def _free(self) -> bool:
        """Remove a reservation, unless it was written to at the last moment."""
        self.disk.rename(self.target, self.sign)
        if self.disk.is_empty_file(self.sign):
            return True
        self.disk.place(self.sign, self.target)
        return False

    def _take_ours(self) -> bool:
        """Move our file back to its waiting place, unless it was changed at the last moment."""
        return self._move(self.waiting, self.entry.new)

    def _exchange_back(self) -> bool:
        """Roll back an edit."""
        displaced = self._displaced()
        stands = self.stands()
        if displaced is None:
            return not (self.entry.near and stands == self.entry.new)  # tidied up already
        moved_aside = displaced.name == self.aside.name
        if self._is_free() and moved_aside and self._hash(self.waiting) is not None:
            self._place(displaced)  # it was between the two steps
            return True
        if stands == self.entry.old:
            return True
        if stands != self.entry.new:
            return False
        swapped = self._swap_back(displaced)
        return self._move_back(displaced) if swapped is None else swapped

    def _swap_back(self, displaced: Spot) -> bool | None:
        """Exchange our file for the displaced one.

        Returns:
            False if somebody changed ours at the last moment, and their version is back in place;
            None if files cannot be exchanged.
        """
        if not self.disk.swap(displaced, self.target):
            return None
        if self._hash(displaced) == self.entry.new:
            return True
        self.disk.swap(displaced, self.target)
        return False

    def _move_back(self, displaced: Spot) -> bool:
        """Do the same in two steps."""
        if displaced.name != self.aside.name:
            self.disk.rename(displaced, self.aside)
        elif self.disk.stat(self.waiting) is not None:
            self.disk.remove(self.waiting)
        if not self._take_ours():
            return False
        self._place(self.aside)
        return True

    def clear(self, shelf: Shelf) -> bool:
        """Replace a version that somebody wrote after us by the previous one, and keep theirs.

        Returns:
            False if theirs cannot be read or changed at the last moment; then it stays.
        """
        theirs = self._on(shelf)
        if theirs is None:
            return False
        if self.entry.old is None:
            return self._move(self.waiting, theirs)
        before = self._displaced()
        if before is None:
            return False
        free = self.waiting if before.name == self.aside.name else self.aside
        return self._trade(before, theirs, free)

    def restore(self, planned: bytes | None, shelf: Shelf) -> bool:
        """Restore our bytes in a file that somebody changed or removed after us; keep theirs."""
        stands = self.disk.stat(self.target) is not None
        theirs = self._on(shelf) if stands else None
        if stands and theirs is None:
            return False
        if planned is None:
            return theirs is None or self._move(self.gone, theirs)
        found = self.disk.read(self.target)
        self.disk.create(self.again, planned, None if found is None else found.mode)
        if theirs is not None:
            return self._trade(self.again, theirs, self.gone)
        self._place(self.again)
        return True

    def _trade(self, ours: Spot, theirs: str, free: Spot) -> bool:
        """Exchange our file for theirs; return False if theirs changed at the last moment.

        If files cannot be exchanged, theirs first goes to ``free``.
        """
        if self.disk.swap(ours, self.target):
            if self._hash(ours) == theirs:
                return True
            self.disk.swap(ours, self.target)
            return False
        if not self._move(free, theirs):
            return False
        self._place(ours)
        return True

    def _on(self, shelf: Shelf) -> str | None:
        """Copy the target to the shelf; return its hash, or None if it is not a regular file."""
        try:
            content = self.disk.read(self.target)
        except ZdevError:
            return None
        if content is None:
            return None
        shelf.keep(self.number, self.entry, content)
        return digest(content.data)

    def _move(self, own: Spot, expected: str | None) -> bool:
        """Move the target to one of our names, and back if it is not as expected.

        A rename to our own name is safe: it cannot replace anybody else's file.
        """
        self.disk.rename(self.target, own)
        if self._hash(own) == expected:
            return True
        self._place(own)
        return False

    def _displaced(self) -> Spot | None:
        """The place of the displaced file; None if it was never displaced."""
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
