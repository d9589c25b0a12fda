"""Show one slice of an area."""

from __future__ import annotations

from git_zdev.areas import load_area
from git_zdev.commands.arguments import add_area, add_slice_key
from git_zdev.planning.slice import demand_slice
from git_zdev.result import Result, sorted_document
from git_zdev.view import BLANK, Source, Words, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser

    from git_zdev.records.model import Slice
    from git_zdev.session import Session
    from git_zdev.view import Block


def configure(parser: ArgumentParser) -> None:
    """Add the arguments."""
    add_area(parser)
    add_slice_key(parser)


def run(session: Session, *, area: str, key: str) -> Result:
    """Show the slice."""
    found = demand_slice(load_area(session.records, area).slices, area, key)
    document = sorted_document(
        area=area,
        boundaries=found.boundaries,
        key=key,
        objective=found.objective,
        path=found.path,
        title=found.title,
    )
    return Result(document, lambda: _show(found))


def _show(found: Slice) -> list[Block]:
    return [
        line(Words(found.title, "heading")),
        line(Words(found.path, "muted")),
        BLANK,
        Source(f"{found.objective}\n\n{found.boundaries}\n"),
    ]
