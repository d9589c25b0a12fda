"""The closures of a schema judge as the JSON Schema library does."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from git_zdev.ground import schema
from git_zdev.ground.compiled import Compiler, UnknownKeywordError
from tests.support import plan as proposals
from tests.support.cli import library, load
from tests.support.plan import follow_up, split

if TYPE_CHECKING:
    from collections.abc import Callable

PROPOSAL = "derived-proposal"


def closure(rule: Any) -> Callable[[Any], bool]:
    return Compiler(lambda _name: rule).schema("rule")


@pytest.mark.parametrize("document", [follow_up(), split()], ids=["follow-up", "split"])
def test_a_valid_proposal_is_accepted(document: dict[str, Any]) -> None:
    assert library(PROPOSAL).is_valid(document)
    assert schema.follows(PROPOSAL, document)


@pytest.mark.parametrize("wrong", proposals.SCHEMA, ids=lambda wrong: wrong.name)
def test_an_invalid_proposal_is_refused(wrong: proposals.Wrong) -> None:
    document = json.loads(wrong.data.partition(b"\n")[2])
    assert not schema.follows(PROPOSAL, document)
    assert schema.problems(PROPOSAL, document, code="x")


SCALAR = st.none() | st.booleans() | st.sampled_from([0, 1, 2, "", "a", "b", "\n"])
VALUE = st.recursive(
    SCALAR,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=6,
)
TYPE = st.sampled_from(["object", "array", "string", "boolean", "integer", "null"])
RULE = st.recursive(
    st.booleans() | st.fixed_dictionaries({"type": TYPE}),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": TYPE | st.lists(TYPE, min_size=1, max_size=2, unique=True),
            "const": SCALAR,
            "enum": st.lists(SCALAR, min_size=1, max_size=3),
            "required": st.lists(st.sampled_from("abc"), max_size=2, unique=True),
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
            "additionalProperties": inner,
            "items": inner,
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "minimum": st.integers(0, 2),
            "maximum": st.integers(0, 2),
            "minProperties": st.integers(0, 2),
            "dependentRequired": st.dictionaries(
                st.sampled_from("abc"), st.lists(st.sampled_from("abc"), max_size=2, unique=True)
            ),
            "minItems": st.integers(0, 2),
            "maxItems": st.integers(0, 2),
            "minLength": st.integers(0, 2),
            "maxLength": st.integers(0, 2),
            "pattern": st.sampled_from(["^a", "\\S", "^[^\\u0000-\\u001f]*(?![\\s\\S])"]),
            "not": inner,
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "oneOf": st.lists(inner, min_size=1, max_size=2),
            "if": inner,
            "then": inner,
            "else": inner,
            "description": st.just("words"),
        },
    ),
    max_leaves=6,
)


@given(VALUE, RULE)
def test_it_agrees_with_the_library(value: Any, rule: Any) -> None:
    assert closure(rule)(value) == jsonschema.Draft202012Validator(rule).is_valid(value)


@pytest.mark.parametrize(
    "rule",
    [
        {"contains": True},
        {"properties": {"a": {"items": {"uniqueItems": True}}}},
        {"type": "number"},
        {"const": 1.5},
        {"enum": [[]]},
    ],
)
def test_a_rule_that_would_be_lost_is_an_error(rule: Any) -> None:
    with pytest.raises(UnknownKeywordError):
        closure(rule)


@pytest.mark.parametrize("name", schema.names())
def test_every_shipped_schema_can_be_compiled_whole(name: str) -> None:
    compiler = Compiler(load)
    compiler.schema(f"{name}{schema.SUFFIX}")
    for rule in load(f"{name}{schema.SUFFIX}").get("$defs", {}).values():
        compiler.rule(f"{name}{schema.SUFFIX}", rule)


def test_a_number_with_a_fraction_is_not_an_integer() -> None:
    for rule in ({"type": "integer"}, {"const": 1}, {"enum": [1, 2]}):
        assert closure(rule)(1)
        assert not closure(rule)(1.0)
    found = schema.problems("change-id", {"schema_version": 1.0}, code="x")
    assert "/schema_version" in {problem.pointer for problem in found}


WORDS = [
    "",
    "a",
    "open",
    "ready",
    "payments",
    "payments-001",
    "main",
    "a" * 40,
    "W" + "0" * 16,
    "/x",
]
LEAF = st.none() | st.booleans() | st.integers(-1, 2) | st.sampled_from(WORDS)


def documents(rule: Any, file: str, depth: int = 5) -> st.SearchStrategy[Any]:
    """Documents that follow a rule more or less: of its keys, words and types."""
    if not isinstance(rule, dict) or depth == 0:
        return LEAF
    below = functools.partial(documents, file=file, depth=depth - 1)
    options: list[st.SearchStrategy[Any]] = []
    if "$ref" in rule:
        name, _, pointer = rule["$ref"].partition("#")
        target: Any = load(name or file)
        for token in filter(None, pointer.split("/")):
            target = target[token]
        options.append(documents(target, name or file, depth - 1))
    for key in ("anyOf", "oneOf", "allOf"):
        options += map(below, rule.get(key, ()))
    options += [below(rule[key]) for key in ("then", "else") if key in rule]
    options += [
        st.just(value) for value in [*rule.get("enum", ()), *filter(None, [rule.get("const")])]
    ]
    if "items" in rule:
        options.append(st.lists(below(rule["items"]), max_size=2))
    if "properties" in rule:
        known = {key: below(one) for key, one in rule["properties"].items()}
        required = {key: one for key, one in known.items() if key in rule.get("required", ())}
        others = {key: one for key, one in known.items() if key not in required}
        options.append(st.fixed_dictionaries(required, optional=others))
        options.append(st.fixed_dictionaries({}, optional=known))
    return st.one_of(*options, LEAF) if options else LEAF


@pytest.mark.parametrize("name", schema.names())
@settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.data())
def test_every_shipped_schema_is_judged_as_by_the_library(name: str, data: st.DataObject) -> None:
    rule = load(f"{name}{schema.SUFFIX}")
    document = data.draw(documents(rule, f"{name}{schema.SUFFIX}"))
    assert schema.follows(name, document) == library(name).is_valid(document)
    schema.problems(name, document, code="x")
