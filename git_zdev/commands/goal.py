"""Show an area's objective and the one task to work on.

Only the plan's files are read: no branch, no index and no clock, so the answer
is the same on every branch and outside of a repository.
"""

from __future__ import annotations

from git_zdev.commands.shared import blocks
from git_zdev.commands.shared.arguments import AREA
from git_zdev.context import projections as context
from git_zdev.plan.areas import load_area
from git_zdev.screen.result import BLANK, Fields, Result, Words, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from git_zdev.commands.shared.session import Session
    from git_zdev.screen.result import Block

SECTIONS = (
    ("Outcome", "outcome"),
    ("Context", "context"),
    ("Boundaries", "boundaries"),
    ("Done when", "done_when"),
    ("Validation", "validation"),
)

ARGUMENTS = (AREA,)


def run(session: Session, *, area: str) -> Result:
    """Return the goal of an area."""
    records = load_area(session.records, area)
    document = context.goal(records, records.graph.default())
    return Result(document, lambda: show(document))


def show(document: dict[str, Any]) -> list[Block]:
    """The goal as text."""
    area, task = document["area"], document["task"]
    shown: list[Block] = [
        line(Words(area["title"], "heading"), Words(f"  {area['path']}", "muted")),
        line(area["objective"]),
        Fields((("Tasks", blocks.counts_words(document["counts"])),)),
        BLANK,
    ]
    if task is None:
        return [*shown, blocks.no_work(area["tag"], document["lifecycle"], document["queue"])]
    rows = [("File", Words(task["path"])), ("Complexity", Words(task["complexity"]))]
    if "slice" in task:
        rows.append(("Slice", Words(f"{task['slice']['title']} ({task['slice']['path']})")))
    shown += [blocks.task_title(task), Fields(tuple(rows))]
    for name, key in SECTIONS:
        if key in task:
            shown += blocks.section(name, task[key])
    return shown
