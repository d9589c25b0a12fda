"""The JSON Schema library on the shipped schemas, which the closures are held against."""

from __future__ import annotations

import functools
import json
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from git_zdev.ground import schema


@functools.cache
def load(name: str) -> dict[str, Any]:
    """The decoded schema of a file name."""
    document: dict[str, Any] = json.loads(schema.read(name.removesuffix(schema.SUFFIX)))
    return document


@functools.cache
def library(name: str) -> Draft202012Validator:
    """The library's own validator of a schema."""
    registry: Registry[Any] = Registry(retrieve=lambda uri: Resource.from_contents(load(uri)))
    return Draft202012Validator(load(f"{name}{schema.SUFFIX}"), registry=registry)
