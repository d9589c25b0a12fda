"""Staged record files without the object database.

What a hook checks stands in the work tree as well, most of the time: where the bytes of a file give
the id of the staged blob, they are the blob. So neither libgit2 nor the stat data of the index are
needed, and no setting or filter matters. For all other files the repository is opened.
"""

from __future__ import annotations

from git_zdev.git.read import plain_index
from git_zdev.git.read.blob_ids import blob_id
from git_zdev.ground.errors import ZdevError
from git_zdev.plan.records.store import FileSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from git_zdev.git.model import IndexEntry, Location
    from git_zdev.git.port import Index


class StagedFiles:
    """The index of a work tree; a :class:`~git_zdev.git.port.Index`.

    Args:
        location: Where the repository's parts are; that it may be read has been judged.
        repository: Opens the repository, where the files do not suffice.
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
