"""The fourth layer, and the exact files that a proposal becomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.derive.plan import Derivation, allocation_line, derive
from git_zdev.derive.proposal import read_proposal
from git_zdev.ground.errors import InvalidInput
from git_zdev.plan.areas import load_area
from git_zdev.plan.check import check
from git_zdev.plan.records.store import FileSource, PlannedSource
from tests.support import plan as payments
from tests.support import plan as proposals
from tests.support.plan import draft, envelope, follow_up, split, write_plan

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.plan import Wrong


@pytest.fixture
def source(tmp_path: Path) -> FileSource:
    write_plan(tmp_path, payments.FILES)
    return FileSource(tmp_path)


def derived(source: FileSource, document: dict[str, Any]) -> Derivation:
    derivation = derive(
        read_proposal(envelope(document), "payments"), load_area(source, "payments")
    )
    planned = PlannedSource(source, {one.path: one.new for one in derivation.changes})
    assert check(planned) == []
    return derivation


def text(derivation: Derivation, path: str) -> str:
    (data,) = (change.new for change in derivation.changes if change.path == path)
    assert data is not None
    return data.decode()


@pytest.mark.parametrize("wrong", proposals.SEMANTICS, ids=lambda wrong: wrong.name)
def test_what_does_not_fit_is_said_and_where(wrong: Wrong, source: FileSource) -> None:
    proposal = read_proposal(wrong.data, "payments")
    with pytest.raises(InvalidInput) as refused:
        derive(proposal, load_area(source, "payments"))
    assert refused.value.code == "invalid-proposal"
    found = [(problem.pointer, problem.message) for problem in refused.value.problems]
    assert [place for place, message in found if wrong.told in message] == [wrong.pointer], found


def test_problems_come_together(source: FileSource) -> None:
    drafts = [
        draft("tidy-logs", slice="x"),
        draft("b", blocked_by=["payments-002", "c"]),
        draft("c"),
    ]
    proposal = read_proposal(envelope(follow_up(tasks=drafts)), "payments")
    with pytest.raises(InvalidInput) as refused:
        derive(proposal, load_area(source, "payments"))
    assert [problem.pointer for problem in refused.value.problems] == [
        "/tasks/0/key",
        "/tasks/0/slice",
        "/tasks/1/blocked_by/0",
        "/tasks/1/blocked_by/1",
    ]


def test_a_follow_up_completes_its_source_and_adds_its_drafts(source: FileSource) -> None:
    document = follow_up(
        tasks=[
            draft(complexity="advanced", afk=True, priority="low", slice="api"),
            draft("check-it", title="Check it", blocked_by=["end-retries", "payments-004"]),
        ]
    )
    derivation = derived(source, document)
    assert derivation.paths == (
        payments.SOURCE_PATH,
        ".zdev/payments/tasks/005-end-the-retries-where-agreed.md",
        ".zdev/payments/tasks/006-check-it.md",
        payments.INDEX_PATH,
    )
    before = payments.TASKS["002-settle-the-retry-boundary.md"]
    completed = before.replace('status = "open"', 'status = "done"').replace("[ ]", "[x]")
    assert text(derivation, payments.SOURCE_PATH) == (
        f"{completed}\n## Result\n\nFound where retries must end.\n\nValidation:\n\n"
        "- Read every caller of the retry loop.\n"
    )
    assert text(derivation, derivation.paths[1]) == (
        "+++\n"
        "schema_version = 1\n"
        'id = "payments-005"\n'
        'key = "end-retries"\n'
        'area = "payments"\n'
        'status = "open"\n'
        'complexity = "advanced"\n'
        "afk = true\n"
        'priority = "low"\n'
        'slice = "api"\n'
        "blocked_by = []\n"
        "+++\n"
        "# End the retries where agreed\n\n"
        "## Outcome\n\nThe runtime path uses the settled boundary.\n\n"
        "## Context\n\nThe search told where retries end.\n\n"
        "## Boundaries\n\n- Leave the published policy alone.\n\n"
        "## Done when\n\n- [ ] Retries end at the agreed place.\n\n"
        "## Validation\n\n- Try the retries alone.\n"
    )
    assert 'blocked_by = ["payments-005", "payments-004"]' in text(derivation, derivation.paths[2])
    assert "- Total: 6\n- Ready: 3\n- Blocked: 1\n- Done: 2\n" in text(
        derivation, payments.INDEX_PATH
    )
    ready = [task.id for task in derivation.graph.ready]
    assert ready == ["payments-003", "payments-004", "payments-005"]


def test_a_split_makes_its_source_wait_and_hands_out_paths(source: FileSource) -> None:
    document = split()
    del document["tasks"][1]["boundaries"]
    derivation = derived(source, document)
    before = payments.TASKS["002-settle-the-retry-boundary.md"]
    assert text(derivation, payments.SOURCE_PATH) == before.replace(
        'blocked_by = ["payments-001"]',
        'blocked_by = ["payments-001", "payments-005", "payments-006"]',
    )
    assert (
        "## Boundaries\n\n- Leave the published policy alone.\n"
        '- Initial task-owned path allocation: ["src/policy.rs","tests/policy.rs"]. Coordination '
        "may extend it only after checking retained parent edits and sibling assignments.\n\n"
        "## Done when\n"
    ) in text(derivation, ".zdev/payments/tasks/005-extract-the-retry-policy.md")
    assert (
        "## Boundaries\n\n"
        '- Initial task-owned path allocation: ["src/wiring.rs"]. Coordination '
        "may extend it only after checking retained parent edits and sibling assignments.\n\n"
        "## Done when\n"
    ) in text(derivation, ".zdev/payments/tasks/006-wire-the-retry-policy.md")
    assert [task.id for task in derivation.graph.ready] == ["payments-004", "payments-005"]


def test_the_allocation_line_holds_any_path() -> None:
    line = allocation_line(['a "b"', "caf\u00e9", "x\u202ey"])
    assert line.startswith(
        'Initial task-owned path allocation: ["a \\"b\\"","caf\u00e9","x\\u202ey"]. Coordination'
    )
