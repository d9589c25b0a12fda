"""Questions about history, answered true, false or "cannot be known".

If the commits themselves say what history is, libgit2 answers. Replace refs, grafts and shallow
boundaries change the parents of commits, and libgit2 does not know all of them; then the walk is
made here. A shallow boundary hides the parents of its commits. What is beyond it is unknown, so an
answer that depends on it is None, never true or false by accident. The same holds for a missing
commit.
"""

from __future__ import annotations

from git_zdev.git.read.objects import COMMIT, parent_names
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeVar

    from git_zdev.git.read.opened import Opened

    _Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Rewrites:
    """What makes history differ from the commit objects.

    Attributes:
        replaced: Whether there are replace refs.
        grafts: Commits with the parents that a graft gives them.
        boundary: Commits whose parents a shallow clone left out.
    """

    replaced: bool
    grafts: Mapping[str, tuple[str, ...]]
    boundary: frozenset[str]

    def __bool__(self) -> bool:
        return self.replaced or bool(self.grafts) or bool(self.boundary)


@dataclass(slots=True)
class _Reach:
    """The commits that are visible from a commit, and where the view ends.

    Attributes:
        commits: Every visible commit with its visible parents.
        ends: Visible commits with parents that are hidden or missing.
    """

    commits: dict[str, tuple[str, ...]] = field(default_factory=dict)
    ends: set[str] = field(default_factory=set)


class Ancestry:
    """Ancestor, merge base and merge questions about one repository."""

    def __init__(self, repository: Opened, rewrites: Rewrites) -> None:
        self._repository = repository
        self._raw = repository.raw
        self._failures = (KeyError, ValueError, repository.handles.ext.GitError)
        self._objects = repository.objects
        self._rewrites = rewrites

    def is_ancestor(self, ancestor: str, descendant: str) -> bool | None:
        """Whether ``ancestor`` is ``descendant`` or reachable from it."""
        if self._objects.kind(ancestor) != COMMIT or self._objects.kind(descendant) != COMMIT:
            return None
        if ancestor == descendant:
            return True
        if not self._rewrites:
            return self._native_ancestor(ancestor, descendant)
        below = self._reach(descendant)
        if ancestor in below.commits:
            return True
        if not below.ends or descendant in self._reach(ancestor).commits:
            return False
        return None

    def merge_base(self, one: str, other: str) -> str | None:
        """A best common ancestor; None if none can be seen."""
        if not self._rewrites:
            return self._native(lambda: self._native_base(one, other))
        mine, theirs = self._reach(one).commits, self._reach(other).commits
        common = mine.keys() & theirs.keys()
        inner = {parent for commit in common for parent in mine[commit]}
        best = sorted(common - inner, key=lambda name: (-self._objects.commit(name).time, name))
        return best[0] if best else None

    def has_merges(self, anchor: str, tip: str) -> bool | None:
        """Whether ``anchor..tip`` holds a commit with several parents."""
        if self._objects.kind(anchor) != COMMIT or self._objects.kind(tip) != COMMIT:
            return None
        if not self._rewrites:
            return self._native(lambda: self._native_merges(anchor, tip))
        before = self._reach(anchor)
        owned = self._reach(tip, without=before.commits)
        merges = {name for name in owned.commits if self._merges_at(name)}
        if not merges:
            return None if owned.ends else False
        # A merge that is seen may still lie before the anchor, beyond the boundary.
        certain = not before.ends or any(anchor in self._reach(m).commits for m in merges)
        return True if certain else None

    def reachable(self, tips: Iterable[str]) -> Iterable[str]:
        """Every visible commit from ``tips``, in no particular order; missing ones are left out."""
        return self._reach(*tips).commits

    @property
    def is_rewritten(self) -> bool:
        """Whether libgit2's own walks would miss a rewrite."""
        return bool(self._rewrites)

    def _native(self, ask: Callable[[], _Answer]) -> _Answer | None:
        try:
            return ask()
        except self._failures:
            return None

    def _native_ancestor(self, ancestor: str, descendant: str) -> bool | None:
        """Whether nothing is reachable from ``ancestor`` alone; None if libgit2 cannot tell.

        Of libgit2's functions for this question, pygit2 calls only this one without the
        interpreter's lock.
        """
        ffi, lib = self._repository.handles.ffi, self._repository.handles.lib
        sides = [ffi.new("git_oid *") for _ in range(2)]
        for side, name in zip(sides, (ancestor, descendant), strict=True):
            ffi.buffer(side.id)[:] = bytes.fromhex(name)
        ahead, behind = ffi.new("size_t *"), ffi.new("size_t *")

        def ask() -> int:
            pointer = self._repository.pointer
            return int(lib.git_graph_ahead_behind(ahead, behind, pointer, *sides))

        code = self._repository.patiently(ask)
        return None if code < 0 else not ahead[0]

    def _native_base(self, one: str, other: str) -> str | None:
        base = self._raw.merge_base(one, other)
        return None if base is None else str(base)

    def _native_merges(self, anchor: str, tip: str) -> bool:
        walker = self._raw.walk(tip, 0)
        walker.hide(anchor)
        return any(len(commit.parent_ids) > 1 for commit in walker)

    def _merges_at(self, name: str) -> bool:
        """Whether a commit is a merge; a boundary's own object still names its parents."""
        return len(self._named_parents(name)) > 1

    def _named_parents(self, name: str) -> tuple[str, ...]:
        graft = self._rewrites.grafts.get(name)
        return parent_names(self._objects.read(name, COMMIT)) if graft is None else graft

    def _reach(self, *tips: str, without: Mapping[str, object] | None = None) -> _Reach:
        found = _Reach()
        waiting, missing = list(tips), set[str]()
        while waiting:
            name = waiting.pop()
            if name in found.commits or (without is not None and name in without):
                continue
            try:
                named = self._named_parents(name)
            except ZdevError:
                missing.add(name)
                continue
            hidden = name in self._rewrites.boundary
            if hidden and named:
                found.ends.add(name)
            found.commits[name] = () if hidden else named
            waiting += found.commits[name]
        if missing:
            found.ends |= {n for n, named in found.commits.items() if missing & set(named)}
        return found
