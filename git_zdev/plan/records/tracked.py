"""Record files as Git has them: in the index, or in a commit.

The files that a hook checks are usually in the work tree too. A file whose bytes hash to the id
of the staged blob is that blob, so reading it needs neither libgit2 nor the stat data of the
index, and no setting or filter matters. For all other files the repository is opened.
"""

from __future__ import annotations

import stat

from git_zdev.git.model import IndexEntry
from git_zdev.git.read import plain_index
from git_zdev.git.read.objects import blob_id
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.paths import RECORD_ROOT, TOP
from git_zdev.plan.records.store import FileSource, refused, wrong_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from git_zdev.git.model import Location
    from git_zdev.git.port import Index, Repository
    from git_zdev.ground.paths import PlanRoot


class IndexSource:
    """The ``.zdev`` tree in the index."""

    def __init__(self, index: Index, root: PlanRoot = TOP) -> None:
        """Read from ``index``.

        Args:
            index: The index.
            root: Where the plan is in the work tree.
        """
        self._index = index
        self._entries: dict[str, IndexEntry] = {}
        self._folders: dict[str, dict[str, bool]] = {}
        start = len(root.git_path(""))
        for entry in index.entries(root.git_path(RECORD_ROOT)):
            path = entry.path[start:].decode("utf-8", "surrogateescape")
            if not entry.intent_to_add and path.partition("/")[0] == RECORD_ROOT:
                self._add(path, entry)

    def read(self, path: str) -> bytes | None:
        """The staged bytes of a regular file, or None if it is not staged.

        Raises:
            ZdevError: ``symlink-in-records``, ``not-a-regular-file``, ``not-a-folder`` or
                ``unmerged-record``.
        """
        entry = self._entries.get(path)
        if entry is None:
            self._require_folder(path.rpartition("/")[0])
            if path in self._folders:
                raise wrong_kind(path, stat.S_IFDIR, folder=False)
            return None
        if entry.stage:
            hint = "Resolve the conflict and stage the file"
            raise refused("unmerged-record", path, "is unmerged in the index", hint)
        if not stat.S_ISREG(entry.mode):
            raise wrong_kind(path, entry.mode, folder=False)
        return self._index.read_blob(entry.blob)

    def names(self, folder: str) -> Sequence[tuple[str, bool]]:
        """Sorted names below a staged folder; True for folders, symlinks and submodules.

        Raises:
            ZdevError: As for ``read``.
        """
        self._require_folder(folder)
        return sorted(self._folders.get(folder, {}).items())

    def _add(self, path: str, entry: IndexEntry) -> None:
        self._entries[path] = entry
        below = not stat.S_ISREG(entry.mode)
        while path != RECORD_ROOT:
            path, _, name = path.rpartition("/")
            self._folders.setdefault(path, {}).setdefault(name, below)
            below = True

    def _require_folder(self, folder: str) -> None:
        while folder:
            entry = self._entries.get(folder)
            if entry is not None:
                raise wrong_kind(folder, entry.mode, folder=True)
            folder = folder.rpartition("/")[0]


def committed_source(repository: Repository, commit: str, root: PlanRoot = TOP) -> IndexSource:
    """The ``.zdev`` tree of a commit.

    Args:
        repository: The repository.
        commit: Full id of the commit.
        root: Where the plan is in the work tree.
    """
    return IndexSource(_CommittedFiles(repository, commit), root)


class _CommittedFiles:
    """A commit's tree, presented as an index."""

    def __init__(self, repository: Repository, commit: str) -> None:
        self._repository = repository
        self._commit = commit

    def entries(self, prefix: bytes = b"") -> Iterator[IndexEntry]:
        """Every file whose path starts with ``prefix``."""
        files = self._repository.tree_entries(self._commit, prefix)
        return (IndexEntry(path, entry.mode, entry.blob) for path, entry in files.items())

    def read_blob(self, blob: str) -> bytes:
        """The bytes of a blob."""
        return self._repository.read_blob(blob)


class StagedFiles:
    """The index of a work tree; a :class:`~git_zdev.git.port.Index`.

    Args:
        location: The paths of the repository, which was already found safe to read.
        repository: Opens the repository, if the work tree's files do not suffice.
    """

    def __init__(self, location: Location, repository: Callable[[], Index]) -> None:
        self._location = location
        self._repository = repository
        self._files = FileSource(location.work_tree)
        self._paths: dict[str, str] = {}

    def entries(self, prefix: bytes = b"") -> Iterable[IndexEntry]:
        """Entries whose path starts with ``prefix``, in index order."""
        found = plain_index.entries(self._location.index_file, prefix)
        if found is None:
            return self._repository().entries(prefix)
        for entry in found:
            self._paths[entry.blob] = entry.path.decode("utf-8", "surrogateescape")
        return found

    def read_blob(self, blob: str) -> bytes:
        """The bytes of a blob; a missing object is an error with its own code."""
        path = self._paths.get(blob)
        data = None if path is None else self._in_work_tree(path)
        if data is None or blob_id(data) != blob:
            return self._repository().read_blob(blob)
        return data

    def _in_work_tree(self, path: str) -> bytes | None:
        try:
            return self._files.read(path)
        except ZdevError:
            return None
