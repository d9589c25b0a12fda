"""Which files have to be judged by their content.

Where times and sizes do not settle whether a file changed, libgit2 compares its content, and leaves
out what it finds to be equal. Its conversions are not Git's: it knows no ``working-tree-encoding``,
runs no filter, and tells text from binary in another way. What a folder's own attribute file may
convert is looked at whatever libgit2 says, when that is little: every plan has such a folder. Where
anything else may be converted every file is looked at again whose content libgit2 has read; and so
it is where a replaced object stands for what the index names.
"""

from __future__ import annotations

from git_zdev.git.read.walks import index_to_work_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from git_zdev.evidence.look.contents import Contents
    from git_zdev.git.read.repository import LibGit2Repository
    from git_zdev.git.read.walks import Found
    from git_zdev.git.read.worktree import Index

_FILE = b".gitattributes"
_FEW = 16
"""One of so many entries may be looked at without libgit2."""


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
    folders = [one for one in index.folders_with(_FILE) if contents.may_convert_below(one)]
    doubting = (
        bool(repository.replacements) or contents.may_convert() or not _are_few(index, folders)
    )
    found = index_to_work_tree(repository, index, doubting=doubting, meanwhile=meanwhile)
    if doubting:
        return found
    untracked = [path[: -len(_FILE)] for path in found.untracked if path.endswith(b"/" + _FILE)]
    folders += [folder for folder in untracked if contents.may_convert_below(folder)]
    if not _are_few(index, folders):
        return index_to_work_tree(repository, index, doubting=True)
    doubtful = {path for folder in folders for path in index.paths_below(folder)}
    found.suspects.extend(doubtful.difference(found.suspects))
    return found


def _are_few(index: Index, folders: Sequence[bytes]) -> bool:
    return sum(map(index.count_below, folders)) <= len(index) // _FEW + 1
