"""List the commits that carry a change id, newest first.

It searches all commits that a ref or HEAD reaches, so a change that was
rebased or cherry-picked shows each of its commits.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import argument
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.text import quoted
from git_zdev.plan.change_id import TOKEN, is_change_id
from git_zdev.screen.result import Result, Table, Words, line, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from git_zdev.commands.shared.session import Session
    from git_zdev.git.model import CommitSummary
    from git_zdev.screen.result import Block

ARGUMENTS = (argument("ID", "Z and 64 lowercase hexadecimal digits", name="change_id"),)


def run(session: Session, *, change_id: str) -> Result:
    """Search for the trailer."""
    if not is_change_id(change_id):
        raise ZdevError(
            "invalid-change-id",
            f"{quoted(change_id)} is not a change id",
            "It is Z and 64 lowercase hexadecimal digits; `git zdev change inspect` shows one",
        )
    commits = session.repository.commits_with_trailer(TOKEN, change_id)
    document = sorted_document(
        change_id=change_id,
        commits=[{"commit": one.commit, "subject": one.subject} for one in commits],
    )
    return Result(document, lambda: _show(change_id, commits))


def _show(change_id: str, commits: Sequence[CommitSummary]) -> list[Block]:
    if not commits:
        return [line(f"No commit carries {change_id}.")]
    rows = tuple((Words(one.commit, "id"), Words(one.subject)) for one in commits)
    return [Table(("Commit", "Subject"), rows)]
