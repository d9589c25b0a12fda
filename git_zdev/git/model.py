"""What Git's answers are made of: values.

Object ids are full lowercase hexadecimal strings. Paths inside the repository are ``bytes``
relative to the work tree's root, ``/`` separated, as the index holds them. Branch names are short
(``main``, not ``refs/heads/main``).
"""

from __future__ import annotations

import stat

from git_zdev.ground.values import dataclass

REGULAR = 0o100644
EXECUTABLE = 0o100755
SYMLINK = 0o120000
GITLINK = 0o160000
"""The modes of what the index tracks."""

TRACKED_MODES = frozenset({REGULAR, EXECUTABLE, SYMLINK, GITLINK})


def tracked_mode(mode: int) -> int:
    """The mode under which the index would record a file of this ``st_mode``."""
    if stat.S_ISLNK(mode):
        return SYMLINK
    if stat.S_ISDIR(mode):
        return GITLINK
    return EXECUTABLE if mode & 0o100 else REGULAR


def canonical_mode(mode: int) -> int:
    """What Git makes of a mode that a tree records: 100664, of old, is an ordinary file."""
    if stat.S_ISDIR(mode):
        return stat.S_IFDIR
    return tracked_mode(mode) if stat.S_ISREG(mode) or stat.S_ISLNK(mode) else GITLINK


@dataclass(frozen=True, slots=True)
class Head:
    """Where HEAD points.

    Attributes:
        branch: The branch that is checked out, also while it is unborn; None if detached.
        commit: The commit id; None if the branch is unborn.
    """

    branch: str | None
    commit: str | None


@dataclass(frozen=True, slots=True)
class RebaseState:
    """What Git keeps about the rebase in progress in a work tree.

    Attributes:
        branch: The branch that is being rebased; None if HEAD was detached before.
        onto: The commit onto which it goes.
        original: The branch's tip before.
        whole: Whether Git kept all three. They are None if it did not, as when it was killed
            while it wrote or removed them.
        resumable: Whether ``git rebase --continue`` goes on with every commit. It leaves one out
            where Git was killed between taking the commit off its list and making its copy.
    """

    branch: str | None
    onto: str | None
    original: str | None
    whole: bool = True
    resumable: bool = True


@dataclass(frozen=True, slots=True)
class Location:
    """Where a repository's parts are, all absolute.

    Attributes:
        work_tree: The work tree's root.
        git_dir: The work tree's own Git directory (private to a linked work tree).
        common_dir: The Git directory that all work trees share; the main one's ``git_dir``.
        index_file: The index that reads use (``GIT_INDEX_FILE`` where it is set).
        found_in: The directory in which the search found the repository, whose owner Git asks;
            None if ``GIT_DIR`` named the Git directory.
    """

    work_tree: str
    git_dir: str
    common_dir: str
    index_file: str
    found_in: str | None = None

    def git_path(self, name: str) -> str:
        """Where ``git rev-parse --git-path`` puts a file that is private to the work tree."""
        return f"{self.git_dir}/{name}"


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One entry of the index.

    Attributes:
        path: Path as the index holds it.
        mode: File mode (``0o100644``, ``0o100755``, ``0o120000``, ``0o160000``).
        blob: Object id.
        stage: 0, or 1 to 3 for an unmerged path.
        intent_to_add: Whether it is a ``git add -N`` placeholder.
        assume_unchanged: Whether Git is set not to look at the file.
        skip_worktree: Whether the file is not meant to be in the work tree.
    """

    path: bytes
    mode: int
    blob: str
    stage: int = 0
    intent_to_add: bool = False
    assume_unchanged: bool = False
    skip_worktree: bool = False


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file in a commit's tree: its mode and its object id."""

    mode: int
    blob: str


@dataclass(frozen=True, slots=True)
class CommitNode:
    """What a commit is made of.

    Attributes:
        tree: Id of its tree.
        parents: Ids of its parents; empty for a root commit.
        author: Name, address and time of its author, as the commit object has them.
        message: The whole message.
    """

    tree: str
    parents: tuple[str, ...]
    author: bytes
    message: str


@dataclass(frozen=True, slots=True)
class CommitSummary:
    """A commit as ``change inspect`` and ``change lookup`` show it.

    Attributes:
        commit: Commit id.
        subject: First paragraph of the message, joined to one line.
        message: The whole message.
    """

    commit: str
    subject: str
    message: str


@dataclass(frozen=True, slots=True)
class CommitFiles:
    """Absolute paths of the files that a gated ``git commit`` works with.

    Attributes:
        message: The message that it reads.
        said: Takes its standard error, and thereby what hooks print.
        summary: Takes its standard output.
        hooks: The folder from which it runs hooks, see ``commit_hooks``; None for its own.
    """

    message: str
    said: str
    summary: str
    hooks: str | None


@dataclass(frozen=True, slots=True)
class RefMove:
    """A ref that is about to move, while Git holds its lock.

    Attributes:
        ref: Its full name, or ``HEAD``.
        old: The object id that it has; zeros when it does not exist.
        new: The object id that it is to have; zeros to delete it.
    """

    ref: str
    old: str
    new: str
