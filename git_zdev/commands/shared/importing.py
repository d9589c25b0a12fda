"""The import of a bundle's tasks, after `tasks import` has checked its arguments."""

from __future__ import annotations

from git_zdev.branch.gate import pass_gate
from git_zdev.commands.shared.inputs import read_input
from git_zdev.commands.tasks_review import stored_bundle
from git_zdev.derive.reviews import BUNDLES, fingerprint
from git_zdev.ground import hidden_text
from git_zdev.ground.errors import ZdevError
from git_zdev.plan.areas import load_area, load_project
from git_zdev.plan.bundle import bundle_document, canonical_bundle_bytes, parse_bundle
from git_zdev.plan.change_id import compose_message, new_change_id
from git_zdev.plan.changes.area import require_open
from git_zdev.plan.changes.files import require_shared
from git_zdev.plan.changes.task_import import Tracked, plan_import, plan_import_commit
from git_zdev.plan.records.model import RECORD_ROOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from git_zdev.commands.shared.session import Session, Writing
    from git_zdev.plan.changes.task_import import Import
    from git_zdev.plan.records.model import Bundle
    from git_zdev.publish.attempt import PublishResult


def import_tasks(
    session: Session,
    area: str,
    *,
    source: str | None,
    reviewed: str | None,
    approval: str | None,
    commit: bool,
) -> tuple[Import, PublishResult, dict[str, Any]]:
    """Import a bundle.

    Args:
        session: The run.
        area: The area's tag.
        source: Where the bundle is read from; None for a stored review.
        reviewed: The id of the stored review.
        approval: The fingerprint or the review that was approved; None without approval.
        commit: Whether to commit the import.

    Returns:
        The plan, its publication, and further fields of the result.

    Raises:
        InvalidInput: ``hidden-text`` if the bundle holds hidden text and nobody has reviewed or
            approved it.
    """
    given = None if source is None else parse_bundle(read_input(session, source), area)
    if given is not None and approval is None:
        _require_seen(area, given)
    with session.writing() as writing:
        bundle = _reviewed(session, area, reviewed or "") if given is None else given
        if approval is not None:
            _require_approval(session, area, bundle, approval)
        publish = _with_commit if commit else _without_commit
        return publish(session, writing, area, bundle)


def _require_seen(area: str, bundle: Bundle) -> None:
    hint = (
        f"Take it out, or read the bundle with `git zdev tasks review {area}` "
        "and import that review with --reviewed"
    )
    hidden = list(hidden_text.in_document(bundle_document(bundle)))
    hidden_text.require_none(hidden, "task bundle", hint)


def _without_commit(
    session: Session, writing: Writing, area: str, bundle: Bundle
) -> tuple[Import, PublishResult, dict[str, Any]]:
    del session
    plan = plan_import(load_area(writing.source, area), bundle)
    return plan, writing.publish(plan.change), {"status": "created"}


def _with_commit(
    session: Session, writing: Writing, area: str, bundle: Bundle
) -> tuple[Import, PublishResult, dict[str, Any]]:
    require_shared(load_project(writing.source))
    records = load_area(writing.source, area)
    require_open(records.area)
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
        "change_id": published.change_id,
        "commit": published.commit,
        "paths": list(published.paths),
    }
    return plan, published, extra


def _tracked(session: Session) -> Tracked:
    from git_zdev.evidence.survey import PathSurvey

    repository = session.repository
    root = session.plan_root
    in_head = repository.head_tree_entries(root.git_path(f"{RECORD_ROOT}/"))
    return Tracked(root, in_head.keys(), PathSurvey(repository).changed)


def _reviewed(session: Session, area: str, review_id: str) -> Bundle:
    return parse_bundle(stored_bundle(session, area, review_id).content, area)


def _require_approval(session: Session, area: str, bundle: Bundle, approval: str) -> None:
    """Refuse a bundle other than the approved one, by fingerprint or as the current review."""
    found = fingerprint(canonical_bundle_bytes(bundle))
    approved = approval
    if approval.startswith(BUNDLES.letter):
        approved = stored_bundle(session, area, approval).fingerprint
    if approved != found:
        raise ZdevError(
            "not-approved",
            f"the bundle has the fingerprint {found}, but {approved} was approved",
            "Review the bundle to import, and approve that one",
            details={"fingerprint": found, "approved": approved},
        )
