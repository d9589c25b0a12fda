"""Read a verifier's reply, compare, and print the public result.

The reply holds exactly one JSON object with verdict, summary, findings and
escalation. The repository is compared with the snapshot that was admitted
before the verifier ran. If something moved, a pass is worth nothing, and
rework counts only if it names the files that its validation wrote
(`validation_write: <path>`).

Exit status: 0 pass, 3 rework, 4 blocker, 1 if the reply or the snapshot cannot
be used.
"""

from __future__ import annotations

from git_zdev.commands.shared import snapshots
from git_zdev.commands.shared.arguments import AREA, REPLY, SNAPSHOT
from git_zdev.commands.shared.inputs import read_input
from git_zdev.screen.result import Fields, Result, Words, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from git_zdev.commands.shared.session import Session
    from git_zdev.screen.result import Block

STYLES = {"pass": "good", "rework": "warning", "blocker": "bad"}

ARGUMENTS = (AREA, SNAPSHOT, REPLY)


def run(session: Session, *, area: str, snapshot: str, source: str) -> Result:
    """Judge the reply."""
    from git_zdev.handoff import replies as verify

    stored = snapshots.load_admitted(session, area, snapshot)
    task_id = verify.require_work(stored.document)
    reply = verify.read_verifier_reply(read_input(session, source))
    unchanged = not snapshots.changed_since(session, stored)
    judged = verify.judge(reply, unchanged=unchanged)
    advisory = stored.document["status"]["advisory"]
    identity = verify.Identity(area, task_id, stored.id, advisory)
    result = verify.public_result(judged, identity)
    return Result(result, lambda: _show(result), status=verify.EXIT_STATUS[judged.verdict])


def _show(result: Mapping[str, Any]) -> list[Block]:
    verdict = result["verdict"]
    rows = [("Verdict", Words(verdict, STYLES[verdict])), ("Summary", Words(result["summary"]))]
    rows += [("Finding", Words(finding)) for finding in result["findings"]]
    rows += [("Evidence", Words(item, "muted")) for item in result["evidence"]]
    return [line(Words(result["task_id"], "id")), Fields(tuple(rows))]
