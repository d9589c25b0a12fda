"""Print one of the JSON Schemas that come with the program."""

from __future__ import annotations

from git_zdev.ground.errors import ZdevError
from git_zdev.ground.text import quoted
from git_zdev.screen.result import RawResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser

    from git_zdev.commands.shared.session import Session


def configure(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("name", metavar="NAME", help="as `git zdev schema list` names it")


def run(session: Session, *, name: str) -> RawResult:
    """Print the schema as it is."""
    from git_zdev.ground import schema

    del session
    try:
        return RawResult(schema.read(name.removesuffix(schema.SUFFIX)))
    except KeyError:
        raise ZdevError(
            "unknown-schema",
            f"there is no schema {quoted(name)}",
            "`git zdev schema list` names them",
        ) from None
