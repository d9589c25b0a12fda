"""A shipped JSON Schema as closures that only say whether a document is valid.

Loading a JSON Schema library takes longer than many commands, and its walk over a large document
takes minutes. The keywords are those that the shipped schemas use, with their meaning in draft
2020-12; an unknown keyword is an error, so that no rule is lost. In one point the closures are
stricter than the draft: ``1.0`` is not an integer, because the program neither writes nor reads
numbers with a fraction.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Check = Callable[[Any], bool]
    Load = Callable[[str], dict[str, Any]]
    Keyword = Callable[["Compiler", str, dict[str, Any]], Check]

_ANNOTATIONS = ("$schema", "$id", "$defs", "title", "description")
_OF_ANOTHER = ("then", "else", "properties", "additionalProperties", "required")
"""Keywords that are compiled together with another one, or with the rule itself."""

_TYPES: dict[str, Check] = {
    "object": lambda value: type(value) is dict,
    "array": lambda value: type(value) is list,
    "string": lambda value: type(value) is str,
    "boolean": lambda value: type(value) is bool,
    "integer": lambda value: type(value) is int,
    "null": lambda value: value is None,
}


class UnknownKeywordError(Exception):
    """A schema has an unknown keyword, or a keyword with an unknown argument."""


class Compiler:
    """The closures of all requested rules, each compiled once.

    Attributes:
        checks: The closure of each rule by the ``id`` of its decoded object. The schemas that
            ``load`` returns must therefore live as long as the compiler.
    """

    def __init__(self, load: Load) -> None:
        """Make a compiler that has not compiled anything yet.

        Args:
            load: Returns the decoded schema of a file name, the same object each time.
        """
        self.checks: dict[int, Check] = {}
        self._load = load
        self._begun: set[int] = set()

    def schema(self, name: str) -> Check:
        """The closure of a whole schema.

        Args:
            name: The schema's file name, to which its references are relative.

        Raises:
            UnknownKeywordError: A rule would be lost.
        """
        return self.rule(name, self._load(name))

    def rule(self, file: str, rule: Any) -> Check:
        """The closure of one rule of a file."""
        if isinstance(rule, bool):
            return _always if rule else _never
        key = id(rule)
        if key not in self.checks:
            if key in self._begun:
                return self._later(key)
            self._begun.add(key)
            self.checks[key] = self._compiled(file, rule)
        return self.checks[key]

    def _later(self, key: int) -> Check:
        """The closure of a rule that refers to itself, and so does not exist yet."""

        def check(value: Any) -> bool:
            return self.checks[key](value)

        return check

    def _compiled(self, file: str, rule: dict[str, Any]) -> Check:
        keywords = [key for key in rule if key not in _ANNOTATIONS and key not in _OF_ANOTHER]
        for key in keywords:
            if key not in _KEYWORDS:
                raise UnknownKeywordError(f"{file} has the keyword {key}")
        checks = [_KEYWORDS[key](self, file, rule) for key in keywords]
        if not rule.keys().isdisjoint(("properties", "additionalProperties", "required")):
            checks.append(_members(self, file, rule))
        return _all(checks)

    def refer(self, file: str, reference: str) -> Check:
        """The closure of the rule that a reference names."""
        name, _, pointer = reference.partition("#")
        rule: Any = self._load(name or file)
        for token in filter(None, pointer.split("/")):
            rule = rule[token]
        return self.rule(name or file, rule)


def _always(_value: Any) -> bool:
    return True


def _never(_value: Any) -> bool:
    return False


def _all(checks: list[Check]) -> Check:
    if len(checks) < 2:
        return checks[0] if checks else _always
    if len(checks) == 2:
        one, other = checks
        return lambda value: one(value) and other(value)
    return lambda value: all(check(value) for check in checks)


def _type(_compiler: Compiler, file: str, rule: dict[str, Any]) -> Check:
    names = [rule["type"]] if isinstance(rule["type"], str) else rule["type"]
    if not _TYPES.keys() >= set(names):
        raise UnknownKeywordError(f"{file} has the type {rule['type']}")
    checks = [_TYPES[name] for name in names]
    return checks[0] if len(checks) == 1 else lambda value: any(check(value) for check in checks)


def _members(compiler: Compiler, file: str, rule: dict[str, Any]) -> Check:
    """Check required keys, known keys and all others in one walk over an object."""
    required = frozenset(rule.get("required", ()))
    additional = compiler.rule(file, rule.get("additionalProperties", True))
    properties = rule.get("properties", {})
    known = {name: compiler.rule(file, below) for name, below in properties.items()}

    def check(value: Any) -> bool:
        if type(value) is not dict:
            return True
        if not value.keys() >= required:
            return False
        for name, item in value.items():  # noqa: SIM110 a generator takes twice as long
            if not known.get(name, additional)(item):
                return False
        return True

    def check_known(value: Any) -> bool:
        if type(value) is not dict:
            return True
        if not value.keys() >= required:
            return False
        return all(below(value[name]) for name, below in known.items() if name in value)

    return check_known if additional is _always else check


def _items(compiler: Compiler, file: str, rule: dict[str, Any]) -> Check:
    check, first = compiler.rule(file, rule["items"]), len(rule.get("prefixItems", ()))
    return lambda value: (
        type(value) is not list or all(map(check, value[first:] if first else value))
    )


def _prefix(compiler: Compiler, file: str, rule: dict[str, Any]) -> Check:
    checks = [compiler.rule(file, one) for one in rule["prefixItems"]]
    return lambda value: (
        type(value) is not list
        or all(check(item) for check, item in zip(checks, value, strict=False))
    )


def _branch(compiler: Compiler, file: str, rule: dict[str, Any]) -> Check:
    fits = compiler.rule(file, rule["if"])
    then = compiler.rule(file, rule.get("then", True))
    other = compiler.rule(file, rule.get("else", True))
    return lambda value: then(value) if fits(value) else other(value)


def _pattern(_compiler: Compiler, _file: str, rule: dict[str, Any]) -> Check:
    search: Any = None

    def check(value: Any) -> bool:
        nonlocal search
        if search is None:
            import re  # costs more than most closures together

            search = re.compile(rule["pattern"]).search
        return type(value) is not str or search(value) is not None

    return check


def _one_of(values: list[Any], file: str) -> Check:
    """Check that a value is one of some scalars; true and 1 differ."""
    if any(isinstance(value, float | list | dict) for value in values):
        raise UnknownKeywordError(f"{file} has a constant that is not a plain scalar")
    wanted = {(type(value), value) for value in values}
    if all(type(value) is str for value in values):
        words = frozenset(values)
        return lambda value: type(value) is str and value in words
    scalar = (str, int, bool, type(None))
    return lambda value: type(value) in scalar and (type(value), value) in wanted


def _combined(compiler: Compiler, file: str, rules: list[Any]) -> list[Check]:
    return [compiler.rule(file, one) for one in rules]


def _any(compiler: Compiler, file: str, rule: dict[str, Any]) -> Check:
    checks = _combined(compiler, file, rule["anyOf"])
    return lambda value: any(check(value) for check in checks)


def _exactly_one(compiler: Compiler, file: str, rule: dict[str, Any]) -> Check:
    checks = _combined(compiler, file, rule["oneOf"])
    return lambda value: sum(check(value) for check in checks) == 1


def _not(compiler: Compiler, file: str, rule: dict[str, Any]) -> Check:
    check = compiler.rule(file, rule["not"])
    return lambda value: not check(value)


def _dependent(_compiler: Compiler, _file: str, rule: dict[str, Any]) -> Check:
    needs = {name: frozenset(others) for name, others in rule["dependentRequired"].items()}
    return lambda value: (
        type(value) is not dict
        or all(value.keys() >= others for name, others in needs.items() if name in value)
    )


def _limit(key: str, kind: type[Any], *, least: bool, sized: bool) -> Keyword:
    """A bound for a number, or for the length of a string, array or object."""

    def keyword(_compiler: Compiler, _file: str, rule: dict[str, Any]) -> Check:
        limit = rule[key]

        def check(value: Any) -> bool:
            if type(value) is not kind:
                return True
            size: int = len(value) if sized else value
            return bool(size >= limit if least else size <= limit)

        return check

    return keyword


_KEYWORDS: dict[str, Keyword] = {
    "type": _type,
    "items": _items,
    "prefixItems": _prefix,
    "if": _branch,
    "pattern": _pattern,
    "$ref": lambda compiler, file, rule: compiler.refer(file, rule["$ref"]),
    "const": lambda _compiler, file, rule: _one_of([rule["const"]], file),
    "enum": lambda _compiler, file, rule: _one_of(rule["enum"], file),
    "not": _not,
    "allOf": lambda compiler, file, rule: _all(_combined(compiler, file, rule["allOf"])),
    "anyOf": _any,
    "oneOf": _exactly_one,
    "dependentRequired": _dependent,
    "minItems": _limit("minItems", list, least=True, sized=True),
    "maxItems": _limit("maxItems", list, least=False, sized=True),
    "minLength": _limit("minLength", str, least=True, sized=True),
    "maxLength": _limit("maxLength", str, least=False, sized=True),
    "minProperties": _limit("minProperties", dict, least=True, sized=True),
    "minimum": _limit("minimum", int, least=True, sized=False),
    "maximum": _limit("maximum", int, least=False, sized=False),
}
