"""The untracked paths that are not ignored (what ``git ls-files --others`` lists).

libgit2's walk gives nearly all of them. Where its idea of ignored differs from Git's, or it takes
any folder with a ``.git`` inside for a repository, folders are listed again here, by Git's rules.
"""

from __future__ import annotations

import os
import stat

from git_zdev.evidence.look.files import Naming
from git_zdev.evidence.rules.filespec import GITLINK
from git_zdev.evidence.rules.ignore import IgnoreFile, Ignores, read_ignore_file
from git_zdev.evidence.rules.patterns import read_in_folder
from git_zdev.git.config.config import xdg_folder
from git_zdev.git.read.discovery import holds_repository
from git_zdev.git.read.worktree import work_tree_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from git_zdev.git.read.repository import LibGit2Repository
    from git_zdev.git.read.worktree import Index


def untracked_paths(
    repository: LibGit2Repository,
    index: Index,
    ignores: Ignores,
    untracked: Iterable[bytes],
    ignored: Iterable[bytes],
) -> list[bytes]:
    """The untracked paths in byte order; a nested repository ends in a slash.

    Args:
        repository: The repository.
        index: Its index.
        ignores: Its ignore rules.
        untracked: What libgit2 takes for untracked.
        ignored: What libgit2 takes for ignored, a whole folder with a trailing slash.
    """
    listing = _Listing(repository, index, ignores)
    found: set[bytes] = set()
    for path in untracked:
        if not ignores.is_ignored(path):
            found.update(listing.folder_entry(path) if path.endswith(b"/") else (path,))
    for path in ignored:
        if not ignores.is_ignored(path):
            found.update(listing.folder_entry(path) if path.endswith(b"/") else (path,))
    for folder in (b"", *index.folders_with(b".gitignore")):
        ignores.read_folder(folder)
    if ignores.take_back:
        for folder in index.folders():
            if ignores.may_differ(folder) and _is_real_folder(repository, folder):
                found.update(listing.inside(folder))
    if found and repository.ignores_case and not repository.folds_case:
        found.difference_update(_namesakes(index, found))
    return sorted(found)


def _namesakes(index: Index, paths: Iterable[bytes]) -> list[bytes]:
    """The paths that are tracked but for letter case; a repository where a submodule is."""
    tracked: set[bytes] = set()
    for entry in index.entries():
        tracked.add(entry.path.lower())
        if entry.mode == GITLINK:
            tracked.add(entry.path.lower() + b"/")
    return [path for path in paths if path.lower() in tracked]


def _is_real_folder(repository: LibGit2Repository, folder: bytes) -> bool:
    """Whether every component of a path with a trailing slash is a folder, and none a link."""
    end = folder.find(b"/")
    while end >= 0:
        try:
            found = os.lstat(work_tree_path(repository, folder[:end]))
        except OSError:
            return False
        if not stat.S_ISDIR(found.st_mode):
            return False
        end = folder.find(b"/", end + 1)
    return True


class _Listing:
    """Lists folders of the work tree."""

    def __init__(self, repository: LibGit2Repository, index: Index, ignores: Ignores) -> None:
        self._repository = repository
        self._index = index
        self._ignores = ignores

    def folder_entry(self, folder: bytes) -> Iterator[bytes]:
        """An untracked folder: itself when it is a repository, else what it holds.

        A repository at a tracked path stands for that path, be it in conflict; and so does what
        is left of a submodule.
        """
        path = folder[:-1]
        stages = (self._index.find(path, stage) for stage in range(4))
        if any(entry is not None and entry.mode == GITLINK for entry in stages):
            return
        if not holds_repository(os.fsdecode(work_tree_path(self._repository, path))):
            yield from self.inside(folder)
        elif not self._index.tracks(path):
            yield folder

    def inside(self, folder: bytes) -> Iterator[bytes]:
        """The untracked paths that a folder holds."""
        with Naming(folder), os.scandir(work_tree_path(self._repository, folder)) as entries:
            for entry in entries:
                path = folder + entry.name
                if entry.name == b".git":
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if not self._index.tracks(path) and not self._ignores.is_ignored(path + b"/"):
                        yield from self.folder_entry(path + b"/")
                elif (
                    (entry.is_file(follow_symlinks=False) or entry.is_symlink())
                    and not self._index.tracks(path)
                    and not self._ignores.is_ignored(path)
                ):
                    yield path


def ignores_of(repository: LibGit2Repository, index: Index) -> Ignores:
    """The ignore rules of a repository, its ``.gitignore`` files read when they are needed."""
    config = repository.config
    ignore_case = repository.ignores_case
    folder = xdg_folder(repository.environment)
    default = None if folder is None else f"{folder}/ignore"
    paths = (
        f"{repository.location.common_dir}/info/exclude",
        config.get_path("core.excludesFile") or default,
    )
    files = [read_ignore_file(path, ignore_case=ignore_case) for path in paths]
    outer: list[IgnoreFile] = [file for file in files if file is not None]

    def read(folder: bytes) -> bytes | None:
        path = folder + b".gitignore"
        if os.path.lexists(work_tree_path(repository, path)):
            return read_in_folder(repository, path)
        entry = index.find(path)
        if entry is None or not entry.skip_worktree:
            return None
        return repository.read_blob(entry.blob)

    return Ignores(outer, read, ignore_case=ignore_case)
