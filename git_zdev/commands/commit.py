"""Commit what is staged, with a change id that survives a rebase.

Git itself makes the commit: hooks, signing and identity are as configured.
The message gets the trailer Zdev-Change-Id.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import option
from git_zdev.commands.shared.blocks import change_id_words
from git_zdev.ground.errors import InvalidInput, Problem, ZdevError, summary_of
from git_zdev.ground.text import is_control, is_surrogate
from git_zdev.plan.change_id import change_id_of, compose_message, new_change_id, told_of
from git_zdev.plan.records.fields import line as line_rule
from git_zdev.screen.result import Fields, Result, Words, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from git_zdev.commands.shared.session import Session
    from git_zdev.git.port import Repository

ARGUMENTS = (
    option("-m, --message", "SUBJECT", "the first line", name="subject", required=True),
    option(
        "--body",
        "TEXT",
        "a further paragraph; repeat it for more",
        name="paragraphs",
        repeatable=True,
    ),
)


def run(session: Session, *, subject: str, paragraphs: list[str]) -> Result:
    """Commit the index as it is."""
    problems = list(_problems(subject, paragraphs))
    if problems:
        raise InvalidInput(
            "invalid-message",
            f"the message cannot be used: {summary_of(problems, placed=False)}",
            problems,
            "Give a subject of one line and paragraphs of plain text",
        )
    change_id = new_change_id()
    message = compose_message(subject, paragraphs, change_id)
    with session.writing():
        commit, said = _commit(session, message)
    carried = change_id_of(session.repository.read_commit(commit).message)
    notes = (*filter(None, said.splitlines()), *told_of(change_id, carried))
    document = sorted_document(change_id=carried, commit=commit, status="committed")
    rows = (("Commit", Words(commit, "id")), ("Change id", change_id_words(carried)))
    return Result(document, lambda: [Fields(rows)], notes=notes)


def _commit(session: Session, message: str) -> tuple[str, str]:
    """The new commit, and the output of its hooks."""
    try:
        return session.git.commit_index(message)
    except ZdevError as error:
        if _nothing_staged(session.repository):
            raise ZdevError(
                "nothing-to-commit", "nothing is staged", "Stage the changes to commit first"
            ) from error
        raise


def _nothing_staged(repository: Repository) -> bool:
    """Whether the index equals HEAD's tree."""
    staged = {entry.path: (entry.mode, entry.blob, entry.stage) for entry in repository.entries()}
    tracked = {
        path: (entry.mode, entry.blob, 0) for path, entry in repository.head_tree_entries().items()
    }
    return staged == tracked


def _problems(subject: str, paragraphs: Sequence[str]) -> Iterator[Problem]:
    fault = line_rule(subject)
    if fault is not None:
        yield Problem(fault.code, f"the subject {fault.message}")
    for number, text in enumerate(paragraphs, 1):
        if not text.strip():
            yield Problem("invalid-paragraph", f"paragraph {number} of the body is blank")
        elif any((is_control(one) and one not in "\n\t") or is_surrogate(one) for one in text):
            message = f"paragraph {number} of the body has a control character or is not UTF-8"
            yield Problem("invalid-paragraph", message)
