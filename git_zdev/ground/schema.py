"""The shipped JSON Schemas (draft 2020-12), and a document's violations of them.

A schema is named without its suffix: ``derived-proposal`` is in
``schemas/derived-proposal.schema.json``, and others refer to it by that file name. Only
schemas define shapes: :mod:`git_zdev.ground.compiled` says whether a document follows one, and
jsonschema is loaded only to say why a document does not. If a rule would mean nothing to a person,
messages quote the ``description`` beside it, which is therefore worded to follow "expected".
"""

from __future__ import annotations

import itertools
import os

from git_zdev.ground import shipped
from git_zdev.ground.compiled import Compiler
from git_zdev.ground.errors import Problem
from git_zdev.ground.jsontext import escape_pointer, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

SUFFIX = ".schema.json"
PROBLEM_LIMIT = 1000
"""The most problems of one validation; a hostile document could hold one in every few bytes."""

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
_BOUNDS = {
    "minItems": "at least",
    "minimum": "at least",
    "maxItems": "at most",
    "maximum": "at most",
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
    """The bytes of a schema; raises ``KeyError`` if there is none of that name."""
    if name not in names():
        raise KeyError(name)
    with open(os.path.join(folder(), f"{name}{SUFFIX}"), "rb") as file:
        return file.read()


_loaded: dict[str, dict[str, Any]] = {}


def _load(file_name: str) -> dict[str, Any]:
    if file_name not in _loaded:
        _loaded[file_name] = loads(read(file_name.removesuffix(SUFFIX)).decode())
    return _loaded[file_name]


_COMPILER = Compiler(_load)


def follows(name: str, document: Any) -> bool:
    """Whether a document follows a schema; raises ``RecursionError`` if it is nested too deep."""
    return _COMPILER.schema(f"{name}{SUFFIX}")(document)


def problems(name: str, document: Any, *, code: str) -> list[Problem]:
    """The violations of a schema in a document.

    Args:
        name: Name of the schema.
        document: Decoded JSON.
        code: Code of every problem.

    Returns:
        One problem per wrong property or value, with its JSON pointer and what was expected
        there; empty for a valid document, at most ``PROBLEM_LIMIT``.
    """
    try:
        if follows(name, document):
            return []
        validator = _explaining(_load(f"{name}{SUFFIX}"))
        found = dict.fromkeys(
            Problem(code, message, pointer=pointer)
            for error in itertools.islice(validator.iter_errors(document), PROBLEM_LIMIT)
            for pointer, message in _told(error)
        )
    except RecursionError:
        return [Problem(code, "it is nested too deep", pointer="")]
    if not found:
        raise AssertionError(f"the closures and the library disagree about the schema {name}")
    return list(itertools.islice(found, PROBLEM_LIMIT))


def _explaining(schema: dict[str, Any]) -> Validator:
    """A validator of the library that calls the closures first and judges as they do.

    It descends only into items and values that the closures refuse: a walk over all of a large
    document would take minutes.
    """
    from jsonschema import Draft202012Validator, validators
    from referencing import Registry, Resource

    def retrieve(uri: str) -> Resource[Any]:
        return Resource.from_contents(_load(uri))

    def refused(rule: Any, value: Any) -> bool:
        return not (id(rule) in _COMPILER.checks and _COMPILER.checks[id(rule)](value))

    def items(validator: Any, rule: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
        first = len(schema.get("prefixItems", ()))
        for position, item in enumerate(value if isinstance(value, list) else ()):
            if position >= first and refused(rule, item):
                yield from validator.descend(item, rule, path=position)

    def others(validator: Any, rule: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
        if not isinstance(rule, dict):
            yield from standard["additionalProperties"](validator, rule, value, schema)
            return
        for name, item in value.items() if isinstance(value, dict) else ():
            if name not in schema.get("properties", ()) and refused(rule, item):
                yield from validator.descend(item, rule, path=name)

    def whole(keyword: str) -> Any:
        def check(validator: Any, rule: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
            if isinstance(value, float):
                value = repr(value)  # equals no scalar of a schema
            yield from standard[keyword](validator, rule, value, schema)

        return check

    standard = Draft202012Validator.VALIDATORS
    types = Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _checker, value: type(value) is int
    )
    kind: Any = validators.extend(  # type: ignore[no-untyped-call]
        Draft202012Validator,
        {
            "items": items,
            "additionalProperties": others,
            "const": whole("const"),
            "enum": whole("enum"),
        },
        type_checker=types,
    )
    registry: Registry[Any] = Registry(retrieve=retrieve)  # type: ignore[call-arg]
    explaining: Validator = kind(schema, registry=registry)
    return explaining


def _told(error: ValidationError) -> Iterator[tuple[str, str]]:
    """Pointer and message of each problem that one error stands for."""
    import json

    here = _pointer(error.absolute_path)
    value: Any = error.instance
    expected: Any = error.validator_value
    rule: Any = error.schema
    described = f"; expected {rule['description']}" if "description" in rule else ""
    match error.validator:
        case "required" | "dependentRequired":
            wanted = expected if isinstance(expected, list) else _needed(expected, value)
            for name in wanted:
                if name not in value:
                    yield here, f"the key {json.dumps(name)} is missing{described}"
        case "additionalProperties":
            known = rule.get("properties", {})
            for name in value:
                if name not in known:
                    below = f"{here}/{escape_pointer(name)}"
                    known_here = described or f", known are {', '.join(known)}"
                    yield below, f"the key is unknown here{known_here}"
        case "not" if described:
            yield here, rule["description"]
        case "anyOf" | "oneOf" if not described:
            yield from _nearest(error)
        case "minLength" if not described:
            yield here, "the string is empty"
        case _:
            found, wanted = _compared(str(error.validator), value, expected, rule)
            yield here, f"it is {found}; expected {_any_of(wanted)}"


def _needed(needs: dict[str, list[str]], value: dict[str, Any]) -> list[str]:
    return [other for name, others in needs.items() if name in value for other in others]


def _nearest(error: ValidationError) -> Iterator[tuple[str, str]]:
    """The errors of the only alternative of the right type; else what all of them expected."""
    branches: dict[Any, list[ValidationError]] = {}
    for one in error.context:
        branches.setdefault(one.relative_schema_path[0], []).append(one)
    near = [
        branch
        for branch in branches.values()
        if all(one.relative_path or one.validator != "type" for one in branch)
    ]
    if len(near) == 1:
        for one in near[0]:
            yield from _told(one)
        return
    wanted = [
        words
        for one in error.context
        if not one.relative_path
        for words in _compared(str(one.validator), one.instance, one.validator_value, one.schema)[1]
    ]
    found = _KINDS.get(type(error.instance), "another value")
    yield (
        _pointer(error.absolute_path),
        f"it is {found}; expected {_any_of(list(dict.fromkeys(wanted)))}",
    )


def _compared(validator: str, value: Any, expected: Any, rule: Any) -> tuple[str, list[str]]:
    """The words for what a value is, and for what was expected."""
    if validator == "type":
        words = [expected] if isinstance(expected, str) else expected
        return _KINDS.get(type(value), "another value"), [_TYPES[word] for word in words]
    if validator in {"const", "enum"}:
        options = expected if validator == "enum" else [expected]
        wanted = [_shown(one) for one in options]
    else:
        wanted = [f"{_BOUNDS.get(validator, 'another value than')} {_shown(expected)}"]
    found = _counted(len(value)) if isinstance(value, list) else _shown(value)
    return found, [rule["description"]] if "description" in rule else wanted


def _pointer(path: Iterable[str | int]) -> str:
    return "".join(f"/{escape_pointer(str(token))}" for token in path)


def _shown(value: Any) -> str:
    import json

    if isinstance(value, list | dict):
        return _KINDS[type(value)]
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= 60 else f"{text[:57]}…"


def _any_of(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _counted(count: int) -> str:
    return "an array of 1 item" if count == 1 else f"an array of {count} items"
