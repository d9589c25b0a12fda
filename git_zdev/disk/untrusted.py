"""Values of a JSON document from an unknown writer, accepted only with the right type.

Every function returns the value or raises ``ValueError`` with a sentence that begins with the
value's name. Accepted values can be passed to the system: no text contains a NUL byte or characters
that a file name cannot have, and no number is longer than the system's own.
"""

from __future__ import annotations

import os

from git_zdev.ground import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

_HEX = frozenset("0123456789abcdef")
_FORBIDDEN_IN_REF = frozenset(" ~^:?*[\\\x7f") | {chr(code) for code in range(32)}
_TEXT_LIMIT = 1 << 20
_NUMBER_LIMIT = 1 << 64


def read_object(data: bytes) -> dict[str, Any]:
    """Read one JSON object in which no key appears twice, at any depth."""
    try:
        document = jsontext.loads(data.decode(), object_pairs_hook=jsontext.distinct)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    if not isinstance(document, dict):
        raise ValueError("it is not a single JSON object")
    return document


def members(value: object, keys: Collection[str], name: str) -> dict[str, Any]:
    """An object with exactly these keys."""
    if not isinstance(value, dict) or value.keys() != set(keys):
        raise ValueError(f"{name} is not an object with exactly the keys {', '.join(sorted(keys))}")
    return value


def items(value: object, most: int, name: str) -> list[Any]:
    """An array with at most ``most`` items."""
    if not isinstance(value, list) or len(value) > most:
        raise ValueError(f"{name} is not an array of at most {most} items")
    return value


def pair(value: object, name: str) -> list[Any]:
    """An array with two items."""
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"{name} is not an array of two items")
    return value


def text(value: object, name: str, most: int = _TEXT_LIMIT) -> str:
    """A string of at most ``most`` characters that can be passed to the system."""
    if not isinstance(value, str) or len(value) > most or "\0" in value or not _is_native(value):
        raise ValueError(f"{name} is not a text of at most {most} characters")
    return value


def _is_native(value: str) -> bool:
    """Whether a text can be passed to the system, byte for byte."""
    try:
        os.fsencode(value)
    except UnicodeEncodeError:
        return False
    return True


def line(value: object, name: str, most: int = _TEXT_LIMIT) -> str:
    """A text without a line end."""
    if "\n" in text(value, name, most):
        raise ValueError(f"{name} is more than one line")
    return str(value)


def hexadecimal(value: object, lengths: Collection[int], name: str) -> str:
    """Lowercase hexadecimal digits; their number must be one of ``lengths``."""
    if not isinstance(value, str) or len(value) not in lengths or not _HEX.issuperset(value):
        raise ValueError(f"{name} is not {' or '.join(map(str, lengths))} hexadecimal digits")
    return value


def number(value: object, name: str, least: int = 0, limit: int = _NUMBER_LIMIT) -> int:
    """An integer from ``least`` to ``limit - 1``."""
    if type(value) is not int or not least <= value < limit:
        raise ValueError(f"{name} is not a number from {least} to {limit - 1}")
    return value


def flag(value: object, name: str) -> bool:
    """A boolean."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} is neither true nor false")
    return value


def optional(value: object, take: Callable[[object], str]) -> str | None:
    """The value as ``take`` returns it; None for null."""
    return None if value is None else take(value)


def branch(value: object, name: str) -> str:
    """A branch name: the part of a ref's name after ``refs/heads/`` (git-check-ref-format)."""
    found = text(value, name, 4096)
    parts_fit = all(
        part and not part.startswith(".") and not part.endswith(".lock")
        for part in found.split("/")
    )
    strange = ".." in found or "@{" in found or found.endswith(".")
    if strange or not parts_fit or not _FORBIDDEN_IN_REF.isdisjoint(found):
        raise ValueError(f"{name} is not a name of a branch")
    return found
