"""Rules for strings that name a file of the repository, checked before the file system.

Names that any file system treats as ``.git`` are refused everywhere, as in Git;
:mod:`git_zdev.ground.paths` has the list.
"""

from __future__ import annotations

import unicodedata

from git_zdev.ground.paths import LENGTH_LIMIT, is_dot_git
from git_zdev.ground.text import is_control
from git_zdev.ground.values import dataclass
from git_zdev.plan.records.model import RECORD_ROOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MANAGED = "it lies in repository control or zdev managed state"


@dataclass(frozen=True, slots=True)
class NameFolding:
    """Which names the file system treats as equal.

    Attributes:
        ignore_case: ``core.ignoreCase``.
        precompose: ``core.precomposeUnicode``.
    """

    ignore_case: bool = False
    precompose: bool = False

    def fold(self, path: str) -> str:
        """The common form of all spellings of one path."""
        if self.ignore_case:
            path = unicodedata.normalize("NFD", path).casefold()
        if self.precompose or self.ignore_case:
            path = unicodedata.normalize("NFC", path)
        return path


def path_problem(path: str, folding: NameFolding) -> str | None:
    """The reason why a string is not a normalized, repository-relative path of ordinary work.

    Args:
        path: The string, not empty.
        folding: How the file system compares names.

    Returns:
        A message to put after the path, or None for a valid path.
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
