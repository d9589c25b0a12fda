"""The commit that is checked out in a submodule or nested repository."""

from __future__ import annotations

import os

from git_zdev.git.read.discovery import repository_in
from git_zdev.git.read.refs import demand_head
from git_zdev.git.read.repository import demand_files
from git_zdev.git.read.worktree import work_tree_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.git.read.repository import LibGit2Repository

_NO_SEARCH = 1


def head_of(repository: LibGit2Repository, path: bytes) -> str | None:
    """HEAD's commit of the repository in a folder of the work tree.

    None where there is no repository, or it has no commit yet: Git then takes the folder as it
    stands for unchanged.

    Raises:
        ZdevError: ``unreadable-repository`` for a FIFO in the place of one of its files.
    """
    folder = os.fsdecode(work_tree_path(repository, path.rstrip(b"/")))
    ext = repository.handles.ext
    try:
        location = repository_in(folder)
        if location is None:
            return None
        demand_files(location)
        demand_head(location)
        inner = ext.Repository(ext.init_file_backend(folder, _NO_SEARCH))
        return str(inner.head.target)
    except (ext.GitError, KeyError, ValueError, OSError):
        return None
