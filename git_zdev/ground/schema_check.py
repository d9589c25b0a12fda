"""Tells quickly whether a document follows a shipped schema, where that is plain.

Loading a JSON Schema library takes longer than many a command does. Most documents are valid, and
the shipped schemas use few keywords, so the common answer is found here. What is not plain (a
keyword that is not known here, a number with a fraction) is left to the library, and so is every
word about what is wrong with a document.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Load = Callable[[str], dict[str, Any]]
    Keyword = Callable[["_File", dict[str, Any], Any], bool]

_ANNOTATIONS = ("$schema", "$id", "$defs", "title", "description", "then", "else")
_TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": int,
    "null": type(None),
}


def follows(document: Any, name: str, load: Load) -> bool | None:
    """Whether a document follows a schema; None where that is not plain.

    Args:
        document: Decoded JSON.
        name: File name of the schema.
        load: Gives the schema that stands under a file name.
    """
    try:
        return _File(name, load).accepts(load(name), document)
    except _NotPlainError:
        return None


class _NotPlainError(Exception):
    """Something that only the library can judge."""


class _File:
    """One schema file, to which the references in it are relative."""

    def __init__(self, name: str, load: Load) -> None:
        self._name = name
        self._load = load

    def accepts(self, rule: Any, value: Any) -> bool:
        """Whether a value follows a rule of this file."""
        if isinstance(rule, bool):
            return rule
        for key in rule:
            if key in _ANNOTATIONS:
                continue
            keyword = _KEYWORDS.get(key)
            if keyword is None or type(value) is float:
                raise _NotPlainError
            if not keyword(self, rule, value):
                return False
        return True

    def refers(self, reference: str, value: Any) -> bool:
        """Whether a value follows the rule that a reference names."""
        name, _, pointer = reference.partition("#")
        file = _File(name, self._load) if name else self
        rule: Any = self._load(name or self._name)
        for token in filter(None, pointer.split("/")):
            rule = rule[token]
        return file.accepts(rule, value)


def _is_of_type(value: Any, name: str) -> bool:
    return isinstance(value, _TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def _same(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, float | list | dict):
        raise _NotPlainError
    return type(value) is type(wanted) and bool(value == wanted)


def _types(_file: _File, rule: dict[str, Any], value: Any) -> bool:
    names = rule["type"]
    return any(_is_of_type(value, name) for name in ([names] if isinstance(names, str) else names))


def _required(_file: _File, rule: dict[str, Any], value: Any) -> bool:
    return not isinstance(value, dict) or all(name in value for name in rule["required"])


def _properties(file: _File, rule: dict[str, Any], value: Any) -> bool:
    return not isinstance(value, dict) or all(
        file.accepts(below, value[name])
        for name, below in rule["properties"].items()
        if name in value
    )


def _additional(file: _File, rule: dict[str, Any], value: Any) -> bool:
    if not isinstance(value, dict):
        return True
    known = rule.get("properties", ())
    return all(
        file.accepts(rule["additionalProperties"], value[name])
        for name in value
        if name not in known
    )


def _items(file: _File, rule: dict[str, Any], value: Any) -> bool:
    return not isinstance(value, list) or all(file.accepts(rule["items"], one) for one in value)


def _branch(file: _File, rule: dict[str, Any], value: Any) -> bool:
    name = "then" if file.accepts(rule["if"], value) else "else"
    return file.accepts(rule.get(name, True), value)


def _matches(_file: _File, rule: dict[str, Any], value: Any) -> bool:
    return not isinstance(value, str) or re.search(rule["pattern"], value) is not None


_KEYWORDS: dict[str, Keyword] = {
    "type": _types,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
    "if": _branch,
    "pattern": _matches,
    "$ref": lambda file, rule, value: file.refers(rule["$ref"], value),
    "const": lambda _file, rule, value: _same(value, rule["const"]),
    "enum": lambda _file, rule, value: any(_same(value, one) for one in rule["enum"]),
    "not": lambda file, rule, value: not file.accepts(rule["not"], value),
    "allOf": lambda file, rule, value: all(file.accepts(one, value) for one in rule["allOf"]),
    "minItems": lambda _file, rule, value: (
        not isinstance(value, list) or len(value) >= rule["minItems"]
    ),
    "maxItems": lambda _file, rule, value: (
        not isinstance(value, list) or len(value) <= rule["maxItems"]
    ),
    "minLength": lambda _file, rule, value: (
        not isinstance(value, str) or len(value) >= rule["minLength"]
    ),
}
