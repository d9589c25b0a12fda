"""Repositories inside the work tree: submodules, and nested ones that nobody tracks.

Such a repository is opened for itself: the variables that lead Git to the outer one do not reach it
(``git rev-parse --local-env-vars`` lists them; configuration from the command line stays, as Git
hands it on), and its work tree must be the folder in which it was found.
"""

from __future__ import annotations

import os

from git_zdev.git.read.discovery import discover
from git_zdev.git.read.repository import open_repository
from git_zdev.ground.errors import InvalidInput, ZdevError
from git_zdev.ground.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Any

    from git_zdev.git.read.repository import LibGit2Repository

_OUTER = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)


def open_inner(folder: str, shown: str, environment: Mapping[str, str]) -> LibGit2Repository:
    """Open the repository whose ``.git`` lies in ``folder``.

    Args:
        folder: Its absolute path.
        shown: The path that errors name.
        environment: The environment that led to the outer repository.

    Raises:
        ZdevError: ``inner-work-tree-elsewhere`` when its work tree is another folder; what
            discovery and opening raise.
    """
    own = {name: value for name, value in environment.items() if name not in _OUTER}
    own["GIT_CEILING_DIRECTORIES"] = os.path.dirname(os.path.realpath(folder))
    location = discover(folder, own)
    if not os.path.samefile(location.work_tree, folder):
        raise ZdevError(
            "inner-work-tree-elsewhere",
            f"{shown}: the repository in this folder has its work tree at {location.work_tree}",
            "Correct core.worktree of that repository, or move it out of this work tree",
            details={"path": shown},
        )
    return open_repository(location, own)


class Inside:
    """A ``with`` block that reads an inner repository: its refusals name paths from outside.

    Args:
        folder: The repository's folder as errors show it, with a trailing slash.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, ZdevError) and not os.path.isabs(error.details.get("path", "")):
            raise self._from_outside(error) from error

    def _from_outside(self, error: ZdevError) -> ZdevError:
        path = error.details.get("path")
        begins_with_path = path is not None and error.message.startswith(path)
        message = f"{self._folder}{'' if begins_with_path else ': '}{error.message}"
        if isinstance(error, InvalidInput):
            problems = [replace(one, path=self._path(one.path)) for one in error.problems]
            return InvalidInput(error.code, message, problems, error.hint)
        details: dict[str, Any] = dict(error.details)
        if path is not None:
            details["path"] = self._path(path)
        return ZdevError(error.code, message, error.hint, details=details, status=error.status)

    def _path(self, path: str | None) -> str:
        """A path inside as it is from outside; the folder for what is wrong with all of it."""
        return self._folder + (path or "")
