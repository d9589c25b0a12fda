"""What Git would show of a work tree, produced without starting Git.

:func:`collect` gives the Git part of a work context: HEAD, and byte for byte what ``git status
--short --untracked-files=all``, ``git diff --cached`` and ``git diff`` print under Git's default
presentation (with ``core.quotePath=true`` and no colour), whatever the user's settings. The
modules bear Git's own names: ``status``, ``diff``, ``hunks``, ``combined``, ``rename``,
``similarity``, ``quoting``, ``abbreviation``, ``attributes``, ``filters``, ``userdiff``;
``changes`` finds what changed, ``contents`` reads both sides of it.

Nothing is written below ``.git`` (the index is not refreshed), no process is started, no
promisor remote is asked. What cannot be told is an error; there are no partial results.
"""

from __future__ import annotations

from git_zdev.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from git_zdev.git.repository import LibGit2Repository


@dataclass(frozen=True, slots=True)
class Evidence:
    """The Git part of a work context; the texts are complete, possibly empty, output of Git.

    Attributes:
        head: HEAD's commit, None before the first one.
        git_status: ``git status --short --untracked-files=all``.
        git_diff_cached: ``git diff --cached``.
        git_diff: ``git diff``.
        git_untracked: What each ``??`` path is, in byte order: ``{"kind": "file", "hash"}``,
            ``{"kind": "symlink", "target"}`` or ``{"kind": "repository", …}`` with this evidence
            of a nested repository.
    """

    head: str | None
    git_status: str
    git_diff_cached: str
    git_diff: str
    git_untracked: dict[str, Any]


def collect(repository: LibGit2Repository) -> Evidence:
    """Collect the evidence of an opened repository's work tree.

    Args:
        repository: The repository.

    Raises:
        ZdevError: When any part of it cannot be told for sure; each reason has its own code
            (``evidence-not-utf8``, ``missing-object``, ``filter-needs-process``, …).
    """
    from git_zdev.evidence.collecting import collect_evidence
    from git_zdev.git.fifos import Section

    with Section(repository.location):
        return collect_evidence(repository)
