"""Which strings may name a file of the repository, before the file system is asked.

Names that some file system takes for ``.git`` are refused everywhere, as Git refuses them;
:mod:`git_zdev.ground.paths` knows them.
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
    """Which names are the same to the file system.

    Attributes:
        ignore_case: ``core.ignoreCase``.
        precompose: ``core.precomposeUnicode``.
    """

    ignore_case: bool = False
    precompose: bool = False

    def fold(self, path: str) -> str:
        """The form that two spellings of one path have in common."""
        if self.ignore_case:
            path = unicodedata.normalize("NFD", path).casefold()
        if self.precompose or self.ignore_case:
            path = unicodedata.normalize("NFC", path)
        return path


def path_problem(path: str, folding: NameFolding) -> str | None:
    """Why a string is not a normalized repository-relative path of ordinary work.

    Args:
        path: The string, not empty.
        folding: How the file system compares names.

    Returns:
        A message that follows the path; None if there is nothing wrong with it.
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
