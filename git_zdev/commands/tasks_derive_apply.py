"""Publish a proposal of derived tasks: its files and one commit, or nothing.

The proposal comes as its worker gave it (--from) or as the stored review that
was approved (--reviewed). Either way every check is made again while nobody
else can write. A proposal with text that a reader would not see is applied as a
stored review only. An investigation follow-up completes its source task and
commits that, the new tasks and everything staged as one commit. An
implementation split makes its source task wait for the new tasks, hands each
its paths, and leaves the work tree's own changes exactly as they are.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import AREA, input_or_review
from git_zdev.commands.shared.blocks import change_id_words
from git_zdev.plan.areas import load_area
from git_zdev.screen.result import Fields, Result, Words, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from git_zdev.commands.shared.session import Session
    from git_zdev.derive.plan import Derivation
    from git_zdev.derive.proposal import Proposal
    from git_zdev.derive.reviews import Review
    from git_zdev.publish.attempt import PublishResult
    from git_zdev.screen.result import Block

ARGUMENTS = (AREA, input_or_review("proposal", "derived_reviews"))


def run(session: Session, *, area: str, source: str | None, reviewed: str | None) -> Result:
    """Publish the proposal."""
    from git_zdev.branch.gate import judge
    from git_zdev.commands.shared.inputs import read_input
    from git_zdev.derive.apply import Gate, change_of
    from git_zdev.derive.current import Setting
    from git_zdev.derive.plan import derive
    from git_zdev.derive.proposal import read_proposal
    from git_zdev.plan.change_id import new_change_id

    given = None if source is None else read_proposal(read_input(session, source), area)
    if given is not None:
        _require_seen(given)
    with session.writing() as writing:
        review, proposal = (None, given) if given else _reviewed(session, area, reviewed)
        derivation = derive(proposal, load_area(writing.source, area))
        setting = Setting(writing.source, session.repository, session.plan_root)
        advisory = judge(writing.source, derivation.records.area, session.repository).advisory
        change_id = new_change_id()
        gate = Gate(derivation, setting, review)
        published = writing.publish(
            change_of(derivation, setting, change_id),
            gate.records_and_branch,
            last=(gate.everything,),
        )
    paths = (*gate.findings.artifacts, *map(setting.root.in_work_tree, derivation.paths))
    document = _document(derivation, published, paths)
    notes = (*published.report, *filter(None, [advisory]))
    return Result(document, lambda: _blocks(derivation, document), notes=notes)


def _require_seen(proposal: Proposal) -> None:
    from git_zdev.ground import hidden_text

    hint = (
        "Let its worker take it out, or read the proposal with "
        f"`git zdev tasks derive review {proposal.area}` and apply that review with --reviewed"
    )
    hidden_text.require_none(list(hidden_text.in_document(proposal.document)), "proposal", hint)


def _reviewed(session: Session, area: str, review_id: str | None) -> tuple[Review, Proposal]:
    from git_zdev.commands.shared.derived import stored_proposal

    return stored_proposal(session, area, review_id)


def _document(
    derivation: Derivation, published: PublishResult, paths: Sequence[str]
) -> dict[str, Any]:
    """The result, with its keys in the documented order."""
    given = derivation.proposal.document
    document = {
        "schema_version": 1,
        "status": "committed",
        "area": given["area"],
        "source_task": given["source_task"],
        "proposal": given["proposal"],
        "source_result": given["source_result"],
    }
    if derivation.proposal.is_split:
        document["split_ownership"] = given["split_ownership"]
    return document | {
        "tasks": [child.id for child in derivation.children],
        "ready": [task.id for task in derivation.graph.ready],
        "commit": published.commit,
        "change_id": published.change_id,
        "paths": list(paths),
    }


def _blocks(derivation: Derivation, document: dict[str, Any]) -> list[Block]:
    state = "waits for" if derivation.proposal.is_split else "is done; it gave rise to"
    ready = Words(", ".join(document["ready"]) or "no task", "id")
    return [
        line(Words(derivation.source.id, "id"), f" {state} {', '.join(document['tasks'])}."),
        Fields(
            (
                ("Commit", Words(document["commit"], "id")),
                ("Change id", change_id_words(document["change_id"])),
                ("Ready", ready),
            )
        ),
    ]
