"""The quick look at a document agrees with the JSON Schema library wherever it has an opinion."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from referencing import Registry, Resource

from git_zdev.ground import schema
from git_zdev.ground.schema_check import follows
from tests.support import proposals
from tests.support.proposals import follow_up, split


def load(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(schema.read(name.removesuffix(".schema.json")))
    return document


REGISTRY: Registry[Any] = Registry(retrieve=lambda uri: Resource.from_contents(load(uri)))
PROPOSAL = "derived-proposal.schema.json"


def is_valid(document: Any, rule: dict[str, Any]) -> bool:
    return jsonschema.Draft202012Validator(rule, registry=REGISTRY).is_valid(document)


@pytest.mark.parametrize("document", [follow_up(), split()], ids=["follow-up", "split"])
def test_a_valid_proposal_is_plain(document: dict[str, Any]) -> None:
    assert is_valid(document, load(PROPOSAL))
    assert follows(document, PROPOSAL, load) is True


@pytest.mark.parametrize("wrong", proposals.SCHEMA, ids=lambda wrong: wrong.name)
def test_an_invalid_proposal_is_not_taken_for_valid(wrong: proposals.Wrong) -> None:
    document = json.loads(wrong.data.partition(b"\n")[2])
    assert not is_valid(document, load(PROPOSAL))
    assert not follows(document, PROPOSAL, load)


SCALAR = st.none() | st.booleans() | st.sampled_from([0, 1, 2, 1.0, 0.5, "", "a", "b", "\n"])
VALUE = st.recursive(
    SCALAR,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=6,
)
TYPE = st.sampled_from(["object", "array", "string", "boolean", "integer", "number", "null"])
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
            "minItems": st.integers(0, 2),
            "maxItems": st.integers(0, 2),
            "minLength": st.integers(0, 2),
            "pattern": st.sampled_from(["^a", "\\S", "^[^\\u0000-\\u001f]*(?![\\s\\S])"]),
            "not": inner,
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
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
    plain = follows(value, "rule", lambda _name: rule)
    if plain is not None:
        assert plain == jsonschema.Draft202012Validator(rule).is_valid(value)


def test_what_it_does_not_know_is_left_open() -> None:
    assert follows("a", "rule", lambda _name: {"anyOf": [True]}) is None
    assert follows(1.0, "rule", lambda _name: {"const": 1}) is None
    assert follows([[1]], "rule", lambda _name: {"enum": [[[1]]]}) is None
