"""Record files as a commit has them."""

from __future__ import annotations

from git_zdev.git.model import IndexEntry
from git_zdev.plan.records.store import IndexSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from git_zdev.git.port import Repository


def committed_source(repository: Repository, commit: str, prefix: bytes = b"") -> IndexSource:
    """The ``.zdev`` tree of a commit.

    Args:
        repository: The repository.
        commit: Full id of the commit.
        prefix: Path of the plan root relative to the work tree's root, with a final ``/``; empty
            when they are the same.
    """
    return IndexSource(_CommittedFiles(repository, commit), prefix)


class _CommittedFiles:
    """A commit's tree, seen as an index that holds it."""

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
