"""A repository opened through libgit2, seen as the installed Git would see it.

By itself libgit2 would search for the repository and read the process's environment. Here the
parts come from a :class:`~git_zdev.git.model.Location`, ownership and format are
judged by Git's rules before anything is opened.
"""

from __future__ import annotations

import os

from git_zdev.git.config import config_bridge
from git_zdev.git.config.config import read_config
from git_zdev.git.failures import Reading, reading, unreadable
from git_zdev.git.model import CommitNode
from git_zdev.git.read import index, libgit2, refs
from git_zdev.git.read.ancestry import Ancestry, Rewrites
from git_zdev.git.read.objects import COMMIT, object_folders
from git_zdev.git.read.opened import Opened
from git_zdev.git.read.ownership import require_trust
from git_zdev.git.read.packs import require_packs
from git_zdev.git.read.repository_format import require_files, require_readable_format
from git_zdev.ground.values import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from git_zdev.git.model import CommitSummary, IndexEntry, Location, RebaseState, TreeEntry
    from git_zdev.git.read.operation import Operation
    from git_zdev.git.read.worktree import WorkTree


_REDIRECTIONS = ("GIT_COMMON_DIR", "GIT_INDEX_FILE")


class LibGit2Repository(Opened):
    """A repository with a work tree, opened for reading; a :class:`~git_zdev.git.port.Repository`.

    The attributes are those of :class:`~git_zdev.git.read.opened.Opened`.
    """

    def look(self) -> WorkTree:
        """A look at the work tree and the index as they are now; errors as for ``entries``."""
        from git_zdev.git.read.worktree import WorkTree  # most commands need none

        with Reading(self.location):
            return WorkTree(self)

    @cached_property
    def _ancestry(self) -> Ancestry:
        rewrites = Rewrites(
            replaced=bool(self.replacements),
            grafts=refs.grafts(self.location, self.environment),
            boundary=refs.shallow_boundary(self.location, self.environment),
        )
        return Ancestry(self, rewrites)

    def operation(self) -> Operation | None:
        """The Git operation in progress in this work tree."""
        return refs.operation(self.location)

    def rebase_state(self) -> RebaseState | None:
        """The rebase in progress in this work tree; None without one."""
        from git_zdev.git.rebasing import rebase_state  # most of the time there is none

        return rebase_state(self.location)

    def work_tree_of(self, branch: str) -> str | None:
        """The root of the other work tree that holds a branch, None if none does."""
        return self._branches_elsewhere.get(branch)

    @cached_property
    def _branches_elsewhere(self) -> dict[str, str]:
        from git_zdev.git.read.refs import branches_elsewhere

        return branches_elsewhere(self.location, self.config)

    @reading
    def branch_tip(self, branch: str) -> str | None:
        """The commit id of a local branch, None if it does not exist."""
        return refs.branch_tip(self.handles, self.raw, self.location, branch)

    @reading
    def has_commit(self, commit: str) -> bool:
        """Whether the object database holds that commit."""
        return self.objects.kind(commit) == COMMIT

    @reading
    def is_ancestor(self, ancestor: str, descendant: str) -> bool | None:
        """Whether ``ancestor`` is ``descendant`` or below it; None if that is hidden."""
        return self._ancestry.is_ancestor(ancestor, descendant)

    @reading
    def merge_base(self, one: str, other: str) -> str | None:
        """A best common ancestor, None if none can be seen."""
        return self._ancestry.merge_base(one, other)

    @reading
    def has_merges(self, anchor: str, tip: str) -> bool | None:
        """Whether ``anchor..tip`` holds a merge commit; None if the answer is hidden."""
        return self._ancestry.has_merges(anchor, tip)

    def entries(self, prefix: bytes = b"") -> Iterator[IndexEntry]:
        """Entries of the index whose path starts with ``prefix``, in index order.

        Raises:
            ZdevError: ``unsupported-index``; ``corrupt-index``.
        """
        # A generator of its own, so that this object, and libgit2's, outlives the iteration.
        yield from index.entries(self, prefix)

    @reading
    def unmerged(self) -> list[bytes]:
        """The unmerged paths, each once and in index order; errors as above."""
        return index.unmerged(self)

    @reading
    def head_tree_entries(self, prefix: bytes = b"") -> dict[bytes, TreeEntry]:
        """Every file of HEAD's tree whose path starts with ``prefix``; empty while unborn."""
        commit = self.head().commit
        return {} if commit is None else self.tree_entries(commit, prefix)

    @reading
    def tree_entries(self, commit: str, prefix: bytes = b"") -> dict[bytes, TreeEntry]:
        """Every file of a commit's tree whose path starts with ``prefix``."""
        return self.objects.files(self.objects.commit(commit).tree, prefix)

    @reading
    def read_commit(self, commit: str) -> CommitNode:
        """The commit with this full id; ``missing-object`` when it is not there."""
        found = self.objects.commit(commit)
        return CommitNode(found.tree, found.parents, found.author, found.message)

    @reading
    def find_commit(self, revision: str) -> CommitSummary | None:
        """The commit that a revision expression names, None if it names none.

        Raises:
            ZdevError: ``ambiguous-revision``.
        """
        from git_zdev.git.read import history

        refs.require_named_files(self.location, revision)
        return history.find_commit(self.handles, self.raw, self.objects, revision)

    @reading
    def commits_with_trailer(self, token: str, value: str) -> list[CommitSummary]:
        """Commits reachable from any ref or HEAD that carry this trailer, newest first."""
        from git_zdev.git.read import history

        refs.require_loose_files(self.location)
        search = history.TrailerSearch(self.handles, self.raw, self.objects, self._ancestry)
        with self.progress.stage("Reading commits") as stage:
            return search.find(token, value, self.head().commit, stage)


def open_repository(location: Location, environment: Mapping[str, str]) -> LibGit2Repository:
    """Open the repository that discovery found.

    Args:
        location: Its parts, as :func:`git_zdev.git.read.discovery.discover` gives them.
        environment: The process's environment, the same that discovery saw.

    Raises:
        ZdevError: ``foreign-repository`` when another user owns it and ``safe.directory`` does not
            name it; ``unsupported-repository-format``; ``invalid-git-config``;
            ``unreadable-repository`` with what libgit2 said.
    """
    require_trust(location, environment)
    require_readable_format(location)
    require_files(location)
    refs.require_grafts(location)
    folders = object_folders(location, environment)
    require_packs(folders)
    config = read_config(location, environment)
    config_bridge.require_depth(config)
    handles = libgit2.load()
    config_bridge.prepare(handles, environment)
    with Reading(location):
        pointer = _open(location, environment, handles)
        repository = LibGit2Repository(
            location, config, environment, handles, pointer, object_folders=folders
        )
        if repository.raw.is_bare:  # GIT_WORK_TREE counts for Git, whatever core.bare says
            root = os.fsencode(location.work_tree)
            if libgit2.undeclared(handles, "git_repository_set_workdir", pointer, root, 0) < 0:
                raise unreadable(handles, location.work_tree)
        folds_case = repository.folds_case or not repository.ignores_case
        config_bridge.attach(handles, pointer, config, folds_case=folds_case)
        _redirect_objects(repository)
        if "GIT_INDEX_FILE" in environment:
            _settle_index(repository)
    return repository


def _open(location: Location, environment: Mapping[str, str], handles: libgit2.Handles) -> Any:
    """The cffi ``git_repository *`` of a location."""
    opened = handles.ffi.new("git_repository **")
    flags = handles.lib.GIT_REPOSITORY_OPEN_NO_SEARCH
    overrides = _overrides(location, environment)
    if overrides:
        flags = handles.lib.GIT_REPOSITORY_OPEN_FROM_ENV
    path = handles.ffi.NULL if overrides else os.fsencode(location.git_dir)
    with libgit2.environment(overrides):
        code = handles.lib.git_repository_open_ext(opened, path, flags, handles.ffi.NULL)
        if code < 0:
            raise unreadable(handles, location.git_dir)
    return opened[0]


def _settle_index(repository: LibGit2Repository) -> None:
    """Let libgit2 look for the index now: it asks the environment at the first use."""
    overrides = _overrides(repository.location, repository.environment)
    with libgit2.environment(overrides):
        opened = index.open_index(repository)
    repository.handles.lib.git_index_free(opened)


def _redirect_objects(repository: LibGit2Repository) -> None:
    """Let libgit2 look for objects wherever Git does."""
    main, *others = repository.object_folders
    if repository.environment.get("GIT_OBJECT_DIRECTORY"):
        repository.raw.set_odb(repository.handles.ext.Odb(main))
    for folder in others:
        repository.raw.odb.add_disk_alternate(folder)


def _overrides(location: Location, environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that show libgit2 what it would not find by itself; empty if it would."""
    moved = location.work_tree != os.path.dirname(os.path.realpath(location.git_dir))
    if not moved and not any(environment.get(name) for name in _REDIRECTIONS):
        return {}
    return {
        "GIT_DIR": location.git_dir,
        # libgit2 lists the references below this name with nothing put between.
        "GIT_COMMON_DIR": f"{location.common_dir}/",
        "GIT_WORK_TREE": location.work_tree,
        "GIT_INDEX_FILE": location.index_file,
    }
