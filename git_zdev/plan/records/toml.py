"""TOML as the record files use it, read strictly with ``tomllib``, and its strings written."""

from __future__ import annotations

from git_zdev.ground.errors import Problem
from git_zdev.ground.text import quoted
from git_zdev.plan.records.fields import PROBLEM_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SIZE_LIMIT = 1024 * 1024
"""Most characters of TOML in one file: parsing cost may grow faster than the text."""


def read(block: str, path: str, first_line: int, problems: list[Problem]) -> dict[str, Any] | None:
    """Read a TOML document.

    Args:
        block: The document.
        path: The file that holds it, for problems.
        first_line: Line of the file on which the document starts.
        problems: Receives ``invalid-toml`` and ``duplicate-key``, with their lines.

    Returns:
        The table; None when it cannot be read. After duplicate keys the table holds the first of
        each, so that what else is wrong can be told too.
    """
    import tomllib

    if len(block) > SIZE_LIMIT:
        message = f"the TOML has {len(block)} characters, more than the limit of {SIZE_LIMIT}"
        problems.append(Problem("invalid-toml", message, path, first_line))
        return None
    try:
        return tomllib.loads(block)
    except RecursionError:
        problems.append(Problem("invalid-toml", "the TOML is nested too deeply", path, first_line))
        return None
    except ValueError as error:  # TOMLDecodeError, or a number or date beyond Python's limits
        reason = str(error)
    from git_zdev.plan.records import toml_edit

    unique, repeated = toml_edit.without_duplicates(block)
    for key, line, earlier in repeated[:PROBLEM_LIMIT]:
        message = f"the key {quoted(key)} stands twice, first on line {first_line + earlier - 1}"
        problems.append(Problem("duplicate-key", message, path, first_line + line - 1))
    if not repeated:
        line, message = _located(reason, block)
        problems.append(Problem("invalid-toml", message, path, first_line + line - 1))
        return None
    return read(unique, path, first_line, problems)


def _located(reason: str, block: str) -> tuple[int, str]:
    """The line that a tomllib message names (the first when it names none), and its sentence."""
    message, _, place = reason.partition(" (at ")
    if place.startswith("end of document"):
        return block.count("\n") + 1, message
    digits = place.removeprefix("line ").partition(",")[0]
    return (int(digits) if digits.isdigit() else 1), message
