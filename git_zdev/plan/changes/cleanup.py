"""Taking the plan out of a branch that is about to be merged."""

from __future__ import annotations

import os

from git_zdev.ground.changeset import ChangeSet, CommitPlan, FileChange
from git_zdev.ground.errors import ZdevError
from git_zdev.plan.changes.files import demand_committed
from git_zdev.plan.records.model import RECORD_ROOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from git_zdev.git.port import Repository
    from git_zdev.plan.records.model import Project
    from git_zdev.plan.records.source import RecordSource

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
    demand_committed(
        {name: (tracked.get(path), staged.get(path), found[path]) for path, name in paths.items()},
        repository,
    )
    return _deletion(paths, lead, found)


def _deletion(
    paths: Mapping[bytes, str], lead: str, found: Mapping[bytes, bytes | None]
) -> ChangeSet:
    changes = tuple(
        FileChange(name.removeprefix(lead), found[path], None) for path, name in paths.items()
    )
    return ChangeSet("cleanup squash", changes, CommitPlan(f"{MESSAGE}\n", tuple(paths.values())))
