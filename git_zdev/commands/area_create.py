"""Record an area: one objective, its branch and, later, its tasks.

Without --branch the area works on a branch of its own name. The branch need
not exist yet; none is created or checked out. With --trunk the area works on
the project's trunk, which it shares with other trunk areas.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import BRANCHES, TRUNK, argument, option, texts
from git_zdev.commands.shared.branches import anchor_words
from git_zdev.ground.errors import UsageError
from git_zdev.plan.areas import load_project
from git_zdev.plan.changes.area import areas_by_tag, plan_create
from git_zdev.plan.records.model import Area
from git_zdev.screen.result import Fields, Result, Words, line, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session
    from git_zdev.plan.changes.area import Planned
    from git_zdev.screen.result import Block

ARGUMENTS = (
    argument("TAG", "its name: 1 to 80 of a-z, 0-9 and -"),
    *texts("area"),
    option("--branch", "BRANCH", "the area's own branch (default: TAG)", completer=BRANCHES),
    TRUNK,
)


def run(
    session: Session, *, tag: str, title: str, objective: str, branch: str | None, trunk: bool
) -> Result:
    """Record the area."""
    if trunk and branch is not None:
        raise UsageError("--branch and --trunk exclude each other")
    area = Area(
        tag=tag,
        title=title.strip(" "),
        objective=objective.strip(" "),
        mode="trunk" if trunk else "isolated",
        branch=None if trunk else tag if branch is None else branch,
    )
    with session.writing() as writing:
        project = load_project(writing.source)
        areas = areas_by_tag(writing.source)
        plan = plan_create(
            area, project=project, areas=areas, source=writing.source, refs=session.repository
        )
        writing.publish(plan.change)
    document = sorted_document(
        area=tag,
        base_commit=plan.area.base_commit,
        branch=plan.branch,
        mode=plan.area.mode,
        path=plan.area.folder,
        status="created",
    )
    return Result(document, lambda: _show(plan))


def _show(plan: Planned) -> list[Block]:
    area = plan.area
    rows = [("Branch", Words(plan.branch or ""))]
    if area.mode == "isolated":
        rows.append(("Anchor", Words(anchor_words(area.base_commit))))
    rows.append(("Next", Words(f"git zdev tasks import {area.tag} --from <file>")))
    return [
        line("Created the area ", Words(area.tag, "id"), f" in {area.folder}."),
        Fields(tuple(rows)),
    ]
