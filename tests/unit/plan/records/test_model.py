"""The tables of fields, and the shipped schemas and the manual that say the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.ground import schema
from git_zdev.plan.bundle import BUNDLE_FIELDS, DRAFT_FIELDS
from git_zdev.plan.records import model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from git_zdev.plan.records.fields import Field


def load(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(schema.read(name))
    return document


KINDS = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict}
VIEWED = [field for field in model.TASK_FIELDS if field.view]
PAGE = Path(__file__).parents[4] / "man/man5/git-zdev-format.5"


def followed(value: dict[str, Any], name: str) -> dict[str, Any]:
    """A part of a schema with its reference followed."""
    if "$ref" not in value:
        return value
    file, _, pointer = value["$ref"].partition("#")
    target: Any = load(file.removesuffix(schema.SUFFIX) or name)
    for step in pointer.split("/")[1:]:
        target = target[step]
    return followed(target, file.removesuffix(schema.SUFFIX) or name) | {
        key: more for key, more in value.items() if key != "$ref"
    }


def words(part: object) -> set[str]:
    """Every word of every ``enum`` in a schema."""
    if isinstance(part, list):
        return set().union(*map(words, part))
    if not isinstance(part, dict):
        return set()
    own = {one for one in part.get("enum", ()) if isinstance(one, str)}
    return own.union(*map(words, part.values()))


ALL_WORDS = {word for name in schema.names() for word in words(load(name))} | {"x"}


def kinds(part: dict[str, Any]) -> set[type]:
    """The types that a value may have, null aside."""
    if "enum" in part or "const" in part:
        return {type(one) for one in part.get("enum", [part.get("const")])}
    named = part["type"] if isinstance(part["type"], list) else [part["type"]]
    return {KINDS[one] for one in named if one != "null"}


def compare(field: Field, part: dict[str, Any], name: str) -> None:
    """A schema says of a field's value what the field says."""
    part = followed(part, name)
    if "anyOf" in part:  # a view says null for what a record leaves out
        (part,) = (followed(one, name) for one in part["anyOf"] if one != {"type": "null"})
    assert kinds(part) == {field.kind}, field.name
    if "enum" in part:
        assert field.rule is not None
        allowed = {word for word in ALL_WORDS if field.rule(word) is None}
        assert allowed == set(part["enum"]), field.name


@pytest.mark.parametrize(
    ("name", "below", "fields"),
    [
        ("project", (), model.CONFIG_FIELDS),
        ("project", ("properties", "project"), model.PROJECT_FIELDS),
        ("area", (), model.AREA_FIELDS),
        ("slice", (), model.SLICE_FIELDS),
        ("task", (), model.TASK_FIELDS),
        ("task-bundle", (), BUNDLE_FIELDS),
        ("task-draft", (), DRAFT_FIELDS),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_schemas_say_what_the_tables_say(
    name: str, below: tuple[str, ...], fields: Sequence[Field]
) -> None:
    document = load(name)
    for step in below:
        document = document[step]
    assert list(document["properties"]) == [field.name for field in fields]
    required = set(document["required"])
    assert required == {field.name for field in fields if field.required}
    assert document["additionalProperties"] is False
    for field in fields:
        compare(field, document["properties"][field.name], name)


@pytest.mark.parametrize("name", ["task-view", "task-show"])
def test_the_schemas_of_views_know_every_field_that_is_shown(name: str) -> None:
    document = load(name)
    for field in VIEWED:
        compare(field, document["properties"][field.name], name)
    known = {field.name for field in model.TASK_FIELDS}
    shown = {"area"} if name == "task-show" else set[str]()
    shown |= {"schema_version"} if name == "task-show" else set()
    assert known & document["properties"].keys() == {field.name for field in VIEWED} | shown
    assert set(document["required"]) == document["properties"].keys()


@pytest.mark.parametrize("field", [*model.TASK_FIELDS, *model.AREA_FIELDS, *model.PROJECT_FIELDS])
def test_the_manual_names_every_key(field: Field) -> None:
    assert field.name in PAGE.read_text(encoding="utf-8").replace("\\", "").split()


def test_a_record_has_the_fields_of_its_table() -> None:
    body = [field.name for field in model.TASK_BODY]
    front = [field.name for field in model.TASK_FIELDS[1:]]
    assert {*front, *body, "title", "path", "source"} == set(model.Task.__match_args__)
    assert {field.name for field in DRAFT_FIELDS} == set(model.Draft.__match_args__)
    sections = [field.name for field in model.SLICE_BODY]
    known = [field.name for field in model.SLICE_FIELDS[1:]]
    assert {*known, *sections, "source"} == set(model.Slice.__match_args__)
    assert [field.name for field in model.AREA_FIELDS[1:]] == list(model.Area.__match_args__)
    assert [field.name for field in model.PROJECT_FIELDS] == list(model.Project.__match_args__)
