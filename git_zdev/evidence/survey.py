"""Surveys of one work tree: its status and diffs as bytes, or only which paths are changed.

The paths decide whether a plan may be applied. They come from the same walks and rules as the
status, but before renames are paired, so every path has its own name.
"""

from __future__ import annotations

from git_zdev.evidence.abbreviation import Abbreviator
from git_zdev.evidence.changes import WorkTreeChanges, special_entries, staged_changes
from git_zdev.evidence.contents import Contents
from git_zdev.evidence.diff import DiffWriter
from git_zdev.evidence.filespec import FilePair, FileSpec
from git_zdev.evidence.ignore import ignores_of
from git_zdev.evidence.status import short_status
from git_zdev.git.failures import Reading
from git_zdev.ground.values import cached_property, dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.evidence.filespec import FilePair
    from git_zdev.evidence.ignore import Ignores
    from git_zdev.git.model import IndexEntry
    from git_zdev.git.port import Checkout
    from git_zdev.git.read.worktree import WorkTree


@dataclass(frozen=True, slots=True)
class RawEvidence:
    """Git's output for one work tree, as bytes.

    Attributes:
        head: HEAD's commit, None before the first one.
        status: ``git status --short --untracked-files=all``.
        diff_cached: ``git diff --cached``.
        diff: ``git diff``.
        untracked: The paths of the ``??`` lines, unquoted, in byte order; a nested repository
            ends in a slash.
    """

    head: str | None
    status: bytes
    diff_cached: bytes
    diff: bytes
    untracked: tuple[bytes, ...]


def worktree_status(repository: Checkout) -> bytes:
    """The status alone.

    Raises:
        ZdevError: If any part of it is not certain.
    """
    return Survey(repository.look()).status()


class Survey:
    """The changes of one work tree, with renames found.

    Attributes:
        head: HEAD's commit, None before the first one.
        work_tree: The changes from the index to the work tree.
        has_submodules: Whether the index records any.
    """

    def __init__(self, tree: WorkTree, *, binary: bool | None = None) -> None:
        """Look; the staged diff is written while the walks over the work tree go on.

        Args:
            tree: The work tree of the repository, or of a nested one.
            binary: Whether the diffs have the ``--binary`` form; None if no diffs are needed.

        Raises:
            ZdevError: If any part of it is not certain.
        """
        self._tree = tree
        self.head = tree.head()
        self._special = special_entries(tree.index)
        self.has_submodules = self._special.has_gitlinks
        self._contents = Contents(tree)
        self._writer = None if binary is None else self._new_writer(binary=binary)
        self.work_tree = WorkTreeChanges(
            tree, self._special, self._contents, meanwhile=self._look_at_index
        )
        with tree.progress.stage("Looking for renames"):
            self._unstaged = _with_renames(self.work_tree.pairs, self._contents)
            self._shown = self._unstaged
            if self.work_tree.conflicts:
                self._shown = _with_renames(self._without_conflicts(), self._contents)

    def _without_conflicts(self) -> list[FilePair]:
        """The pairs that the diff shows one by one; the status finds renames among all pairs."""
        pairs, conflicts = self.work_tree.pairs, self.work_tree.conflicts
        return [pair for pair in pairs if pair.new.path not in conflicts]

    def _look_at_index(self) -> None:
        staged = staged_changes(self._tree, self._special, self.head)
        self._staged = _with_renames(staged, self._contents)
        if self._writer is not None:
            self._diff_cached = b"".join(map(self._writer.write, self._staged))

    def _new_writer(self, *, binary: bool) -> DiffWriter:
        abbreviate = Abbreviator(self._tree.object_folders)
        return DiffWriter(self._tree, self._contents, abbreviate, binary=binary)

    def evidence(self) -> RawEvidence:
        """Git's output; only for a survey that was made with a form for its diffs."""
        return RawEvidence(
            head=self.head,
            status=self.status(),
            diff_cached=self._diff_cached,
            diff=self._diff(),
            untracked=tuple(self.work_tree.untracked),
        )

    def status(self) -> bytes:
        """``git status --short --untracked-files=all``."""
        stages = {path: frozenset(found) for path, found in self._special.stages.items()}
        return short_status(self._staged, self._unstaged, stages, self.work_tree.untracked)

    def _diff(self) -> bytes:
        """The diff, with those of paths in conflict first, as Git writes them while it looks."""
        writer, conflicts = self._writer, self.work_tree.conflicts
        if writer is None:
            raise ValueError("this survey was made for its status")
        shown = [*self._shown, *self.work_tree.replaced]
        shown.sort(key=lambda pair: pair.new.path)
        with self._tree.progress.stage("Writing the diff", len(shown)) as stage:
            parts = [
                writer.write_conflict(spec, self._special.stages[spec.path])
                for spec in conflicts.values()
            ]
            parts += map(writer.write, stage.counted(shown))
        return b"".join(parts)


def _with_renames(pairs: list[FilePair], contents: Contents) -> list[FilePair]:
    """The changes of one diff with renames found; without a creation there is no rename."""
    contents.begin_diff()
    if not any(pair.is_creation for pair in pairs):
        return pairs
    from git_zdev.evidence.rename import detect_renames

    return detect_renames(pairs, contents)


@dataclass(frozen=True, slots=True)
class ChangedPaths:
    """The changed paths of a work tree, each tuple in byte order.

    Attributes:
        staged: Paths whose entry differs from HEAD's, intent-to-add entries included.
        added_later: The intent-to-add entries.
        unmerged: Unmerged paths; of the other tuples only ``unstaged`` can have them too.
        unstaged: Paths whose file differs from its entry: modified, deleted, of another type, and
            intent-to-add ones.
        untracked: Untracked paths that are not ignored; a nested repository ends in a slash.
    """

    staged: tuple[bytes, ...]
    added_later: tuple[bytes, ...]
    unmerged: tuple[bytes, ...]
    unstaged: tuple[bytes, ...]
    untracked: tuple[bytes, ...]


class PathSurvey:
    """One look at a repository's paths.

    Attributes:
        changed: The changed paths.
        has_submodules: Whether the index records a submodule, even in conflict.
    """

    def __init__(self, repository: Checkout) -> None:
        """Look.

        Raises:
            ZdevError: If index, tree or work tree cannot be read.
        """
        with Reading(repository.location):
            self._look(repository.look())

    def _look(self, tree: WorkTree) -> None:
        self._tree = tree
        special = special_entries(tree.index)
        self.has_submodules = special.has_gitlinks
        self._contents = Contents(tree)
        head = tree.head()
        staged: list[FilePair] = []
        changes = WorkTreeChanges(
            tree,
            special,
            self._contents,
            meanwhile=lambda: staged.extend(staged_changes(tree, special, head)),
        )
        indexed = {pair.new.path for pair in staged if not pair.unmerged}
        self.changed = ChangedPaths(
            staged=tuple(sorted(indexed.union(special.added_later))),
            added_later=tuple(sorted(special.added_later)),
            unmerged=tuple(sorted(special.stages)),
            unstaged=tuple(dict.fromkeys(pair.new.path for pair in changes.pairs)),
            untracked=tuple(changes.untracked),
        )

    def mode_in_index(self, path: bytes) -> int | None:
        """The mode of a path's merged entry; None if it has none."""
        entry = self._tree.index.find(path)
        return None if entry is None else entry.mode

    def is_ignored(self, path: bytes) -> bool:
        """Whether ignore rules name a file or a folder above it; a folder ends in a slash."""
        return self._ignores.is_ignored(path)

    @cached_property
    def _ignores(self) -> Ignores:
        return ignores_of(self._tree)

    def hidden_changes(self) -> tuple[bytes, ...]:
        """Changed files that Git is told not to look at, in byte order.

        These are assume-unchanged files that differ from their entries or are gone, and
        skip-worktree files that exist and differ.
        """
        return tuple(
            entry.path for entry in self._tree.index.hidden_entries() if self._is_changed(entry)
        )

    def _is_changed(self, entry: IndexEntry) -> bool:
        found = self._tree.stat(entry.path)
        if found is None:
            return not entry.skip_worktree
        mode = self._tree.mode_of(entry.mode, found)
        return mode != entry.mode or self._contents.id(FileSpec(entry.path, mode)) != entry.blob
