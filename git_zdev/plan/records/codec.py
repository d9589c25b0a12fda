"""Parse record files: strict readers that report everything that is wrong with a file.

A reader takes a file's bytes and its path, appends every problem that it finds to a list, and
returns the record, or None after any problem. :func:`require_record` turns the problems into one
error for callers that need the record; :func:`require_same` reads back what was written.
"""

from __future__ import annotations

from git_zdev.ground.errors import InvalidInput, Problem, summary_of
from git_zdev.ground.text import quoted
from git_zdev.plan.records import text
from git_zdev.plan.records.fields import BodyField, Fault, examine, file_number, task_number
from git_zdev.plan.records.markdown import BodyReader
from git_zdev.plan.records.model import (
    AREA_FIELDS,
    BRIEF_BODY,
    CONFIG_FIELDS,
    PROJECT_FIELDS,
    SLICE_BODY,
    SLICE_FIELDS,
    TASK_BODY,
    TASK_FIELDS,
    Area,
    Brief,
    Project,
    Slice,
    Task,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from git_zdev.plan.records.fields import Report
    from git_zdev.plan.records.text import Parts

    Record = TypeVar("Record")

TESTING_DECISIONS = (
    "no new tests",
    "existing checks only",
    "focused coverage",
    "broader regression coverage",
)


def require_record(read: Callable[[list[Problem]], Record | None]) -> Record:
    """Run a reader and raise its problems as one error.

    Args:
        read: Takes the list of problems and returns the record or None.

    Raises:
        InvalidInput: ``invalid-records`` with every problem.
    """
    problems: list[Problem] = []
    record = read(problems)
    if record is None or problems:
        raise invalid_records(problems)
    return record


def require_same(
    expected: Record,
    read: Callable[[list[Problem]], Record | None],
    code: str,
    message: str,
    hint: str = "",
) -> Record:
    """Read back what was written and refuse it unless it is the expected record.

    Args:
        expected: The record that the bytes must hold.
        read: Reads them; takes the list of problems.
        code: The error's code.
        message: The start of the error's message, which the problems follow.
        hint: The error's hint.

    Returns:
        The record.

    Raises:
        InvalidInput: ``code``, with at least one problem.
    """
    problems: list[Problem] = []
    if read(problems) != expected:
        problems = problems or [Problem(code, "a value would read back as something else")]
        raise InvalidInput(code, f"{message}: {summary_of(problems)}", problems, hint)
    return expected


def invalid_records(problems: list[Problem]) -> InvalidInput:
    """The error for record files that cannot be used."""
    summary = summary_of(problems)
    message = summary if len(problems) == 1 else f"the records have {summary}"
    return InvalidInput(
        "invalid-records",
        message,
        problems,
        "Fix the files and run `git zdev check`",
    )


def read_project(data: bytes, path: str, problems: list[Problem]) -> Project | None:
    """Read ``config.toml``."""
    parts = text.split_toml(data, path, problems)
    if parts is None:
        return None
    report = _TableReport(path, problems, parts)
    table = text.read_table(parts, path, problems)
    if table is None:
        return None
    examine(table, CONFIG_FIELDS, report)
    values = table.get("project")
    if isinstance(values, dict):
        examine(values, PROJECT_FIELDS, report.below("project"))
    return None if report.dirty else Project(**table["project"])


def read_area(data: bytes, path: str, tag: str, problems: list[Problem]) -> Area | None:
    """Read ``area.toml`` of the folder ``tag``."""
    parts = text.split_toml(data, path, problems)
    if parts is None:
        return None
    report = _TableReport(path, problems, parts)
    table = text.read_table(parts, path, problems)
    if table is None:
        return None
    examine(table, AREA_FIELDS, report)
    _report_mode(table, report)
    _report_name(table, "tag", tag, "folder", report)
    return None if report.dirty else Area(**_values(table))


def read_brief(data: bytes, path: str, problems: list[Problem]) -> Brief | None:
    """Read ``brief.md``."""
    decoded = text.decode(data, path, problems)
    if decoded is None:
        return None
    body = BodyReader(path, decoded.text, 0, problems)
    body.report_repeated(BRIEF_BODY)
    sections = body.read(BRIEF_BODY)
    said = " ".join(sections["testing"].lower().split())
    if said and not any(decision in said for decision in TESTING_DECISIONS):
        expected = "; ".join(TESTING_DECISIONS)
        message = f"the section ## Testing says none of: {expected}"
        body.report("missing-testing-decision", message, body.section("Testing"))
    return Brief(path, **sections) if body.clean else None


def read_slice(
    data: bytes, path: str, area: str, key: str, problems: list[Problem]
) -> Slice | None:
    """Read the slice file ``<key>.md`` of an area."""
    parts = text.split_markdown(data, path, problems)
    if parts is None:
        return None
    report = _TableReport(path, problems, parts)
    table = text.read_table(parts, path, problems)
    if table is not None:
        examine(table, SLICE_FIELDS, report)
        _report_name(table, "key", key, "file name", report)
        _report_name(table, "area", area, "folder", report)
    body = BodyReader(path, parts.text, parts.body, problems)
    body.report_repeated(SLICE_BODY)
    title = body.title()
    sections = body.read(SLICE_BODY)
    if table is None or report.dirty:
        return None
    if title != table["title"].strip():
        message = (
            f"the title line is {quoted(title)}, the front matter says {quoted(table['title'])}"
        )
        body.report("title-mismatch", message)
        return None
    return Slice(**{**_values(table), **sections, "title": title, "source": data})


def read_task(data: bytes, path: str, area: str, problems: list[Problem]) -> Task | None:
    """Read a task file of an area; ``path`` ends with its ``<number>-<slug>.md`` name."""
    parts = text.split_markdown(data, path, problems)
    if parts is None:
        return None
    report = _TableReport(path, problems, parts)
    table = text.read_table(parts, path, problems)
    if table is not None:
        examine(table, TASK_FIELDS, report)
        _report_name(table, "area", area, "folder", report)
        _report_task_id(table, path, area, report)
    body = BodyReader(path, parts.text, parts.body, problems)
    body.report_repeated()
    title = body.title()
    done = table is not None and table.get("status") == "done"
    sections = body.read(TASK_BODY, all_checked=done)
    if done:
        body.read(_RESULT)
    if table is None or report.dirty:
        return None
    return Task(**_values(table), **sections, title=title, path=path, source=data)


_RESULT = (BodyField("result", "Result", str),)


_LISTS = frozenset(field.name for field in TASK_FIELDS if field.kind is list)


def _values(table: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a record: its table without the version, lists as tuples."""
    del table["schema_version"]
    for name in _LISTS & table.keys():
        table[name] = tuple(table[name])
    return table


def task_key_line(task: Task, key: str) -> int | None:
    """1-based line of a front matter key in the task's file."""
    parts = text.split_markdown(task.source, task.path, [])
    line = None if parts is None else text.key_lines(parts.block).get((key,))
    return None if line is None else line + 1


class _TableReport:
    """Turn faults of a table into problems of a file, with the line of the key."""

    def __init__(self, path: str, problems: list[Problem], parts: Parts) -> None:
        self._path = path
        self._problems = problems
        self._known = len(problems)
        self._parts = parts
        self._lines: dict[tuple[str, ...], int] | None = None

    @property
    def dirty(self) -> bool:
        """Whether the file got a problem since this report began."""
        return len(self._problems) > self._known

    def __call__(self, fault: Fault, key: str, _position: int | None = None) -> None:
        self.report(fault, (key,))

    def below(self, table: str) -> Report:
        """The report for a table inside this one."""
        return lambda fault, key, _position: self.report(fault, (table, key))

    def report(self, fault: Fault, key: tuple[str, ...]) -> None:
        """Add the problem at the line of the key, else of its table, else of the block."""
        if self._lines is None:
            self._lines = text.key_lines(self._parts.block)
        line = self._lines.get(key) or self._lines.get(key[:-1]) or 1
        at = self._parts.line + line - 1
        self._problems.append(Problem(fault.code, fault.message, self._path, at))


def _report_name(
    table: dict[str, Any], key: str, expected: str, what: str, report: _TableReport
) -> None:
    """Report a key that does not repeat the name of its folder or file."""
    value = table.get(key)
    if value != expected and type(value) is str:
        message = f"{quoted(key)} is {quoted(value)}, the {what} says {quoted(expected)}"
        report(Fault("name-mismatch", message), key)


def _report_mode(table: dict[str, Any], report: _TableReport) -> None:
    """Report keys that the area's mode needs or forbids."""
    if table.get("mode") != "trunk":
        if "branch" not in table:
            message = 'the key "branch" is missing in an isolated area'
            report(Fault("missing-key", message), "branch")
        return
    for key in ("branch", "parent", "base_commit"):
        if key in table:
            report(Fault("forbidden-key", f"a trunk area has no {quoted(key)}"), key)


def _report_task_id(table: dict[str, Any], path: str, area: str, report: _TableReport) -> None:
    identity = table.get("id")
    if type(identity) is not str:
        return
    number = task_number(area, identity)
    if number is None:
        expected = f"{area}-<number>"
        message = f'"id" is {quoted(identity)}; expected {expected}'
        report(Fault("invalid-task-id", message), "id")
        return
    name = path.rpartition("/")[2]
    if file_number(name) != number:
        message = f"the id {quoted(identity)} belongs in {number:03d}-<slug>.md, not {name}"
        report(Fault("name-mismatch", message), "id")
