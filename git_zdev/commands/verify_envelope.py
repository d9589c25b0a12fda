"""Check a worker's reply and print it canonically.

An implementer's reply has the nine keys of a public result and must be about
the named area and task. An audit reply has verdict, lens, summary and
findings. Text in it that a reader would not see is named as `warnings`.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import REPLY, argument, option
from git_zdev.commands.shared.inputs import read_input
from git_zdev.ground import jsontext
from git_zdev.ground.errors import UsageError
from git_zdev.screen.result import RawResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from git_zdev.commands.shared.session import Session

KINDS = ("implementer", "audit")

ARGUMENTS = (
    argument("KIND", "implementer or audit", choices=KINDS),
    option("--area", "AREA", "the area that was handed out", completer="areas"),
    option("--task", "ID", "the task that was handed out", completer="tasks"),
    REPLY,
)


def run(
    session: Session, *, kind: str, area: str | None, task: str | None, source: str
) -> RawResult:
    """Check it."""
    from git_zdev.ground import hidden_text

    reply = _read(session, kind, area, task, source)
    hidden = list(hidden_text.in_document(reply))
    return RawResult(jsontext.encode({**reply, **hidden_text.warnings(hidden)}))


def _read(
    session: Session, kind: str, area: str | None, task: str | None, source: str
) -> dict[str, Any]:
    from git_zdev.handoff import replies as verify

    if kind == "audit":
        return verify.read_audit_reply(read_input(session, source))
    if area is None or task is None:
        raise UsageError("an implementer's reply is checked against --area and --task")
    return verify.read_implementer_reply(read_input(session, source), area, task)
