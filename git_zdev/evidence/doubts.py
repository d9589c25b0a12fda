"""Which files have to be judged by their content.

Where times and sizes do not settle whether a file changed, libgit2 compares its content, and leaves
out what it finds to be equal. Its conversions are not Git's: it knows no ``working-tree-encoding``,
runs no filter, and tells text from binary in another way. So where anything may be converted it
compares with ids that no content has, and leaves out only what is settled without the content; and
so it does where a replaced object stands for what the index names.
"""

from __future__ import annotations

from git_zdev.git.walks import index_to_work_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from git_zdev.evidence.contents import Contents
    from git_zdev.git.repository import LibGit2Repository
    from git_zdev.git.walks import Found
    from git_zdev.git.worktree import Index

_FILE = b".gitattributes"


def walk(
    repository: LibGit2Repository, index: Index, contents: Contents, meanwhile: Callable[[], None]
) -> Found:
    """The untracked paths, and the tracked ones that may have changed.

    Args:
        repository: The repository.
        index: Its index.
        contents: Knows how paths are converted.
        meanwhile: Called while the walk goes on, or before it.
    """
    folders = [b"", *index.folders_with(_FILE)]
    doubting = bool(repository.replacements) or contents.may_convert(folders)
    found = index_to_work_tree(repository, index, doubting=doubting, meanwhile=meanwhile)
    untracked = [path[: -len(_FILE)] for path in found.untracked if path.endswith(b"/" + _FILE)]
    if not doubting and contents.may_convert(untracked):
        found = index_to_work_tree(repository, index, doubting=True)
    return found
