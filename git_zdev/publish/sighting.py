"""Find the commit of a publication, by its content and not by exit codes."""

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
"""The journal's note of the commit with which the branch was allowed to move."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """The commit that we made, where it was found.

    Attributes:
        commit: Its id.
        ref: The ref on which it lies (``HEAD`` when detached).
        on_top: Whether the ref still is that commit.
        as_planned: Whether it lies where it should and has the tree that was planned.
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
        entry: What the journal says about the commit.
    """

    repository: Repository
    disk: Disk
    journal: Journal
    entry: CommitEntry

    def look(self) -> Sighting | None:
        """Find our commit; None if there is none.

        It is known by what is in it, wherever it is: on the commit that was planned for or on
        another one, below commits of others, on the branch or where a hook pointed HEAD.
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
        """The refs to look at: the recorded one, and where a hook may have pointed HEAD."""
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
        """Whether a commit has the planned tree and is where it was planned."""
        staged = self.journal.noted("staged")
        parents = () if self.entry.parent is None else (self.entry.parent,)
        return staged is not None and node.tree == staged["tree"] and node.parents == parents

    def _is_ours(self, commit: str, node: CommitNode) -> bool:
        """Whether a commit is the one that Git made for us, or what a hook made of that.

        What was amended or rebased carries the change id. Otherwise it has the author of the
        commit that Git asked about, the time of whom is a part of that, and its subject or what
        it brings.
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
        """Whether a commit has all managed files as planned, and the one before it has not."""

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
        """Who commits; None if nobody was ever let go."""
        noted = self.journal.noted("child")
        return None if noted is None else ProcessIdentity(**noted)

    @property
    def ref(self) -> str:
        """The ref on which it should be."""
        return _ref_of(self.entry.branch)


def _ref_of(branch: str | None) -> str:
    return "HEAD" if branch is None else f"refs/heads/{branch}"


def _subject(node: CommitNode) -> str:
    return node.message.partition("\n")[0]
