"""The first three layers: what a proposal is read as, and every way in which it is refused."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_zdev.derive.proposal import ChildPaths, SplitOwnership, first_line, read_proposal
from git_zdev.ground.errors import InvalidInput
from tests.support import plan as proposals
from tests.support.plan import FIRST_LINE, envelope, follow_up, split

if TYPE_CHECKING:
    from git_zdev.derive.proposal import Proposal
    from tests.support.plan import Wrong


def refused(data: bytes, area: str = "payments") -> InvalidInput:
    with pytest.raises(InvalidInput) as error:
        read_proposal(data, area)
    assert error.value.code == "invalid-proposal"
    assert error.value.problems
    return error.value


def test_a_follow_up_is_read() -> None:
    data = envelope(follow_up())
    proposal = read_proposal(data, "payments")
    assert not proposal.is_split
    assert (proposal.area, proposal.source_task) == ("payments", "payments-002")
    assert proposal.result.summary == "Found where retries must end."
    assert proposal.ownership is None
    assert [draft["key"] for draft in proposal.drafts] == ["end-retries"]
    assert first_line(proposal.area, proposal.source_task) + proposal.json == data


def test_a_split_is_read() -> None:
    data = envelope(split())
    proposal = read_proposal(data, "payments")
    assert proposal.is_split
    assert proposal.result.validation == ()
    assert proposal.ownership == SplitOwnership(
        (),
        (
            ChildPaths("extract-policy", ("src/policy.rs", "tests/policy.rs")),
            ChildPaths("wire-policy", ("src/wiring.rs",)),
        ),
    )
    assert proposal.ownership.of("wire-policy") == ("src/wiring.rs",)


def test_the_last_line_feed_is_optional_and_kept() -> None:
    data = envelope(follow_up())
    assert read_proposal(data, "payments").json.endswith(b"}\n")
    assert read_proposal(data[:-1], "payments").json.endswith(b"}")


@pytest.mark.parametrize(
    "wrong",
    [*proposals.TRANSPORT, *proposals.SCHEMA, *proposals.IDENTITY],
    ids=lambda wrong: wrong.name,
)
def test_what_is_wrong_is_said_and_where(wrong: Wrong) -> None:
    problems = refused(wrong.data).problems
    assert [problem for problem in problems if wrong.told in problem.message], problems
    if wrong.pointer is not None:
        assert wrong.pointer in {problem.pointer for problem in problems}


def test_the_selected_area_counts() -> None:
    messages = [problem.message for problem in refused(envelope(follow_up()), "refunds").problems]
    assert messages == [
        'the area is "payments"; the selected one is "refunds"',
        'the first line names the area "payments"; the selected one is "refunds"',
        'the source task "payments-002" is not a task of the area "refunds"',
    ]


def test_problems_of_one_layer_come_together() -> None:
    data = b"PROPOSE\n" + envelope(follow_up(schema_version=3), b"").replace(b'"x"', b"")
    assert [problem.message.split(" is ")[0] for problem in refused(data).problems] == [
        "the first line",
        "the schema version",
    ]
    wrong = follow_up(area="x y", tasks=[{}], more=None)
    assert {problem.pointer for problem in refused(envelope(wrong)).problems} == {
        "/area",
        "/tasks/0",
        "/more",
    }


def test_lines_are_counted_from_the_first_line() -> None:
    error = refused(FIRST_LINE + b'{\n"area": x}')
    assert error.problems[0].line == 3


def read_or_none(data: bytes) -> Proposal | None:
    """The proposal, None when it is refused; nothing else may happen."""
    with contextlib.suppress(InvalidInput):
        return read_proposal(data, "payments")
    return None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
MUTATED = st.builds(
    lambda document, changes: document() | changes,
    st.sampled_from([follow_up, split]),
    st.dictionaries(st.sampled_from([*split(), "more"]), JSON),
)


@given(st.binary() | st.binary().map(lambda data: FIRST_LINE + b"{" + data + b"}"))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    refused(data)


@given(MUTATED, st.sampled_from([b"", b" ", b"\n", b"}", b"{}"]))
def test_any_document_is_read_exactly_or_refused(document: dict[str, object], after: bytes) -> None:
    data = FIRST_LINE + json.dumps(document).encode() + after
    proposal = read_or_none(data)
    if proposal is not None:
        assert proposal.document == document
        assert proposal.json == data[len(FIRST_LINE) :]
        assert after in (b"", b"\n")
        assert document["schema_version"] == 1


@given(st.data())
def test_a_valid_proposal_survives_no_change_of_a_byte_unnoticed(data: st.DataObject) -> None:
    good = envelope(follow_up())
    place = data.draw(st.integers(0, len(good) - 1))
    byte = data.draw(st.integers(0, 255))
    changed = good[:place] + bytes([byte]) + good[place + 1 :]
    proposal = read_or_none(changed)
    if proposal is not None:
        assert first_line(proposal.area, proposal.source_task) + proposal.json == changed
