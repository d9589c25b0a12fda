"""The shipped schemas, and the sentences that a document gets that does not follow one."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from git_zdev.ground import schema


def told(name: str, document: Any) -> list[tuple[str | None, str]]:
    return [
        (problem.pointer, problem.message)
        for problem in schema.problems(name, document, code="invalid-proposal")
    ]


def proposal(**changes: Any) -> dict[str, Any]:
    draft = {"key": "one", "title": "One", "outcome": "It is.", "done_when": ["It is done."]}
    valid = {
        "schema_version": 1,
        "proposal": "investigation_follow_up",
        "area": "payments",
        "source_task": "payments-007",
        "source_result": {"status": "complete", "summary": "Done.", "validation": ["Looked."]},
        "tasks": [draft],
    }
    return valid | changes


@pytest.mark.parametrize("name", schema.names())
def test_every_schema_is_a_schema_with_a_title(name: str) -> None:
    document = json.loads(schema.read(name))
    jsonschema.Draft202012Validator.check_schema(document)
    assert document["title"]


def test_an_unknown_schema_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        schema.read("../setup")


def test_a_valid_document_has_no_problems() -> None:
    assert told("derived-proposal", proposal()) == []


def test_each_wrong_property_is_named() -> None:
    draft = {"key": "One\n", "title": 3, "outcome": "\t", "done_when": [], "afk": "yes", "x/y": {}}
    assert sorted(told("task-draft", draft)) == [
        ("/afk", "it is a string; expected a boolean"),
        ("/done_when", "it is an array of 0 items; expected at least 1"),
        (
            "/key",
            (
                'it is "One\\n"; expected 1 to 80 of a-z, 0-9 and the hyphen, '
                "without a hyphen at either end"
            ),
        ),
        ("/outcome", 'it is "\\t"; expected a line that is not blank'),
        ("/outcome", 'it is "\\t"; expected one line without control characters'),
        ("/title", "it is a number; expected a string"),
        (
            "/x~1y",
            (
                "the key is unknown here, known are key, title, complexity, afk, priority, "
                "slice, blocked_by, outcome, context, boundaries, done_when, validation"
            ),
        ),
    ]


def test_the_two_kinds_of_proposal_have_different_rules() -> None:
    split = proposal(proposal="implementation_split")
    assert told("derived-proposal", split) == [
        ("", 'the key "split_ownership" is missing'),
        ("/source_result/status", 'it is "complete"; expected "split"'),
        ("/source_result/validation", "it is an array of 1 item; expected at most 0"),
    ]
    ownership = {
        "retained_parent_paths": [],
        "child_future_paths": [{"key": "one", "paths": ["a"]}],
    }
    assert told("derived-proposal", proposal(split_ownership=ownership)) == [
        ("/split_ownership", "only an implementation split has this property")
    ]


def test_a_document_full_of_problems_is_told_in_part() -> None:
    hostile = proposal(tasks=[{}] * 10_000)
    assert len(told("derived-proposal", hostile)) == schema.PROBLEM_LIMIT
