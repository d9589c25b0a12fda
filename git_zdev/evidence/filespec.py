"""One side of a change, and the two sides together: Git's file specification and file pair."""

from __future__ import annotations

import stat

from git_zdev.git.model import GITLINK
from git_zdev.ground.values import dataclass

NULL_ID = "0" * 40


@dataclass(frozen=True, slots=True)
class FileSpec:
    """A path on one side of a change.

    Attributes:
        path: The path, as the index holds it.
        mode: The file mode; 0 if the path does not exist on this side.
        id: The object id; empty if it is not known yet because the content is in the work tree.
    """

    path: bytes
    mode: int
    id: str = ""

    @property
    def exists(self) -> bool:
        """Whether the path exists on this side."""
        return self.mode != 0

    @property
    def in_work_tree(self) -> bool:
        """Whether the content is the work tree's."""
        return self.mode != 0 and not self.id

    @property
    def is_regular(self) -> bool:
        """Whether it is a regular file, executable or not."""
        return stat.S_ISREG(self.mode)

    @property
    def is_gitlink(self) -> bool:
        """Whether it is a submodule's commit."""
        return self.mode == GITLINK


@dataclass(frozen=True, slots=True)
class FilePair:
    """A change of one path, or a rename.

    Attributes:
        old: The side before.
        new: The side after.
        score: Similarity of a rename, from 0 to 60000.
        unmerged: Whether the pair only says that the path is unmerged.
    """

    old: FileSpec
    new: FileSpec
    score: int = 0
    unmerged: bool = False

    @property
    def is_creation(self) -> bool:
        """Whether the path exists only after the change."""
        return self.new.exists and not self.old.exists

    @property
    def is_deletion(self) -> bool:
        """Whether the path exists only before the change."""
        return self.old.exists and not self.new.exists

    @property
    def is_rename(self) -> bool:
        """Whether the two sides are at different paths."""
        return self.old.path != self.new.path

    @property
    def changes_type(self) -> bool:
        """Whether both sides exist and are of different kinds (file, symlink, submodule)."""
        return self.old.exists and self.new.exists and _kind(self.old) != _kind(self.new)

    @property
    def letter(self) -> bytes:
        """The status letter of git-diff(1): ``A``, ``D``, ``M``, ``R``, ``T`` or ``U``."""
        if self.unmerged:
            return b"U"
        if self.is_creation:
            return b"A"
        if self.is_deletion:
            return b"D"
        if self.is_rename:
            return b"R"
        return b"T" if self.changes_type else b"M"


def absent(path: bytes) -> FileSpec:
    """The side on which the path does not exist."""
    return FileSpec(path, 0, NULL_ID)


def unmerged(path: bytes, mode: int = 0) -> FilePair:
    """The pair that says that the path is unmerged.

    Args:
        path: The path.
        mode: The mode of the file that is there; 0 if there is none. Git accepts such a file as the
            target of a rename.
    """
    return FilePair(absent(path), FileSpec(path, mode) if mode else absent(path), unmerged=True)


def _kind(spec: FileSpec) -> int:
    return stat.S_IFMT(spec.mode)
