"""List the JSON Schemas that come with the program."""

from __future__ import annotations

from git_zdev.screen.result import Result, Table, Words, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session

ARGUMENTS = ()


def run(session: Session) -> Result:
    """List names and titles."""
    import json

    from git_zdev.ground import schema

    del session
    schemas = [
        {"name": name, "title": json.loads(schema.read(name))["title"]} for name in schema.names()
    ]
    rows = tuple((Words(entry["name"], "id"), Words(entry["title"])) for entry in schemas)
    return Result(sorted_document(schemas=schemas), lambda: [Table(("Name", "Describes"), rows)])
