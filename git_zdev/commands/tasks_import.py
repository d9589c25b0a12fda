"""Add the tasks of a bundle to an area: all of them, or none.

--from takes a bundle as it is; with --approval only while its fingerprint, or
the current review, is the approved one. --reviewed imports what a stored
review holds. With --commit exactly the imported tasks are committed, and the
first time the files that they stand on; whatever else is staged or changed
outside of the area stays where it is.
"""

from __future__ import annotations

from git_zdev.areas import load_area, load_project
from git_zdev.bundle import canonical_bundle_bytes, parse_bundle
from git_zdev.change_id import compose_message, new_change_id
from git_zdev.commands.arguments import add_area, add_input_or_review
from git_zdev.commands.inputs import read_input
from git_zdev.commands.tasks_review import stored_bundle
from git_zdev.errors import UsageError, ZdevError
from git_zdev.gate import pass_gate
from git_zdev.planning.area import demand_open
from git_zdev.planning.task_import import (
    Tracked,
    demand_committable,
    plan_import,
    plan_import_commit,
)
from git_zdev.records.model import RECORD_ROOT
from git_zdev.result import Result, sorted_document
from git_zdev.reviews import BUNDLES, fingerprint
from git_zdev.view import Fields, Words, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from typing import Any

    from git_zdev.planning.task_import import Import
    from git_zdev.publication import PublishResult
    from git_zdev.records.model import Bundle
    from git_zdev.session import Session, Writing
    from git_zdev.view import Block


def configure(parser: ArgumentParser) -> None:
    """Add the arguments."""
    add_area(parser)
    add_input_or_review(parser, "bundle")
    parser.add_argument(
        "--approval",
        metavar="FINGERPRINT",
        help="with --from: refuse another bundle than the one with this fingerprint or review id",
    )
    parser.add_argument("--commit", action="store_true", help="commit the import")


def run(
    session: Session,
    *,
    area: str,
    source: str | None,
    reviewed: str | None,
    approval: str | None,
    commit: bool,
) -> Result:
    """Import the tasks."""
    if approval is not None and source is None:
        raise UsageError("--approval belongs to --from; --reviewed needs none")
    given = None if source is None else parse_bundle(read_input(session, source), area)
    with session.writing() as writing:
        bundle = _reviewed(session, area, reviewed or "") if given is None else given
        if approval is not None:
            _demand_approval(session, area, bundle, approval)
        publish = _with_commit if commit else _without_commit
        plan, published, extra = publish(session, writing, area, bundle)
    document = sorted_document(area=area, ready=list(plan.ready), tasks=list(plan.tasks), **extra)
    return Result(document, lambda: _show(area, plan, extra), notes=published.told)


def _without_commit(
    session: Session, writing: Writing, area: str, bundle: Bundle
) -> tuple[Import, PublishResult, dict[str, Any]]:
    del session
    plan = plan_import(load_area(writing.source, area), bundle)
    return plan, writing.publish(plan.change), {"status": "created"}


def _with_commit(
    session: Session, writing: Writing, area: str, bundle: Bundle
) -> tuple[Import, PublishResult, dict[str, Any]]:
    demand_committable(load_project(writing.source))
    records = load_area(writing.source, area)
    demand_open(records.area)
    pass_gate(writing.source, records.area, session.repository)
    identity = new_change_id()

    def plan_now() -> Import:
        return plan_import_commit(
            records,
            bundle,
            source=writing.source,
            tracked=_tracked(session),
            message=lambda subject: compose_message(subject, (), identity),
        )

    plan = plan_now()
    published = writing.publish(
        plan.change,
        lambda: pass_gate(writing.source, records.area, session.repository),
        plan_now,
    )
    extra = {
        "status": "committed",
        "change_id": identity,
        "commit": published.commit,
        "paths": list(published.paths),
    }
    return plan, published, extra


def _tracked(session: Session) -> Tracked:
    from git_zdev.evidence.paths import PathSurvey

    repository = session.repository
    prefix = f"{session.folder}/{RECORD_ROOT}/" if session.folder else f"{RECORD_ROOT}/"
    in_head = repository.head_tree_entries(prefix.encode())
    return Tracked(session.folder, in_head.keys(), PathSurvey(repository).changed)


def _reviewed(session: Session, area: str, review_id: str) -> Bundle:
    return parse_bundle(stored_bundle(session, area, review_id).content, area)


def _demand_approval(session: Session, area: str, bundle: Bundle, approval: str) -> None:
    """What was approved, by fingerprint or as the current review, must be this bundle."""
    found = fingerprint(canonical_bundle_bytes(bundle))
    approved = approval
    if approval.startswith(BUNDLES.letter):
        approved = stored_bundle(session, area, approval).fingerprint
    if approved != found:
        raise ZdevError(
            "not-approved",
            f"the bundle has the fingerprint {found}, approved is {approved}",
            "Review the bundle that is to be imported, and approve that",
            details={"fingerprint": found, "approved": approved},
        )


def _show(area: str, plan: Import, extra: dict[str, Any]) -> list[Block]:
    count = "1 task" if len(plan.tasks) == 1 else f"{len(plan.tasks)} tasks"
    rows = [("Tasks", Words(", ".join(plan.tasks))), ("Ready", Words(", ".join(plan.ready)))]
    if "commit" in extra:
        rows.append(("Commit", Words(extra["commit"], "id")))
        rows.append(("Change id", Words(extra["change_id"], "id")))
    return [line(f"Added {count} to {area}."), Fields(tuple(rows))]
