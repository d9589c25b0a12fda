"""The safety of an area's branch for task work: facts from refs and ancestry.

An isolated area works on its own branch, which started from its *effective base*: the branch of
its parent area, or the project's trunk. Its *anchor* (``base_commit``) is the commit of the base
last incorporated into the branch, so the area owns ``anchor..branch``. Work is safe while the
branch contains the anchor, no commit above the anchor is a merge, and, if the branch contains the
base's tip, that tip is the anchor. A branch that lacks newer base commits is stale, which only
causes an advisory. Trunk areas work on the trunk itself and need none of this.
"""

from __future__ import annotations

from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import dataclass
from git_zdev.plan.bases import EffectiveBase, area_branch, effective_base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from git_zdev.branch.stage import Stage
    from git_zdev.git.model import Head
    from git_zdev.git.port import Refs
    from git_zdev.plan.records.model import Area, Mode, Project


@dataclass(frozen=True, slots=True)
class BranchStatus:
    """The state of an area's branch at one moment; None means "cannot be known".

    Attributes:
        area: The area's tag.
        mode: ``isolated`` or ``trunk``.
        branch: The area's branch; None for a trunk area while the trunk is unbound.
        parent_area: The parent's tag.
        base_commit: The anchor as recorded.
        effective_base: The base that the branch is compared with.
        checked_out_branch: The checked-out branch, even if unborn; None when detached.
        branch_matches: Whether that is the area's branch; None when detached.
        anchor_valid: Whether the branch contains the anchor; None if either is missing.
        linear_history: Whether no merge commit is above the anchor.
        fresh: Whether the branch contains the base's tip; None if either is missing.
        finalized: Whether it is fresh and the anchor is the base's tip.
        git_operation: The Git operation in progress, in words.
        structurally_safe: Whether task work would be safe once the branch is checked out.
        diagnostics: Names of findings, in their fixed order.
        rebase: The stage of that operation, if it is the area's own rebase or a broken one.
        other_work_tree: The root of the other work tree that has the branch checked out.
        unborn: The checked-out branch, if it has no commits yet.
    """

    area: str
    mode: Mode
    branch: str | None
    parent_area: str | None
    base_commit: str | None
    effective_base: EffectiveBase
    checked_out_branch: str | None
    branch_matches: bool | None
    anchor_valid: bool | None
    linear_history: bool | None
    fresh: bool | None
    finalized: bool | None
    git_operation: str | None
    structurally_safe: bool
    diagnostics: tuple[str, ...]
    rebase: Stage | None = None
    other_work_tree: str | None = None
    unborn: str | None = None

    @property
    def safe(self) -> bool:
        """Whether task work is safe in this work tree now."""
        return self.structurally_safe and self.branch_matches is True

    @property
    def stale_advisory(self) -> bool:
        """Whether work is safe but the branch lacks newer base commits."""
        return self.safe and self.mode == "isolated" and self.fresh is False

    @property
    def advisory(self) -> str | None:
        """The advice about a stale branch, or None."""
        return advice(self.area) if self.stale_advisory else None

    def as_document(self) -> dict[str, Any]:
        """The ``branch_status`` object, keys sorted."""
        return {
            "anchor_valid": self.anchor_valid,
            "base_commit": self.base_commit,
            "branch": self.branch,
            "branch_matches": self.branch_matches,
            "checked_out_branch": self.checked_out_branch,
            "diagnostics": list(self.diagnostics),
            "effective_base": self.effective_base.as_document(),
            "finalized": self.finalized,
            "fresh": self.fresh,
            "linear_history": self.linear_history,
            "mode": self.mode,
            "parent_area": self.parent_area,
            "task_work": {
                "git_operation": self.git_operation,
                "safe": self.safe,
                "stale_advisory": self.stale_advisory,
                "structurally_safe": self.structurally_safe,
            },
        }


def advice(area: str) -> str:
    """The advice for a stale branch."""
    return f"Advisory: run `git zdev area rebase {area}` when you need current base changes"


def assess(
    area: Area, areas: Mapping[str, Area], project: Project, refs: Refs | None
) -> BranchStatus:
    """Assess an area's branch.

    Args:
        area: The area.
        areas: All areas of the project, by tag.
        project: The project, for its trunk.
        refs: HEAD, branches and ancestry; None without a repository.

    Returns:
        The status. If Git's state cannot be read, that is its only finding.
    """
    base = effective_base(area, areas, project)
    try:
        facts = None if refs is None else _observe(area, base, area_branch(area, project), refs)
    except ZdevError:
        facts = None
    findings = _findings(area, base, facts, parent_known=base.area is None or base.area in areas)
    facts = facts or _Facts()
    isolated = area.mode == "isolated"
    return BranchStatus(
        area=area.tag,
        mode=area.mode,
        branch=area_branch(area, project),
        parent_area=area.parent,
        base_commit=area.base_commit,
        effective_base=base,
        checked_out_branch=facts.checked_out,
        branch_matches=facts.matches,
        anchor_valid=facts.anchor_valid if isolated else None,
        linear_history=facts.linear if isolated else None,
        fresh=facts.fresh,
        finalized=facts.finalized if isolated else None,
        git_operation=facts.operation,
        structurally_safe=facts.is_sound(area, base),
        diagnostics=tuple(findings),
        rebase=facts.rebase,
        other_work_tree=facts.other_work_tree,
        unborn=facts.unborn,
    )


@dataclass(frozen=True, slots=True)
class _Facts:
    """Facts from refs and ancestry; everything is unknown by default."""

    checked_out: str | None = None
    matches: bool | None = None
    operation: str | None = None
    rebase: Stage | None = None
    other_work_tree: str | None = None
    unborn: str | None = None
    tip: str | None = None
    base_tip: str | None = None
    anchor_known: bool = False
    anchor_valid: bool | None = None
    linear: bool | None = None
    fresh: bool | None = None
    finalized: bool | None = None

    def is_sound(self, area: Area, base: EffectiveBase) -> bool:
        """Whether task work would be safe once the branch is checked out."""
        if self.operation is not None or self.tip is None:
            return False
        if area.mode == "trunk" or area.branch == base.branch:
            return True
        settled = self.fresh is False or (self.fresh is True and self.finalized is True)
        return self.anchor_valid is True and self.linear is True and settled


def _observe(area: Area, base: EffectiveBase, branch: str | None, refs: Refs) -> _Facts:
    operation, head = refs.operation(), refs.head()
    tip = None if branch is None else refs.branch_tip(branch)
    matches = _matches(head, branch)
    common = {
        "checked_out": head.branch,
        "matches": matches,
        "operation": None if operation is None else str(operation),
        "tip": tip,
        "unborn": head.branch if head.commit is None else None,
        "other_work_tree": refs.work_tree_of(branch) if branch and matches is not True else None,
    }
    if area.mode == "trunk":
        return _Facts(**common, base_tip=tip, fresh=True if tip else None)  # type: ignore[arg-type]
    base_tip = None if base.branch is None else refs.branch_tip(base.branch)
    fresh = refs.is_ancestor(base_tip, tip) if base_tip and tip else None
    anchor = area.base_commit
    known = anchor is not None and refs.has_commit(anchor)
    valid = linear = None
    if anchor is not None and known and tip is not None:
        valid = refs.is_ancestor(anchor, tip)
        merges = refs.has_merges(anchor, tip)
        linear = None if merges is None else not merges
    return _Facts(
        **common,  # type: ignore[arg-type]
        rebase=None if operation is None else _rebase_stage(refs, branch, base_tip),
        base_tip=base_tip,
        anchor_known=known,
        anchor_valid=valid,
        linear=linear,
        fresh=fresh,
        finalized=None if fresh is None else fresh and anchor == base_tip,
    )


def _rebase_stage(refs: Refs, branch: str | None, base_tip: str | None) -> Stage | None:
    """The stage of the rebase in progress, if it is the branch's own or a broken one."""
    from git_zdev.branch.stage import stage_of  # loaded late: usually there is no rebase

    return stage_of(refs.rebase_state(), refs, branch, base_tip)


def _matches(head: Head, branch: str | None) -> bool | None:
    return None if head.branch is None else head.branch == branch


def _findings(
    area: Area, base: EffectiveBase, facts: _Facts | None, *, parent_known: bool
) -> list[str]:
    """The diagnostics in their fixed order."""
    found: list[str] = []
    if facts is None:
        found.append("git-state-unavailable")
    else:
        if facts.operation is not None:
            found.append("git-operation-in-progress")
        if facts.matches is not True:
            found.append("detached-head" if facts.matches is None else "wrong-branch")
    if not parent_known:
        found.append("parent-area-missing")
    elif base.branch is None:
        found.append("project-trunk-unbound" if base.area is None else "effective-base-unbound")
    if area.mode == "trunk":
        if facts is not None and base.branch is not None and facts.tip is None:
            found.append("trunk-branch-missing")
        return found
    if area.branch != base.branch:
        found += _anchor_findings(area, facts)
    if facts is not None:
        found += _base_findings(area, base, facts)
    return found


def _anchor_findings(area: Area, facts: _Facts | None) -> list[str]:
    if area.base_commit is None:
        return ["base-anchor-unbound"]
    if facts is None:
        return []
    if not facts.anchor_known:
        return ["base-anchor-missing"]
    if facts.tip is None:
        return []
    found = ["base-anchor-not-contained"] if facts.anchor_valid is False else []
    if facts.linear is False:
        found.append("merge-history")
    elif facts.linear is None or facts.anchor_valid is None:
        found.append("history-unavailable")
    return found


def _base_findings(area: Area, base: EffectiveBase, facts: _Facts) -> list[str]:
    found: list[str] = []
    if base.branch is not None and facts.base_tip is None:
        found.append("effective-base-missing")
    if facts.tip is None:
        found.append("area-branch-missing")
    if facts.base_tip is None or facts.tip is None:
        return found
    if facts.fresh is None:
        found.append("ancestry-unavailable")
    elif not facts.fresh:
        found.append("stale")
    elif facts.finalized or area.branch == base.branch:
        found.append("fresh")
    else:
        found.append("base-anchor-needs-finalization")
    return found
