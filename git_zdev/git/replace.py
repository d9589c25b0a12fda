"""Replaced objects (git-replace(1)), which libgit2 does not know.

``refs/replace/<id>`` names the object to read in place of another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from git_zdev.git.worktree import commit_tree, read_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from git_zdev.git.repository import LibGit2Repository

_DEEPEST = 5


def replacements(repository: LibGit2Repository) -> dict[str, str]:
    """Which object is read in place of which, chains followed; empty in most repositories."""
    direct = repository.replacements
    return {replaced: _followed(direct, replaced) for replaced in direct}


def _followed(direct: Mapping[str, str], object_id: str) -> str:
    for _ in range(_DEEPEST):
        if object_id not in direct:
            break
        object_id = direct[object_id]
    return object_id


class Trees:
    """Reads commits and trees with their replacements."""

    def __init__(self, repository: LibGit2Repository, replaced: Mapping[str, str]) -> None:
        self._repository = repository
        self._replaced = replaced

    def of_commit(self, commit: str) -> str:
        """The id of a commit's tree, as the commit names it."""
        return commit_tree(self._repository, self._replaced.get(commit, commit))

    def find(self, tree: str, path: bytes) -> tuple[int, str] | None:
        """The mode and id of a path below a tree, None where it has none."""
        name, slash, rest = path.partition(b"/")
        for entry, mode, object_id in self._entries(tree):
            if entry == name:
                if not slash:
                    return mode, object_id
                return self.find(object_id, rest) if mode == 0o40000 else None
        return None

    def files(self, tree: str, prefix: bytes = b"") -> Iterator[tuple[bytes, int, str]]:
        """Every path below a tree with its mode and id, folders themselves left out."""
        for name, mode, object_id in self._entries(tree):
            if mode == 0o40000:
                yield from self.files(object_id, prefix + name + b"/")
            else:
                yield prefix + name, mode, object_id

    def _entries(self, tree: str) -> Iterator[tuple[bytes, int, str]]:
        data = read_object(self._repository, self._replaced.get(tree, tree))
        at = 0
        while at < len(data):
            space = data.index(b" ", at)
            end = data.index(b"\0", space)
            mode, name = int(data[at:space], 8), data[space + 1 : end]
            at = end + 21
            yield name, mode, data[end + 1 : at].hex()
