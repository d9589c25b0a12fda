"""Record a slice: a smaller brief inside an area, which tasks can belong to."""

from __future__ import annotations

from git_zdev.commands.shared.arguments import AREA, option, slice_key, texts
from git_zdev.plan.areas import load_area
from git_zdev.plan.changes.area import require_open
from git_zdev.plan.changes.slice import plan_create
from git_zdev.screen.result import Result, sentence, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session

ARGUMENTS = (
    AREA,
    slice_key(),
    *texts("slice"),
    option(
        "--boundary",
        "TEXT",
        "what stays as it is or is left out; repeat it for more",
        name="boundaries",
        required=True,
        repeatable=True,
    ),
)


def run(
    session: Session, *, area: str, key: str, title: str, objective: str, boundaries: list[str]
) -> Result:
    """Record the slice."""
    with session.writing() as writing:
        records = load_area(writing.source, area)
        require_open(records.area)
        new, change = plan_create(
            records.area,
            key,
            title=title.strip(" "),
            objective=objective.strip(" "),
            boundaries=[item.strip(" ") for item in boundaries],
            source=writing.source,
        )
        writing.publish(change)
    return Result(
        sorted_document(area=area, key=key, path=new.path, status="created", title=new.title),
        sentence(f"Created the slice {key} in {new.path}."),
    )
