"""Print one of the JSON Schemas that come with the program."""

from __future__ import annotations

from git_zdev.commands.shared.arguments import argument
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.text import quoted
from git_zdev.screen.result import RawResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session

ARGUMENTS = (argument("NAME", "as `git zdev schema list` names it", completer="schemas"),)


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
