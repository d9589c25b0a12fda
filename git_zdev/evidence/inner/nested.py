"""Untracked repositories inside the work tree, with evidence of their own.

The status shows such a repository as one untracked folder (``?? name/``), so what it holds is
recorded here: HEAD, status, diffs in the ``--binary`` form and its own untracked map, and the same
for repositories inside it. All of it has to come from below the folder: a repository whose
parts lie elsewhere is refused, because the outer work tree would not hold what the evidence shows.
"""

from __future__ import annotations

import os

from git_zdev.evidence.inner.inner import Inside, open_inner
from git_zdev.evidence.inner.untracked import untracked_map
from git_zdev.git.read.alternates import with_alternates
from git_zdev.ground.errors import ZdevError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from git_zdev.evidence.inner.untracked import Entry
    from git_zdev.git.read.repository import LibGit2Repository

    Read = Callable[[LibGit2Repository], Any]

DEEPEST = 32
"""How many repositories may lie inside one another below the outer one."""


def nested_entry(outer: LibGit2Repository, read: Read, path: bytes, *, depth: int = 1) -> Entry:
    """Describe a nested repository.

    Args:
        outer: The repository in whose work tree it lies.
        read: Gives a repository's ``head``, ``git_status``, ``git_diff_cached``, ``git_diff``
            (texts, the diffs in the ``--binary`` form) and ``untracked`` (paths); refuses dirty
            submodules.
        path: Its folder relative to the outer work tree, with a trailing slash.
        depth: 1 for a repository directly inside the outermost one.

    Returns:
        ``{"kind": "repository", "head", "git_status", "git_diff_cached", "git_diff",
        "git_untracked"}``; ``head`` is None before the first commit.

    Raises:
        ZdevError: ``nested-too-deep``, ``nested-repository-elsewhere``,
            ``inner-work-tree-elsewhere``, and what evidence itself raises.
    """
    shown = path.decode()
    if depth > DEEPEST:
        raise ZdevError(
            "nested-too-deep",
            f"{shown}: more than {DEEPEST} repositories lie inside one another",
            "Ignore one of them, or move it out of this work tree",
            details={"path": shown},
        )
    folder = os.path.join(outer.location.work_tree, os.fsdecode(path)).rstrip("/")
    repository = open_inner(folder, shown, outer.environment)
    _require_inside(repository, folder, shown)

    def inner(path: bytes) -> Entry:
        return nested_entry(repository, read, path, depth=depth + 1)

    with Inside(shown):
        evidence = read(repository)
        return {
            "kind": "repository",
            "head": evidence.head,
            "git_status": evidence.git_status,
            "git_diff_cached": evidence.git_diff_cached,
            "git_diff": evidence.git_diff,
            "git_untracked": untracked_map(folder, evidence.untracked, inner),
        }


def _require_inside(repository: LibGit2Repository, folder: str, shown: str) -> None:
    top = os.path.realpath(folder)
    location = repository.location
    objects = os.path.join(location.common_dir, "objects")
    for part in (location.git_dir, location.common_dir, *with_alternates(objects)):
        if not f"{os.path.realpath(part)}/".startswith(f"{top}/"):
            raise ZdevError(
                "nested-repository-elsewhere",
                f"{shown}: a part of this untracked repository lies outside of it, at {part}",
                "Ignore the folder, move it out of this work tree, or track it as a submodule",
                details={"path": shown},
            )
