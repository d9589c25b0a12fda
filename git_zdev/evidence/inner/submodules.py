"""Submodules have to be clean, because the outer diff does not tell what their files hold.

A submodule counts when its folder holds a repository; one that is not checked out is silent, as
in Git. Cleanness is judged from the submodule's own status, whatever ``submodule.<name>.ignore``
and ``diff.ignoreSubmodules`` say, and in the submodules of submodules as well. Another commit than
the recorded one is no dirt: the outer evidence shows it.
"""

from __future__ import annotations

import os

from git_zdev.evidence.inner.inner import Inside, open_inner
from git_zdev.evidence.rules.filespec import GITLINK
from git_zdev.git.read.worktree import Index
from git_zdev.ground.errors import InvalidInput, Problem
from git_zdev.ground.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from git_zdev.git.read.repository import LibGit2Repository

    Status = Callable[[LibGit2Repository], bytes]

_NAMED = 5
"""How many paths of each kind a problem names."""


def require_clean(repository: LibGit2Repository, status: Status) -> None:
    """Refuse submodules with staged, unstaged or untracked changes.

    Args:
        repository: The repository whose submodules are asked for.
        status: Gives a repository's ``git status --short --untracked-files=all``.

    Raises:
        InvalidInput: ``dirty-submodules``, with one problem for each dirty submodule.
        ZdevError: A submodule cannot be opened or read.
    """
    problems = list(_dirty(repository, status, ""))
    if problems:
        raise InvalidInput(
            "dirty-submodules",
            "submodules with changes of their own: "
            + "; ".join(problem.sentence() for problem in problems),
            problems,
            "Commit, stash or remove the changes in each of them",
        )


def _dirty(repository: LibGit2Repository, status: Status, above: str) -> Iterator[Problem]:
    for path in _gitlinks(repository):
        folder = os.path.join(repository.location.work_tree, os.fsdecode(path))
        if not _is_checked_out(repository, folder):
            continue
        shown = above + printable(path)
        submodule = open_inner(folder, shown, repository.environment)
        with Inside(f"{shown}/"):
            changes = _changes(status(submodule))
        if changes:
            yield Problem("dirty-submodule", changes, shown)
        yield from _dirty(submodule, status, f"{shown}/")


def _gitlinks(repository: LibGit2Repository) -> Sequence[bytes]:
    """The paths that the index records as submodules, each once, whatever its stages."""
    special = Index(repository).special_entries()
    return tuple(dict.fromkeys(entry.path for entry in special if entry.mode == GITLINK))


def _is_checked_out(repository: LibGit2Repository, folder: str) -> bool:
    """Whether a repository lies at a gitlink's path, with no symbolic link on the way to it."""
    root = os.path.realpath(repository.location.work_tree)
    direct = os.path.join(root, os.path.relpath(folder, repository.location.work_tree))
    return os.path.lexists(os.path.join(folder, ".git")) and os.path.realpath(folder) == direct


def _changes(status: bytes) -> str:
    """What a status says, in words; empty for a clean one."""
    kinds: dict[str, list[str]] = {}
    for line in status.splitlines():
        for kind in _kinds(line[:2]):
            kinds.setdefault(kind, []).append(printable(line[3:]))
    return ", ".join(f"{kind} ({_few(paths)})" for kind, paths in kinds.items())


def _kinds(code: bytes) -> Iterator[str]:
    if code == b"??":
        yield "untracked files"
    elif b"U" in code or code in (b"AA", b"DD"):
        yield "unmerged paths"
    else:
        if code[:1] != b" ":
            yield "staged changes"
        if code[1:] != b" ":
            yield "unstaged changes"


def _few(paths: Sequence[str]) -> str:
    more = len(paths) - _NAMED
    return ", ".join(paths[:_NAMED]) + (f" and {more} more" if more > 0 else "")
