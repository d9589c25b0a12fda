"""Taking the plan out of a branch that is about to be merged."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from git_zdev.changeset import ChangeSet, CommitPlan, FileChange
from git_zdev.errors import ZdevError
from git_zdev.records.model import RECORD_ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from git_zdev.git.port import IndexEntry, Repository, TreeEntry
    from git_zdev.records.model import Project
    from git_zdev.records.source import RecordSource

MESSAGE = f"Remove the plan below {RECORD_ROOT}"


def plan_squash(
    project: Project, folder: str, *, source: RecordSource, repository: Repository
) -> ChangeSet:
    """Plan one commit that deletes every tracked file of the plan.

    Args:
        project: The project; its record belongs to a pull request.
        folder: The plan root relative to the work tree; empty when they are the same.
        source: The record files.
        repository: HEAD, and the index.

    Raises:
        ZdevError: ``not-a-pull-request-record``, ``detached-head``, ``nothing-to-clean`` when
            HEAD tracks nothing of the plan, or ``records-changed`` naming the files that are not
            as HEAD has them.
    """
    if project.record != "pull-request":
        raise ZdevError(
            "not-a-pull-request-record",
            f"the record is {project.record}; only a pull request's plan is removed",
            "Keep the plan, or delete it by hand",
        )
    if repository.head().branch is None:
        raise ZdevError("detached-head", "no branch is checked out", "Switch to a branch first")
    lead = f"{folder}/" if folder else ""
    prefix = os.fsencode(f"{lead}{RECORD_ROOT}/")
    tracked = repository.head_tree_entries(prefix)
    staged = {entry.path: entry for entry in repository.entries(prefix)}
    if not tracked and not staged:
        raise ZdevError("nothing-to-clean", f"nothing below {RECORD_ROOT} is tracked")
    paths = {path: os.fsdecode(path) for path in sorted(tracked.keys() | staged.keys())}
    found = {path: source.read(name.removeprefix(lead)) for path, name in paths.items()}
    changed = [
        name
        for path, name in paths.items()
        if not _as_committed(tracked.get(path), staged.get(path), found[path], repository)
    ]
    if changed:
        raise ZdevError(
            "records-changed",
            f"these files differ from HEAD: {', '.join(changed[:5])}"
            f"{' …' if len(changed) > 5 else ''}",
            "Commit or restore them first",
            details={"paths": changed},
        )
    return _deletion(paths, lead, found)


def _as_committed(
    tracked: TreeEntry | None,
    staged: IndexEntry | None,
    data: bytes | None,
    repository: Repository,
) -> bool:
    """Whether HEAD, the index and the work tree have the same file."""
    if tracked is None or staged is None or data is None or staged.stage:
        return False
    if (staged.blob, staged.mode) != (tracked.blob, tracked.mode):
        return False
    return _with_lf(data) == _with_lf(repository.read_blob(tracked.blob))


def _with_lf(data: bytes) -> bytes:
    """Line ends are Git's to convert and no change."""
    return data.replace(b"\r\n", b"\n")


def _deletion(
    paths: Mapping[bytes, str], lead: str, found: Mapping[bytes, bytes | None]
) -> ChangeSet:
    changes = tuple(
        FileChange(name.removeprefix(lead), found[path], None) for path, name in paths.items()
    )
    return ChangeSet("cleanup squash", changes, CommitPlan(f"{MESSAGE}\n", tuple(paths.values())))
