"""Select the next task of an area: unattended work first, then by priority and id.

Without an area it takes the default area. --any looks at every open area,
those on the checked-out branch first, and takes the first that can be worked
on. The area's branch must be safe to work on.
"""

from __future__ import annotations

from git_zdev.branch.gate import pass_gate
from git_zdev.branch.safety import assess
from git_zdev.commands.shared import blocks
from git_zdev.commands.shared.arguments import ANY_AREA, flag
from git_zdev.context import projections as context
from git_zdev.ground.errors import UsageError, ZdevError
from git_zdev.plan.areas import load_area, load_areas, load_project
from git_zdev.screen.result import Fields, Result, Words, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from git_zdev.branch.safety import BranchStatus
    from git_zdev.commands.shared.session import Session
    from git_zdev.plan.areas import AreaRecords
    from git_zdev.screen.result import Block

NONE = {
    "none": "No open area has a ready task.",
    "unsafe": "No area with ready tasks can be worked on here.",
}
"""The message when ``--any`` selects nothing."""

ARGUMENTS = (ANY_AREA, flag("--any", "select from every open area"))


def run(session: Session, *, area: str | None, any: bool) -> Result:  # noqa: A002 - the option
    """Select a task."""
    if any:
        if area is not None:
            raise UsageError("--any selects from every area and takes none")
        return _from_any(session)
    records = load_area(session.records, _default_area(session) if area is None else area)
    if records.area.lifecycle == "closed":
        document = context.closed_selection(records)
    else:
        branch = pass_gate(session.records, records.area, session.refs)
        document = context.selection(records, branch)
    return _result(document, {})


def _default_area(session: Session) -> str:
    default = load_project(session.records).default_area
    if default is None:
        raise ZdevError(
            "no-default-area",
            "no area is named and the project has no default area",
            "Name one, use --any, or run `git zdev config set project.default_area <area>`",
        )
    return default


def _from_any(session: Session) -> Result:
    project = load_project(session.records)
    areas = {area.tag: area for area in load_areas(session.records)}
    closed = [tag for tag, area in areas.items() if area.lifecycle == "closed"]
    candidates = [
        (load_area(session.records, tag), assess(area, areas, project, session.refs))
        for tag, area in areas.items()
        if area.lifecycle == "open"
    ]
    candidates.sort(key=lambda candidate: candidate[1].branch_matches is not True)
    skipped: list[dict[str, str]] = []
    reasons: dict[str, str] = {}
    for records, branch in candidates:
        obstacle = _obstacle(records, branch)
        if obstacle is None:
            outcome = {**context.selection(records, branch), "selection": "ready", "reason": None}
            break
        reason, reasons[records.area.tag] = obstacle
        skipped.append({"area": records.area.tag, "reason": reason})
    else:
        outcome = {"schema_version": 1, "task": None, **_why_none(candidates, skipped)}
    outcome = {**outcome, "skipped": skipped, "closed_areas": closed}
    return _result(dict(sorted(outcome.items())), reasons)


def _obstacle(records: AreaRecords, branch: BranchStatus) -> tuple[str, str] | None:
    """Why an open area offers no task now: the gate's code or the queue's state, and a phrase."""
    queue = records.graph.queue
    if queue != "ready":
        return queue, blocks.WHY_NOTHING_READY[queue]
    if branch.safe:
        return None
    from git_zdev.branch.refusals import refusal

    error = refusal(branch)
    return error.code, str(error)


def _why_none(
    candidates: list[tuple[AreaRecords, BranchStatus]], skipped: list[dict[str, str]]
) -> dict[str, Any]:
    waiting = [
        entry["area"]
        for entry, (records, _) in zip(skipped, candidates, strict=True)
        if records.graph.queue == "ready"
    ]
    if not waiting:
        return {"selection": "none", "reason": "no open area has a ready task"}
    reason = f"no area with ready tasks can be worked on here: {', '.join(waiting)}"
    return {"selection": "unsafe", "reason": reason}


def _result(document: dict[str, Any], skipped: dict[str, str]) -> Result:
    return Result(document, lambda: _show(document, skipped), notes=blocks.advisory_notes(document))


def _show(document: dict[str, Any], skipped: dict[str, str]) -> list[Block]:
    """The task, or why there is none; ``skipped`` maps each skipped area to the reason."""
    task = document["task"]
    if task is not None:
        branch = blocks.branch_words(document["branch_status"])
        return [
            blocks.task_title(task),
            blocks.task_details(task, ("Area", Words(document["area"])), ("Branch", branch)),
        ]
    if "selection" not in document:
        return [blocks.no_work(document["area"], document["lifecycle"], document["queue"])]
    shown: list[Block] = [line(NONE[document["selection"]])]
    if skipped:
        shown.append(Fields(tuple((tag, Words(why)) for tag, why in skipped.items())))
    return shown
