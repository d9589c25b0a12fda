"""Recording the anchor that a rebase moved."""

from __future__ import annotations

import os

from git_zdev.ground.changeset import ChangeSet, CommitPlan
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import replace
from git_zdev.plan.changes.files import demand_committed, edited
from git_zdev.plan.records import edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.git.port import Repository
    from git_zdev.plan.records.model import Area
    from git_zdev.plan.records.source import RecordSource


def demand_tracked(area: Area, folder: str, repository: Repository) -> None:
    """Refuse to commit the anchor of a record that Git does not track.

    Raises:
        ZdevError: ``record-not-tracked``.
    """
    path = tracked_path(area, folder)
    if os.fsencode(path) not in repository.head_tree_entries(os.fsencode(path)):
        raise ZdevError(
            "record-not-tracked",
            f"HEAD does not track {path}",
            "Commit the area first, or run the command without --commit",
        )


def tracked_path(area: Area, folder: str) -> str:
    """Where ``area.toml`` is in the work tree."""
    return f"{folder}/{area.folder}/area.toml" if folder else f"{area.folder}/area.toml"


def plan_anchor(
    area: Area,
    base_commit: str | None,
    *,
    source: RecordSource,
    commit: tuple[Repository, str] | None = None,
) -> ChangeSet:
    """Plan another anchor for an area.

    Args:
        area: The area as it is recorded.
        base_commit: The new anchor.
        source: The record files.
        commit: The repository and the plan root relative to the work tree, when the record is to
            be committed too.

    Raises:
        ZdevError: ``records-changed`` when ``area.toml`` is to be committed and has other changes.
    """
    path = f"{area.folder}/area.toml"
    after = replace(area, base_commit=base_commit)
    changes = edited(path, source, lambda data: edit.edit_area(data, after))
    if commit is None or not changes:
        return ChangeSet("area rebase", changes)
    repository, folder = commit
    name = tracked_path(area, folder)
    key = os.fsencode(name)
    staged = next((entry for entry in repository.entries(key) if entry.path == key), None)
    tracked = repository.head_tree_entries(key).get(key)
    demand_committed({name: (tracked, staged, changes[0].old)}, repository)
    message = f"Record the base commit of {area.tag}\n"
    return ChangeSet("area rebase", changes, CommitPlan(message, (name,)))
