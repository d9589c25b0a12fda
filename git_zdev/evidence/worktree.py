"""The text of status and diffs of one work tree."""

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
    index = Index(repository)
    replaced = replacements(repository)
    trees = Trees(repository, replaced)
    head = head_commit(repository)
    special = special_entries(index)
    contents = Contents(repository, index, replaced)
    tree = None if head is None else trees.of_commit(head)
    staged = detect_renames(
        staged_changes(repository, index, special, trees, tree, replaced=bool(replaced)), contents
    )
    work_tree = WorkTreeChanges(repository, index, special, contents)
    unstaged = detect_renames(work_tree.pairs, contents)
    conflicts = work_tree.conflicts
    abbreviate = Abbreviator(with_alternates(object_folders(repository)))
    writer = DiffWriter(repository, contents, abbreviate, binary=binary)
    return RawEvidence(
        head=head,
        status=short_status(
            staged,
            unstaged,
            {path: frozenset(stages) for path, stages in special.stages.items()},
            work_tree.untracked,
        ),
        diff_cached=b"".join(writer.write(pair) for pair in staged),
        diff=b"".join(
            [
                *(writer.write_conflict(spec, special.stages[spec.path]) for spec in conflicts),
                *(writer.write(pair) for pair in unstaged),
            ]
        ),
        untracked=tuple(work_tree.untracked),
    )
