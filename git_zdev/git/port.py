"""What the rest of the package may ask of Git: protocols and value types, no library.

Object ids are full lowercase hexadecimal strings. Paths inside the repository are ``bytes``
relative to the work tree's root, ``/`` separated, as the index holds them. Branch names are short
(``main``, not ``refs/heads/main``). Nothing here starts a process, and no reading method writes
anything below the Git directory.
"""

from __future__ import annotations

from git_zdev.values import Protocol, dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from git_zdev.git.operation import Operation


@dataclass(frozen=True, slots=True)
class Head:
    """Where HEAD points.

    Attributes:
        branch: The branch that is checked out, also while it is unborn; None when detached.
        commit: The commit id; None when the branch is unborn.
    """

    branch: str | None
    commit: str | None


@dataclass(frozen=True, slots=True)
class RebaseState:
    """What Git keeps about the rebase in progress in a work tree.

    Attributes:
        branch: The branch that is being rebased; None when HEAD was detached before.
        onto: The commit onto which it goes.
        original: The branch's tip before.
    """

    branch: str | None
    onto: str
    original: str


@dataclass(frozen=True, slots=True)
class Location:
    """Where a repository's parts are, all absolute.

    Attributes:
        work_tree: The work tree's root.
        git_dir: The work tree's own Git directory (private to a linked work tree).
        common_dir: The Git directory that all work trees share; the main one's ``git_dir``.
        index_file: The index that reads use (``GIT_INDEX_FILE`` where it is set).
        found_in: The directory in which the search found the repository, whose owner Git asks;
            None when ``GIT_DIR`` named the Git directory.
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
        assume_unchanged: Whether Git is told not to look at the file.
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
        message: The whole message.
    """

    tree: str
    parents: tuple[str, ...]
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


class Config(Protocol):
    """Configuration as Git reads it: all scopes, includes and the command line's."""

    def get(self, key: str) -> str | None:
        """The last value of ``key``; an empty string for a key that stands without a value."""

    def get_all(self, key: str) -> Sequence[str]:
        """Every value of ``key``, in the order in which Git reads them."""

    def get_bool(self, key: str, *, default: bool) -> bool:
        """The value as Git's boolean; a malformed one is an error that names the key."""

    def get_int(self, key: str, *, default: int) -> int:
        """The value as Git's integer (``k``, ``m``, ``g``); a malformed one is an error."""


class Refs(Protocol):
    """HEAD, branches and ancestry: what branch safety needs."""

    def head(self) -> Head:
        """Where HEAD points."""

    def operation(self) -> Operation | None:
        """The Git operation under way in this work tree."""

    def branch_tip(self, branch: str) -> str | None:
        """The commit id of a local branch, None when it does not exist."""

    def has_commit(self, commit: str) -> bool:
        """Whether the object database holds that commit."""

    def is_ancestor(self, ancestor: str, descendant: str) -> bool | None:
        """Whether ``ancestor`` is ``descendant`` or reachable from it.

        None where a shallow boundary hides the answer.
        """

    def merge_base(self, one: str, other: str) -> str | None:
        """A best common ancestor, None when there is none."""

    def has_merges(self, anchor: str, tip: str) -> bool | None:
        """Whether ``anchor..tip`` holds a merge commit; None where a shallow boundary hides it."""


class RebaseRefs(Refs, Protocol):
    """What the managed rebase needs to know."""

    def rebase_state(self) -> RebaseState | None:
        """The rebase in progress in this work tree; None without one."""


class Index(Protocol):
    """The index of the work tree, as it stands in its file."""

    def entries(self, prefix: bytes = b"") -> Iterable[IndexEntry]:
        """Entries whose path starts with ``prefix``, in index order."""

    def read_blob(self, blob: str) -> bytes:
        """The bytes of a blob; a missing object is an error with its own code."""


class Repository(RebaseRefs, Index, Protocol):
    """A repository with a work tree, opened for reading."""

    @property
    def location(self) -> Location:
        """Where the repository's parts are."""

    @property
    def config(self) -> Config:
        """Configuration as Git reads it."""

    def unmerged(self) -> Sequence[bytes]:
        """The unmerged paths, each once and in index order."""

    def head_tree_entries(self, prefix: bytes = b"") -> dict[bytes, TreeEntry]:
        """Every file of HEAD's tree below ``prefix`` (empty when HEAD is unborn)."""

    def tree_entries(self, commit: str, prefix: bytes = b"") -> dict[bytes, TreeEntry]:
        """Every file of a commit's tree below ``prefix``."""

    def read_commit(self, commit: str) -> CommitNode:
        """The commit with this full id; a missing object is an error with its own code."""

    def find_commit(self, revision: str) -> CommitSummary | None:
        """The commit that a revision expression names, None when it names none."""

    def commits_with_trailer(self, token: str, value: str) -> Sequence[CommitSummary]:
        """Commits reachable from any ref or HEAD that carry this trailer, newest first."""


class Committer(Protocol):
    """What must act as the user's Git: the only things that start a process."""

    def commit_index(self, message: str) -> str:
        """Run ``git commit`` on the index as it is and return the new commit id."""


class Rebaser(Protocol):
    """The installed Git at its own rebase.

    Every method raises ``ZdevError`` ``git-failed`` with what Git said; a conflict is a failure
    that leaves Git's state in place.
    """

    def rebase(self, onto: str, upstream: str) -> None:
        """Replay ``upstream..HEAD`` onto a commit and move the checked-out branch there."""

    def continue_rebase(self) -> None:
        """Go on with the rebase in progress."""

    def abort_rebase(self) -> None:
        """Give the rebase in progress up and restore the branch."""


class CommitChild(Protocol):
    """A ``git commit`` that has been started and waits to be let go."""

    pid: int

    def release(self) -> None:
        """Let it go."""

    def wait(self) -> int:
        """Wait for its end: the exit status, or minus the number of the signal that ended it.

        One that was never let go ends without doing anything.
        """


class Publisher(Protocol):
    """The installed Git at work on private copies of the index.

    Every method raises ``ZdevError`` ``git-failed`` with what Git said. ``index`` is the absolute
    path of an index file, which Git creates where it is missing.
    """

    def stage(self, index: str, paths: Sequence[str]) -> None:
        """Put files as they stand, or their absence, into an index; paths from the work tree."""

    def reset_index(self, index: str, commit: str | None) -> None:
        """Make an index hold the tree of ``commit`` (nothing for None), stat data kept."""

    def write_tree(self, index: str) -> str:
        """Write the tree that an index stands for; give its id."""

    def differs(self, index: str, tree: str) -> bool:
        """Whether an index has anything other than ``tree`` (a tree's or a commit's id)."""

    def transfer(self, source: str, tree: str, target: str) -> list[str]:
        """Bring what one index has other than ``tree`` into another; give the paths."""

    def start_commit(self, index: str, files: CommitFiles, publication: str) -> CommitChild:
        """Start a gated ``git commit``; its hooks see ``publication`` as ZDEV_PUBLICATION."""

    def move_ref(self, ref: str, new: str | None, old: str, reason: str) -> None:
        """Set a ref from ``old`` to ``new`` (None deletes it); fails when it is not ``old``."""


@dataclass(frozen=True, slots=True)
class CommitFiles:
    """Absolute paths of the files that a gated ``git commit`` works with.

    Attributes:
        message: The message that it reads.
        said: Takes its standard error, and thereby what hooks print.
        summary: Takes its standard output.
    """

    message: str
    said: str
    summary: str
