"""How readers see a publication in progress: as if it had not begun.

Between the renames that begin and end it, a publication has put some or all of its files in place,
and its commit can still be refused. Readers get the old version of everything that it changes.

*Records.* The journal lists the files that change, with their bytes before and after. The old bytes
are under the file's own name, in the waiting place or in the aside place, depending on the progress
(``files``). Their hash identifies them, so the order of the search does not matter. If they are in
none of these, the publication advanced during the search, or dropped the old bytes because it is
about to end; then the reader begins again (:class:`~git_zdev.ground.errors.Moved`).

*HEAD, the branch and the index* are the old ones until the commit is made, which is most of the
time, because hooks run before that. Reading them shows whether they still are.

*The work tree as a whole* cannot be shown as it was. Its readers wait for the end.

Hooks of the publication's own commit are part of it. They judge the new files, so they read the new
version; the publication waits for them, so they must never wait for it.
"""

from __future__ import annotations

import os
import time

from git_zdev.disk.atomic import Disk, storage_error
from git_zdev.disk.journal import FOLDER, NAME, digest, open_journal
from git_zdev.disk.processes import pids_above
from git_zdev.disk.reading import identity_of
from git_zdev.ground.changeset import Place
from git_zdev.ground.errors import Moved, ZdevError
from git_zdev.plan.records.store import FileSource
from git_zdev.publish.gates import PUBLICATION_VARIABLE
from git_zdev.publish.recovery import require_uninterrupted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from git_zdev.disk.journal import Entry, Journal, Plan
    from git_zdev.git.model import Location
    from git_zdev.git.port import Repository
    from git_zdev.plan.records.store import RecordSource

_ROUNDS = 3
_PAUSE = 0.001
"""Seconds; moving a file from one name to another takes less."""


def under_way(location: Location, environment: Mapping[str, str]) -> UnderWay | None:
    """The publication in progress; None for a process that runs inside of it.

    Writes nothing and waits for nobody.

    Args:
        location: Where the repository's parts are.
        environment: The process's environment.

    Raises:
        ZdevError: ``interrupted-publication`` if its writer has ended, ``journal-corrupt``, or why
            the journal cannot be read.
        Moved: It has ended since.
    """
    require_uninterrupted(location.git_dir)
    began = _which(location)
    disk = Disk()
    try:
        with (
            disk.open_root(location.git_dir) as top,
            disk.open_folder(top.at(FOLDER)) as home,
        ):
            journal = open_journal(disk, home)
            if journal is None:
                raise Moved
            with journal.folder:
                plan = journal.plan
                inside = environment.get(PUBLICATION_VARIABLE) == plan.identity
                if inside or _is_above(journal):
                    return None
    except FileNotFoundError as error:
        raise Moved from error
    except ZdevError as error:
        if _which(location) != began:
            raise Moved from error  # its files have been removed meanwhile
        raise
    except OSError as error:
        raise storage_error(error) from error
    return UnderWay(location, plan)


def _which(location: Location) -> tuple[int, int] | None:
    """Device and inode of the current journal."""
    found = _identity(location.git_path(f"{FOLDER}/{NAME}"))
    return None if found is None else found[:2]


def _is_above(journal: Journal) -> bool:
    """Whether the journaled ``git commit`` is an ancestor of this process.

    This also recognizes a hook that clears its environment.
    """
    child = (journal.noted("child") or {}).get("pid")
    return child is not None and child in pids_above()


class UnderWay:
    """A publication in progress, seen from outside.

    Args:
        location: Where the repository's parts are.
        plan: The plan in its journal.
    """

    def __init__(self, location: Location, plan: Plan) -> None:
        self._location = location
        self._plan = plan
        self._root = os.path.realpath(os.path.join(location.work_tree, plan.root))
        self._seen: dict[str, tuple[int, ...] | None] = {}

    def records(self, standing: FileSource, root: str) -> RecordSource:
        """The record files below ``root`` as they were; ``standing`` reads them as they are."""
        if os.path.realpath(root) != self._root:
            return standing
        return OldRecords(standing, self._plan, self._location.git_dir)

    def stood(self, path: str) -> bool:
        """Whether an absolute path existed."""
        folder, _, name = path.rpartition("/.zdev/")
        entry = _entries(self._plan).get(f".zdev/{name}") if folder else None
        if entry is None or os.path.realpath(folder) != self._root:
            return os.path.lexists(path)
        return entry.old is not None

    def shows_old_refs(self, repository: Repository) -> bool:
        """Whether HEAD and its branch still point to the commit's planned parent."""
        commit = self._plan.commit
        if commit is None:
            return True
        self._see(self._location.git_path("HEAD"))
        if commit.branch is not None and repository.head().branch == commit.branch:
            self._see(f"{self._location.common_dir}/refs/heads/{commit.branch}")
        head = repository.head()
        return (head.branch, head.commit) == (commit.branch, commit.parent)

    def shows_old_index(self) -> bool:
        """Whether the current index is still the one before the commit."""
        commit, path = self._plan.commit, self._location.index_file
        if commit is None or path != self._location.git_path("index"):
            return True
        self._see(path)
        disk = Disk()
        try:
            with disk.open_root(self._location.git_dir) as folder:
                found = disk.read(folder.at("index"))
        except OSError as error:
            raise storage_error(error) from error
        return (None if found is None else digest(found.data)) == commit.index

    def shows_the_same(self) -> bool:
        """Whether everything that was reported as old is unchanged since."""
        return all(_identity(path) == seen for path, seen in self._seen.items())

    def _see(self, path: str) -> None:
        self._seen.setdefault(path, _identity(path))


class OldRecords:
    """The record files as they were before a publication that is under way.

    Args:
        standing: The files as they are.
        plan: The plan in the publication's journal.
        git_dir: The Git directory with the journal.
    """

    def __init__(self, standing: FileSource, plan: Plan, git_dir: str) -> None:
        self._standing = standing
        self._journal = FileSource(git_dir)
        self._entries = _entries(plan)
        self._numbers = {
            entry.path: number
            for number, entry in enumerate(plan.entries)
            if entry.place == Place.PLAN_ROOT
        }
        self._waiting = f".zdev-{plan.identity}-"
        self._folders = {path for place, path in plan.folders if place == Place.PLAN_ROOT}
        self._names: dict[str, dict[str, bool]] = {}
        for path, entry in self._entries.items():
            if entry.old is not None:
                self._show(path)

    def read(self, path: str) -> bytes | None:
        """The old bytes of a file; None if it did not exist.

        Raises:
            ZdevError: As for ``standing``, for a file that the publication does not change.
            Moved: The old bytes no longer exist.
        """
        entry = self._entries.get(path)
        if entry is None:
            return None if self._is_new(path) else self._standing.read(path)
        if entry.old is None:
            return None
        for _ in range(_ROUNDS):
            for source, place in self._places(path, entry):
                data = _quietly(source, place)
                if data is not None and digest(data) == entry.old:
                    return data
            self._standing.close()  # a folder may have been replaced
            self._journal.close()
            time.sleep(_PAUSE)
        raise Moved

    def names(self, folder: str) -> Sequence[tuple[str, bool]]:
        """The old names in a folder.

        Raises:
            ZdevError: As for ``standing``.
        """
        if self._is_new(f"{folder}/"):
            return []
        shown = self._names.get(folder, {})
        names = {
            name: is_folder
            for name, is_folder in self._standing.names(folder)
            if not name.startswith(self._waiting) and not self._is_made(f"{folder}/{name}")
        }
        return sorted((names | shown).items())

    def _places(self, path: str, entry: Entry) -> Iterator[tuple[FileSource, str]]:
        """The places where the old bytes can be."""
        number = self._numbers[path]
        yield self._standing, path
        for name in (f"{number}.new", f"{number}.old"):
            if entry.near:
                yield self._standing, f"{path.rpartition('/')[0]}/{self._waiting}{name}"
            else:
                yield self._journal, f"{FOLDER}/{NAME}/{name}"

    def _show(self, path: str) -> None:
        """Add a file, and the folders above it, to the listings."""
        is_folder = False
        while "/" in path:
            path, _, name = path.rpartition("/")
            self._names.setdefault(path, {})[name] = is_folder
            is_folder = True

    def _is_made(self, path: str) -> bool:
        """Whether the publication creates a file or folder."""
        entry = self._entries.get(path)
        return path in self._folders if entry is None else entry.old is None

    def _is_new(self, path: str) -> bool:
        """Whether a path is in a folder that the publication creates."""
        above = path.rpartition("/")[0]
        while above:
            if above in self._folders:
                return True
            above = above.rpartition("/")[0]
        return False


def _entries(plan: Plan) -> dict[str, Entry]:
    """The plan's files below its root, by path."""
    return {entry.path: entry for entry in plan.entries if entry.place == Place.PLAN_ROOT}


def _quietly(source: FileSource, path: str) -> bytes | None:
    """The bytes of a file; None if it is missing or of another kind."""
    try:
        return source.read(path)
    except ZdevError:
        return None


def _identity(path: str) -> tuple[int, int, int, int, int] | None:
    """What changes when a file is replaced; None if it is missing."""
    try:
        return identity_of(os.lstat(path))
    except OSError:
        return None
