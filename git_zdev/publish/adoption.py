"""Files of an interrupted publication that the user has committed or staged since.

A user can commit or stage files that a killed command has left. From then on they are the user's,
and recovery completes them instead of removing them.
"""

from __future__ import annotations

import os

from git_zdev.disk.journal import digest
from git_zdev.ground.changeset import Place
from git_zdev.ground.paths import PlanRoot
from git_zdev.publish.underway import index_identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.disk.journal import Entry
    from git_zdev.git.port import Repository
    from git_zdev.publish.underway import Underway


def adopted_paths(underway: Underway) -> list[str]:
    """The files that are as planned in HEAD or the index now, but were not before the publication.

    Returns:
        Paths relative to the plan's root. A file whose content Git converts counts only if its blob
        has the planned bytes.
    """
    plan, repository = underway.journal.plan, underway.hold.repository
    root = PlanRoot("" if plan.root == os.curdir else plan.root)
    head = repository.head().commit
    moved = head is not None and head != plan.head
    staged = index_identity(repository.location) != plan.stamp and not _is_our_index(underway)
    found = []
    for entry in plan.entries:
        path = root.git_path(entry.path)
        if entry.place != Place.PLAN_ROOT:
            continue
        before = _committed(repository, plan.head, path)
        in_head = moved and _is_new(entry, _committed(repository, head, path), before)
        if in_head or (staged and _is_new(entry, _staged(repository, path), before)):
            found.append(entry.path)
    return found


def _is_new(entry: Entry, content: str | None, before: str | None) -> bool:
    return content == entry.new and content != before


def _committed(repository: Repository, commit: str | None, path: bytes) -> str | None:
    """SHA-256 of a file in a commit; None if it is missing."""
    if commit is None:
        return None
    found = repository.tree_entries(commit, path).get(path)
    return None if found is None else digest(repository.read_blob(found.blob))


def _staged(repository: Repository, path: bytes) -> str | None:
    """SHA-256 of a file in the index; None if it is missing or in conflict."""
    for entry in repository.entries(path):
        if entry.path == path and entry.stage == 0 and not entry.intent_to_add:
            return digest(repository.read_blob(entry.blob))
    return None


def _is_our_index(underway: Underway) -> bool:
    """Whether the index is the one that the publication itself writes."""
    commit = underway.commit
    return commit is not None and commit.index_is_ours()
