"""The publication of a proposal: its files, its one commit, and what it is called afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from git_zdev import change_id
from git_zdev.changeset import ChangeSet, CommitPlan
from git_zdev.evidence.paths import PathSurvey

if TYPE_CHECKING:
    from git_zdev.derive.current import Setting
    from git_zdev.derive.plan import Derivation
    from git_zdev.git.repository import LibGit2Repository

COMMAND = "tasks derive apply"


@dataclass(frozen=True, slots=True)
class Publication:
    """What is to be published.

    Attributes:
        change: The files and the commit.
        change_id: The change id in the commit's trailer.
        paths: Every path of the commit: artifacts in index order, the source task, the new tasks
            in the proposal's order, ``TASKS.md``; relative to the work tree.
    """

    change: ChangeSet
    change_id: str
    paths: tuple[str, ...]


def publication_of(derivation: Derivation, setting: Setting) -> Publication:
    """Plan the publication of a proposal that nothing stands against.

    A follow-up takes the whole index, which holds its artifacts; a split takes HEAD's tree.
    """
    takes_index = not derivation.proposal.is_split
    artifacts = _artifacts(setting.repository) if takes_index else ()
    managed = tuple(map(setting.in_work_tree, derivation.paths))
    identity = change_id.new_change_id()
    message = change_id.compose_message(derivation.subject, (), identity)
    commit = CommitPlan(message, managed, whole_index=takes_index)
    return Publication(
        ChangeSet(COMMAND, derivation.changes, commit), identity, (*artifacts, *managed)
    )


def _artifacts(repository: LibGit2Repository) -> tuple[str, ...]:
    """What the index holds staged, in index order; intent-to-add entries are in no commit."""
    changed = PathSurvey(repository).changed
    return tuple(
        path.decode("utf-8", "backslashreplace")
        for path in changed.staged
        if path not in changed.added_later
    )
