"""Proposals for tests: the two valid kinds, and many that are wrong in exactly one way.

All of them are about the area ``payments`` and the source ``payments-002`` of
``tests/support/payments.py``.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

AREA = "payments"
SOURCE = "payments-002"
FIRST_LINE = b"PROPOSE zdev-derived payments payments-002\n"


def draft(key: str = "end-retries", **changes: Any) -> dict[str, Any]:
    """A complete draft."""
    return {
        "key": key,
        "title": "End the retries where agreed",
        "blocked_by": [],
        "outcome": "The runtime path uses the settled boundary.",
        "context": "The search told where retries end.",
        "boundaries": ["Leave the published policy alone."],
        "done_when": ["Retries end at the agreed place."],
        "validation": ["Try the retries alone."],
    } | changes


def follow_up(**changes: Any) -> dict[str, Any]:
    """An investigation follow-up with one draft."""
    return {
        "schema_version": 1,
        "proposal": "investigation_follow_up",
        "area": AREA,
        "source_task": SOURCE,
        "source_result": {
            "status": "complete",
            "summary": "Found where retries must end.",
            "validation": ["Read every caller of the retry loop."],
        },
        "tasks": [draft()],
    } | changes


def split(**changes: Any) -> dict[str, Any]:
    """An implementation split with two drafts, the second waiting for the first."""
    return {
        "schema_version": 1,
        "proposal": "implementation_split",
        "area": AREA,
        "source_task": SOURCE,
        "source_result": {
            "status": "split",
            "summary": "The policy and its wiring are easier to verify apart.",
            "validation": [],
        },
        "split_ownership": {
            "retained_parent_paths": [],
            "child_future_paths": [
                {"key": "extract-policy", "paths": ["src/policy.rs", "tests/policy.rs"]},
                {"key": "wire-policy", "paths": ["src/wiring.rs"]},
            ],
        },
        "tasks": [
            draft("extract-policy", title="Extract the retry policy", afk=True),
            draft("wire-policy", title="Wire the retry policy", blocked_by=["extract-policy"]),
        ],
    } | changes


def envelope(document: Any, first_line: bytes = FIRST_LINE) -> bytes:
    """The bytes that a worker hands over."""
    return first_line + json.dumps(document, indent=2).encode() + b"\n"


def without(document: dict[str, Any], *keys: str) -> dict[str, Any]:
    """A copy that lacks some keys."""
    return {key: value for key, value in document.items() if key not in keys}


class Wrong(NamedTuple):
    """A proposal that must be refused before anything is stored.

    Attributes:
        name: What is wrong with it.
        data: Its bytes.
        told: A part of the sentence that says so.
        pointer: Where it is said to be; None where no place in the object is.
    """

    name: str
    data: bytes
    told: str
    pointer: str | None = None


def _changed(told: str, pointer: str | None, name: str, **changes: Any) -> Wrong:
    return Wrong(name, envelope(follow_up(**changes)), told, pointer)


def _drafted(told: str, pointer: str, name: str, **changes: Any) -> Wrong:
    wrong = follow_up(tasks=[draft(**changes)])
    return Wrong(name, envelope(wrong), told, f"/tasks/0{pointer}")


def _replaced(old: bytes, new: bytes) -> bytes:
    data = envelope(follow_up())
    assert data.count(old) == 1, old
    return data.replace(old, new)


_GOOD = envelope(follow_up())
_OBJECT = _GOOD[len(FIRST_LINE) :]
_RESULT = follow_up()["source_result"]
_OWNED = split()["split_ownership"]
_FIRST = "the first line is not exactly"
_FORM = "one JSON object follows the first line"
_SEGMENT = "expected 1 to 80 of a-z, 0-9 and the hyphen"

TRANSPORT = (
    Wrong("empty input", b"", _FIRST),
    Wrong("first line alone", FIRST_LINE, _FORM),
    Wrong("no first line", _OBJECT, _FIRST),
    Wrong("text before the first line", b"Here it is:\n" + _GOOD, _FIRST),
    Wrong("a blank line before", b"\n" + _GOOD, _FIRST),
    Wrong("a space before", b" " + _GOOD, _FIRST),
    Wrong("another word", envelope(follow_up(), FIRST_LINE.replace(b"zdev", b"zdex")), _FIRST),
    Wrong("lower-case word", envelope(follow_up(), FIRST_LINE.lower()), _FIRST),
    Wrong("two spaces", envelope(follow_up(), FIRST_LINE.replace(b" pay", b"  pay", 1)), _FIRST),
    Wrong("a tab", envelope(follow_up(), FIRST_LINE.replace(b" pay", b"\tpay", 1)), _FIRST),
    Wrong("trailing space", envelope(follow_up(), FIRST_LINE[:-1] + b" \n"), _FIRST),
    Wrong("CRLF", envelope(follow_up(), FIRST_LINE[:-1] + b"\r\n"), _FIRST),
    Wrong("five words", envelope(follow_up(), FIRST_LINE[:-1] + b" again\n"), _FIRST),
    Wrong("no source", envelope(follow_up(), b"PROPOSE zdev-derived payments\n"), _FIRST),
    Wrong("Markdown fence", b"```\n" + _GOOD + b"```\n", _FIRST),
    Wrong("fence in between", FIRST_LINE + b"```json\n" + _OBJECT + b"```\n", _FORM),
    Wrong("blank line in between", FIRST_LINE + b"\n" + _OBJECT, _FORM),
    Wrong("two line feeds at the end", _GOOD + b"\n", _FORM),
    Wrong("CRLF at the end", _GOOD[:-1] + b"\r\n", _FORM),
    Wrong("text after the object", _GOOD + b"Done.", _FORM),
    Wrong("a second object", _GOOD + _OBJECT, "more text follows the value"),
    Wrong("a second proposal", _GOOD + _GOOD, "more text follows the value"),
    Wrong("an array", FIRST_LINE + b"[" + _OBJECT + b"]", _FORM),
    Wrong("a truncated object", _GOOD[: -len(_GOOD) // 2], _FORM),
    Wrong("an unclosed object", FIRST_LINE + b'{"a": {}', "Expecting ',' delimiter"),
    Wrong("a byte order mark", b"\xef\xbb\xbf" + _GOOD, _FIRST),
    Wrong("a byte order mark in between", FIRST_LINE + b"\xef\xbb\xbf" + _OBJECT, _FORM),
    Wrong("invalid UTF-8", _replaced(b"Found where", b"Found\xffwhere"), "is no UTF-8"),
    Wrong("UTF-16", _GOOD.decode().encode("utf-16"), _FIRST),
    Wrong(
        "a raw control character", _replaced(b"Found where", b"Found\x00where"), "Invalid control"
    ),
    Wrong("a comment", _replaced(b'"tasks"', b'// here\n"tasks"'), "Expecting property name"),
    Wrong(
        "a trailing comma",
        FIRST_LINE + _OBJECT.rstrip().removesuffix(b"}") + b",}",
        "property name",
    ),
    Wrong(
        "a duplicate key",
        _replaced(b'"schema_version": 1,', b'"schema_version": 1, "schema_version": 1,'),
        "stands twice",
        "/schema_version",
    ),
    Wrong(
        "a duplicate key in a draft",
        _replaced(b'"outcome"', b'"outcome": "x", "outcome"'),
        "stands twice",
        "/tasks/0/outcome",
    ),
    Wrong(
        "NaN",
        _replaced(b'"schema_version": 1', b'"schema_version": NaN'),
        "NaN is no JSON",
        "/schema_version",
    ),
    Wrong(
        "an infinity",
        _replaced(b'"blocked_by": []', b'"blocked_by": [-Infinity]'),
        "-Infinity is no JSON number",
        "/tasks/0/blocked_by/0",
    ),
    Wrong(
        "a lone surrogate",
        _replaced(b"Found where", b"\\ud83dFound where"),
        "lone surrogate",
        "/source_result/summary",
    ),
    Wrong(
        "version 1.0",
        _replaced(b'"schema_version": 1', b'"schema_version": 1.0'),
        "not the integer 1",
        "/schema_version",
    ),
    Wrong(
        "version 1e0",
        _replaced(b'"schema_version": 1', b'"schema_version": 1e0'),
        "not the integer 1",
        "/schema_version",
    ),
    _changed("not the integer 1", "/schema_version", "version true", schema_version=True),
    _changed("not the integer 1", "/schema_version", "version 2", schema_version=2),
    _changed("not the integer 1", "/schema_version", "version as text", schema_version="1"),
    Wrong(
        "deep nesting",
        FIRST_LINE + b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}",
        "nested deeper than 32 levels",
    ),
    Wrong(
        "a huge number",
        _replaced(b'"schema_version": 1', b'"schema_version": 1' + b"0" * 5000),
        "",
    ),
    Wrong("too large", FIRST_LINE + b"{" + b" " * 1024 * 1024 + b"}\n", "more than the limit"),
)
"""Layer 1: what is no proposal at all."""

SCHEMA = (
    *(
        Wrong(f"no {key}", envelope(without(follow_up(), key)), f'"{key}" is missing', "")
        for key in ("schema_version", "proposal", "area", "source_task", "source_result", "tasks")
    ),
    *(
        Wrong(
            f"a draft without {key}",
            envelope(follow_up(tasks=[without(draft(), key)])),
            f'"{key}" is missing',
            "/tasks/0",
        )
        for key in ("key", "title", "outcome", "done_when")
    ),
    *(
        Wrong(
            f"a result without {key}",
            envelope(follow_up(source_result=without(_RESULT, key))),
            f'"{key}" is missing',
            "/source_result",
        )
        for key in ("status", "summary", "validation")
    ),
    _changed("the key is unknown here", "/confidence", "an unknown property", confidence=0.9),
    _changed('expected "investigation', "/proposal", "an unknown kind", proposal="rewrite"),
    _changed('expected "investigation', "/proposal", "null kind", proposal=None),
    _changed("expected an array", "/tasks", "tasks as an object", tasks={}),
    _changed("at least 1", "/tasks", "no drafts", tasks=[]),
    _changed("at most 5", "/tasks", "six drafts", tasks=[draft(f"k{n}") for n in range(6)]),
    _changed("expected an object", "/tasks/0", "a draft as text", tasks=["apply"]),
    _changed(_SEGMENT, "/area", "an area with a line feed", area="payments\n"),
    _changed("expected a task id", "/source_task", "a source without number", source_task="x"),
    _changed("expected an object", "/source_result", "result as text", source_result="complete"),
    _changed(
        'expected "complete"',
        "/source_result/status",
        "a follow-up that splits",
        source_result=_RESULT | {"status": "split"},
    ),
    _changed(
        "at least 1",
        "/source_result/validation",
        "a follow-up without validation",
        source_result=_RESULT | {"validation": []},
    ),
    _changed(
        "not blank",
        "/source_result/summary",
        "a blank summary",
        source_result=_RESULT | {"summary": " "},
    ),
    _changed(
        "without control characters",
        "/source_result/summary",
        "a summary of two lines",
        source_result=_RESULT | {"summary": "One.\nTwo."},
    ),
    _changed(
        "the key is unknown here",
        "/source_result/evidence",
        "an unknown property of the result",
        source_result=_RESULT | {"evidence": []},
    ),
    _changed(
        "only an implementation split",
        "/split_ownership",
        "a follow-up with ownership",
        split_ownership=_OWNED,
    ),
    _drafted("the key is unknown here", "/proposal", "a nested proposal", proposal=follow_up()),
    _drafted("the key is unknown here", "/tasks", "a nested bundle", tasks=[draft()]),
    _drafted(
        "the key is unknown here", "/source_result", "a draft with a result", source_result=_RESULT
    ),
    _drafted("the key is unknown here", "/id", "a draft with an id", id="payments-009"),
    _drafted(_SEGMENT, "/key", "a key with capitals", key="Apply"),
    _drafted(_SEGMENT, "/key", "an empty key", key=""),
    _drafted(_SEGMENT, "/key", "a key with a hyphen at its end", key="apply-"),
    _drafted(_SEGMENT, "/key", "a long key", key="k" * 81),
    _drafted("not blank", "/title", "an empty title", title=""),
    _drafted("without control", "/title", "a title of two lines", title="One\nTwo"),
    _drafted("without control", "/title", "a title with an escape", title="\x1b[31mRed"),
    _drafted("expected a string", "/outcome", "an outcome as a number", outcome=1),
    _drafted("expected a boolean", "/afk", "afk as text", afk="true"),
    _drafted("expected a boolean", "/afk", "afk as null", afk=None),
    _drafted('expected "routine"', "/complexity", "an unknown complexity", complexity="hard"),
    _drafted('expected "high"', "/priority", "an unknown priority", priority="urgent"),
    _drafted("at least 1", "/done_when", "no done conditions", done_when=[]),
    _drafted("not blank", "/done_when/0", "a blank done condition", done_when=["\t"]),
    _drafted("expected an array", "/boundaries", "boundaries as text", boundaries="None."),
    _drafted("expected a string", "/validation/0", "validation of numbers", validation=[7]),
    _drafted("not blank", "/context", "a blank context", context=" \n "),
    _drafted("expected an array", "/blocked_by", "a blocker as text", blocked_by="payments-001"),
    Wrong(
        "a split without ownership",
        envelope(without(split(), "split_ownership")),
        '"split_ownership" is missing',
        "",
    ),
    Wrong(
        "a split that completes",
        envelope(split(source_result=_RESULT)),
        'expected "split"',
        "/source_result/status",
    ),
    Wrong(
        "a split with validation",
        envelope(split(source_result=split()["source_result"] | {"validation": ["Looked."]})),
        "at most 0",
        "/source_result/validation",
    ),
    Wrong(
        "ownership with an unknown property",
        envelope(split(split_ownership=_OWNED | {"shared_paths": []})),
        "the key is unknown here",
        "/split_ownership/shared_paths",
    ),
    Wrong(
        "ownership without retained paths",
        envelope(split(split_ownership=without(_OWNED, "retained_parent_paths"))),
        '"retained_parent_paths" is missing',
        "/split_ownership",
    ),
    Wrong(
        "a child without paths",
        envelope(
            split(
                split_ownership=_OWNED
                | {
                    "child_future_paths": [
                        {"key": "extract-policy", "paths": []},
                        {"key": "wire-policy", "paths": ["a"]},
                    ]
                }
            )
        ),
        "at least 1",
        "/split_ownership/child_future_paths/0/paths",
    ),
    Wrong(
        "an empty path",
        envelope(split(split_ownership=_OWNED | {"retained_parent_paths": [""]})),
        "the string is empty",
        "/split_ownership/retained_parent_paths/0",
    ),
)
"""Layer 2: objects of another shape."""

IDENTITY = (
    _changed('the area is "refunds"', "/area", "another area", area="refunds"),
    _changed('the object has "payments-003"', None, "another source", source_task="payments-003"),
    _changed("is no task of the area", "/source_task", "a foreign source", source_task="refunds-2"),
    Wrong(
        "another area in the first line",
        envelope(follow_up(), FIRST_LINE.replace(b" payments ", b" refunds ")),
        'the first line names the area "refunds"',
    ),
    Wrong(
        "another source in the first line",
        envelope(follow_up(), FIRST_LINE.replace(b"002", b"2")),
        'the first line names the source "payments-2"',
    ),
)
"""Layer 3: envelopes for other work."""

_DRAFTS = split()["tasks"]


def _blocked(name: str, told: str, *blockers: str, pointer: str = "/blocked_by/0") -> Wrong:
    return _drafted(told, pointer, name, blocked_by=list(blockers))


def _about(source: str, told: str, name: str) -> Wrong:
    first_line = f"PROPOSE zdev-derived payments {source}\n".encode()
    return Wrong(name, envelope(follow_up(source_task=source), first_line), told, "/source_task")


SEMANTICS = (
    _drafted("which is the key of payments-004", "/key", "an existing key", key="tidy-logs"),
    _drafted("which is the key of payments-001", "/key", "a done key", key="measure-retries"),
    Wrong(
        "a repeated key", envelope(follow_up(tasks=[draft(), draft()])), '"key" is', "/tasks/1/key"
    ),
    _blocked("an unknown blocker", "neither a key of this input", "payments-099"),
    _blocked("an unknown key as blocker", "neither a key of this input", "other"),
    _blocked("an existing key as blocker", "by its id, payments-004", "tidy-logs"),
    _blocked("a blocker of another area", "neither a key of this input", "refunds-001"),
    _blocked("a malformed blocker", "expected is a task key or a task id", "Payments 4"),
    _blocked("the source as blocker", "never waits for its source", "payments-002"),
    _blocked("itself as blocker", "itself", "end-retries"),
    _blocked(
        "a blocker twice",
        "more than once",
        "payments-004",
        "payments-004",
        pointer="/blocked_by/1",
    ),
    Wrong(
        "drafts out of order",
        envelope(split(tasks=_DRAFTS[::-1])),
        "is proposed later",
        "/tasks/0/blocked_by/0",
    ),
    Wrong(
        "drafts that wait for each other",
        envelope(split(tasks=[_DRAFTS[0] | {"blocked_by": ["wire-policy"]}, _DRAFTS[1]])),
        "the tasks wait for each other",
        "/tasks/0/blocked_by",
    ),
    Wrong(
        "a child that waits for what waits for the source",
        envelope(split(tasks=[_DRAFTS[0] | {"blocked_by": ["payments-003"]}, _DRAFTS[1]])),
        "payments-002 → payments-005 → payments-003 → payments-002",
        "/tasks",
    ),
    _drafted("is no slice of the area", "/slice", "an unknown slice", slice="database"),
    _about("payments-001", "is done already", "a source that is done"),
    _about("payments-003", "waits for payments-002", "a source that is blocked"),
    _about("payments-099", "has no task", "a source that is not there"),
    _about("payments-2", "has no task", "a source by another spelling"),
    _drafted(
        "would open a section", "/context", "a forged section", context="Yes.\n\n## Result\n\nDone."
    ),
    _drafted("code fence", "/context", "an open fence", context="```\ncode"),
    _drafted("white space", "/outcome", "space at the end", outcome="It is. "),
    _drafted(
        "claims a path allocation",
        "/boundaries/0",
        "a forged allocation",
        boundaries=['Initial task-owned path allocation: ["src/a"].'],
    ),
    _drafted(
        "claims a path allocation",
        "/context",
        "an allocation in the context",
        context='So:\n- initial  task-owned path allocation: ["src/a"].',
    ),
    _changed(
        "claims a path allocation",
        "/source_result/validation/0",
        "an allocation in the validation",
        source_result=_RESULT | {"validation": ["Initial task-owned path allocation: []."]},
    ),
    _changed(
        "would open a section",
        "/source_result/summary",
        "a summary that opens a section",
        source_result=_RESULT | {"summary": "## History"},
    ),
    _changed(
        "white space",
        "/source_result/summary",
        "a summary with space before it",
        source_result=_RESULT | {"summary": " Settled."},
    ),
)
"""Layer 4: what does not fit the area of ``tests/support/payments.py``."""

ALL = (*TRANSPORT, *SCHEMA, *IDENTITY, *SEMANTICS)
