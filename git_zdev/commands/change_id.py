"""Print a new change id: Z and 64 hexadecimal digits that nobody used before.

`git zdev commit` adds one to each commit. Use this for messages that you write
by other means, as the trailer Zdev-Change-Id.
"""

from __future__ import annotations

from git_zdev.plan.change_id import new_change_id
from git_zdev.screen.result import Result, sentence, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session

ARGUMENTS = ()


def run(session: Session) -> Result:
    """Make an id; no repository is needed."""
    del session
    change_id = new_change_id()
    return Result(sorted_document(change_id=change_id), sentence(change_id))
