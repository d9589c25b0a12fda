"""Conditions for writing, checked before anything is written and again under the locks."""

from __future__ import annotations

import os

from git_zdev.git.read.operation import Operation
from git_zdev.git.read.refs import require_files_of_a_commit
from git_zdev.ground.errors import ZdevError, paths_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from git_zdev.git.model import IndexEntry
    from git_zdev.git.port import Config, Repository

PUBLICATION_VARIABLE = "ZDEV_PUBLICATION"
"""Set for `git commit` and so for its hooks: a writer that sees it runs inside of one."""

_WITH_VALUE = frozenset(
    {"-C", "-c", "--exec-path", "--git-dir", "--work-tree", "--namespace", "--config-env"}
)
"""Options of git(1) whose value can be the next word."""


def require_outside_git(
    environment: Mapping[str, str], ancestors: Sequence[Sequence[str]], config: Config
) -> None:
    """Refuse to write inside of another Git command.

    That Git locks and rewrites what we would change, and can use another index. Most hooks see
    ``GIT_INDEX_FILE`` with ``GIT_PREFIX``; the others only have a Git command as an ancestor.

    Args:
        environment: The process's environment.
        ancestors: Command lines of the Git processes above this one.
        config: Configuration, for aliases: ``git zd`` is not a hook if ``alias.zd`` is set.

    Raises:
        ZdevError: ``inside-git-hook`` or ``foreign-index``.
    """
    if environment.get(PUBLICATION_VARIABLE):
        raise _inside_hook(
            f"a hook of a commit that this program makes, as {PUBLICATION_VARIABLE} says"
        )
    if environment.get("GIT_INDEX_FILE"):
        if "GIT_PREFIX" in environment:
            raise _inside_hook("a Git hook")
        raise ZdevError(
            "foreign-index",
            f"GIT_INDEX_FILE names {environment['GIT_INDEX_FILE']}",
            "Unset GIT_INDEX_FILE; records are written with the work tree's own index only",
        )
    for arguments in ancestors:
        word = subcommand(arguments)
        if word is not None and word != "zdev" and config.get(f"alias.{word}") is None:
            raise _inside_hook(f"`git {word}`")


def subcommand(arguments: Sequence[str]) -> str | None:
    """The first word of a Git command line that is not an option of Git itself."""
    words = iter(arguments[1:])
    for word in words:
        if word in _WITH_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            return word
    return None


def _inside_hook(where: str) -> ZdevError:
    return ZdevError(
        "inside-git-hook",
        f"this runs inside {where}, which controls the repository's state",
        "Run the command after Git is done; reading commands work in hooks",
    )


def require_no_operation(repository: Repository) -> None:
    """Refuse a commit that would become part of an unfinished operation, or would never end.

    Raises:
        ZdevError: ``operation-in-progress``; ``unreadable-repository`` if a FIFO or a device is in
            the place of a file that Git writes for a commit.
    """
    require_files_of_a_commit(repository.location)
    operation = repository.operation()
    if operation is not None and operation is not Operation.BISECT:
        raise _in_progress(f"a {operation.value} is")
    for name in ("MERGE_MSG", "SQUASH_MSG"):
        if os.path.lexists(repository.location.git_path(name)):
            raise _in_progress(f"a merge or cherry-pick whose message is in {name} is")


def require_fit_index(repository: Repository, paths: Sequence[str]) -> None:
    """Refuse an index that cannot be committed, or that hides the files.

    Args:
        repository: The repository.
        paths: Managed paths, relative to the work tree.

    Raises:
        ZdevError: ``unmerged-index`` or ``hidden-path``.
    """
    unmerged = repository.unmerged()
    if unmerged:
        raise paths_error(
            "unmerged-index",
            "the index holds unmerged paths",
            "Resolve the conflicts first",
            unmerged,
        )
    for path in map(os.fsencode, paths):
        for entry in repository.entries(path):
            if entry.path == path and (entry.skip_worktree or entry.assume_unchanged):
                raise _hidden(entry)


def _hidden(entry: IndexEntry) -> ZdevError:
    flag = "skip-worktree" if entry.skip_worktree else "assume-unchanged"
    return ZdevError(
        "hidden-path",
        f"{os.fsdecode(entry.path)} is marked {flag}",
        f"Run `git update-index --no-{flag}` on it",
    )


def _in_progress(what: str) -> ZdevError:
    return ZdevError(
        "operation-in-progress",
        f"{what} under way; a commit now would become a part of it",
        "Finish or abort it first (`git status` shows how)",
    )
