"""HEAD's tree and an index from tables, for plans that end in a commit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from git_zdev.git.model import Head, IndexEntry, TreeEntry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

REGULAR = 0o100644


@dataclass
class FakeTree:
    """What a repository has committed and staged: content by path.

    Attributes:
        committed: HEAD's tree.
        staged: The index.
        branch: The checked-out branch; None for a detached HEAD.
    """

    committed: Mapping[str, bytes] = field(default_factory=dict)
    staged: Mapping[str, bytes] = field(default_factory=dict)
    branch: str | None = "main"

    @classmethod
    def clean(cls, files: Mapping[str, bytes]) -> FakeTree:
        """All of it committed, and nothing else staged."""
        return cls(dict(files), dict(files))

    def head(self) -> Head:
        return Head(self.branch, "1" * 40)

    def head_tree_entries(self, prefix: bytes = b"") -> dict[bytes, TreeEntry]:
        return {
            path.encode(): TreeEntry(REGULAR, _blob(content))
            for path, content in self.committed.items()
            if path.encode().startswith(prefix)
        }

    def entries(self, prefix: bytes = b"") -> Iterator[IndexEntry]:
        return (
            IndexEntry(path.encode(), REGULAR, _blob(content))
            for path, content in sorted(self.staged.items())
            if path.encode().startswith(prefix)
        )

    def read_blob(self, blob: str) -> bytes:
        return bytes.fromhex(blob)


def _blob(content: bytes) -> str:
    """An id that holds what it stands for."""
    return content.hex()
