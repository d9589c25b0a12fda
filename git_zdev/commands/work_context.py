"""Collect the plan and the Git state of an area as one document.

The goal, the status, HEAD, and what git status and git diff would print, with
the content of untracked files as hashes. A closed area is answered from its
plan alone. --store keeps the document under an id that never changes; --show
prints a stored one; --compare says whether anything has moved since.
"""

from __future__ import annotations

from git_zdev.commands.shared import snapshots
from git_zdev.commands.shared.arguments import AREA, BYTES, OWN_TASK, flag, one_of, option
from git_zdev.ground.errors import UsageError
from git_zdev.screen.result import RawResult, Result, sentence, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from git_zdev.commands.shared.session import Session
    from git_zdev.screen.result import Block

DIFFERENT = 5
"""Exit status of ``--exit-code`` if something moved."""

ARGUMENTS = (
    AREA,
    OWN_TASK,
    BYTES,
    one_of(
        flag("--store", "store the document and print its id"),
        option("--show", "SNAPSHOT", "print a stored document", completer="snapshots"),
        option(
            "--compare", "SNAPSHOT", "compare a stored document with now", completer="snapshots"
        ),
    ),
    flag("--exit-code", "with --compare: exit with 5 when they differ"),
    flag("--verbose", "with --compare: name the parts that differ"),
)


def run(
    session: Session,
    *,
    area: str,
    task: str | None,
    bytes: bool,  # noqa: A002 - the option's name
    store: bool,
    show: str | None,
    compare: str | None,
    exit_code: bool,
    verbose: bool,
) -> Result | RawResult:
    """Collect, store, show or compare."""
    if compare is None and (exit_code or verbose):
        raise UsageError("--exit-code and --verbose belong to --compare")
    if task is not None and (show is not None or compare is not None):
        raise UsageError("--task selects the task of a fresh document; a stored one has its own")
    if bytes and (show is not None or compare is not None):
        raise UsageError("--bytes says how a fresh document is captured; a stored one has its form")
    if show is not None:
        return _shown(session, area, show)
    if compare is not None:
        return _compared(session, area, compare, exit_code=exit_code, verbose=verbose)
    document = snapshots.collect(session, area, task, as_bytes=bytes)
    if store:
        return _stored(session, document)
    data = snapshots.encode(session, document)
    return Result(
        document,
        lambda: _summary(document),
        notes=_notes(document),
        forms={"json": lambda: data},
    )


def _summary(document: dict[str, Any]) -> list[Block]:
    from git_zdev.commands.shared.context_blocks import show

    return show(document)


def _notes(document: dict[str, Any]) -> tuple[str, ...]:
    """The advisory of an open context's branch."""
    advisory = document["status"]["advisory"] if "status" in document else None
    return (advisory,) if advisory else ()


def _stored(session: Session, document: dict[str, Any]) -> Result:
    from git_zdev.context import projections as context

    stored = snapshots.keep(session, document)
    routing = context.routing(document)
    result = sorted_document(path=stored.path, snapshot=stored.id, **routing)

    def show() -> list[Block]:
        from git_zdev.screen.result import Fields, Words, line

        task = document["task_id"] or "no task"
        return [
            line("Stored ", Words(stored.id, "id"), f" ({document['area']}, {task})."),
            Fields((("File", Words(stored.path)),)),
        ]

    return Result(result, show, notes=_notes(document))


def _shown(session: Session, area: str, snapshot_id: str) -> RawResult:
    found = snapshots.load(session, area, snapshot_id)
    return RawResult(found.data, lambda: _summary(found.document))


def _compared(
    session: Session, area: str, snapshot_id: str, *, exit_code: bool, verbose: bool
) -> Result:
    changed = snapshots.changed_since(session, snapshots.load(session, area, snapshot_id))
    document = sorted_document(
        area=area,
        equal=not changed,
        snapshot=snapshot_id,
        **({"changed": changed} if verbose else {}),
    )
    said = f"Nothing has moved since {snapshot_id}."
    if changed:
        said = f"Something moved since {snapshot_id}"
        said += f": {', '.join(changed)}." if verbose else "."
    return Result(document, sentence(said), status=DIFFERENT if changed and exit_code else 0)
