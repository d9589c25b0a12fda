"""Which strings may name a file of the repository, before the file system is asked.

Git refuses to track anything that some file system would take for ``.git``, on every platform, so
that a repository is safe to check out anywhere; the same names are refused here. HFS+ leaves out
certain invisible characters when it compares names; NTFS drops trailing dots and spaces, reads
``:`` as the start of a stream and knows the short name ``git~1``.
"""

from __future__ import annotations

import unicodedata

from git_zdev.records.model import RECORD_ROOT
from git_zdev.records.names import is_control
from git_zdev.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_IGNORED_BY_HFS = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)

LENGTH_LIMIT = 4095
"""Most bytes of a path that any call of Linux takes; other systems take less."""

MANAGED = "it lies in repository control or zdev managed state"


@dataclass(frozen=True, slots=True)
class NameFolding:
    """Which names the file system takes for the same.

    Attributes:
        ignore_case: ``core.ignoreCase``.
        precompose: ``core.precomposeUnicode``.
    """

    ignore_case: bool = False
    precompose: bool = False

    def fold(self, path: str) -> str:
        """What two spellings of one path have in common."""
        if self.ignore_case:
            path = unicodedata.normalize("NFD", path).casefold()
        if self.precompose or self.ignore_case:
            path = unicodedata.normalize("NFC", path)
        return path


def path_problem(path: str, folding: NameFolding) -> str | None:
    """What keeps a string from being a normalized repository-relative path of ordinary work.

    Args:
        path: The string, not empty.
        folding: How the file system compares names.

    Returns:
        A message that follows the path, None for a good path.
    """
    return next(_problems(path, folding), None)


def _problems(path: str, folding: NameFolding) -> Iterator[str]:
    if len(path.encode()) > LENGTH_LIMIT:
        yield f"it is longer than {LENGTH_LIMIT} bytes"
    segments = path.split("/")
    managed = folding.fold(RECORD_ROOT)
    if any(map(is_control, path)):
        yield "it holds a control character"
    if "\\" in path:
        yield "it holds a backslash; segments are separated by /"
    if path.startswith("/"):
        yield "it is absolute"
    if path.endswith("/"):
        yield "it ends with a slash, as a directory does"
    if "" in segments:
        yield "it holds an empty segment"
    if "." in segments or ".." in segments:
        yield "it holds the segment . or .. and is not normalized"
    if any(is_dot_git(segment) or folding.fold(segment) == managed for segment in segments):
        yield MANAGED


def is_dot_git(segment: str) -> bool:
    """Whether some file system takes a name for ``.git``."""
    if segment.translate(_IGNORED_BY_HFS).lower() == ".git":
        return True
    return segment.partition(":")[0].rstrip(". ").lower() in {".git", "git~1"}
