"""One file of a publication: put in its place, checked as the other comes out, put back.

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
"""Folder below ``zdev`` for what hooks made of our files."""
STRANGE = "not a regular file"


def drifted(path: str, what: str = "was changed by another process meanwhile") -> ZdevError:
    """The error for something that is not as planned."""
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
class Shelf:
    """Where versions go that a hook wrote in place of ours: ``zdev/set-aside/<identity>/``.

    Attributes:
        disk: The file system.
        home: The ``zdev`` folder.
        identity: The publication's.
        kept: Path of a record to the absolute path of the hook's version.
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
                    self.disk.remove(spot)  # of an undoing that did not get further
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
        target: Where it is.
    """

    disk: Disk
    journal: Journal
    number: int
    entry: Entry
    target: Spot

    @property
    def waiting(self) -> Spot:
        """Where our file waits, and the displaced one after an exchange."""
        return self._beside(f"{self.number}.new")

    @property
    def aside(self) -> Spot:
        """Where the displaced one lies that was moved."""
        return self._beside(f"{self.number}.old")

    @property
    def gone(self) -> Spot:
        """Where a version goes that a hook wrote."""
        return self._beside(f"{self.number}.gone")

    @property
    def again(self) -> Spot:
        """Where our file waits to take the place of such a version."""
        return self._beside(f"{self.number}.again")

    @property
    def sign(self) -> Spot:
        """Where an empty file lies once the name may be reserved; see ``Disk.place``."""
        return self._beside(f"{self.number}.reserved")

    def _beside(self, name: str) -> Spot:
        if self.entry.near:
            return self.target.folder.at(f".zdev-{self.journal.plan.identity}-{name}")
        return self.journal.at(name)

    def stands(self) -> str | None:
        """SHA-256 of the file that is there, None for none; see :func:`content_hash`."""
        return self._hash(self.target)

    def is_edited(self) -> bool:
        """Whether somebody changed it after us, so that :meth:`put_back` would leave it."""
        if self._is_free():
            moved_aside = self._hash(self.aside) is not None
            between = moved_aside and self._hash(self.waiting) is not None
            return None not in {self.entry.old, self.entry.new} and not between
        return self.stands() not in {self.entry.old, self.entry.new}

    def bring_near(self) -> None:
        """Copy the new file to the file system where it is to be, if that is another one."""
        if not self.entry.near or self.entry.new is None:
            return
        journaled = self.disk.read(self.journal.at(f"{self.number}.new"))
        if journaled is None:
            raise corrupt(self.journal.path, f"{self.number}.new is missing")
        self.disk.create(self.waiting, journaled.data, journaled.mode)

    def tidy(self) -> None:
        """Remove what waits or lies aside there."""
        spots = (self.waiting, self.aside, self.again, self.gone, self.sign)
        for spot in spots if self.entry.near else ():
            if self.disk.stat(spot) is not None:
                self.disk.remove(spot)

    def put(self) -> None:
        """Make it visible.

        Raises:
            ZdevError: ``state-drifted`` when what it displaces is not as expected; that is back.
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
        """Give a file of ours the name of the plan, where there is nothing but a reservation."""
        if self._reserved():
            self.disk.rename(source, self.target)
        else:
            self.disk.place(source, self.target, self.sign)

    def _reserved(self) -> bool:
        """Whether what is there only reserves the name, and a kill left it so.

        An empty file that somebody else made after the kill cannot be distinguished, and holds
        nothing.
        """
        return self.disk.stat(self.sign) is not None and self.disk.is_empty_file(self.target)

    def _is_free(self) -> bool:
        return self.disk.stat(self.target) is None or self._reserved()

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
        if not self._is_free():
            same = self._same(self.aside, self.target)  # linked back, not yet unlinked
            return same or self.stands() == self.entry.old
        self._place(self.aside)
        return True

    def _take_away(self) -> bool:
        """Undo a creation."""
        if self._hash(self.waiting) is not None:
            if not self._same(self.waiting, self.target):
                return not self._reserved() or self._free()  # ours was never put there
            self.disk.remove(self.waiting)
        stands = self.stands()
        if stands is None:
            return True
        return stands == self.entry.new and self._take_ours()

    def _free(self) -> bool:
        """Take a reservation away, unless it was written to at the last moment."""
        self.disk.rename(self.target, self.sign)
        if self.disk.is_empty_file(self.sign):
            return True
        self.disk.place(self.sign, self.target)
        return False

    def _take_ours(self) -> bool:
        """Move our file back to where it waited, unless it was changed at the last moment."""
        return self._move(self.waiting, self.entry.new)

    def _exchange_back(self) -> bool:
        """Undo an edit."""
        displaced = self._displaced()
        stands = self.stands()
        if displaced is None:
            return not (self.entry.near and stands == self.entry.new)  # tidied up already
        moved_aside = displaced.name == self.aside.name
        if self._is_free() and moved_aside and self._hash(self.waiting) is not None:
            self._place(displaced)  # we were between the two steps
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
            False when somebody changed ours at the last moment, and theirs is back; None
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
            self.disk.rename(displaced, self.aside)
        elif self.disk.stat(self.waiting) is not None:
            self.disk.remove(self.waiting)
        if not self._take_ours():
            return False
        self._place(self.aside)
        return True

    def clear(self, shelf: Shelf) -> bool:
        """Put what was there before in place of what somebody wrote after us, and keep that.

        Returns:
            False when it cannot be read or changed at the last moment; then it stays.
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
        """Put our bytes in place of what somebody wrote after us, or removed; keep that."""
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
        """Exchange one of our files for theirs; False when theirs changed at the last moment.

        Where files cannot be exchanged, theirs goes to ``free`` first.
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
        """Copy what is there to the shelf; its hash, None if it is not a regular file."""
        try:
            content = self.disk.read(self.target)
        except ZdevError:
            return None
        if content is None:
            return None
        shelf.keep(self.number, self.entry, content)
        return digest(content.data)

    def _move(self, own: Spot, expected: str | None) -> bool:
        """Move what is there to a name of ours, and back again if it is not as expected.

        A name of ours may be renamed to: nothing of anybody else's is there.
        """
        self.disk.rename(self.target, own)
        if self._hash(own) == expected:
            return True
        self._place(own)
        return False

    def _displaced(self) -> Spot | None:
        """Where the file that we displaced lies; None if it was never displaced."""
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
