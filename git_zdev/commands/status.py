"""Show the state of an area: its queue, its branch, its next task.

Without an area: the default area, or every area if there is no default.
"""

from __future__ import annotations

from git_zdev.branch.gate import judge
from git_zdev.branch.refusals import reasons
from git_zdev.branch.safety import assess
from git_zdev.commands.shared import blocks
from git_zdev.commands.shared.arguments import ANY_AREA
from git_zdev.context import projections as context
from git_zdev.ground.errors import ZdevError
from git_zdev.plan.areas import load_area, load_areas, load_project
from git_zdev.screen.result import BLANK, Fields, Result, Table, Words, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from git_zdev.branch.safety import BranchStatus
    from git_zdev.commands.shared.session import Session
    from git_zdev.git.port import Refs
    from git_zdev.plan.records.model import Area, Project
    from git_zdev.screen.result import Block

NO_REPOSITORY = ("not-a-repository", "bare-repository")

ARGUMENTS = (ANY_AREA,)


def run(session: Session, *, area: str | None) -> Result:
    """Return the status of one area, or of all."""
    project = load_project(session.records)
    tag = project.default_area if area is None else area
    if tag is None:
        return _overview(session, project)
    records = load_area(session.records, tag)
    branch = judge(session.records, records.area, _refs(session))
    document = context.status(project, records, branch, records.graph.default())
    notes = blocks.advisory_notes(document)
    return Result(
        document, lambda: [*show(document), *_warnings(branch, records.area)], notes=notes
    )


def _warnings(branch: BranchStatus, area: Area) -> list[Block]:
    """What keeps an open area's branch from being worked on, and what to do about it."""
    if branch.safe or area.lifecycle == "closed":
        return []
    found = reasons(branch)
    if any(name == "area-branch-missing" for name, _, _ in found):  # creating it also checks it out
        found = [one for one in found if one[0] not in ("wrong-branch", "detached-head")]
    shown = [
        line(Words("warning:", "warning"), f" {message}. {hint}.") for _, message, hint in found
    ]
    return [BLANK, *shown]


def show(document: dict[str, Any]) -> list[Block]:
    """The status of one area as text."""
    area = document["area"]
    branch = blocks.branch_words(document["branch_status"])
    if document["lifecycle"] == "closed":  # needs no branch
        branch = Words(area["branch"] or "no branch")
    if document["next"] is not None:
        next_task = Words(f"{document['next']} ({document['next_complexity']})", "id")
    else:
        next_task = Words(f"nothing, {_why_nothing(document)}", "muted")
    rows = [
        ("Branch", branch),
        ("Tasks", blocks.counts_words(document["counts"])),
        ("Next", next_task),
    ]
    shown: list[Block] = [
        line(Words(area["title"], "heading"), Words(f"  {area['tag']}", "id")),
        line(area["objective"]),
        Fields(tuple(rows)),
    ]
    if document["slices"]:
        shown += [BLANK, _slices(document["slices"])]
    return shown


def _why_nothing(document: dict[str, Any]) -> str:
    """Why an area has no next task, as the end of a phrase."""
    if document["lifecycle"] == "closed":
        return "the area is closed"
    return blocks.WHY_NOTHING_READY[document["queue"]]


def _slices(slices: list[dict[str, Any]]) -> Table:
    rows = tuple(
        (
            Words(brief["key"], "id"),
            Words(brief["title"]),
            *(Words(str(brief[state])) for state in ("ready", "blocked", "done")),
        )
        for brief in slices
    )
    return Table(("Slice", "Title", "Ready", "Blocked", "Done"), rows)


def _refs(session: Session) -> Refs | None:
    """The repository; None if the plan is not in one."""
    try:
        return session.refs
    except ZdevError as error:
        if error.code in NO_REPOSITORY:
            return None
        raise


def _overview(session: Session, project: Project) -> Result:
    areas = {area.tag: area for area in load_areas(session.records)}
    refs = _refs(session)
    rows = [
        context.overview_row(load_area(session.records, tag), assess(area, areas, project, refs))
        for tag, area in areas.items()
    ]
    checked_out = None if refs is None else refs.head().branch
    document = context.overview(project, checked_out, rows)
    return Result(document, lambda: _show_all(document))


def _show_all(document: dict[str, Any]) -> list[Block]:
    if not document["areas"]:
        return [line("There are no areas yet; `git zdev area create` makes one.")]
    rows = tuple(
        (
            Words(area["tag"], "id"),
            Words(area["title"]),
            _next_words(area),
            Words(area["branch_status"]["branch"] or "—"),
            _work_words(area),
        )
        for area in document["areas"]
    )
    shown: list[Block] = [Table(("Area", "Title", "Next", "Branch", "Work"), rows)]
    if any(_needs_care(area) for area in document["areas"]):
        shown += [BLANK, blocks.WHAT_BRANCHES_NEED]
    return shown


def _next_words(area: dict[str, Any]) -> Words:
    """An area's next task, or why it has none."""
    if area["next"] is not None:
        return Words(area["next"], "id")
    return Words("closed" if area["lifecycle"] == "closed" else area["queue"], "muted")


def _work_words(area: dict[str, Any]) -> Words:
    """Whether an area can be worked on; nothing for a closed area."""
    if area["lifecycle"] == "closed":
        return blocks.NOTHING
    return blocks.work_words(area["branch_status"])


def _needs_care(area: dict[str, Any]) -> bool:
    """Whether an open area's branch has a problem other than not being checked out."""
    work = area["branch_status"]["task_work"]
    return area["lifecycle"] == "open" and not work["structurally_safe"]
