"""Status and diffs of one work tree, as bytes."""

from __future__ import annotations

from git_zdev.evidence.look.changes import WorkTreeChanges, special_entries, staged_changes
from git_zdev.evidence.look.contents import Contents
from git_zdev.evidence.write.abbreviation import Abbreviator
from git_zdev.evidence.write.diff import DiffWriter
from git_zdev.evidence.write.status import short_status
from git_zdev.git.read.alternates import object_folders
from git_zdev.git.read.worktree import Index
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.evidence.rules.filespec import FilePair
    from git_zdev.git.read.repository import LibGit2Repository


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


def worktree_status(repository: LibGit2Repository) -> bytes:
    """The status alone.

    Raises:
        ZdevError: When any part of it cannot be told for sure.
    """
    return Survey(repository).status()


class Survey:
    """The changes of one work tree, renames found.

    Attributes:
        head: HEAD's commit, None before the first one.
        work_tree: The changes from the index to the work tree.
        has_submodules: Whether the index records any.
    """

    def __init__(self, repository: LibGit2Repository, *, binary: bool | None = None) -> None:
        """Look; what is staged is written while the walks over the work tree go on.

        Args:
            repository: The repository, or a nested one.
            binary: Whether the diffs take the ``--binary`` form, None where none is wanted.

        Raises:
            ZdevError: When any part of it cannot be told for sure.
        """
        self._repository = repository
        self._index = Index(repository)
        self.head = repository.head().commit
        self._special = special_entries(self._index)
        self.has_submodules = self._special.has_gitlinks
        self._contents = Contents(repository, self._index)
        self._writer = None if binary is None else self._new_writer(binary=binary)
        self.work_tree = WorkTreeChanges(
            repository,
            self._index,
            self._special,
            self._contents,
            meanwhile=self._look_at_index,
        )
        with repository.progress.stage("Looking for renames"):
            self._unstaged = _with_renames(self.work_tree.pairs, self._contents)
            self._shown = self._unstaged
            if self.work_tree.conflicts:
                self._shown = _with_renames(self._without_conflicts(), self._contents)

    def _without_conflicts(self) -> list[FilePair]:
        """What the diff shows pair by pair, while the status finds renames among all pairs."""
        pairs, conflicts = self.work_tree.pairs, self.work_tree.conflicts
        return [pair for pair in pairs if pair.new.path not in conflicts]

    def _look_at_index(self) -> None:
        staged = staged_changes(self._repository, self._index, self._special, self.head)
        self._staged = _with_renames(staged, self._contents)
        if self._writer is not None:
            self._diff_cached = b"".join(map(self._writer.write, self._staged))

    def _new_writer(self, *, binary: bool) -> DiffWriter:
        repository = self._repository
        folders = object_folders(repository.location, repository.environment)
        return DiffWriter(repository, self._contents, Abbreviator(folders), binary=binary)

    def evidence(self) -> RawEvidence:
        """Git's output; only of a survey that was told the form of its diffs."""
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
        """Combined diffs of the paths in conflict first, as Git writes them while it looks."""
        writer, conflicts = self._writer, self.work_tree.conflicts
        if writer is None:
            raise ValueError("this survey was made for its status")
        shown = [*self._shown, *self.work_tree.replaced]
        shown.sort(key=lambda pair: pair.new.path)
        with self._repository.progress.stage("Writing the diff", len(shown)) as stage:
            parts = [
                writer.write_conflict(spec, self._special.stages[spec.path])
                for spec in conflicts.values()
            ]
            parts += map(writer.write, stage.counted(shown))
        return b"".join(parts)


def _with_renames(pairs: list[FilePair], contents: Contents) -> list[FilePair]:
    """The changes of one diff with renames found: only what is new can have been renamed."""
    contents.begin_diff()
    if not any(pair.is_creation for pair in pairs):
        return pairs
    from git_zdev.evidence.write.rename import detect_renames

    return detect_renames(pairs, contents)
