"""HEAD, branches and ancestry from a table, for the domain's tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from git_zdev.git.model import Head
from git_zdev.ground.errors import ZdevError

if TYPE_CHECKING:
    from git_zdev.git.model import RebaseState
    from git_zdev.git.read.operation import Operation


@dataclass
class FakeRefs:
    """A small history: each commit with its parents; ``hidden`` commits' parents are unknown.

    A HEAD that is detached is at the commit ``at``.
    """

    parents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    checked_out: str | None = "work"
    under_way: Operation | None = None
    hidden: frozenset[str] = frozenset()
    broken: bool = False
    rebasing: RebaseState | None = None
    elsewhere: dict[str, str] = field(default_factory=dict)
    at: str | None = None

    def head(self) -> Head:
        if self.broken:
            raise ZdevError("unreadable-repository", "HEAD cannot be read")
        if self.checked_out is None:
            return Head(None, self.at)
        return Head(self.checked_out, self.branches.get(self.checked_out))

    def operation(self) -> Operation | None:
        return self.under_way

    def rebase_state(self) -> RebaseState | None:
        return self.rebasing

    def work_tree_of(self, branch: str) -> str | None:
        return self.elsewhere.get(branch)

    def branch_tip(self, branch: str) -> str | None:
        return self.branches.get(branch)

    def has_commit(self, commit: str) -> bool:
        return commit in self.parents

    def reach(self, commit: str) -> set[str]:
        found: set[str] = set()
        waiting = [commit]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += () if name in self.hidden else self.parents[name]
        return found

    def is_ancestor(self, ancestor: str, descendant: str) -> bool | None:
        seen = self.reach(descendant)
        return True if ancestor in seen else None if seen & self.hidden else False

    def merge_base(self, one: str, other: str) -> str | None:
        common = self.reach(one) & self.reach(other)
        inner = {parent for commit in common for parent in self.parents[commit]}
        return min(common - inner, default=None)

    def has_merges(self, anchor: str, tip: str) -> bool | None:
        owned = self.reach(tip) - self.reach(anchor)
        if any(len(self.parents[commit]) > 1 for commit in owned):
            return True
        return None if owned & self.hidden else False
