"""What the rest of the package may ask of Git: protocols, which type checkers alone read.

Object ids are full lowercase hexadecimal strings. Paths inside the repository are ``bytes``
relative to the work tree's root, ``/`` separated, as the index holds them. Branch names are short
(``main``, not ``refs/heads/main``). Nothing here starts a process, and no reading method writes
anything below the Git directory.
"""

from __future__ import annotations

from git_zdev.ground.values import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from git_zdev.git.config.config import Entry
    from git_zdev.git.model import (
        CommitFiles,
        CommitNode,
        CommitSummary,
        Head,
        IndexEntry,
        Location,
        RebaseState,
        RefMove,
        TreeEntry,
    )
    from git_zdev.git.read.operation import Operation
    from git_zdev.git.read.worktree import WorkTree
    from git_zdev.ground.progress import Progress


class Config(Protocol):
    """Configuration as Git reads it: all scopes, includes and the command line's."""

    def get(self, key: str) -> str | None:
        """The last value of ``key``; an empty string for a key without a value."""

    def last_of(self, *keys: str) -> Entry | None:
        """The entry of any of the keys that Git reads last."""

    def get_all(self, key: str) -> Sequence[str]:
        """Every value of ``key``, in the order in which Git reads them."""

    def has_below(self, prefix: str) -> bool:
        """Whether any key begins with ``prefix``, in lower case, whatever the key's own case."""

    def get_bool(self, key: str, *, default: bool) -> bool:
        """The value as Git's boolean; a malformed one is an error that names the key."""

    def get_int(self, key: str, *, default: int) -> int:
        """The value as Git's integer (``k``, ``m``, ``g``); a malformed one is an error."""

    def get_word(self, key: str, words: Sequence[str], *, default: str) -> str:
        """The value, which must be one of some words; another one is an error."""


class Refs(Protocol):
    """HEAD, branches and ancestry: what branch safety needs."""

    def head(self) -> Head:
        """Where HEAD points."""

    def operation(self) -> Operation | None:
        """The Git operation in progress in this work tree."""

    def rebase_state(self) -> RebaseState | None:
        """The rebase in progress in this work tree; None without one."""

    def work_tree_of(self, branch: str) -> str | None:
        """The root of the other work tree that holds a branch, None if none does."""

    def branch_tip(self, branch: str) -> str | None:
        """The commit id of a local branch, None if it does not exist."""

    def has_commit(self, commit: str) -> bool:
        """Whether the object database holds that commit."""

    def is_ancestor(self, ancestor: str, descendant: str) -> bool | None:
        """Whether ``ancestor`` is ``descendant`` or reachable from it.

        None if a shallow boundary hides the answer.
        """

    def merge_base(self, one: str, other: str) -> str | None:
        """A best common ancestor, None if there is none."""

    def has_merges(self, anchor: str, tip: str) -> bool | None:
        """Whether ``anchor..tip`` holds a merge commit; None if a shallow boundary hides it."""


class Index(Protocol):
    """The index of the work tree, as it is in its file."""

    def entries(self, prefix: bytes = b"") -> Iterable[IndexEntry]:
        """Entries whose path starts with ``prefix``, in index order."""

    def read_blob(self, blob: str) -> bytes:
        """The bytes of a blob; a missing object is an error with its own code."""


class Repository(Refs, Index, Protocol):
    """A repository with a work tree, opened for reading.

    Attributes:
        progress: Where work that may last says how far it is.
    """

    progress: Progress

    @property
    def location(self) -> Location:
        """Where the repository's parts are."""

    @property
    def config(self) -> Config:
        """Configuration as Git reads it."""

    def unmerged(self) -> Sequence[bytes]:
        """The unmerged paths, each once and in index order."""

    def head_tree_entries(self, prefix: bytes = b"") -> dict[bytes, TreeEntry]:
        """Every file of HEAD's tree below ``prefix`` (empty if HEAD is unborn)."""

    def tree_entries(self, commit: str, prefix: bytes = b"") -> dict[bytes, TreeEntry]:
        """Every file of a commit's tree below ``prefix``."""

    def read_commit(self, commit: str) -> CommitNode:
        """The commit with this full id; a missing object is an error with its own code."""

    def find_commit(self, revision: str) -> CommitSummary | None:
        """The commit that a revision expression names, None if it names none."""

    def commits_with_trailer(self, token: str, value: str) -> Sequence[CommitSummary]:
        """Commits reachable from any ref or HEAD that carry this trailer, newest first."""


class Checkout(Repository, Protocol):
    """A repository whose work tree can be compared with its index.

    Attributes:
        environment: The variables that led to it, for opening the repositories inside it.
    """

    environment: Mapping[str, str]

    def look(self) -> WorkTree:
        """A look at the work tree and the index as they are now."""


class Rebaser(Protocol):
    """The installed Git at its own rebase.

    Every method raises ``ZdevError`` ``git-failed`` with what Git said; a conflict is a failure
    that leaves Git's state in place. ``started`` gets the pid before Git does anything; where it
    raises, Git does nothing.
    """

    def rebase(self, onto: str, upstream: str, started: Callable[[int], object]) -> None:
        """Replay ``upstream..HEAD`` onto a commit and move the checked-out branch there."""

    def continue_rebase(self, started: Callable[[int], object]) -> None:
        """Go on with the rebase in progress."""

    def abort_rebase(self, started: Callable[[int], object]) -> None:
        """Give the rebase in progress up and restore the branch."""

    def quit_rebase(self) -> None:
        """Drop what is kept of the rebase in progress; HEAD, index and files stay as they are."""

    def attach_head(self, branch: str) -> None:
        """Put HEAD on a branch that is at the same commit."""

    def switch_back(self, branch: str) -> None:
        """Check a branch out, in place of whatever the index and its files hold."""

    def clean(self, paths: Sequence[str]) -> None:
        """Remove files that Git does not track, paths from the work tree; ignored ones stay."""


class CommitChild(Protocol):
    """A ``git commit`` that has been started and waits to be let go."""

    pid: int

    def release(self) -> None:
        """Let it go."""

    def wait(self, agree: Callable[[Sequence[RefMove]], bool]) -> int:
        """Wait for its end: the exit status, or minus the number of the signal that ended it.

        One that was never let go ends without doing anything.

        Args:
            agree: Asked before refs move, whether they may: all of them, or none.
        """


class Publisher(Protocol):
    """The installed Git at work on private copies of the index.

    Every method raises ``ZdevError`` ``git-failed`` with what Git said. ``index`` is the absolute
    path of an index file, which Git creates where it is missing.
    """

    def stage(self, index: str, paths: Sequence[str]) -> None:
        """Put files as they are, or their absence, into an index; paths from the work tree."""

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
