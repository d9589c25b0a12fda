"""The coordinator on real repositories, with scripted workers and the real program.

Every worker call and every run of the program is counted as a harness would count agent calls. A
coordinator that leaves a gate out, or passes one twice, must not pass this probe: the mutations at
the end show that it does not.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.handoff.coordinator import Coordinator
from git_zdev.handoff.gates import Authority, CommandGates, Handoff, Outcome, Workers
from tests.support.cli import result, succeed, tree_state, zdev
from tests.support.plan import commit_payments, envelope, follow_up, split

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.support.repo import GitRepo

TASK = "payments-002"
YES = Authority(*[lambda proposal: True] * 3)
SIX = ["snapshot", "profile", "implement", "admit", "verify", "compare"]


def reply(verdict: str = "pass", *findings: str) -> bytes:
    value = {"verdict": verdict, "summary": f"Said {verdict}.", "findings": list(findings)}
    return b"Here is what I found.\n" + json.dumps({**value, "escalation": "none"}).encode()


def implemented(**changes: Any) -> bytes:
    value = {
        "schema_version": 1,
        "kind": "implementer",
        "area": "payments",
        "task_id": TASK,
        "verdict": "ready",
        "summary": "Settled it.",
        "evidence": [],
        "findings": [],
        "escalation": "none",
    }
    return json.dumps({**value, **changes}).encode()


def proposing(proposal: dict[str, Any]) -> bytes:
    return implemented(verdict="blocker", evidence=[envelope(proposal).decode()])


@dataclass
class Harness:
    """A harness for one repository: counts calls, and lets a script answer for the workers.

    Attributes:
        repo: The repository.
        calls: Every call in order: names of workers, and words of program runs.
        verdicts: What verifiers answer, in order; then a pass.
        checks: What checking verifiers answer, in order.
        replies: What implementers answer, in order; then that the work is done.
        while_verifying: What a verifier's validation does to the repository.
    """

    repo: GitRepo
    calls: list[str] = field(default_factory=list)
    verdicts: list[bytes] = field(default_factory=list)
    checks: list[bytes] = field(default_factory=list)
    replies: list[bytes] = field(default_factory=list)
    audits: list[bytes] = field(default_factory=list)
    while_verifying: list[Callable[[], object]] = field(default_factory=list)
    rounds: int = 0

    def program(self, words: Sequence[str], stdin: bytes) -> tuple[int, bytes]:
        run = zdev(*words, cwd=self.repo.path, stdin=stdin)
        self.calls.append(_GATES[tuple(word for word in words if word in _WORDS)])
        for secret in (b"git_diff", b"git_status", b"git_untracked"):
            assert secret not in run.stdout
        return run.status, run.stdout

    def workers(self) -> Workers:
        return Workers(
            profile=self._profile,
            implement=self._implement,
            verify=self._verify,
            check=self._check,
            audit=self._audit,
            stage=lambda handoff: self.repo.git("add", "src"),
        )

    def coordinator(self, kind: type[Coordinator] = Coordinator, **more: Any) -> Coordinator:
        return kind(CommandGates(self.program), self.workers(), **more)

    def _profile(self, handoff: Handoff) -> str:
        self.calls.append("profile")
        return "any"

    def _implement(self, handoff: Handoff) -> bytes:
        self.calls.append("implement")
        self.rounds += 1
        if not self.replies:
            self.repo.write("src/payments.rs", f"fn pay() {{ {self.rounds} }}\n")
            return implemented()
        return self.replies.pop(0)

    def _verify(self, handoff: Handoff) -> bytes:
        self.calls.append("verify")
        shown = succeed("work-context", "payments", "--show", handoff.snapshot, cwd=self.repo.path)
        context = json.loads(shown.stdout)
        assert (context["task_id"], context["head"]) == (handoff.task_id, handoff.head)
        if self.while_verifying:
            self.while_verifying.pop(0)()
        return self.verdicts.pop(0) if self.verdicts else reply()

    def _check(self, handoff: Handoff) -> bytes:
        self.calls.append("check")
        assert handoff.findings
        return self.checks.pop(0)

    def _audit(self, handoff: Handoff) -> bytes:
        self.calls.append("audit")
        return self.audits.pop(0)


_GATES = {
    ("work-context", "--store"): "snapshot",
    ("work-context", "--compare"): "compare",
    ("verify", "admit"): "admit",
    ("verify", "complete"): "complete",
    ("derive", "apply"): "apply",
    ("derive", "review"): "review",
}
_WORDS = {word for words in _GATES for word in words}


@pytest.fixture
def harness(repo: GitRepo) -> Harness:
    commit_payments(repo)
    return Harness(repo)


def state(harness: Harness) -> str:
    listed = result("tasks list", "payments", cwd=harness.repo.path)["tasks"]
    found: str = next(task["state"] for task in listed if task["id"] == TASK)
    return found


def ordinary_success(harness: Harness, kind: type[Coordinator] = Coordinator) -> None:
    outcome = harness.coordinator(kind).run_task("payments")
    assert outcome.status == "completed", outcome.reason
    assert harness.calls == [*SIX, "complete"] == list(outcome.calls)
    assert len(harness.calls) == 7
    assert state(harness) == "done"
    assert harness.repo.git("diff", "--cached", "--name-only") == ""


def explicit_verification(harness: Harness, kind: type[Coordinator] = Coordinator) -> None:
    harness.repo.write("src/payments.rs", "fn pay() { 1 }\n")
    outcome = harness.coordinator(kind).verify_task("payments")
    assert outcome.status == "verified", outcome.reason
    assert harness.calls == ["profile", "admit", "verify", "compare"]
    assert state(harness) == "ready"


def correction(harness: Harness, kind: type[Coordinator] = Coordinator) -> None:
    harness.verdicts = [reply("rework", "src/payments.rs: no bound")]
    harness.checks = [reply("rework", "src/payments.rs: no bound")]
    outcome = harness.coordinator(kind).run_task("payments")
    assert outcome.status == "completed", outcome.reason
    again = ["snapshot", "implement", "admit", "verify", "compare", "complete"]
    assert harness.calls == [*SIX, "check", "compare", *again]
    assert len(harness.calls) == 14


def changed_pass(harness: Harness, kind: type[Coordinator] = Coordinator) -> None:
    harness.while_verifying = [lambda: harness.repo.write("report.xml", "<x/>")]
    outcome = harness.coordinator(kind).run_task("payments")
    assert outcome.status == "blocked"
    assert harness.calls == SIX
    assert state(harness) == "ready"


def test_an_ordinary_success_takes_seven_calls(harness: Harness) -> None:
    ordinary_success(harness)


def test_an_explicit_verification_takes_four_calls(harness: Harness) -> None:
    explicit_verification(harness)


def test_one_correction_and_then_success_take_fourteen_calls(harness: Harness) -> None:
    correction(harness)


def test_a_pass_over_a_changed_repository_completes_nothing(harness: Harness) -> None:
    changed_pass(harness)


def test_open_work_that_is_all_done_takes_one_call(harness: Harness) -> None:
    words = ("--summary", "S", "--validation", "V")
    for task in ("payments-002", "payments-003", "payments-004"):
        succeed("task", "done", "payments", task, *words, cwd=harness.repo.path)
    outcome = harness.coordinator().run_task("payments")
    assert (outcome.status, harness.calls) == ("no-work", ["snapshot"])
    succeed("area", "close", "payments", cwd=harness.repo.path)
    harness.calls.clear()
    outcome = harness.coordinator().run_task("payments")
    assert (outcome.status, harness.calls) == ("no-work", ["snapshot"])


def test_what_a_validation_wrote_is_corrected_without_a_checker(harness: Harness) -> None:
    harness.verdicts = [reply("rework", "validation_write: report.xml")]
    harness.while_verifying = [lambda: harness.repo.write("report.xml", "<x/>")]
    outcome = harness.coordinator().run_task("payments")
    assert outcome.status == "completed", outcome.reason
    assert "check" not in harness.calls


def test_an_ordinary_run_ends_without_another_context(harness: Harness) -> None:
    def commit(outcome: Outcome) -> bool:
        harness.calls.append("commit")
        harness.repo.git("add", ".zdev", "src")
        succeed("commit", "-m", "Settle the boundary", cwd=harness.repo.path)
        return False

    outcomes = harness.coordinator().run_area("payments", commit)
    assert [outcome.status for outcome in outcomes] == ["completed"]
    assert harness.calls == [*SIX, "complete", "commit"]


def test_a_continuation_collects_fresh_context_first(harness: Harness) -> None:
    answers = iter([True, False])

    def commit(outcome: Outcome) -> bool:
        harness.repo.git("add", ".zdev", "src")
        succeed("commit", "-m", "Go on", cwd=harness.repo.path)
        harness.replies = [implemented(task_id="payments-003")]
        return next(answers)

    outcomes = harness.coordinator().run_area("payments", commit)
    assert [outcome.status for outcome in outcomes] == ["completed", "completed"]
    assert harness.calls == [*SIX, "complete"] * 2


@pytest.mark.parametrize(
    ("answer", "calls"),
    [
        (b"It is done.", SIX[:3]),
        (implemented() + implemented(), SIX[:3]),
        (implemented(task_id="payments-004"), SIX[:3]),
    ],
)
def test_a_malformed_envelope_is_shown_and_not_retried(
    harness: Harness, answer: bytes, calls: list[str]
) -> None:
    harness.replies = [answer]
    outcome = harness.coordinator().run_task("payments")
    assert (outcome.status, outcome.received, harness.calls) == ("blocked", answer, calls)
    assert state(harness) == "ready"


def test_investigation_with_no_follow_up(harness: Harness) -> None:
    before = harness.repo.rev("HEAD")
    outcome = harness.coordinator(authority=YES).run_task("payments")
    assert outcome.status == "completed"
    assert not {"apply", "review"} & set(harness.calls)
    assert harness.repo.rev("HEAD") == before


def test_successful_investigation_through_the_coordinator(harness: Harness) -> None:
    harness.replies = [proposing(follow_up())]
    outcome = harness.coordinator(authority=YES).run_task("payments")
    assert outcome.status == "derived", outcome.reason
    assert harness.calls == [*SIX, "apply"]
    assert outcome.result is not None
    assert outcome.result["status"] == "committed"
    assert state(harness) == "done"


def test_product_choice_split(harness: Harness) -> None:
    proposal = split()
    harness.replies = [proposing(proposal)]
    open_choice = Authority(lambda proposal: True, lambda proposal: True, lambda proposal: False)
    before = records_and_refs(harness.repo)
    outcome = harness.coordinator(authority=open_choice).run_task("payments")
    assert outcome.status == "needs-review", outcome.reason
    assert outcome.received == envelope(proposal)
    assert outcome.result is not None
    assert outcome.result["mechanically_eligible"] is True
    assert harness.calls == [*SIX[:3], "review"]
    assert records_and_refs(harness.repo) == before


def records_and_refs(repo: GitRepo) -> tuple[object, ...]:
    index = (repo.path / ".git/index").read_bytes()
    return tree_state(repo.path / ".zdev"), index, repo.git("for-each-ref")


def test_a_second_proposal_object_is_never_applied(harness: Harness) -> None:
    once = envelope(split()).decode()
    for evidence in ([once + once], [once, once]):
        harness.replies = [implemented(verdict="blocker", evidence=evidence)]
        outcome = harness.coordinator(authority=YES).run_task("payments")
        assert outcome.status == "blocked"
        assert state(harness) == "ready"


def test_one_handoff_applies_one_proposal(harness: Harness) -> None:
    harness.replies = [proposing(split())] * 2
    coordinator = harness.coordinator(authority=YES)
    assert coordinator.run_task("payments").status == "derived"
    assert harness.calls.count("apply") == 1
    assert state(harness) == "blocked"


def test_a_failing_commit_of_a_proposal_is_not_retried(harness: Harness) -> None:
    hook = harness.repo.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    harness.replies = [proposing(split())]
    outcome = harness.coordinator(authority=YES).run_task("payments")
    assert outcome.status == "blocked"
    assert harness.calls.count("apply") == 1
    assert state(harness) == "ready"


def test_an_audit_calls_as_few_workers_as_it_can(harness: Harness) -> None:
    clean = {"verdict": "pass", "lens": None, "summary": "Clean.", "findings": []}
    harness.audits = [json.dumps(clean).encode()]
    assert harness.coordinator().audit("payments").status == "verified"
    assert harness.calls == ["audit"]


class SkipsCompare(Coordinator):
    """Takes every pass at its word."""

    def _unchanged(self, route: Any, handoff: Handoff) -> bool:
        return True


class ComparesTwice(Coordinator):
    """Compares once more than it must."""

    def _unchanged(self, route: Any, handoff: Handoff) -> bool:
        super()._unchanged(route, handoff)
        return super()._unchanged(route, handoff)


class SkipsChecker(Coordinator):
    """Believes findings without a second look."""

    def _checked(self, route: Any, handoff: Handoff, reply: Any) -> Any:
        return reply


class ReusesContext(Coordinator):
    """Sends work back with the context from before it was written."""

    def _refreshed(self, route: Any, handoff: Handoff, reply: Any) -> Handoff:
        return handoff


class AdmitsTwice(Coordinator):
    """Takes two snapshots before one verifier."""

    def _verified(self, route: Any, handoff: Handoff) -> Any:
        route.call("admit", self._gates.admit, handoff.area, handoff.task_id)
        return super()._verified(route, handoff)


class CompletesUnverified(Coordinator):
    """Completes whatever the verdict was worth."""

    def _verified(self, route: Any, handoff: Handoff) -> Any:
        from git_zdev.handoff import replies as verify

        handoff, reply = super()._verified(route, handoff)
        return handoff, verify.Reply("pass", reply.summary, (), "none")


@pytest.mark.parametrize(
    ("kind", "route"),
    [
        (SkipsCompare, ordinary_success),
        (SkipsCompare, explicit_verification),
        (SkipsCompare, changed_pass),
        (ComparesTwice, ordinary_success),
        (SkipsChecker, correction),
        (ReusesContext, correction),
        (AdmitsTwice, ordinary_success),
        (CompletesUnverified, changed_pass),
    ],
)
def test_the_probe_notices_a_coordinator_that_cheats(
    harness: Harness,
    kind: type[Coordinator],
    route: Callable[[Harness, type[Coordinator]], None],
) -> None:
    with pytest.raises(AssertionError):
        route(harness, kind)


def test_even_a_cheating_coordinator_cannot_complete_changed_work(harness: Harness) -> None:
    harness.while_verifying = [lambda: harness.repo.write("report.xml", "<x/>")]
    outcome = harness.coordinator(CompletesUnverified).run_task("payments")
    assert outcome.status == "blocked"
    assert state(harness) == "ready"


def test_a_proposal_with_hidden_text_goes_to_a_person(harness: Harness) -> None:
    proposal = split()
    proposal["tasks"][0]["outcome"] += "\u200b"
    harness.replies = [proposing(proposal)]
    before = records_and_refs(harness.repo)
    outcome = harness.coordinator(authority=YES).run_task("payments")
    assert outcome.status == "needs-review", outcome.reason
    assert outcome.result is not None
    assert outcome.result["warnings"][0]["pointer"] == "/tasks/0/outcome"
    assert harness.calls == [*SIX[:3], "review"]
    assert records_and_refs(harness.repo) == before
