"""Bind an area to another branch, and record its anchor there.

Without a branch, the checked-out branch is bound. Binding an area to its own
branch again records a fresh anchor. The branch itself is not touched.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import AREA, BRANCHES, TRUNK, argument
from git_zdev.commands.shared.branches import anchor_words, branch_notes
from git_zdev.ground.errors import UsageError, ZdevError
from git_zdev.plan.areas import load_project
from git_zdev.plan.changes.area import areas_by_tag, plan_bind, require_area
from git_zdev.screen.result import Fields, Result, Words, line, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session
    from git_zdev.plan.changes.area import Planned
    from git_zdev.screen.result import Block

ARGUMENTS = (
    AREA,
    argument("BRANCH", "its branch (default: the checked-out one)", count="?", completer=BRANCHES),
    TRUNK,
)


def run(session: Session, *, area: str, branch: str | None, trunk: bool) -> Result:
    """Bind the area."""
    if trunk and branch is not None:
        raise UsageError("a branch and --trunk exclude each other")
    with session.writing() as writing:
        project = load_project(writing.source)
        areas = areas_by_tag(writing.source)
        bound = require_area(area, areas)
        if branch is None and not trunk:
            branch = _checked_out(session)
        plan = plan_bind(
            bound,
            branch,
            project=project,
            areas=areas,
            source=writing.source,
            refs=session.repository,
        )
        notes = branch_notes(plan.branch, session.repository)
        writing.publish(plan.change)
    status = "updated" if plan.change.changes else "unchanged"
    document = sorted_document(
        area=area,
        base_commit=plan.area.base_commit,
        branch=plan.branch,
        mode=plan.area.mode,
        status=status,
    )
    return Result(document, lambda: _show(plan, status), notes=notes)


def _checked_out(session: Session) -> str:
    branch = session.repository.head().branch
    if branch is None:
        raise ZdevError(
            "detached-head", "no branch is checked out", "Name the branch, or switch to it first"
        )
    return branch


def _show(plan: Planned, status: str) -> list[Block]:
    area = plan.area
    verb = "is bound to" if status == "updated" else "was bound to this already:"
    place = f"the trunk {plan.branch}" if area.mode == "trunk" else f"{plan.branch}"
    shown: list[Block] = [line("The area ", Words(area.tag, "id"), f" {verb} {place}.")]
    if area.mode == "isolated":
        shown.append(Fields((("Anchor", Words(anchor_words(area.base_commit))),)))
    return shown
