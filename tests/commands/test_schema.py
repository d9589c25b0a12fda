"""``git zdev schema list`` and ``schema show``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import jsonschema
import pytest

from tests.support.cli import SCHEMAS, refused, result, succeed

if TYPE_CHECKING:
    from pathlib import Path

NAMES = sorted(path.name.removesuffix(".schema.json") for path in SCHEMAS.glob("*.schema.json"))


def test_every_schema_is_listed_with_its_title(tmp_path: Path) -> None:
    listed = result("schema list", cwd=tmp_path)["schemas"]
    assert [entry["name"] for entry in listed] == NAMES
    assert all(entry["title"] for entry in listed)


@pytest.mark.parametrize("name", NAMES)
def test_every_schema_is_one(name: str) -> None:
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"{name}.schema.json"


@pytest.mark.parametrize("name", ["goal", "goal.schema.json"])
def test_a_schema_is_printed_as_it_is(tmp_path: Path, name: str) -> None:
    expected = (SCHEMAS / "goal.schema.json").read_bytes()
    assert succeed("schema", "show", name, cwd=tmp_path).stdout == expected
    assert succeed("schema", "show", name, "--format=json", cwd=tmp_path).stdout == expected


@pytest.mark.parametrize("name", ["nothing", "", "../setup", "/etc/passwd"])
def test_a_schema_that_there_is_not(tmp_path: Path, name: str) -> None:
    refused("unknown-schema", "schema", "show", name, cwd=tmp_path)
