"""The shape of a work context, checked by hand and fast.

Stored documents can be tens of megabytes; a generic JSON Schema validator needs many seconds for
them. The checks here are closures built once from a description that reads like the schema
``work-context.schema.json``, against which tests hold them. Whether the parts of a well-formed one
agree is ``context_parts``' concern.
"""

from __future__ import annotations

from git_zdev.ground.errors import Problem
from git_zdev.ground.jsontext import escape_pointer
from git_zdev.ground.text import quoted
from git_zdev.plan.records.names import is_commit_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Check = Callable[[Any, str, list[Problem]], None]

CODE = "work-context-shape"

_LOWERCASE = "abcdefghijklmnopqrstuvwxyz"


def problems(document: Any) -> list[Problem]:
    """What is wrong with the shape of a work context; empty when it is well-formed."""
    found: list[Problem] = []
    if not isinstance(document, dict):
        return [Problem(CODE, "expected an object", pointer="")]
    lifecycle = document.get("lifecycle")
    if lifecycle == "closed":
        _CLOSED(document, "", found)
    else:
        _OPEN(document, "", found)
    return found


def _text(value: Any, pointer: str, found: list[Problem]) -> None:
    if type(value) is not str:
        found.append(Problem(CODE, "expected a string", pointer=pointer))
    elif not _is_unicode(value):
        found.append(Problem(CODE, "the string holds a lone surrogate", pointer=pointer))


def _is_unicode(text: str) -> bool:
    """Whether a string can be stored; one with a lone surrogate (an escape alone) cannot."""
    if text.isascii():  # known without a look at the characters
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _boolean(value: Any, pointer: str, found: list[Problem]) -> None:
    if type(value) is not bool:
        found.append(Problem(CODE, "expected true or false", pointer=pointer))


def _count(value: Any, pointer: str, found: list[Problem]) -> None:
    if type(value) is not int or value < 0:
        found.append(Problem(CODE, "expected a whole number, 0 or more", pointer=pointer))


def _null(value: Any, pointer: str, found: list[Problem]) -> None:
    if value is not None:
        found.append(Problem(CODE, "expected null", pointer=pointer))


def _version(value: Any, pointer: str, found: list[Problem]) -> None:
    if type(value) is not int or value != 1:
        found.append(Problem(CODE, "expected the integer 1", pointer=pointer))


def _such(fits: Callable[[str], bool], what: str) -> Check:
    def check(value: Any, pointer: str, found: list[Problem]) -> None:
        if type(value) is not str or not fits(value):
            found.append(Problem(CODE, f"expected {what}", pointer=pointer))

    return check


def _is_diagnostic(value: str) -> bool:
    """Whether ``value`` is lowercase words joined with hyphens."""
    return all(word and not word.strip(_LOWERCASE) for word in value.split("-"))


def _one_of(*words: str) -> Check:
    def check(value: Any, pointer: str, found: list[Problem]) -> None:
        if type(value) is not str or value not in words:
            found.append(Problem(CODE, f"expected one of {', '.join(words)}", pointer=pointer))

    return check


def _or_null(inner: Check) -> Check:
    def check(value: Any, pointer: str, found: list[Problem]) -> None:
        if value is not None:
            inner(value, pointer, found)

    return check


def _list(inner: Check) -> Check:
    def check(value: Any, pointer: str, found: list[Problem]) -> None:
        if type(value) is not list:
            found.append(Problem(CODE, "expected an array", pointer=pointer))
            return
        for position, item in enumerate(value):
            inner(item, f"{pointer}/{position}", found)

    return check


def _object(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """An object with exactly these keys, in any order."""
    known = {**required, **(optional or {})}

    def check(value: Any, pointer: str, found: list[Problem]) -> None:
        if type(value) is not dict:
            found.append(Problem(CODE, "expected an object", pointer=pointer))
            return
        for key in required:
            if key not in value:
                found.append(Problem(CODE, f"the key {quoted(key)} is missing", pointer=pointer))
        for key, item in value.items():
            if key in known:
                known[key](item, f"{pointer}/{key}", found)
            else:
                place = f"{pointer}/{escape_pointer(key)}"
                found.append(Problem(CODE, "the key is unknown here", pointer=place))

    return check


def _untracked(value: Any, pointer: str, found: list[Problem]) -> None:
    """The map of untracked paths; by far the largest part, so files take a short way."""
    if type(value) is not dict:
        found.append(Problem(CODE, "expected an object", pointer=pointer))
        return
    for path, entry in value.items():
        if not _is_unicode(path):
            found.append(Problem(CODE, "a path holds a lone surrogate", pointer=pointer))
        if type(entry) is dict and len(entry) == 2 and entry.get("kind") == "file":
            content = entry.get("hash")
            if type(content) is str and is_commit_id(content):
                continue
        _untracked_entry(entry, f"{pointer}/{escape_pointer(path)}", found)


def _untracked_entry(entry: Any, pointer: str, found: list[Problem]) -> None:
    kind = entry.get("kind") if type(entry) is dict else None
    check = _UNTRACKED_KINDS.get(kind) if type(kind) is str else None
    if check is None:
        message = "expected an object whose kind is file, symlink or repository"
        found.append(Problem(CODE, message, pointer=pointer))
    else:
        check(entry, pointer, found)


_object_id = _such(is_commit_id, "a full lowercase object id")
_queue = _one_of("empty", "ready", "exhausted")
_no_work = _one_of("empty", "exhausted")
_lifecycle = _one_of("open", "closed")
_mode = _one_of("isolated", "trunk")
_complexity = _one_of("routine", "standard", "advanced")
_maybe_text = _or_null(_text)
_maybe_boolean = _or_null(_boolean)

_UNTRACKED_KINDS: dict[str, Check] = {
    "file": _object({"kind": _text, "hash": _object_id}),
    "symlink": _object({"kind": _text, "target": _text}),
    "repository": _object(
        {
            "kind": _text,
            "head": _or_null(_object_id),
            "git_status": _text,
            "git_diff_cached": _text,
            "git_diff": _text,
            "git_untracked": _untracked,
        }
    ),
}

_goal_task = _object(
    {
        "id": _text,
        "key": _text,
        "title": _text,
        "complexity": _complexity,
        "path": _text,
        "outcome": _text,
        "done_when": _text,
        "validation": _text,
        "blocked_by": _list(_text),
    },
    {
        "context": _text,
        "boundaries": _text,
        "slice": _object(
            {"key": _text, "title": _text, "path": _text, "objective": _text, "boundaries": _text}
        ),
    },
)

_goal = _object(
    {
        "schema_version": _version,
        "area": _object({"tag": _text, "title": _text, "objective": _text, "path": _text}),
        "lifecycle": _lifecycle,
        "queue": _queue,
        "counts": _object(dict.fromkeys(("total", "open", "ready", "blocked", "done"), _count)),
        "task": _or_null(_goal_task),
    },
    {"native_goal": _text},
)

_branch_status = _object(
    {
        "branch": _maybe_text,
        "checked_out_branch": _maybe_text,
        "branch_matches": _maybe_boolean,
        "mode": _mode,
        "parent_area": _maybe_text,
        "base_commit": _or_null(_object_id),
        "effective_base": _object(
            {"kind": _one_of("trunk", "area"), "area": _maybe_text, "branch": _maybe_text}
        ),
        "fresh": _maybe_boolean,
        "anchor_valid": _maybe_boolean,
        "finalized": _maybe_boolean,
        "linear_history": _maybe_boolean,
        "task_work": _object(
            {
                "safe": _boolean,
                "structurally_safe": _boolean,
                "stale_advisory": _boolean,
                "git_operation": _maybe_text,
            }
        ),
        "diagnostics": _list(_such(_is_diagnostic, "the name of a diagnostic")),
    }
)

_status = _object(
    {
        "advisory": _maybe_text,
        "area": _object(
            {
                "base_commit": _or_null(_object_id),
                "branch": _maybe_text,
                "lifecycle": _lifecycle,
                "mode": _mode,
                "objective": _text,
                "schema_version": _version,
                "tag": _text,
                "title": _text,
            },
            {"parent": _text},
        ),
        "branch_status": _branch_status,
        "counts": _object(dict.fromkeys(("blocked", "done", "ready", "total"), _count)),
        "lifecycle": _lifecycle,
        "next": _maybe_text,
        "next_complexity": _or_null(_complexity),
        "project": _text,
        "queue": _queue,
        "schema_version": _version,
        "slices": _list(
            _object(
                {
                    "key": _text,
                    "title": _text,
                    "path": _text,
                    "ready": _count,
                    "blocked": _count,
                    "done": _count,
                }
            )
        ),
        "trunk": _maybe_text,
    }
)

_CLOSED = _object(
    {
        "area": _text,
        "goal": _goal,
        "lifecycle": _one_of("closed"),
        "queue": _no_work,
        "schema_version": _version,
        "task_id": _null,
    }
)

_OPEN = _object(
    {
        "area": _text,
        "git_diff": _text,
        "git_diff_cached": _text,
        "git_status": _text,
        "goal": _goal,
        "head": _object_id,
        "lifecycle": _one_of("open"),
        "queue": _queue,
        "schema_version": _version,
        "stale_advisory": _boolean,
        "status": _status,
        "task_id": _maybe_text,
    },
    {"git_untracked": _untracked},
)
