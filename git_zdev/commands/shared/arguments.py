"""Arguments that several commands take, worded once."""

from __future__ import annotations

from git_zdev.ground.errors import ZdevError
from git_zdev.ground.text import quoted
from git_zdev.plan.records.names import is_segment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, _ArgumentGroup


def add_area(parser: ArgumentParser) -> None:
    """The area, as the first positional argument."""
    parser.add_argument("area", metavar="AREA", help="the area's tag")


def add_texts(parser: ArgumentParser, what: str) -> None:
    """Title and objective of something new."""
    parser.add_argument("--title", required=True, metavar="TEXT", help=f"what the {what} is called")
    parser.add_argument(
        "--objective", required=True, metavar="TEXT", help="what will be true at its end"
    )


def add_slice_key(parser: ArgumentParser) -> None:
    """The slice, as the second positional argument."""
    parser.add_argument("key", metavar="KEY", help="the slice's key: 1 to 80 of a-z, 0-9 and -")


def demand_tag(area: str) -> None:
    """Refuse what cannot be an area's tag, before it names a folder.

    Raises:
        ZdevError: ``unknown-area``.
    """
    if not is_segment(area):
        raise ZdevError(
            "unknown-area", f"{quoted(area)} is no area's tag", "`git zdev area list` names them"
        )


def add_task(parser: ArgumentParser) -> None:
    """The task, as the second positional argument."""
    parser.add_argument("task", metavar="TASK", help="the task's id, such as payments-007")


def add_completion(parser: ArgumentParser) -> None:
    """What is written down about a task that is done."""
    parser.add_argument(
        "--summary", required=True, metavar="TEXT", help="what was achieved, one line"
    )
    parser.add_argument(
        "--validation",
        required=True,
        action="append",
        metavar="TEXT",
        help="how it was checked, one line; may be repeated",
    )


def add_snapshot(parser: ArgumentParser) -> None:
    """The snapshot that a handoff began with."""
    parser.add_argument(
        "--snapshot", required=True, metavar="SNAPSHOT", help="as `verify admit` printed it"
    )


def add_input_or_show(parser: ArgumentParser, what: str) -> None:
    """Where something to review is read from, or that the stored review is shown."""
    _add_input(parser, what).add_argument(
        "--show", action="store_true", help="print the stored rendering"
    )


def add_input_or_review(parser: ArgumentParser, what: str) -> None:
    """Where something to take is read from, or the review that holds it."""
    _add_input(parser, what).add_argument(
        "--reviewed", metavar="REVIEW", help=f"the {what} of this stored review"
    )


def _add_input(parser: ArgumentParser, what: str) -> _ArgumentGroup:
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument(
        "--from", dest="source", metavar="FILE", help=f"the {what}; - reads standard input"
    )
    return group


def add_reply(parser: ArgumentParser) -> None:
    """Where a worker's reply is read from."""
    parser.add_argument(
        "--from",
        dest="source",
        required=True,
        metavar="FILE",
        help="the reply as it came; - reads standard input",
    )
