"""The commit that is checked out in a submodule or nested repository."""

from __future__ import annotations

import os

from git_zdev.git.worktree import work_tree_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.git.repository import LibGit2Repository

_NO_SEARCH = 1


def head_of(repository: LibGit2Repository, path: bytes) -> str | None:
    """HEAD's commit of the repository in a folder of the work tree.

    None where there is no repository, or it has no commit yet: Git then takes the folder as it
    stands for unchanged.
    """
    folder = work_tree_path(repository, path.rstrip(b"/"))
    if not os.path.lexists(folder + b"/.git"):
        return None
    ext = repository.handles.ext
    try:
        inner = ext.Repository(ext.init_file_backend(os.fsdecode(folder), _NO_SEARCH))
        return str(inner.head.target)
    except (ext.GitError, KeyError, ValueError, OSError):
        return None
