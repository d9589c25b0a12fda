"""Show the change id that a commit carries."""

from __future__ import annotations

from git_zdev.commands.shared.arguments import REVISIONS, argument
from git_zdev.commands.shared.blocks import change_id_words
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.text import quoted
from git_zdev.plan.change_id import change_id_of
from git_zdev.screen.result import Fields, Result, Words, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session

ARGUMENTS = (
    argument("REV", "a commit, as git rev-parse takes it", name="revision", completer=REVISIONS),
)


def run(session: Session, *, revision: str) -> Result:
    """Inspect one commit."""
    found = session.repository.find_commit(revision)
    if found is None:
        raise ZdevError(
            "unknown-revision",
            f"{quoted(revision)} names no commit",
            "`git log --all` lists the commits",
        )
    change_id = change_id_of(found.message)
    rows = (
        ("Commit", Words(found.commit, "id")),
        ("Subject", Words(found.subject)),
        ("Change id", change_id_words(change_id)),
    )
    return Result(
        sorted_document(change_id=change_id, commit=found.commit, subject=found.subject),
        lambda: [Fields(rows)],
    )
