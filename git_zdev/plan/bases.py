"""The base of an area's branch, and the anchor that binds the branch to it."""

from __future__ import annotations

from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from git_zdev.git.port import Refs
    from git_zdev.plan.records.model import Area, Project


@dataclass(frozen=True, slots=True)
class EffectiveBase:
    """The base that an area's branch is compared with.

    Attributes:
        kind: ``trunk``, or ``area`` for a parent area's branch.
        area: The parent area's tag; None for the trunk.
        branch: The branch; None while it is unbound or the parent is missing.
    """

    kind: Literal["trunk", "area"]
    area: str | None
    branch: str | None

    def as_document(self) -> dict[str, Any]:
        """The JSON object of ``branch_status``, keys sorted."""
        return {"area": self.area, "branch": self.branch, "kind": self.kind}


def area_branch(area: Area, project: Project) -> str | None:
    """The branch that an area works on: its own, or the current trunk."""
    return project.trunk if area.mode == "trunk" else area.branch


def effective_base(area: Area, areas: Mapping[str, Area], project: Project) -> EffectiveBase:
    """The base of an area's branch, whether or not that branch exists.

    Args:
        area: The area.
        areas: All areas of the project, by tag.
        project: The project, for its trunk.
    """
    if area.parent is None:
        return EffectiveBase("trunk", None, project.trunk)
    parent = areas.get(area.parent)
    branch = None if parent is None else area_branch(parent, project)
    return EffectiveBase("area", area.parent, branch)


def anchor_for(refs: Refs, branch: str, base: EffectiveBase) -> str | None:
    """The anchor to record when a branch is bound to a base.

    Args:
        refs: Branches and ancestry.
        branch: The area's branch, which may not exist yet.
        base: Its effective base.

    Returns:
        The base's tip if the branch does not exist yet or contains it, otherwise their merge
        base; None if there is no base to start from.

    Raises:
        ZdevError: ``unrelated-history`` when the branch and its base have no commit in common.
    """
    base_tip = refs.branch_tip(base.branch) if base.branch is not None else None
    if base_tip is None:
        return None
    tip = refs.branch_tip(branch)
    if tip is None or refs.is_ancestor(base_tip, tip):
        return base_tip
    common = refs.merge_base(base_tip, tip)
    if common is None:
        raise ZdevError(
            "unrelated-history",
            f"the branches {branch} and {base.branch} have no commit in common",
            "Choose another branch; in a shallow clone, `git fetch --unshallow` shows the rest",
        )
    return common


_ANOTHER_TRUNK = "name another trunk with `git zdev config trunk <branch>`"


def missing_base(kind: str, parent: str | None, base: str | None, unborn: str | None) -> str:
    """The remedy for a base branch that does not exist.

    Args:
        kind: ``trunk``, or ``area`` for the branch of a parent area.
        parent: The parent area.
        base: The branch.
        unborn: The checked-out branch, if it has no commits yet.
    """
    another = _ANOTHER_TRUNK
    if kind == "area":
        another = f"bind its area to another with `git zdev area bind {parent} <branch>`"
    return f"{how_to_begin(base, unborn)}, or {another}"


def how_to_begin(branch: str | None, unborn: str | None) -> str:
    """How to create a missing branch."""
    if branch == unborn:
        return "Make its first commit with `git commit`"
    if unborn is not None:
        return f"Make the first commit on it (`git switch -c {branch}`, then `git commit`)"
    return f"Create it (in a clone: `git branch {branch} origin/{branch}`)"


def what_it_lacks(branch: str | None, unborn: str | None) -> str:
    """Why a branch has no tip, as the end of a sentence about it."""
    return "has no commits yet" if branch == unborn else "does not exist"
