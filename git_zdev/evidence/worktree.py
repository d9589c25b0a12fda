"""Status and diffs of one work tree, as bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from git_zdev.evidence.abbreviation import Abbreviator, with_alternates
from git_zdev.evidence.changes import WorkTreeChanges, special_entries, staged_changes
from git_zdev.evidence.contents import Contents
from git_zdev.evidence.diff import DiffWriter
from git_zdev.evidence.rename import detect_renames
from git_zdev.evidence.status import short_status
from git_zdev.git.replace import Trees, replacements
from git_zdev.git.worktree import Index, head_commit, object_folders

if TYPE_CHECKING:
    from git_zdev.git.repository import LibGit2Repository


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
    survey = _Survey(repository)
    return RawEvidence(
        head=survey.head,
        status=survey.status(),
        diff_cached=survey.diff_cached(binary=binary),
        diff=survey.diff(binary=binary),
        untracked=tuple(survey.work_tree.untracked),
    )


def worktree_status(repository: LibGit2Repository) -> bytes:
    """The status alone.

    Raises:
        ZdevError: When any part of it cannot be told for sure.
    """
    return _Survey(repository).status()


class _Survey:
    """The changes of one work tree, renames found."""

    def __init__(self, repository: LibGit2Repository) -> None:
        self._repository = repository
        index = Index(repository)
        replaced = replacements(repository)
        trees = Trees(repository, replaced)
        self.head = head_commit(repository)
        self._special = special_entries(index)
        self._contents = Contents(repository, index, replaced)
        tree = None if self.head is None else trees.of_commit(self.head)
        staged = staged_changes(
            repository, index, self._special, trees, tree, replaced=bool(replaced)
        )
        self._staged = detect_renames(staged, self._contents)
        self.work_tree = WorkTreeChanges(repository, index, self._special, self._contents)
        self._unstaged = detect_renames(self.work_tree.pairs, self._contents)
        self._abbreviate = Abbreviator(with_alternates(object_folders(repository)))

    def status(self) -> bytes:
        stages = {path: frozenset(found) for path, found in self._special.stages.items()}
        return short_status(self._staged, self._unstaged, stages, self.work_tree.untracked)

    def diff_cached(self, *, binary: bool) -> bytes:
        writer = self._writer(binary=binary)
        return b"".join(writer.write(pair) for pair in self._staged)

    def diff(self, *, binary: bool) -> bytes:
        """Combined diffs of the paths in conflict first, as Git writes them while it looks."""
        writer = self._writer(binary=binary)
        parts = [
            writer.write_conflict(spec, self._special.stages[spec.path])
            for spec in self.work_tree.conflicts.values()
        ]
        parts += [
            writer.write(pair)
            for pair in self._unstaged
            if pair.new.path not in self.work_tree.conflicts
        ]
        return b"".join(parts)

    def _writer(self, *, binary: bool) -> DiffWriter:
        return DiffWriter(self._repository, self._contents, self._abbreviate, binary=binary)
