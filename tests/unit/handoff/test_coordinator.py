"""The coordinator's routes over scripted gates and workers: calls, order, and how each ends."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.ground.errors import ZdevError
from git_zdev.handoff.coordinator import Coordinator
from git_zdev.handoff.gates import Authority, CommandGates, Handoff, Outcome, Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

HEAD = "1" * 40
YES = Authority(*[lambda proposal: True] * 3)


def implementer(**changes: Any) -> bytes:
    reply = {
        "schema_version": 1,
        "kind": "implementer",
        "area": "payments",
        "task_id": "payments-001",
        "verdict": "ready",
        "summary": "Did\nit.",
        "evidence": [],
        "findings": [],
        "escalation": "none",
    }
    return json.dumps({**reply, **changes}).encode()


def verifier(verdict: str = "pass", *findings: str) -> bytes:
    reply = {"verdict": verdict, "summary": f"A {verdict}.", "findings": list(findings)}
    return json.dumps({**reply, "escalation": "none"}).encode()


def auditor(lens: str | None, *findings: str, verdict: str = "") -> bytes:
    verdict = verdict or ("findings" if findings else "pass")
    reply = {"verdict": verdict, "lens": lens, "summary": f"{verdict}.", "findings": findings}
    return json.dumps(reply).encode()


def proposal(kind: str) -> str:
    return f'PROPOSE zdev-derived payments payments-001\n{{"proposal": "{kind}"}}\n'


def proposing(kind: str) -> bytes:
    return implementer(verdict="blocker", evidence=[proposal(kind)])


@dataclass
class FakeGates:
    """Answers as the program does; ``equal`` is popped at each comparison, then true."""

    task_id: str | None = "payments-001"
    lifecycle: str = "open"
    equal: list[bool] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    eligible: bool = True
    failing: str = ""
    stale: bool = False
    seen: list[tuple[str, Any]] = field(default_factory=list)

    def snapshot(self, area: str) -> Mapping[str, Any]:
        return self._locator("snapshot", area)

    def admit(self, area: str, task_id: str | None) -> Mapping[str, Any]:
        return self._locator("admit", area)

    def compare(self, area: str, snapshot: str) -> bool:
        self._see("compare", snapshot)
        return self.equal.pop(0) if self.equal else True

    def complete(
        self, area: str, snapshot: str, summary: str, validation: Sequence[str]
    ) -> Mapping[str, Any]:
        self._see("complete", (snapshot, summary, list(validation)))
        return {"status": "done"}

    def review(self, area: str, proposal: bytes) -> Mapping[str, Any]:
        self._see("review", proposal)
        return {"mechanically_eligible": self.eligible, "reason": "why", "review": "D1"}

    def apply(self, area: str, proposal: bytes) -> Mapping[str, Any]:
        self._see("apply", proposal)
        return {"status": "committed"}

    def _locator(self, name: str, area: str) -> Mapping[str, Any]:
        self._see(name, area)
        return {
            "area": area,
            "head": self.heads.pop(0) if self.heads else HEAD,
            "lifecycle": self.lifecycle,
            "snapshot": f"W{len(self.seen):016x}",
            "stale_advisory": self.stale,
            "task_id": self.task_id,
        }

    def _see(self, name: str, value: Any) -> None:
        self.seen.append((name, value))
        if name == self.failing:
            raise ZdevError("refused", f"{name} was refused")


@dataclass
class Script:
    """Workers that answer from lists and remember what they were given."""

    implement: list[bytes] = field(default_factory=lambda: [implementer()] * 2)
    verify: list[bytes] = field(default_factory=lambda: [verifier()] * 2)
    check: list[bytes] = field(default_factory=list)
    audit: list[bytes] = field(default_factory=list)
    given: list[tuple[str, Handoff]] = field(default_factory=list)

    def workers(self, **more: Any) -> Workers:
        return Workers(
            profile=lambda handoff: self.given.append(("profile", handoff)),
            implement=self._worker("implement"),
            verify=self._worker("verify"),
            check=self._worker("check"),
            audit=self._worker("audit"),
            **more,
        )

    def _worker(self, name: str) -> Callable[[Handoff], bytes]:
        answers = list(getattr(self, name))

        def answer(handoff: Handoff) -> bytes:
            self.given.append((name, handoff))
            return answers.pop(0)

        return answer


SIX = ("snapshot", "profile", "implement", "admit", "verify", "compare")


def run(script: Script, gates: FakeGates | None = None, **more: Any) -> Outcome:
    return Coordinator(gates or FakeGates(), script.workers(), **more).run_task("payments")


def test_ordinary_success_takes_seven_calls() -> None:
    gates = FakeGates()
    outcome = run(Script(), gates)
    assert outcome.status == "completed"
    assert outcome.calls == (*SIX, "complete")
    admitted = f"W{2:016x}"
    assert gates.seen[-2:] == [
        ("compare", admitted),
        ("complete", (admitted, "Did it.", ["A pass."])),
    ]


def test_explicit_verification_takes_four_calls() -> None:
    outcome = Coordinator(FakeGates(), Script().workers()).verify_task("payments")
    assert outcome.status == "verified"
    assert outcome.calls == ("profile", "admit", "verify", "compare")
    assert outcome.result is not None
    assert outcome.result["evidence"] == [f"work_context_snapshot: W{1:016x}"]


def test_a_stale_branch_stands_in_the_evidence() -> None:
    outcome = Coordinator(FakeGates(stale=True), Script().workers()).verify_task("payments")
    assert outcome.result is not None
    assert outcome.result["evidence"][1:] == [
        "Advisory: run `git zdev area rebase payments` when you need current base changes"
    ]


def test_one_correction_takes_fourteen_calls() -> None:
    script = Script(verify=[verifier("rework", "a.py: wrong"), verifier()])
    script.check = [verifier("rework", "a.py: wrong")]
    outcome = run(script)
    assert outcome.status == "completed"
    again = ("snapshot", "implement", "admit", "verify", "compare", "complete")
    assert outcome.calls == (*SIX, "check", "compare", *again)
    assert len(outcome.calls) == 14
    implementers = [handoff for name, handoff in script.given if name == "implement"]
    assert [handoff.findings for handoff in implementers] == [(), ("a.py: wrong",)]


@pytest.mark.parametrize(("lifecycle", "task_id"), [("closed", None), ("open", None)])
def test_no_work_takes_one_call(lifecycle: str, task_id: str | None) -> None:
    outcome = run(Script(), FakeGates(lifecycle=lifecycle, task_id=task_id))
    assert (outcome.status, outcome.calls) == ("no-work", ("snapshot",))


def test_a_worker_gets_locators_only() -> None:
    script = Script(implement=[implementer(summary="first"), implementer(summary="second")])
    script.verify = [verifier("rework", "x"), verifier()]
    script.check = [verifier("rework", "x")]
    run(script)
    for name, handoff in script.given:
        assert handoff.area == "payments", name
        assert handoff.task_id == "payments-001"
        assert handoff.head == HEAD
        assert handoff.snapshot is not None
        assert handoff.snapshot.startswith("W")
    verifiers = [handoff.envelope for name, handoff in script.given if name == "verify"]
    assert [envelope["summary"] for envelope in verifiers if envelope] == ["first", "second"]


def test_marked_validation_writes_need_no_checker() -> None:
    script = Script(verify=[verifier("rework", "validation_write: build/x"), verifier()])
    outcome = run(script, FakeGates(equal=[False, True]))
    assert outcome.status == "completed"
    assert "check" not in outcome.calls
    assert len(outcome.calls) == 12


def test_a_checker_may_refute_the_findings() -> None:
    script = Script(verify=[verifier("rework", "a.py: wrong")], check=[verifier()])
    outcome = run(script)
    assert outcome.status == "completed"
    assert outcome.calls == (*SIX, "check", "compare", "complete")


def test_a_checkers_own_change_blocks() -> None:
    script = Script(verify=[verifier("rework", "a.py: wrong")], check=[verifier("rework", "same")])
    outcome = run(script, FakeGates(equal=[True, False]))
    assert outcome.status == "blocked"
    assert outcome.calls == (*SIX, "check", "compare")


def test_a_changed_pass_never_completes() -> None:
    gates = FakeGates(equal=[False])
    outcome = run(Script(), gates)
    assert outcome.status == "blocked"
    assert "complete" not in dict(gates.seen)
    assert outcome.result is not None
    assert outcome.result["verdict"] == "blocker"


def test_corrections_are_bounded() -> None:
    script = Script(verify=[verifier("rework", "x")] * 2, check=[verifier("rework", "x")] * 2)
    outcome = run(script)
    assert outcome.status == "rework"
    assert outcome.calls.count("implement") == 2
    assert "complete" not in outcome.calls


def test_head_that_moved_under_a_worker_blocks() -> None:
    outcome = run(Script(), FakeGates(heads=[HEAD, "2" * 40]))
    assert (outcome.status, outcome.calls) == ("blocked", SIX[:4])
    assert "head" in outcome.reason


@pytest.mark.parametrize(
    ("script", "calls"),
    [
        (Script(implement=[b"done!"]), SIX[:3]),
        (Script(implement=[implementer(task_id="payments-002")]), SIX[:3]),
        (Script(verify=[verifier() + verifier()]), SIX[:5]),
        (Script(verify=[b"PASS"]), SIX[:5]),
    ],
)
def test_a_malformed_reply_is_shown_and_never_retried(
    script: Script, calls: tuple[str, ...]
) -> None:
    outcome = run(script)
    assert (outcome.status, outcome.calls) == ("blocked", calls)
    assert outcome.received == (script.verify if len(calls) == 5 else script.implement)[0]


@pytest.mark.parametrize("gate", ["snapshot", "admit", "compare", "complete"])
def test_a_refused_gate_ends_the_route(gate: str) -> None:
    gates = FakeGates(failing=gate)
    outcome = run(Script(), gates)
    assert outcome.status == "blocked"
    assert outcome.calls[-1] == gate
    assert [name for name, _ in gates.seen].count(gate) == 1


def test_a_split_is_applied_once_when_every_judge_agrees() -> None:
    gates = FakeGates()
    outcome = run(Script(implement=[proposing("implementation_split")]), gates, authority=YES)
    assert outcome.status == "derived"
    assert outcome.calls == (*SIX[:3], "apply")
    assert gates.seen[-1] == ("apply", proposal("implementation_split").encode())


@pytest.mark.parametrize("doubt", ["necessary", "in_scope", "no_open_choice"])
def test_one_doubt_asks_a_person(doubt: str) -> None:
    judges = {name: lambda proposal: True for name in ("necessary", "in_scope", "no_open_choice")}
    judges[doubt] = lambda proposal: False
    script = Script(implement=[proposing("implementation_split")])
    outcome = run(script, authority=Authority(**judges))
    assert (outcome.status, outcome.calls[-1]) == ("needs-review", "review")
    assert outcome.received == proposal("implementation_split").encode()


def test_nobody_judging_means_no() -> None:
    outcome = run(Script(implement=[proposing("implementation_split")]))
    assert outcome.status == "needs-review"
    assert "apply" not in outcome.calls


def test_what_is_not_eligible_is_nobodys_decision() -> None:
    script = Script(implement=[proposing("implementation_split")])
    outcome = run(script, FakeGates(eligible=False))
    assert (outcome.status, outcome.reason) == ("blocked", "why")


def test_an_investigation_needs_a_pass_before_its_follow_ups() -> None:
    staged: list[Handoff] = []
    script = Script(implement=[proposing("investigation_follow_up")])
    coordinator = Coordinator(FakeGates(), script.workers(stage=staged.append), YES)
    outcome = coordinator.run_task("payments")
    assert outcome.status == "derived"
    assert outcome.calls == (*SIX, "apply")
    assert len(staged) == 1
    script = Script(implement=[proposing("investigation_follow_up")], verify=[verifier("blocker")])
    outcome = Coordinator(FakeGates(), script.workers(stage=staged.append), YES).run_task(
        "payments"
    )
    assert (outcome.status, len(staged)) == ("blocked", 1)


def test_splitting_again_and_again_stops() -> None:
    script = Script(implement=[proposing("implementation_split")] * 9)
    coordinator = Coordinator(FakeGates(), script.workers(), YES)
    outcomes = coordinator.run_area("payments", lambda outcome: True, max_splits_in_a_row=2)
    assert [outcome.status for outcome in outcomes] == ["derived", "derived", "blocked"]


def test_an_area_starts_every_task_from_fresh_context() -> None:
    script = Script(implement=[implementer()] * 3, verify=[verifier()] * 3)
    answers = iter([True, False])
    coordinator = Coordinator(FakeGates(), script.workers())
    outcomes = coordinator.run_area("payments", lambda outcome: next(answers))
    assert [outcome.calls for outcome in outcomes] == [(*SIX, "complete")] * 2


@pytest.mark.parametrize(
    ("lenses", "replies", "check", "status", "count"),
    [
        ((), [auditor(None)], [], "verified", 1),
        ((), [auditor(None, "x")], [verifier("rework", "x")], "rework", 2),
        ((), [auditor(None, "x")], [verifier()], "verified", 2),
        (("a", "b", "c"), [auditor(lens) for lens in "abc"], [], "verified", 3),
        (
            ("a", "b", "c"),
            [auditor("a"), auditor("b", "x"), auditor("c", "y")],
            [verifier("rework", "x", "y")],
            "rework",
            4,
        ),
        (("a", "b"), [auditor("a"), auditor("b", verdict="blocked")], [], "incomplete", 2),
        (("a", "b"), [auditor("a"), auditor("a")], [], "incomplete", 2),
        (("a", "b"), [auditor("a", "x"), b""], [], "incomplete", 2),
    ],
)
def test_audits(
    lenses: tuple[str, ...], replies: list[bytes], check: list[bytes], status: str, count: int
) -> None:
    script = Script(audit=replies, check=check)
    outcome = Coordinator(FakeGates(), script.workers()).audit("payments", lenses)
    assert (outcome.status, len(outcome.calls)) == (status, count)
    assert [name for name, _ in script.given] == list(outcome.calls)


def test_command_gates_run_the_program() -> None:
    ran: list[tuple[list[str], bytes]] = []

    def program(words: Sequence[str], stdin: bytes) -> tuple[int, bytes]:
        ran.append((list(words), stdin))
        return 0, b'{"equal": true}'

    gates = CommandGates(program)
    assert gates.compare("payments", "W1") is True
    gates.complete("payments", "W1", "S", ["a", "b"])
    gates.apply("payments", b"P")
    gates.admit("payments", None)
    tail = ["--format", "json"]
    assert ran == [
        (["work-context", "payments", "--compare", "W1", *tail], b""),
        (
            [
                "verify",
                "complete",
                "payments",
                "--snapshot",
                "W1",
                "--summary",
                "S",
                "--validation",
                "a",
                "--validation",
                "b",
                *tail,
            ],
            b"",
        ),
        (["tasks", "derive", "apply", "payments", "--from", "-", *tail], b"P"),
        (["verify", "admit", "payments", *tail], b""),
    ]
    with pytest.raises(ZdevError, match="answered 1"):
        CommandGates(lambda words, stdin: (1, b"")).snapshot("payments")
