"""Files whose content has to be judged again, because libgit2 knows no ``working-tree-encoding``.

Where times and sizes do not settle whether a file changed, libgit2 has compared its content as it
stands in the work tree. What it took for changed is judged anew anyway; here are the files that it
may have taken for unchanged.
"""

from __future__ import annotations

import os

from git_zdev.git.worktree import work_tree_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from git_zdev.evidence.contents import Contents
    from git_zdev.git.repository import LibGit2Repository
    from git_zdev.git.worktree import Index, Recorded

_FILE = b".gitattributes"
_ENCODING = "working-tree-encoding"


def doubtful_paths(
    repository: LibGit2Repository, index: Index, contents: Contents, untracked: Iterable[bytes]
) -> Iterator[bytes]:
    """The tracked paths for which libgit2's word is not enough; cheap where no rule encodes.

    Args:
        repository: The repository.
        index: Its index.
        contents: Knows how paths are converted.
        untracked: The untracked paths, among them perhaps attribute files.
    """
    folders = [b"", *index.folders_with(_FILE)]
    folders += [path[: -len(_FILE)] for path in untracked if path.endswith(b"/" + _FILE)]
    if contents.has_rules_about(_ENCODING, folders):
        for recorded in index.files():
            name = work_tree_path(repository, recorded.path)
            if not _is_as_recorded(name, recorded) and contents.conversion(recorded.path).encoding:
                yield recorded.path


def _is_as_recorded(name: bytes, recorded: Recorded) -> bool:
    """Whether the file's times vouch for its content, as far as libgit2 left a doubt."""
    if recorded.is_racy:
        return False
    try:
        found = os.lstat(name)
    except OSError:
        return True
    return (int(found.st_mtime), int(found.st_ctime)) == (recorded.mtime, recorded.ctime)
