"""Worker replies: one object, the right keys, no contradiction, and what they are worth."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_zdev.ground.errors import InvalidInput, ZdevError
from git_zdev.handoff import replies as verify

PASS = {"verdict": "pass", "summary": "All held.", "findings": [], "escalation": "none"}
REWORK = {"verdict": "rework", "summary": "No.", "findings": ["a.py: wrong"], "escalation": "none"}
BLOCKER = {"verdict": "blocker", "summary": "Stop.", "findings": [], "escalation": "none"}
IDENTITY = verify.Identity("payments", "payments-007", "W0123456789abcdef")
READY = {
    "schema_version": 1,
    "kind": "implementer",
    "area": "payments",
    "task_id": "payments-007",
    "verdict": "ready",
    "summary": "Done.",
    "evidence": ["ran the tests"],
    "findings": [],
    "escalation": "none",
}
AUDIT = {"verdict": "pass", "lens": None, "summary": "Clean.", "findings": []}


def text(value: object) -> bytes:
    return json.dumps(value).encode()


def places(error: pytest.ExceptionInfo[InvalidInput]) -> list[str | None]:
    return [problem.pointer for problem in error.value.problems]


@pytest.mark.parametrize("value", [PASS, REWORK, BLOCKER])
def test_a_reply_may_stand_alone(value: dict[str, Any]) -> None:
    reply = verify.read_verifier_reply(text(value))
    assert (reply.verdict, list(reply.findings)) == (value["verdict"], value["findings"])


@pytest.mark.parametrize(
    "around",
    [
        "I looked at it.\n{}\nThat is all.",
        "```json\n{}\n```\n",
        "The set {{a, b}} and a lone }} are text: {}",
        "See `f() {{ return; }}`.\n\n```\n{}\n```",
        "\n\n  {}  \n",
    ],
)
def test_a_reply_may_stand_in_text_or_a_fence(around: str) -> None:
    data = around.replace("{}", json.dumps(REWORK)).replace("{{", "{").replace("}}", "}")
    assert verify.read_verifier_reply(data.encode()).findings == ("a.py: wrong",)


def test_braces_and_quotes_in_strings_are_no_structure() -> None:
    value = {**REWORK, "findings": ['x.c: use "{" and } and \\ here', "{}"]}
    assert verify.read_verifier_reply(text(value)).findings == tuple(value["findings"])


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"PASS", id="no object"),
        pytest.param(text(PASS) + text(PASS), id="two objects"),
        pytest.param(text(PASS) + b" {}", id="a second, empty object"),
        pytest.param(text(PASS)[:-1], id="truncated"),
        pytest.param(text({**PASS, "more": PASS})[:-2], id="truncated around a whole object"),
        pytest.param(b"[" + text(PASS) + b"]", id="array"),
        pytest.param(b'{"verdict": "pass" "summary": 1}', id="malformed"),
        pytest.param(b"\xff" + text(PASS), id="no UTF-8"),
        pytest.param(text(PASS) + b" " * verify.REPLY_SIZE_LIMIT, id="too long"),
        pytest.param(b'{"a":' * 5000 + b"1" + b"}" * 5000, id="too deep"),
        pytest.param(text(PASS).replace(b'"findings"', b'"summary": "x", "findings"'), id="twice"),
        pytest.param(b'{"verdict": "pa', id="truncated in a string"),
    ],
)
def test_what_is_not_exactly_one_object_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput) as caught:
        verify.read_verifier_reply(data)
    assert caught.value.code == "invalid-reply"
    assert caught.value.status == 1


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"findings": ["x"]}, ["/findings"]),
        ({"verdict": "rework"}, ["/findings"]),
        ({"verdict": "maybe"}, ["/verdict"]),
        ({"verdict": None}, ["/verdict"]),
        ({"verdict": ["pass"]}, ["/verdict"]),
        ({"summary": ""}, ["/summary"]),
        ({"summary": " \n"}, ["/summary"]),
        ({"summary": 3}, ["/summary"]),
        ({"findings": "none"}, ["/findings"]),
        ({"findings": [" "], "verdict": "rework"}, ["/findings/0"]),
        ({"findings": [1], "verdict": "rework"}, ["/findings/0"]),
        ({"escalation": "advanced-implementer"}, ["/escalation"]),
        ({"escalation": "manager"}, ["/escalation"]),
        ({"area": "payments"}, ["/area"]),
        ({"a/b": 1}, ["/a~1b"]),
    ],
)
def test_a_contradictory_reply_is_refused(change: dict[str, Any], wrong: list[str]) -> None:
    with pytest.raises(InvalidInput) as caught:
        verify.read_verifier_reply(text({**PASS, **change}))
    assert places(caught) == wrong


@pytest.mark.parametrize("key", list(PASS))
def test_every_key_is_required(key: str) -> None:
    with pytest.raises(InvalidInput, match="not acceptable") as caught:
        verify.read_verifier_reply(text({k: v for k, v in PASS.items() if k != key}))
    assert f'the key "{key}" is missing' == caught.value.problems[0].message


def test_problems_come_together() -> None:
    with pytest.raises(InvalidInput) as caught:
        verify.read_verifier_reply(text({"verdict": "no", "summary": "", "findings": [0], "x": 1}))
    assert places(caught) == ["", "/x", "/summary", "/findings/0", "/verdict"]


def test_advanced_help_goes_with_rework() -> None:
    reply = verify.read_verifier_reply(text({**REWORK, "escalation": "advanced-implementer"}))
    assert verify.judge(reply, unchanged=True).escalation == "advanced-implementer"


WRITE = "validation_write: build/report.xml"


@pytest.mark.parametrize(
    ("findings", "verdict"),
    [
        (["a.py: wrong", WRITE], "rework"),
        ([WRITE], "rework"),
        ([WRITE, "validation_write: b"], "rework"),
        (["a.py: wrong"], "blocker"),
        ([WRITE, "validation_write: /etc/passwd"], "blocker"),
        ([WRITE, "validation_write: a/../b"], "blocker"),
        ([WRITE, "validation_write:"], "blocker"),
        ([WRITE, "validation_write:b"], "blocker"),
        ([WRITE, "validation_write:  b"], "blocker"),
        ([WRITE, "validation_write: a//b"], "blocker"),
        ([WRITE, "validation_write: a\\b"], "blocker"),
        ([WRITE, "validation_write: dir/"], "blocker"),
    ],
)
def test_rework_survives_a_change_only_when_it_explains_it(
    findings: list[str], verdict: str
) -> None:
    reply = verify.read_verifier_reply(
        text({**REWORK, "findings": findings, "escalation": "advanced-implementer"})
    )
    judged = verify.judge(reply, unchanged=False)
    assert judged.verdict == verdict
    generated = () if verdict == "rework" else (verify.CHANGED_FINDING,)
    assert judged.findings == (*findings, *generated)
    assert judged.escalation == ("advanced-implementer" if verdict == "rework" else "none")


def test_a_pass_is_worth_nothing_after_a_change() -> None:
    judged = verify.judge(verify.read_verifier_reply(text(PASS)), unchanged=False)
    assert (judged.verdict, judged.findings) == ("blocker", (verify.CHANGED_FINDING,))
    assert judged.summary == "All held."


@pytest.mark.parametrize("value", [PASS, REWORK, BLOCKER])
def test_nothing_changes_a_reply_when_nothing_moved(value: dict[str, Any]) -> None:
    reply = verify.read_verifier_reply(text(value))
    assert verify.judge(reply, unchanged=True) == reply


def test_the_public_result_has_nine_keys_and_made_evidence() -> None:
    reply = verify.read_verifier_reply(text(PASS))
    result = verify.public_result(reply, IDENTITY)
    assert tuple(result) == verify.RESULT_KEYS
    assert result["evidence"] == ["work_context_snapshot: W0123456789abcdef"]
    stale = verify.Identity("payments", "payments-007", "W0123456789abcdef", "Advisory: x")
    assert verify.public_result(reply, stale)["evidence"][1:] == ["Advisory: x"]


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"kind": "verifier"}, ["/kind"]),
        ({"area": "other"}, ["/area"]),
        ({"task_id": "payments-008"}, ["/task_id"]),
        ({"schema_version": True}, ["/schema_version"]),
        ({"schema_version": 1.0}, ["/schema_version"]),
        ({"escalation": "advanced-implementer"}, ["/escalation"]),
        ({"verdict": "pass"}, ["/verdict"]),
        ({"findings": ["x"]}, ["/findings"]),
        ({"evidence": "x"}, ["/evidence"]),
        ({"evidence": [""]}, ["/evidence/0"]),
    ],
)
def test_an_implementer_says_who_it_is(change: dict[str, Any], wrong: list[str]) -> None:
    sound = verify.read_implementer_reply(text(READY), "payments", "payments-007")
    assert sound == READY
    with pytest.raises(InvalidInput) as caught:
        verify.read_implementer_reply(text({**READY, **change}), "payments", "payments-007")
    assert places(caught) == wrong


def test_an_implementer_reply_comes_back_in_key_order() -> None:
    shuffled = dict(reversed(READY.items()))
    reply = verify.read_implementer_reply(text(shuffled), "payments", "payments-007")
    assert tuple(reply) == verify.RESULT_KEYS


def test_a_proposal_travels_as_the_only_evidence_of_a_blocker() -> None:
    proposal = "PROPOSE zdev-derived payments payments-007\n{}\n"
    carrier = {**READY, "verdict": "blocker", "evidence": [proposal]}
    assert verify.carried_proposal(carrier) == proposal
    for change in (
        {"verdict": "ready"},
        {"findings": ["x"]},
        {"evidence": [proposal, proposal]},
        {"evidence": ["no proposal"]},
    ):
        assert verify.carried_proposal({**carrier, **change}) is None


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"lens": ""}, ["/lens"]),
        ({"lens": "a\nb"}, ["/lens"]),
        ({"lens": 1}, ["/lens"]),
        ({"verdict": "findings"}, ["/findings"]),
        ({"findings": ["x"]}, ["/findings"]),
        ({"verdict": "blocked", "findings": ["x"]}, ["/findings"]),
        ({"verdict": "rework"}, ["/verdict"]),
    ],
)
def test_an_audit_reply_is_consistent(change: dict[str, Any], wrong: list[str]) -> None:
    assert verify.read_audit_reply(text(AUDIT)) == AUDIT
    assert verify.read_audit_reply(text({**AUDIT, "lens": "sécurité"}))["lens"] == "sécurité"
    with pytest.raises(InvalidInput) as caught:
        verify.read_audit_reply(text({**AUDIT, **change}))
    assert places(caught) == wrong


@pytest.mark.parametrize(
    "context",
    [
        {"area": "a", "lifecycle": "closed", "queue": "exhausted", "task_id": None},
        {"area": "a", "lifecycle": "open", "queue": "exhausted", "task_id": None},
    ],
)
def test_no_work_is_nothing_to_verify(context: dict[str, Any]) -> None:
    with pytest.raises(ZdevError) as caught:
        verify.require_work(context)
    assert caught.value.code == "no-work"


@given(st.text(), st.text())
def test_any_text_gives_the_object_or_a_refusal(before: str, after: str) -> None:
    data = (before + json.dumps(PASS) + after).encode(errors="replace")
    with contextlib.suppress(InvalidInput):
        assert verify.read_verifier_reply(data).verdict == "pass"


@given(st.binary(max_size=200))
def test_any_bytes_give_an_answer(data: bytes) -> None:
    with pytest.raises(InvalidInput):
        verify.read_verifier_reply(data)
