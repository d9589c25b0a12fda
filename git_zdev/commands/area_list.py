"""List the areas with their branches and queues."""

from __future__ import annotations

from git_zdev.plan.areas import load_area, load_areas, load_project
from git_zdev.plan.bases import area_branch
from git_zdev.screen.result import Result, Table, Words, line, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from git_zdev.commands.shared.session import Session
    from git_zdev.screen.result import Block

STYLES = {"ready": "good", "open": "", "closed": "muted", "exhausted": "muted", "empty": "muted"}

ARGUMENTS = ()


def run(session: Session) -> Result:
    """List every area, sorted by tag."""
    project = load_project(session.records)
    rows = [
        {
            "branch": area_branch(area, project),
            "lifecycle": area.lifecycle,
            "mode": area.mode,
            "parent": area.parent,
            "queue": load_area(session.records, area.tag).graph.queue,
            "tag": area.tag,
            "title": area.title,
        }
        for area in load_areas(session.records)
    ]
    return Result(sorted_document(areas=rows), lambda: _show(rows))


def _show(areas: list[dict[str, Any]]) -> list[Block]:
    if not areas:
        return [line("There are no areas yet; `git zdev area create` makes one.")]
    rows = tuple(
        (
            Words(area["tag"], "id"),
            Words(area["lifecycle"], STYLES[area["lifecycle"]]),
            Words(area["queue"], STYLES[area["queue"]]),
            Words(area["branch"] or "—"),
            Words(area["parent"] or "—"),
            Words(area["title"]),
        )
        for area in areas
    )
    return [Table(("Area", "State", "Queue", "Branch", "Parent", "Title"), rows)]
