"""Slices: smaller briefs inside an area, planned as values."""

from __future__ import annotations

from git_zdev.ground.changeset import ChangeSet, FileChange
from git_zdev.ground.errors import InvalidInput, Problem, ZdevError, summary_of
from git_zdev.ground.text import quoted
from git_zdev.plan.records import fields, render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from git_zdev.plan.records.model import Area, Slice
    from git_zdev.plan.records.store import RecordSource


def plan_create(
    area: Area,
    key: str,
    *,
    title: str,
    objective: str,
    boundaries: Sequence[str],
    source: RecordSource,
) -> tuple[Slice, ChangeSet]:
    """Plan a new slice of an open area.

    Args:
        area: The area.
        key: The slice's name, new to the area.
        title: One line.
        objective: One line.
        boundaries: One line each, at least one.
        source: The record files.

    Raises:
        InvalidInput: ``invalid-slice`` with every value that cannot be written.
        ZdevError: ``slice-exists``.
    """
    problems = list(_value_problems(key, title, objective, boundaries))
    if problems:
        raise InvalidInput(
            "invalid-slice",
            f"the slice cannot be recorded: {summary_of(problems, placed=False)}",
            problems,
            "Give different values; nothing was recorded",
        )
    new = render.render_slice(area.tag, key, title, objective, boundaries)
    if source.read(new.path) is not None:
        raise ZdevError("slice-exists", f"{new.path} already exists", "Choose another key")
    return new, ChangeSet("slice create", (FileChange(new.path, None, new.source),))


def _value_problems(
    key: str, title: str, objective: str, boundaries: Sequence[str]
) -> Iterator[Problem]:
    named = [
        ("the key", fields.segment, key),
        ("the title", fields.line, title),
        ("the objective", fields.line, objective),
    ]
    named += [
        (f"boundary {number}", fields.line, item) for number, item in enumerate(boundaries, 1)
    ]
    for name, rule, value in named:
        fault = rule(value)
        if fault is not None:
            yield Problem(fault.code, f"{name} {fault.message}")
    if not boundaries:
        yield Problem("missing-boundaries", "there is no boundary; expected at least one")


def require_slice(slices: Mapping[str, Slice], area: str, key: str) -> Slice:
    """The slice of that key.

    Raises:
        ZdevError: ``unknown-slice``.
    """
    if key in slices:
        return slices[key]
    known = ", ".join(slices) or "none yet"
    raise ZdevError(
        "unknown-slice", f"the area {area} has no slice {quoted(key)}", f"Its slices: {known}"
    )
