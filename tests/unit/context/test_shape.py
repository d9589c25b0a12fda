"""The hand-written checker and the schema of work contexts agree on every small change."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from git_zdev.context import parts as context_parts
from git_zdev.context import shape as context_shape
from git_zdev.ground import schema
from tests.support.contexts import closed_context, open_context

if TYPE_CHECKING:
    from collections.abc import Iterator

VALID = {
    "ready": open_context(),
    "exhausted": open_context(queue="exhausted"),
    "empty": open_context(queue="empty"),
    "closed": closed_context(),
}
REPLACEMENTS: tuple[Any, ...] = (None, True, -1, 1.5, "word", [None], {"kind": []})

Path = tuple[str | int, ...]


def validator() -> Draft202012Validator:
    def retrieve(uri: str) -> Resource[Any]:
        return Resource.from_contents(json.loads(schema.read(uri.removesuffix(schema.SUFFIX))))

    rules = json.loads(schema.read("work-context"))
    return Draft202012Validator(rules, registry=Registry(retrieve=retrieve))


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*path, key))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from places(item, (*path, position))


def at(document: Any, path: Path) -> Any:
    for step in path:
        document = document[step]
    return document


def changed(document: Any) -> Iterator[tuple[str, Any]]:
    """Every document that differs from ``document`` in one place, and how."""
    for path in places(document):
        for value in REPLACEMENTS:
            if not path:
                yield f"all is {value!r}", value
                continue
            other = copy.deepcopy(document)
            at(other, path[:-1])[path[-1]] = value
            yield f"{path} is {value!r}", other
        if path and isinstance(path[-1], str):
            other = copy.deepcopy(document)
            del at(other, path[:-1])[path[-1]]
            yield f"{path} is missing", other
        if isinstance(at(document, path), dict):
            other = copy.deepcopy(document)
            at(other, path)["further"] = 1
            yield f"{path} has a further key", other


@pytest.mark.parametrize("form", VALID)
def test_each_form_is_well_formed_for_both(form: str) -> None:
    assert context_shape.problems(VALID[form]) == []
    assert context_parts.disagreements(VALID[form]) == []
    assert schema.problems("work-context", VALID[form], code="x") == []


@pytest.mark.parametrize("form", ["ready", "closed"])
def test_the_checker_and_the_schema_judge_alike(form: str) -> None:
    rules = validator()
    accepted = 0
    for how, document in changed(VALID[form]):
        by_hand = not context_shape.problems(document)
        by_schema = rules.is_valid(document)
        if by_hand and not by_schema:
            # The schema also ties the task to the queue; by hand that is an agreement.
            assert context_parts.disagreements(document), how
        else:
            assert by_hand == by_schema, how
        accepted += by_hand
    assert accepted  # a string in place of a string is well-formed


def test_a_problem_names_its_place() -> None:
    document = open_context()
    document["git_untracked"]["a/b~c"] = {"kind": "file", "hash": "short"}
    del document["status"]["area"]["tag"]
    document["goal"]["task"]["blocked_by"] = ["x", 7]
    found = {problem.pointer: problem.message for problem in context_shape.problems(document)}
    assert found == {
        "/git_untracked/a~1b~0c/hash": "expected a full lowercase object id",
        "/status/area": 'the key "tag" is missing',
        "/goal/task/blocked_by/1": "expected a string",
    }


def test_an_older_open_document_without_untracked_paths_is_well_formed() -> None:
    document = open_context()
    del document["git_untracked"]
    assert context_shape.problems(document) == []
    assert schema.problems("work-context", document, code="x") == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("area",), "other"),
        (("task_id",), None),
        (("task_id",), "payments-001"),
        (("queue",), "exhausted"),
        (("goal", "area", "tag"), "other"),
        (("goal", "lifecycle"), "closed"),
        (("goal", "queue"), "exhausted"),
        (("goal", "task"), None),
        (("goal", "task", "id"), "payments-003"),
        (("status", "area", "tag"), "other"),
        (("status", "lifecycle"), "closed"),
        (("status", "queue"), "empty"),
        (("status", "next"), None),
        (("status", "branch_status", "task_work", "safe"), False),
        (("status", "branch_status", "task_work", "stale_advisory"), True),
        (("stale_advisory",), True),
    ],
)
def test_parts_that_contradict_each_other_are_told(path: Path, value: Any) -> None:
    document = open_context()
    at(document, path[:-1])[path[-1]] = value
    assert context_shape.problems(document) == []
    assert context_parts.disagreements(document)
