"""The gates around workers: strict readers of their replies, and the public result made from them.

A worker answers in text, of which exactly one JSON object counts. A reply is either well formed or
refused; nothing is guessed. Identity (area, task, snapshot) comes from the caller, never from a
reply. The caller also judges whether work is in scope, necessary or correct; nothing here does.
"""

from __future__ import annotations

import json
import re

from git_zdev.ground import hidden_text, jsontext, schema
from git_zdev.ground.errors import InvalidInput, Problem, ZdevError, summary_of
from git_zdev.ground.text import quoted
from git_zdev.ground.values import dataclass, replace
from git_zdev.plan.records.fields import is_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, Literal

    Verdict = Literal["pass", "rework", "blocker"]

EXIT_STATUS: dict[Verdict, int] = {"pass": 0, "rework": 3, "blocker": 4}
"""Exit status of ``verify accept`` by verdict."""

REPLY_SIZE_LIMIT = 1024 * 1024
VALIDATION_WRITE = "validation_write:"
CHANGED_FINDING = (
    "state_changed: the repository no longer matches the snapshot that was handed to the verifier"
)

AUDIT_KEYS = ("verdict", "lens", "summary", "findings")
RESULT_KEYS = (
    "schema_version",
    "kind",
    "area",
    "task_id",
    "verdict",
    "summary",
    "evidence",
    "findings",
    "escalation",
)
"""The nine keys of every public result, in their order."""

_CODE = "invalid-reply"
_NEVER_AGAIN = "Show it as it was received; a malformed reply is never tried again"
_LOOKS_LIKE_AN_OBJECT = re.compile(r'\{\s*["}]')


@dataclass(frozen=True, slots=True)
class Reply:
    """A verifier's reply: its four fields."""

    verdict: Verdict
    summary: str
    findings: tuple[str, ...]
    escalation: str


@dataclass(frozen=True, slots=True)
class Identity:
    """A coordinator's own knowledge of a handoff, independent of the worker.

    Attributes:
        area: The area's tag.
        task_id: The task that was handed out.
        snapshot: Id of the snapshot that was admitted before the verifier ran.
        advisory: The stale advisory of that snapshot's branch; None if it was not stale.
    """

    area: str
    task_id: str
    snapshot: str
    advisory: str | None = None


def read_verifier_reply(data: bytes) -> Reply:
    """Read a verifier's reply.

    Args:
        data: The reply as received, UTF-8 text with exactly one JSON object in it.

    Raises:
        InvalidInput: ``invalid-reply`` with every problem.
    """
    value = only_object(data, "verifier reply")
    _require_sound(schema.problems("verifier-reply", value, code=_CODE), "verifier reply")
    return Reply(value["verdict"], value["summary"], tuple(value["findings"]), value["escalation"])


def read_implementer_reply(data: bytes, area: str, task_id: str) -> dict[str, Any]:
    """Read an implementer's reply: the nine keys of a public result.

    Args:
        data: The reply as received.
        area: The area that was handed out.
        task_id: The task that was handed out.

    Returns:
        The object with its keys in the order of ``RESULT_KEYS``.

    Raises:
        InvalidInput: ``invalid-reply`` with every problem.
    """
    value = only_object(data, "implementer reply")
    problems = schema.problems("implementer-reply", value, code=_CODE)
    wrong = {problem.pointer for problem in problems}
    for key, expected in (("area", area), ("task_id", task_id)):
        if key in value and value[key] != expected and f"/{key}" not in wrong:
            message = f"it is {quoted(value[key])}; expected {quoted(expected)}"
            problems.append(Problem(_CODE, message, pointer=f"/{key}"))
    _require_sound(problems, "implementer reply")
    return {key: value[key] for key in RESULT_KEYS}


def carried_proposal(reply: Mapping[str, Any]) -> str | None:
    """The derived-work proposal that an implementer's reply carries, or None.

    A reply carries a proposal as the only evidence of a blocker that has no findings.
    """
    evidence = reply["evidence"]
    if reply["verdict"] == "blocker" and not reply["findings"] and len(evidence) == 1:
        text: str = evidence[0]
        return text if text.startswith("PROPOSE zdev-derived ") else None
    return None


def read_audit_reply(data: bytes) -> dict[str, Any]:
    """Read an auditor's reply; its keys are returned in the order of ``AUDIT_KEYS``.

    Raises:
        InvalidInput: ``invalid-reply`` with every problem.
    """
    value = only_object(data, "audit reply")
    _require_sound(schema.problems("audit-reply", value, code=_CODE), "audit reply")
    return {key: value[key] for key in AUDIT_KEYS}


def judge(reply: Reply, *, unchanged: bool) -> Reply:
    """The effective reply after the repository was compared with the admitted snapshot.

    If nothing moved, the reply counts. If something did, a pass no longer proves anything, and
    rework counts only if the verifier itself says, well formed, which files its validation wrote.
    """
    if unchanged or reply.verdict == "blocker":
        return reply
    if reply.verdict == "rework" and _explains_writes(reply.findings):
        return reply
    findings = (*reply.findings, CHANGED_FINDING)
    return replace(reply, verdict="blocker", findings=findings, escalation="none")


def public_result(reply: Reply, identity: Identity) -> dict[str, Any]:
    """The nine-key verifier result; its evidence is made here, never copied from a reply.

    The evidence names the places of hidden text in the reply, which does not change the verdict.
    """
    evidence = [f"work_context_snapshot: {identity.snapshot}"]
    if identity.advisory is not None:
        evidence.append(identity.advisory)
    copied = {"summary": reply.summary, "findings": reply.findings}
    evidence += (
        f"{problem.code}: {problem.sentence()}" for problem in hidden_text.in_document(copied)
    )
    return {
        "schema_version": 1,
        "kind": "verifier",
        "area": identity.area,
        "task_id": identity.task_id,
        "verdict": reply.verdict,
        "summary": reply.summary,
        "evidence": evidence,
        "findings": list(reply.findings),
        "escalation": reply.escalation,
    }


def with_findings(reply: Reply, more: tuple[str, ...]) -> Reply:
    """A reply with further findings after its own."""
    return replace(reply, findings=(*reply.findings, *more))


def validation_writes(findings: tuple[str, ...]) -> tuple[str, ...]:
    """The findings that name a file that a validation wrote."""
    return tuple(finding for finding in findings if finding.startswith(VALIDATION_WRITE))


def only_object(data: bytes, what: str) -> dict[str, Any]:
    """The only JSON object of a text, in which it can be alone, in prose, or in a Markdown fence.

    A brace that opens no object (neither a key nor a closing brace follows) is text. An object
    that does not end, or a second object, makes the text unusable.

    Raises:
        InvalidInput: ``invalid-reply``.
    """
    if len(data) > REPLY_SIZE_LIMIT:
        raise _unusable(what, f"it has {len(data)} bytes, more than {REPLY_SIZE_LIMIT}")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _unusable(what, f"byte {error.start} is not valid UTF-8") from None
    if _is_other_json(text):
        raise _unusable(what, "it is a JSON value, but not one object")
    found = list(_objects(text, what))
    if len(found) != 1:
        number = "no JSON object" if not found else f"{len(found)} JSON objects"
        raise _unusable(what, f"it holds {number} where exactly one was expected")
    return jsontext.decode_object(found[0].encode(), code=_CODE, what=what, hint=_NEVER_AGAIN)


def _objects(text: str, what: str) -> Iterator[str]:
    position = 0
    while (match := _LOOKS_LIKE_AN_OBJECT.search(text, position)) is not None:
        end = _end_of_object(text, match.start())
        if end is None:
            raise _unusable(what, f"the JSON object at character {match.start()} does not end")
        yield text[match.start() : end]
        position = end


def _end_of_object(text: str, start: int) -> int | None:
    """Position after the brace that closes the one at ``start``; None if none does."""
    depth = 0
    for match in re.compile(r'"(?:[^"\\]|\\.)*"?|[{}]', re.DOTALL).finditer(text, start):
        brace = match[0]
        if brace == "{":
            depth += 1
        elif brace == "}":
            depth -= 1
            if depth == 0:
                return match.end()
    return None


def _is_other_json(text: str) -> bool:
    stripped = text.strip()
    if stripped[:1] != "[":
        return False
    try:
        json.loads(stripped)
    except (ValueError, RecursionError):
        return False
    return True


def _explains_writes(findings: tuple[str, ...]) -> bool:
    writes = validation_writes(findings)
    return bool(writes) and all(_is_validation_write(finding) for finding in writes)


def _is_validation_write(finding: str) -> bool:
    prefix, _, path = finding.partition(" ")
    return prefix == VALIDATION_WRITE and is_normalized_path(path)


def is_normalized_path(path: str) -> bool:
    """Whether a path is relative to the repository and normalized."""
    if not is_line(path) or path != path.strip() or "\\" in path:
        return False
    return all(part not in ("", ".", "..") for part in path.split("/"))


def _unusable(what: str, message: str) -> InvalidInput:
    said = f"the {what} cannot be used: {message}"
    return InvalidInput(_CODE, said, [Problem(_CODE, message)], _NEVER_AGAIN)


def _require_sound(problems: list[Problem], what: str) -> None:
    if problems:
        raise InvalidInput(
            _CODE, f"the {what} is not acceptable: {summary_of(problems)}", problems, _NEVER_AGAIN
        )


def require_work(context: Mapping[str, Any]) -> str:
    """The task of a work context, to hand to a verifier.

    Raises:
        ZdevError: ``no-work`` when the context is closed or selects no task.
    """
    task_id = context["task_id"]
    if context["lifecycle"] != "open" or context["queue"] != "ready" or task_id is None:
        raise ZdevError(
            "no-work",
            f"the work context of {context['area']} selects no task",
            "There is nothing to hand to a verifier",
        )
    return str(task_id)
