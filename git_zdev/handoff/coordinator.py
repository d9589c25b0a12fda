"""A coordinator for workers, without a model and without a network.

The gates between workers (capture, parse, compare, construct, compare again) are the same in every
harness, so they are implemented here, and a harness brings only callables: its workers and a way
to run ``git zdev``. A route ends in an :class:`Outcome`. It never retries a malformed reply or a
failed call, and never passes on Git output, only the locator of a stored snapshot.

The calls of a route, in order and with their number:

- ordinary success, 7: snapshot, profile, implement, admit, verify, compare, complete
- explicit verification without findings, 4: profile, admit, verify, compare
- one correction and then success, 14: the first six above with a verdict of rework; check (a fresh
  verifier examines the findings only), compare; snapshot, implement, admit, verify, compare,
  complete
- nothing to do, 1: snapshot
- audit: one call per lens (one call without lenses), and one more, by another worker, if there are
  findings to check

A harness for one task, with workers of its own::

    gates = CommandGates(run)        # run(arguments, stdin) -> (exit status, stdout)
    outcome = Coordinator(gates, Workers(profile, implement, check_in)).run_task("payments")
    if outcome.status == "completed":
        ...                          # stage, show the staged diff, commit: separate, visible steps
"""

from __future__ import annotations

import json

from git_zdev.branch.safety import advice
from git_zdev.ground import hidden_text
from git_zdev.ground.errors import InvalidInput, ZdevError
from git_zdev.ground.text import quoted
from git_zdev.ground.values import dataclass, field, replace
from git_zdev.handoff import replies as verify
from git_zdev.handoff.gates import Authority, CommandGates, Handoff, Outcome, Workers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, NoReturn

    from git_zdev.handoff.gates import Gates, Status

__all__ = ["Authority", "CommandGates", "Coordinator", "Handoff", "Outcome", "Workers"]


class _Stop(Exception):
    """Ends a route from any depth."""

    def __init__(self, status: Status, reason: str, **parts: Any) -> None:
        super().__init__(reason)
        self.status: Status = status
        self.reason = reason
        self.parts = parts


@dataclass(slots=True)
class _Route:
    """One route in progress: the calls that it made, and whether it has applied a proposal."""

    calls: list[str] = field(default_factory=list)
    applied: bool = False

    def call(self, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Make and record one call; an error of the program ends the route."""
        self.calls.append(name)
        try:
            return function(*arguments)
        except ZdevError as error:
            raise _Stop("blocked", f"{name}: {error}") from error

    def end(self, status: Status, reason: str = "", **parts: Any) -> Outcome:
        return Outcome(status, tuple(self.calls), reason=reason, **parts)

    def follow(self, steps: Callable[[_Route], Outcome]) -> Outcome:
        try:
            return steps(self)
        except _Stop as stop:
            return self.end(stop.status, stop.reason, **stop.parts)


class Coordinator:
    """Drives workers through the gates, one route per method."""

    def __init__(
        self,
        gates: Gates,
        workers: Workers,
        authority: Authority | None = None,
        *,
        max_corrections: int = 1,
    ) -> None:
        """Take both sides of the gates.

        Args:
            gates: Runs the program.
            workers: Runs the workers.
            authority: Judges proposals; by default it rejects all.
            max_corrections: How often confirmed findings can send a task back in one route.
        """
        self._gates = gates
        self._workers = workers
        self._authority = authority or Authority()
        self._max_corrections = max_corrections

    def run_task(self, area: str) -> Outcome:
        """Select, implement, verify and complete the next ready task of an area."""
        return _Route().follow(lambda route: self._task(route, area))

    def verify_task(
        self, area: str, task_id: str | None = None, envelope: Mapping[str, Any] | None = None
    ) -> Outcome:
        """Verify ready work without changing it."""
        return _Route().follow(lambda route: self._verification(route, area, task_id, envelope))

    def audit(self, area: str, lenses: Sequence[str] = ()) -> Outcome:
        """Audit an area, with one worker per lens; without lenses, one worker audits all of it."""
        return _Route().follow(lambda route: self._audit(route, area, lenses))

    def run_area(
        self,
        area: str,
        goes_on: Callable[[Outcome], bool],
        *,
        max_splits_in_a_row: int = 3,
    ) -> tuple[Outcome, ...]:
        """Run tasks until none is ready, one does not end well, or the harness stops.

        Args:
            area: The area's tag.
            goes_on: Called after every task that ended well. The harness stages and commits in
                it, and returns whether to continue. Every task starts from fresh context.
            max_splits_in_a_row: How many proposals can be applied without completing a task
                before the loop stops, since repeated splitting is no progress.

        Returns:
            The outcomes in order; the last one says why the loop stopped.
        """
        outcomes: list[Outcome] = []
        splits = 0
        while True:
            outcome = self.run_task(area)
            outcomes.append(outcome)
            splits = splits + 1 if outcome.status == "derived" else 0
            if outcome.status not in ("completed", "derived") or not goes_on(outcome):
                return tuple(outcomes)
            if splits >= max_splits_in_a_row:
                reason = f"{splits} proposals were applied in a row and no task was completed"
                return (*outcomes, Outcome("blocked", (), reason=reason))

    def _task(self, route: _Route, area: str) -> Outcome:
        handoff = self._baseline(route, area)
        profile = route.call("profile", self._workers.profile, handoff)
        for corrections_left in range(self._max_corrections, -1, -1):
            handoff = self._implement(route, replace(handoff, profile=profile))
            handoff, reply = self._verified(route, handoff)
            if reply.verdict == "rework":
                reply = self._checked(route, handoff, reply)
            if reply.verdict == "pass":
                return self._complete(route, handoff, reply)
            if reply.verdict == "blocker" or not corrections_left:
                break
            handoff = self._refreshed(route, handoff, reply)
        status: Status = "rework" if reply.verdict == "rework" else "blocked"
        return route.end(status, reply.summary, result=_public(handoff, reply))

    def _baseline(self, route: _Route, area: str) -> Handoff:
        stored = route.call("snapshot", self._gates.snapshot, area)
        if stored["lifecycle"] != "open" or stored["task_id"] is None:
            raise _Stop("no-work", f"the area {area} has nothing ready", result=stored)
        return Handoff(area, stored["task_id"], stored["head"], stored["snapshot"])

    def _implement(self, route: _Route, handoff: Handoff) -> Handoff:
        """Have the task implemented; a proposal in the reply diverts the route."""
        data = route.call("implement", self._workers.implement, handoff)
        area, task_id = handoff.area, str(handoff.task_id)
        envelope = _read(data, lambda raw: verify.read_implementer_reply(raw, area, task_id))
        handoff = replace(handoff, envelope=envelope, findings=())
        proposal = verify.carried_proposal(envelope)
        if proposal is not None:
            self._derive(route, handoff, proposal.encode())
        if envelope["verdict"] == "blocker":
            raise _Stop("blocked", envelope["summary"], result=envelope)
        return handoff

    def _verified(self, route: _Route, handoff: Handoff) -> tuple[Handoff, verify.Reply]:
        """Admit a snapshot, have the work verified, and compare."""
        admitted = route.call("admit", self._gates.admit, handoff.area, handoff.task_id)
        moved = [
            key for key in ("area", "task_id", "head") if admitted[key] != getattr(handoff, key)
        ]
        if moved:
            raise _Stop("blocked", f"{', '.join(moved)} moved during the handoff", result=admitted)
        handoff = replace(handoff, snapshot=admitted["snapshot"], stale=admitted["stale_advisory"])
        data = route.call("verify", self._workers.verify, handoff)
        reply = _read(data, verify.read_verifier_reply)
        return handoff, verify.judge(reply, unchanged=self._unchanged(route, handoff))

    def _checked(self, route: _Route, handoff: Handoff, reply: verify.Reply) -> verify.Reply:
        """Have another worker check findings, except those about files that a validation wrote."""
        writes = verify.validation_writes(reply.findings)
        substantive = tuple(finding for finding in reply.findings if finding not in writes)
        if not substantive:
            return reply
        data = route.call("check", self._workers.check, replace(handoff, findings=substantive))
        checked = _read(data, verify.read_verifier_reply)
        if checked.verdict == "rework":
            checked = verify.with_findings(checked, writes)
        return verify.judge(checked, unchanged=self._unchanged(route, handoff))

    def _unchanged(self, route: _Route, handoff: Handoff) -> bool:
        return route.call("compare", self._gates.compare, handoff.area, handoff.snapshot) is True

    def _complete(self, route: _Route, handoff: Handoff, reply: verify.Reply) -> Outcome:
        envelope = handoff.envelope or {}
        summary = _one_line(envelope.get("summary", reply.summary))
        done = route.call(
            "complete",
            self._gates.complete,
            handoff.area,
            handoff.snapshot,
            summary,
            [_one_line(reply.summary)],
        )
        return route.end("completed", result=done)

    def _refreshed(self, route: _Route, handoff: Handoff, reply: verify.Reply) -> Handoff:
        """Take fresh context before rework, since identity from before a write proves nothing."""
        fresh = self._baseline(route, handoff.area)
        if (fresh.task_id, fresh.head) != (handoff.task_id, handoff.head):
            raise _Stop("blocked", "the selected task or HEAD moved before the rework")
        return replace(fresh, envelope=handoff.envelope, findings=reply.findings)

    def _verification(
        self,
        route: _Route,
        area: str,
        task_id: str | None,
        envelope: Mapping[str, Any] | None,
    ) -> Outcome:
        profile = route.call("profile", self._workers.profile, Handoff(area, task_id))
        admitted = route.call("admit", self._gates.admit, area, task_id)
        handoff = Handoff(
            area,
            admitted["task_id"],
            admitted["head"],
            admitted["snapshot"],
            envelope=envelope,
            profile=profile,
            stale=admitted["stale_advisory"],
        )
        data = route.call("verify", self._workers.verify, handoff)
        reply = _read(data, verify.read_verifier_reply)
        reply = verify.judge(reply, unchanged=self._unchanged(route, handoff))
        if reply.verdict == "rework":
            reply = self._checked(route, handoff, reply)
        statuses: dict[verify.Verdict, Status] = {
            "pass": "verified",
            "rework": "rework",
            "blocker": "blocked",
        }
        return route.end(statuses[reply.verdict], reply.summary, result=_public(handoff, reply))

    def _derive(self, route: _Route, handoff: Handoff, proposal: bytes) -> NoReturn:
        """Process a proposal and end the route."""
        if _is_investigation(proposal):
            handoff, reply = self._verified(route, handoff)
            if reply.verdict != "pass":
                raise _Stop("blocked", reply.summary, result=_public(handoff, reply))
        if not self._authority.granted(proposal) or _holds_hidden_text(proposal):
            self._ask_a_person(route, handoff, proposal)
        if self._workers.stage is not None and _is_investigation(proposal):
            self._workers.stage(handoff)
        raise _Stop("derived", "", result=self.apply_once(route, handoff.area, proposal))

    def apply_once(self, route: _Route, area: str, proposal: bytes) -> Mapping[str, Any]:
        """Apply a proposal, at most once per route."""
        if route.applied:
            raise _Stop("blocked", "this handoff has applied a proposal already", received=proposal)
        route.applied = True
        applied: Mapping[str, Any] = route.call("apply", self._gates.apply, area, proposal)
        return applied

    def _ask_a_person(self, route: _Route, handoff: Handoff, proposal: bytes) -> NoReturn:
        stored = route.call("review", self._gates.review, handoff.area, proposal)
        if not stored["mechanically_eligible"]:
            raise _Stop("blocked", stored["reason"], result=stored, received=proposal)
        reason = "whether the proposed work is wanted is a person's decision"
        raise _Stop("needs-review", reason, result=stored, received=proposal)

    def _audit(self, route: _Route, area: str, lenses: Sequence[str]) -> Outcome:
        if self._workers.audit is None:
            raise _Stop("incomplete", "the harness has no worker for audits")
        reports = []
        for lens in lenses or (None,):
            data = route.call("audit", self._workers.audit, Handoff(area, lens=lens))
            reports.append(_report(data, lens))
        blocked = [report["summary"] for report in reports if report["verdict"] == "blocked"]
        if blocked:
            result = {"area": area, "reports": reports}
            raise _Stop("incomplete", "; ".join(blocked), result=result)
        findings = tuple(finding for report in reports for finding in report["findings"])
        result = {"area": area, "reports": reports, "findings": list(findings)}
        if not findings:
            return route.end("verified", result=result)
        data = route.call("check", self._workers.check, Handoff(area, findings=findings))
        checked = _read(data, verify.read_verifier_reply)
        result["findings"] = list(checked.findings)
        statuses: dict[verify.Verdict, Status] = {
            "pass": "verified",
            "rework": "rework",
            "blocker": "incomplete",
        }
        return route.end(statuses[checked.verdict], checked.summary, result=result)


def _read(data: bytes, parse: Callable[[bytes], Any]) -> Any:
    """Parse a reply; a malformed one ends the route, is shown as received, and is not retried."""
    try:
        return parse(data)
    except InvalidInput as error:
        raise _Stop("blocked", str(error), received=data) from error


def _report(data: bytes, lens: str | None) -> dict[str, Any]:
    """One auditor's report; an unusable reply counts as blocked."""
    try:
        report = verify.read_audit_reply(data)
    except InvalidInput as error:
        return _unusable_report(lens, str(error))
    if report["lens"] != lens:
        return _unusable_report(lens, f"the report is about lens {quoted(report['lens'])}")
    return report


def _unusable_report(lens: str | None, why: str) -> dict[str, Any]:
    return {
        "verdict": "blocked",
        "lens": lens,
        "summary": f"{lens or 'audit'}: {why}",
        "findings": [],
    }


def _public(handoff: Handoff, reply: verify.Reply) -> dict[str, Any]:
    advisory = advice(handoff.area) if handoff.stale else None
    identity = verify.Identity(handoff.area, str(handoff.task_id), str(handoff.snapshot), advisory)
    return verify.public_result(reply, identity)


def _is_investigation(proposal: bytes) -> bool:
    """Whether a proposal completes its source; the program itself checks everything else."""
    value = _body(proposal)
    return isinstance(value, dict) and value.get("proposal") == "investigation_follow_up"


def _holds_hidden_text(proposal: bytes) -> bool:
    """Whether a proposal has hidden text, which a person must review before it is applied."""
    return any(hidden_text.in_document(_body(proposal)))


def _body(proposal: bytes) -> Any:
    """The JSON value after the first line, or None."""
    try:
        return json.loads(proposal.partition(b"\n")[2])
    except (ValueError, RecursionError):
        return None


def _one_line(text: str) -> str:
    return " ".join(text.split())
