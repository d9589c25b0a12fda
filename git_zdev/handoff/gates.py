"""The interfaces between a coordinator, its workers and the program.

A harness brings :class:`Workers` (its own callables), an :class:`Authority` (judgements that no
program can make) and :class:`Gates` (which run ``git zdev``); ``coordinator`` drives them.
"""

from __future__ import annotations

import json

from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import Protocol, dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Literal

    Status = Literal[
        "completed",
        "verified",
        "no-work",
        "blocked",
        "rework",
        "derived",
        "needs-review",
        "incomplete",
    ]


@dataclass(frozen=True, slots=True)
class Handoff:
    """The input of a worker: identity and locators.

    Attributes:
        area: The area's tag.
        task_id: The task; None in an audit.
        head: Commit id of HEAD in the snapshot; None in an audit.
        snapshot: Id of the stored work context to load with ``work-context --show``.
        envelope: The latest implementer reply; earlier ones are never passed on.
        findings: The only findings that a checking worker examines.
        profile: The answer of the harness's own profile resolution.
        lens: The focus of an audit; None for a general one.
        stale: Whether the branch of the snapshot lacks newer base commits.
    """

    area: str
    task_id: str | None = None
    head: str | None = None
    snapshot: str | None = None
    envelope: Mapping[str, Any] | None = None
    findings: tuple[str, ...] = ()
    profile: Any = None
    lens: str | None = None
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a route.

    Attributes:
        status: ``completed`` (the task is done), ``verified`` (explicit verification passed),
            ``no-work``, ``rework`` and ``blocked`` (see ``result`` or ``reason``), ``derived``
            (a proposal was applied), ``needs-review`` (a person must decide on a proposal), or
            ``incomplete`` (an audit without all its reports).
        calls: The names of the calls, in order.
        result: The public result, or the answer of the last gate.
        reason: Why the route stopped, for a person.
        received: The reply or proposal that is the reason, exactly as received.
    """

    status: Status
    calls: tuple[str, ...]
    result: Mapping[str, Any] | None = None
    reason: str = ""
    received: bytes | None = None


class Gates(Protocol):
    """The program's side: each method runs one command once."""

    def snapshot(self, area: str) -> Mapping[str, Any]:
        """``work-context --store``: the stored result."""

    def admit(self, area: str, task_id: str | None) -> Mapping[str, Any]:
        """``verify admit``: the locator of a fresh snapshot of ready work."""

    def compare(self, area: str, snapshot: str) -> bool:
        """``work-context --compare``: whether nothing moved."""

    def complete(
        self, area: str, snapshot: str, summary: str, validation: Sequence[str]
    ) -> Mapping[str, Any]:
        """``verify complete``: one more comparison, then the task is done."""

    def review(self, area: str, proposal: bytes) -> Mapping[str, Any]:
        """``tasks derive review``: store a proposal for a person to review."""

    def apply(self, area: str, proposal: bytes) -> Mapping[str, Any]:
        """``tasks derive apply``: publish a proposal."""


class CommandGates:
    """Gates that run the installed program through a callable of the harness."""

    def __init__(self, run: Callable[[Sequence[str], bytes], tuple[int, bytes]]) -> None:
        """Take ``run(arguments, stdin) -> (exit status, stdout)``, which starts ``git zdev``."""
        self._run = run

    def snapshot(self, area: str) -> Mapping[str, Any]:
        """See :class:`Gates`."""
        return self._ask("work-context", area, "--store")

    def admit(self, area: str, task_id: str | None) -> Mapping[str, Any]:
        """See :class:`Gates`."""
        chosen = ("--task", task_id) if task_id is not None else ()
        return self._ask("verify", "admit", area, *chosen)

    def compare(self, area: str, snapshot: str) -> bool:
        """See :class:`Gates`."""
        return self._ask("work-context", area, "--compare", snapshot)["equal"] is True

    def complete(
        self, area: str, snapshot: str, summary: str, validation: Sequence[str]
    ) -> Mapping[str, Any]:
        """See :class:`Gates`."""
        items = [part for item in validation for part in ("--validation", item)]
        words = ("verify", "complete", area, "--snapshot", snapshot, "--summary", summary)
        return self._ask(*words, *items)

    def review(self, area: str, proposal: bytes) -> Mapping[str, Any]:
        """See :class:`Gates`."""
        return self._ask("tasks", "derive", "review", area, "--from", "-", stdin=proposal)

    def apply(self, area: str, proposal: bytes) -> Mapping[str, Any]:
        """See :class:`Gates`."""
        return self._ask("tasks", "derive", "apply", area, "--from", "-", stdin=proposal)

    def _ask(self, *words: str, stdin: bytes = b"") -> Mapping[str, Any]:
        status, output = self._run([*words, "--format", "json"], stdin)
        if status != 0:
            raise ZdevError("gate-failed", f"`git zdev {' '.join(words)}` answered {status}")
        value: Mapping[str, Any] = json.loads(output)
        return value


def _no(_proposal: bytes) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Workers:
    """The harness's side: each callable runs one worker, a fresh one in every call.

    Attributes:
        profile: Resolves how to run the task's workers; handoffs carry its answer.
        implement: Works on a task and answers with an implementer reply.
        verify: Checks work and answers with a verifier reply.
        check: Examines only another worker's findings; answers with a verifier reply.
        audit: Audits an area through one lens, or all of it; answers with an audit reply.
        stage: Stages exactly the verified artifacts of an investigation before its proposal is
            applied, because apply takes the index as it is. None if there are never any.
    """

    profile: Callable[[Handoff], Any]
    implement: Callable[[Handoff], bytes]
    verify: Callable[[Handoff], bytes]
    check: Callable[[Handoff], bytes]
    audit: Callable[[Handoff], bytes] | None = None
    stage: Callable[[Handoff], None] | None = None


@dataclass(frozen=True, slots=True)
class Authority:
    """Judgements on a proposal that no program can make; by default each is a no.

    Attributes:
        necessary: Whether every draft is needed to finish the approved objective.
        in_scope: Whether all of it stays within the brief, the source's boundaries and testing.
        no_open_choice: Whether it decides no product question and does nothing destructive.
    """

    necessary: Callable[[bytes], bool] = _no
    in_scope: Callable[[bytes], bool] = _no
    no_open_choice: Callable[[bytes], bool] = _no

    def granted(self, proposal: bytes) -> bool:
        """Whether all three judgements are a yes."""
        judges = (self.necessary, self.in_scope, self.no_open_choice)
        return all(judge(proposal) is True for judge in judges)
