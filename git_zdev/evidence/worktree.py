"""Status and diffs of one work tree, as bytes."""

from __future__ import annotations

from git_zdev.evidence.abbreviation import Abbreviator
from git_zdev.evidence.changes import WorkTreeChanges, special_entries, staged_changes
from git_zdev.evidence.contents import Contents
from git_zdev.evidence.diff import DiffWriter
from git_zdev.evidence.status import short_status
from git_zdev.git.alternates import object_folders
from git_zdev.git.walks import worth_dividing
from git_zdev.git.worktree import Index
from git_zdev.threads import side_by_side
from git_zdev.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.evidence.filespec import FilePair
    from git_zdev.git.repository import LibGit2Repository
    from git_zdev.progress import Stage


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


def worktree_evidence(repository: LibGit2Repository, *, binary: bool = False) -> RawEvidence:
    """Git's output for the work tree of an opened repository.

    Args:
        repository: The repository, or a nested one.
        binary: Whether the diffs take the ``--binary`` form.

    Raises:
        ZdevError: When any part of it cannot be told for sure.
    """
    return Survey(repository).evidence(binary=binary)


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

    def __init__(self, repository: LibGit2Repository) -> None:
        """Look.

        Raises:
            ZdevError: When any part of it cannot be told for sure.
        """
        self._repository = repository
        index = Index(repository)
        self.head = repository.head().commit
        self._special = special_entries(index)
        self._contents = Contents(repository, index)
        self.has_submodules = self._special.has_gitlinks
        staged: list[FilePair] = []

        def compare_index() -> None:
            staged.extend(staged_changes(repository, index, self._special, self.head))

        def compare_work_tree() -> None:
            self.work_tree = WorkTreeChanges(repository, index, self._special, self._contents)

        if worth_dividing(index):
            side_by_side(compare_work_tree, compare_index)
        else:
            compare_index()
            compare_work_tree()
        with repository.progress.stage("Looking for renames"):
            self._staged = _with_renames(staged, self._contents)
            self._unstaged = _with_renames(self.work_tree.pairs, self._contents)
        self._abbreviate = Abbreviator(object_folders(repository.location, repository.environment))

    def evidence(self, *, binary: bool = False) -> RawEvidence:
        """Git's output; ``binary`` asks for the ``--binary`` form of the diffs."""
        changes = len(self._staged) + len(self._unstaged)
        with self._repository.progress.stage("Writing the diffs", changes) as stage:
            diff_cached = self._diff_cached(stage, binary=binary)
            diff = self._diff(stage, binary=binary)
        return RawEvidence(
            head=self.head,
            status=self.status(),
            diff_cached=diff_cached,
            diff=diff,
            untracked=tuple(self.work_tree.untracked),
        )

    def status(self) -> bytes:
        """``git status --short --untracked-files=all``."""
        stages = {path: frozenset(found) for path, found in self._special.stages.items()}
        return short_status(self._staged, self._unstaged, stages, self.work_tree.untracked)

    def _diff_cached(self, stage: Stage, *, binary: bool) -> bytes:
        writer = self._writer(binary=binary)
        return b"".join(writer.write(pair) for pair in stage.counted(self._staged))

    def _diff(self, stage: Stage, *, binary: bool) -> bytes:
        """Combined diffs of the paths in conflict first, as Git writes them while it looks."""
        writer = self._writer(binary=binary)
        parts = [
            writer.write_conflict(spec, self._special.stages[spec.path])
            for spec in self.work_tree.conflicts.values()
        ]
        shown = [*self._unstaged, *self.work_tree.replaced]
        shown.sort(key=lambda pair: pair.new.path)
        parts += [
            writer.write(pair)
            for pair in stage.counted(shown)
            if pair.new.path not in self.work_tree.conflicts
        ]
        return b"".join(parts)

    def _writer(self, *, binary: bool) -> DiffWriter:
        return DiffWriter(self._repository, self._contents, self._abbreviate, binary=binary)


def _with_renames(pairs: list[FilePair], contents: Contents) -> list[FilePair]:
    """The same changes with renames found: only what is new can have been renamed."""
    if not any(pair.is_creation for pair in pairs):
        return pairs
    from git_zdev.evidence.rename import detect_renames

    return detect_renames(pairs, contents)
