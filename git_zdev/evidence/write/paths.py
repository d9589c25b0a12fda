"""Which paths are changed, without a word about how: what decides whether a plan may be applied.

The same walks and rules as those of the status, before renames are paired, so that every path is
named as it stands.
"""

from __future__ import annotations

from git_zdev.evidence.look.changes import WorkTreeChanges, special_entries, staged_changes
from git_zdev.evidence.look.contents import Contents
from git_zdev.evidence.rules.filespec import FilePair, FileSpec
from git_zdev.git.read.fifos import Section
from git_zdev.git.read.worktree import Index
from git_zdev.ground.values import cached_property, dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.evidence.rules.ignore import Ignores
    from git_zdev.git.model import IndexEntry
    from git_zdev.git.read.repository import LibGit2Repository


@dataclass(frozen=True, slots=True)
class ChangedPaths:
    """The changed paths of a work tree, each tuple in byte order.

    Attributes:
        staged: Paths whose entry differs from HEAD's, intent-to-add entries included.
        added_later: The intent-to-add entries.
        unmerged: Unmerged paths; they are in no other tuple but perhaps ``unstaged``.
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
        has_submodules: Whether the index records a submodule, be it in conflict.
    """

    def __init__(self, repository: LibGit2Repository) -> None:
        """Look.

        Raises:
            ZdevError: When index, tree or work tree cannot be read.
        """
        self._repository = repository
        with Section(repository.location):
            self._look(repository)

    def _look(self, repository: LibGit2Repository) -> None:
        self._index = Index(repository)
        special = special_entries(self._index)
        self.has_submodules = special.has_gitlinks
        self._contents = Contents(repository, self._index)
        head = repository.head().commit
        staged: list[FilePair] = []
        self._work_tree = WorkTreeChanges(
            repository,
            self._index,
            special,
            self._contents,
            meanwhile=lambda: staged.extend(staged_changes(repository, self._index, special, head)),
        )
        indexed = {pair.new.path for pair in staged if not pair.unmerged}
        self.changed = ChangedPaths(
            staged=tuple(sorted(indexed.union(special.added_later))),
            added_later=tuple(sorted(special.added_later)),
            unmerged=tuple(sorted(special.stages)),
            unstaged=tuple(dict.fromkeys(pair.new.path for pair in self._work_tree.pairs)),
            untracked=tuple(self._work_tree.untracked),
        )

    def mode_in_index(self, path: bytes) -> int | None:
        """The mode of a path's merged entry, None where it has none."""
        entry = self._index.find(path)
        return None if entry is None else entry.mode

    def is_ignored(self, path: bytes) -> bool:
        """Whether ignore rules name a file or a folder above it; a folder ends in a slash."""
        return self._ignores.is_ignored(path)

    @cached_property
    def _ignores(self) -> Ignores:
        from git_zdev.evidence.look.others import ignores_of

        return ignores_of(self._repository, self._index)

    def hidden_changes(self) -> tuple[bytes, ...]:
        """Changed files that Git is told not to look at, in byte order.

        An assume-unchanged file that differs from its entry or is gone, and a skip-worktree file
        that is there and differs.
        """
        return tuple(
            entry.path for entry in self._index.hidden_entries() if self._is_changed(entry)
        )

    def _is_changed(self, entry: IndexEntry) -> bool:
        found = self._work_tree.stat(entry.path)
        if found is None:
            return not entry.skip_worktree
        mode = self._work_tree.mode_of(entry.mode, found)
        return mode != entry.mode or self._contents.id(FileSpec(entry.path, mode)) != entry.blob
