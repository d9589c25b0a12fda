"""Find the commit of a publication by its content, not by exit codes."""

from __future__ import annotations

import os

from git_zdev.disk.processes import ProcessIdentity
from git_zdev.ground.values import dataclass
from git_zdev.plan.change_id import change_id_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from git_zdev.disk.atomic import Disk
    from git_zdev.disk.journal import CommitEntry, Journal
    from git_zdev.git.model import CommitNode, TreeEntry
    from git_zdev.git.port import Repository

_FAR_ENOUGH = 100
MADE = "made"
"""The journal's note of the commit to which the branch was allowed to move."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """The commit that we made, and where it was found.

    Attributes:
        commit: Its id.
        ref: The ref that reaches it (``HEAD`` if detached).
        on_top: Whether the ref still points to it.
        as_planned: Whether it has the planned place and tree.
    """

    commit: str
    ref: str
    on_top: bool
    as_planned: bool


@dataclass(frozen=True, slots=True)
class Search:
    """The search for the commit of one journal.

    Attributes:
        repository: The repository.
        disk: The file system.
        journal: The journal.
        entry: The commit's entry in the journal.
    """

    repository: Repository
    disk: Disk
    journal: Journal
    entry: CommitEntry

    def look(self) -> Sighting | None:
        """Find our commit; None if there is none.

        Its content identifies it in any place: on the planned parent or another one, below other
        commits, on the branch or where a hook pointed HEAD.
        """
        if self.journal.noted("staged") is None or self.child() is None:
            return None
        for ref, tip in self._tips():
            for commit, node in self._first_parents(tip):
                planned = self.is_planned(node)
                if planned or self._is_ours(commit, node):
                    as_planned = planned and ref == self.ref
                    return Sighting(commit, ref, on_top=commit == tip, as_planned=as_planned)
        return None

    def _tips(self) -> list[tuple[str, str | None]]:
        """The refs to search: the recorded one, and that to which a hook may have pointed HEAD."""
        branch = self.entry.branch
        head = self.repository.head()
        tip = head.commit if branch is None else self.repository.branch_tip(branch)
        tips = [(self.ref, tip)]
        if head.branch != branch:
            tips.append((_ref_of(head.branch), head.commit))
        return tips

    def _first_parents(self, tip: str | None) -> Iterator[tuple[str, CommitNode]]:
        """``tip`` and its first-parent ancestors, up to the recorded parent."""
        commit = tip
        for _ in range(_FAR_ENOUGH):
            if commit is None or commit == self.entry.parent:
                return
            node = self.repository.read_commit(commit)
            yield commit, node
            commit = node.parents[0] if node.parents else None

    def is_planned(self, node: CommitNode) -> bool:
        """Whether a commit has the planned tree and the planned parent."""
        staged = self.journal.noted("staged")
        parents = () if self.entry.parent is None else (self.entry.parent,)
        return staged is not None and node.tree == staged["tree"] and node.parents == parents

    def _is_ours(self, commit: str, node: CommitNode) -> bool:
        """Whether a commit is the one that Git made for us, or a hook's version of it.

        An amended or rebased commit carries the change id. Without one, it has the author,
        including the time, of the commit that Git asked about, and its subject or its changes.
        """
        change_id = change_id_of(self._message())
        if change_id is not None and change_id_of(node.message) == change_id:
            return True
        made = self.journal.noted(MADE)
        if made is None or made["commit"] == commit:
            return made is not None
        first = self.repository.read_commit(made["commit"])
        if node.author != first.author:
            return False
        return _subject(node) == _subject(first) or self._brings_plan(commit, node, made["commit"])

    def _brings_plan(self, commit: str, node: CommitNode, made: str) -> bool:
        """Whether a commit has all managed files as planned, unlike its parent."""

        def managed(name: str) -> list[TreeEntry | None]:
            read = self.repository.tree_entries
            paths = [os.fsencode(path) for path in self.entry.paths]
            return [read(name, path).get(path) for path in paths]

        planned = managed(made)
        if managed(commit) != planned:
            return False
        return not node.parents or managed(node.parents[0]) != planned

    def _message(self) -> str:
        found = self.disk.read(self.journal.at("message"))
        return "" if found is None else found.data.decode("utf-8", "replace")

    def child(self) -> ProcessIdentity | None:
        """The process that commits; None if it was never released."""
        noted = self.journal.noted("child")
        return None if noted is None else ProcessIdentity(**noted)

    @property
    def ref(self) -> str:
        """The ref on which the commit should be."""
        return _ref_of(self.entry.branch)


def _ref_of(branch: str | None) -> str:
    return "HEAD" if branch is None else f"refs/heads/{branch}"


def _subject(node: CommitNode) -> str:
    return node.message.partition("\n")[0]
