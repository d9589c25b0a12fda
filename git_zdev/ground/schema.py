"""The shipped JSON Schemas (draft 2020-12), and what a document has against one of them.

A schema is named without its suffix: ``derived-proposal`` stands in
``schemas/derived-proposal.schema.json``, and others refer to it by that file name. Where a pattern
or a prohibition would say nothing to a person, the ``description`` beside it does: messages
quote it, so it is worded to follow "expected".
"""

from __future__ import annotations

import functools
import itertools
import os

from git_zdev.ground import schema_check, shipped
from git_zdev.ground.errors import Problem
from git_zdev.ground.jsontext import escape_pointer, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from jsonschema.exceptions import ValidationError

SUFFIX = ".schema.json"
PROBLEM_LIMIT = 1000
"""Problems that one validation tells; a hostile document could hold one in every few bytes."""

_KINDS = {
    dict: "an object",
    list: "an array",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}
_TYPES = {
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "boolean": "a boolean",
    "integer": "an integer",
    "number": "a number",
    "null": "null",
}


def folder() -> str:
    """The folder of the schemas."""
    return shipped.folder("schemas")


def names() -> list[str]:
    """The names of all schemas, sorted."""
    return sorted(
        name.removesuffix(SUFFIX) for name in os.listdir(folder()) if name.endswith(SUFFIX)
    )


def read(name: str) -> bytes:
    """The bytes of a schema; a ``KeyError`` where there is none of that name."""
    if name not in names():
        raise KeyError(name)
    with open(os.path.join(folder(), f"{name}{SUFFIX}"), "rb") as file:
        return file.read()


@functools.cache
def _load(file_name: str) -> dict[str, Any]:
    document: dict[str, Any] = loads(read(file_name.removesuffix(SUFFIX)).decode())
    return document


def problems(name: str, document: Any, *, code: str) -> list[Problem]:
    """What a document has against a schema.

    Args:
        name: Name of the schema.
        document: Decoded JSON.
        code: Code of every problem.

    Returns:
        One problem a property or value that is wrong, with its JSON pointer and what was
        expected there; empty for a valid document, at most ``PROBLEM_LIMIT``.
    """
    if schema_check.follows(document, f"{name}{SUFFIX}", _load):
        return []
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource

    def retrieve(uri: str) -> Resource[Any]:
        return Resource.from_contents(_load(uri))

    registry: Registry[Any] = Registry(retrieve=retrieve)  # type: ignore[call-arg]
    validator = Draft202012Validator(_load(f"{name}{SUFFIX}"), registry=registry)
    found = dict.fromkeys(
        Problem(code, message, pointer=pointer)
        for error in itertools.islice(validator.iter_errors(document), PROBLEM_LIMIT)
        for pointer, message in _told(error)
    )
    return list(itertools.islice(found, PROBLEM_LIMIT))


def _told(error: ValidationError) -> Iterator[tuple[str, str]]:
    """Pointer and message of each thing that one error is about."""
    import json

    here = _pointer(error.absolute_path)
    value: Any = error.instance
    expected: Any = error.validator_value
    rule: Any = error.schema
    match error.validator:
        case "required":
            for name in expected:
                if name not in value:
                    yield here, f"the key {json.dumps(name)} is missing"
        case "additionalProperties":
            known = rule.get("properties", {})
            for name in value:
                if name not in known:
                    below = f"{here}/{escape_pointer(name)}"
                    yield below, f"the key is unknown here, known are {', '.join(known)}"
        case "not" if "description" in rule:
            yield here, rule["description"]
        case "minLength":
            yield here, "the string is empty"
        case _:
            yield here, _compared(str(error.validator), value, expected, rule) or error.message


def _compared(validator: str, value: Any, expected: Any, rule: Any) -> str:
    """What stands there and what was expected; empty for a rule without words."""
    match validator:
        case "type":
            found = _KINDS.get(type(value), "another value")
            wanted = [
                _TYPES[name] for name in ([expected] if isinstance(expected, str) else expected)
            ]
        case "const":
            found, wanted = _shown(value), [_shown(expected)]
        case "enum":
            found, wanted = _shown(value), [_shown(one) for one in expected]
        case "minItems":
            found, wanted = _counted(len(value)), [f"at least {expected}"]
        case "maxItems":
            found, wanted = _counted(len(value)), [f"at most {expected}"]
        case _ if isinstance(rule, dict) and "description" in rule:
            found, wanted = _shown(value), [rule["description"]]
        case _:
            return ""
    return f"it is {found}; expected {_any_of(wanted)}"


def _pointer(path: Iterable[str | int]) -> str:
    return "".join(f"/{escape_pointer(str(token))}" for token in path)


def _shown(value: Any) -> str:
    import json

    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _any_of(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _counted(count: int) -> str:
    return "an array of 1 item" if count == 1 else f"an array of {count} items"
