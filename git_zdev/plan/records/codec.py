"""Bytes into records: strict readers that tell everything that is wrong with a file.

A reader takes a file's bytes and its path, appends every problem that it finds to a list, and
returns the record, or None when there was any problem. :func:`demand` turns the problems into one
error for callers that need the record.
"""

from __future__ import annotations

from git_zdev.fast import toml as fast_toml
from git_zdev.ground.errors import InvalidInput, Problem, told
from git_zdev.ground.text import quoted
from git_zdev.ground.values import dataclass
from git_zdev.plan.records import fields, text, toml
from git_zdev.plan.records.body import BodyReader
from git_zdev.plan.records.fields import Fault, Field, examine
from git_zdev.plan.records.model import (
    COMPLEXITIES,
    PRIORITIES,
    RECORD_POLICIES,
    Area,
    Brief,
    Project,
    Slice,
    Task,
)
from git_zdev.plan.records.names import file_number, task_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from git_zdev.plan.records.fields import Report

    Record = TypeVar("Record")

FENCE = "+++"
TESTING_DECISIONS = (
    "no new tests",
    "existing checks only",
    "focused coverage",
    "broader regression coverage",
)

CONFIG_FIELDS = (Field("schema_version", int, rule=fields.version), Field("project", dict))
PROJECT_FIELDS = (
    Field("name", str, rule=fields.line),
    Field("record", str, rule=fields.choice(*RECORD_POLICIES)),
    Field("default_area", str, required=False, rule=fields.segment),
    Field("trunk", str, required=False, rule=fields.branch),
    Field("guidance", str, required=False, rule=fields.line),
)
AREA_FIELDS = (
    Field("schema_version", int, rule=fields.version),
    Field("tag", str, rule=fields.segment),
    Field("title", str, rule=fields.line),
    Field("objective", str, rule=fields.line),
    Field("mode", str, required=False, rule=fields.choice("isolated", "trunk")),
    Field("branch", str, required=False, rule=fields.branch),
    Field("lifecycle", str, required=False, rule=fields.choice("open", "closed")),
    Field("parent", str, required=False, rule=fields.segment),
    Field("base_commit", str, required=False, rule=fields.commit),
)
SLICE_FIELDS = (
    Field("schema_version", int, rule=fields.version),
    Field("key", str, rule=fields.segment),
    Field("area", str, rule=fields.segment),
    Field("title", str, rule=fields.line),
)
TASK_FIELDS = (
    Field("schema_version", int, rule=fields.version),
    Field("id", str),
    Field("key", str, rule=fields.segment),
    Field("area", str, rule=fields.segment),
    Field("status", str, rule=fields.choice("open", "done")),
    Field("complexity", str, required=False, rule=fields.choice(*COMPLEXITIES)),
    Field("afk", bool, required=False),
    Field("priority", str, required=False, rule=fields.choice(*PRIORITIES)),
    Field("slice", str, required=False, rule=fields.segment),
    Field("blocked_by", list, required=False),
)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A Markdown record file taken apart; offsets count characters of ``text``.

    Attributes:
        text: The whole file with LF line ends.
        crlf: Whether the file has CRLF line ends.
        block: The TOML between the ``+++`` lines, without its last line end.
        body: Where the body starts.
    """

    text: str
    crlf: bool
    block: str
    body: int


def demand(read: Callable[[list[Problem]], Record | None]) -> Record:
    """Run a reader and refuse what it refuses.

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


def invalid_records(problems: list[Problem]) -> InvalidInput:
    """The error for record files that cannot be used."""
    message = told(problems) if len(problems) == 1 else f"the records have {told(problems)}"
    return InvalidInput(
        "invalid-records",
        message,
        problems,
        "Mend the files and run `git zdev check`",
    )


def read_project(data: bytes, path: str, problems: list[Problem]) -> Project | None:
    """Read ``config.toml``."""
    report = _TableReport(path, problems)
    table = _read_toml_file(data, path, report, problems)
    if table is None or not examine(table, CONFIG_FIELDS, report):
        project = (table or {}).get("project")
        if isinstance(project, dict):
            examine(project, PROJECT_FIELDS, report.below("project"))
        return None
    values = table["project"]
    if not examine(values, PROJECT_FIELDS, report.below("project")) or report.dirty:
        return None
    return Project(**values)


def read_area(data: bytes, path: str, tag: str, problems: list[Problem]) -> Area | None:
    """Read ``area.toml`` of the folder ``tag``."""
    report = _TableReport(path, problems)
    table = _read_toml_file(data, path, report, problems)
    if table is None:
        return None
    clean = examine(table, AREA_FIELDS, report)
    clean = _mode_agrees(table, report) and clean
    clean = _named(table, "tag", tag, "folder", report) and clean
    if not clean or report.dirty:
        return None
    del table["schema_version"]
    return Area(**table)


def read_brief(data: bytes, path: str, problems: list[Problem]) -> Brief | None:
    """Read ``brief.md``."""
    decoded = text.decode(data, path, problems)
    if decoded is None:
        return None
    body = BodyReader(path, decoded.text, 0, problems)
    body.each_once("Objective", "Testing")
    objective = body.prose("Objective")
    testing = body.prose("Testing")
    said = " ".join(testing.lower().split())
    if testing and not any(decision in said for decision in TESTING_DECISIONS):
        expected = "; ".join(TESTING_DECISIONS)
        message = f"the section ## Testing says none of: {expected}"
        body.report("missing-testing-decision", message, body.section("Testing"))
    return Brief(path, objective, testing) if body.clean else None


def read_slice(
    data: bytes, path: str, area: str, key: str, problems: list[Problem]
) -> Slice | None:
    """Read the slice file ``<key>.md`` of an area."""
    matter = split_front_matter(data, path, problems)
    if matter is None:
        return None
    report = _TableReport(path, problems, 2, matter.block)
    table = _read_block(matter.block, path, problems)
    if table is not None:
        examine(table, SLICE_FIELDS, report)
        _named(table, "key", key, "file name", report)
        _named(table, "area", area, "folder", report)
    body = BodyReader(path, matter.text, matter.body, problems)
    body.each_once("Objective", "Boundaries")
    title = body.title()
    objective = body.prose("Objective")
    boundaries = body.bullets("Boundaries")
    if table is None or report.dirty or not body.clean:
        return None
    if title != table["title"].strip():
        message = (
            f"the title line is {quoted(title)}, the front matter says {quoted(table['title'])}"
        )
        body.report("title-mismatch", message)
        return None
    return Slice(table["key"], table["area"], title, objective, boundaries, data)


def read_task(data: bytes, path: str, area: str, problems: list[Problem]) -> Task | None:
    """Read a task file of an area; ``path`` ends with its ``<number>-<slug>.md`` name."""
    matter = split_front_matter(data, path, problems)
    if matter is None:
        return None
    report = _TableReport(path, problems, 2, matter.block)
    table = _read_block(matter.block, path, problems)
    if table is not None:
        examine(table, TASK_FIELDS, report)
        _named(table, "area", area, "folder", report)
        _check_task_id(table, path, area, report)
    body = BodyReader(path, matter.text, matter.body, problems)
    done = table is not None and table.get("status") == "done"
    body.each_once()
    title = body.title()
    outcome = body.prose("Outcome")
    boundaries = body.optional_bullets("Boundaries")
    done_when = body.checklist("Done when", all_checked=done)
    validation = body.bullets("Validation")
    if done:
        body.prose("Result")
    if table is None or report.dirty or not body.clean:
        return None
    get = table.get
    return Task(
        table["id"],
        table["key"],
        area,
        table["status"],
        title,
        path,
        outcome,
        body.optional("Context"),
        boundaries,
        done_when,
        validation,
        tuple(get("blocked_by", ())),
        get("complexity"),
        get("afk"),
        get("priority"),
        get("slice"),
        data,
    )


def task_key_line(task: Task, key: str) -> int | None:
    """1-based line of the task's file on which a front matter key stands."""
    matter = split_front_matter(task.source, task.path, [])
    line = None if matter is None else toml_key_lines(matter.block).get((key,))
    return None if line is None else line + 1


def toml_key_lines(block: str) -> dict[tuple[str, ...], int]:
    """1-based line of every key of a TOML text; the scanner is loaded only when it is needed."""
    from git_zdev.plan.records.toml_edit import key_lines

    return key_lines(block)


def split_front_matter(data: bytes, path: str, problems: list[Problem]) -> FrontMatter | None:
    """Take a Markdown record file apart at its two ``+++`` lines."""
    decoded = text.decode(data, path, problems)
    if decoded is None:
        return None
    whole = decoded.text
    if not whole.startswith(f"{FENCE}\n"):
        message = f"the first line is not {FENCE}, which opens the front matter"
        problems.append(Problem("missing-front-matter", message, path, 1))
        return None
    end = whole.find(f"\n{FENCE}\n", len(FENCE))
    if end < 0 and whole.endswith(f"\n{FENCE}"):
        end = len(whole) - len(FENCE) - 1
    if end < 0:
        message = f"the front matter is not closed by a second {FENCE} line"
        problems.append(Problem("unclosed-front-matter", message, path, 1))
        return None
    return FrontMatter(whole, decoded.crlf, whole[4:end], min(end + 5, len(whole)))


def _read_block(block: str, path: str, problems: list[Problem]) -> dict[str, Any] | None:
    table = fast_toml.read_canonical(block)
    return toml.read(block, path, 2, problems) if table is None else table


def _read_toml_file(
    data: bytes, path: str, report: _TableReport, problems: list[Problem]
) -> dict[str, Any] | None:
    decoded = text.decode(data, path, problems)
    if decoded is None:
        return None
    report.block = decoded.text
    table = fast_toml.read_canonical_file(decoded.text)
    return toml.read(decoded.text, path, 1, problems) if table is None else table


class _TableReport:
    """Turns faults of a table into problems of a file, with the line of the key."""

    def __init__(
        self, path: str, problems: list[Problem], first_line: int = 1, block: str = ""
    ) -> None:
        self.block = block
        self._path = path
        self._problems = problems
        self._known = len(problems)
        self._first_line = first_line
        self._lines: dict[tuple[str, ...], int] | None = None

    @property
    def dirty(self) -> bool:
        """Whether the file got a problem since this report began."""
        return len(self._problems) > self._known

    def __call__(self, fault: Fault, key: str, _position: int | None = None) -> None:
        self.tell(fault, (key,))

    def below(self, table: str) -> Report:
        """The report for a table inside this one."""
        return lambda fault, key, _position: self.tell(fault, (table, key))

    def tell(self, fault: Fault, key: tuple[str, ...]) -> None:
        """Add the problem on the line of the key, else of its table, else of the whole block."""
        if self._lines is None:
            self._lines = toml_key_lines(self.block)
        line = self._lines.get(key) or self._lines.get(key[:-1]) or 1
        at = self._first_line + line - 1
        self._problems.append(Problem(fault.code, fault.message, self._path, at))


def _named(table: dict[str, Any], key: str, expected: str, what: str, report: _TableReport) -> bool:
    """Whether a key repeats the name of its folder or file."""
    value = table.get(key)
    if value == expected or type(value) is not str:
        return True
    message = f"{quoted(key)} is {quoted(value)}, the {what} says {quoted(expected)}"
    report(Fault("name-mismatch", message), key)
    return False


def _mode_agrees(table: dict[str, Any], report: _TableReport) -> bool:
    if table.get("mode") != "trunk":
        if "branch" in table:
            return True
        report(Fault("missing-key", 'the key "branch" is missing in an isolated area'), "branch")
        return False
    forbidden = [key for key in ("branch", "parent", "base_commit") if key in table]
    for key in forbidden:
        report(Fault("forbidden-key", f"a trunk area has no {quoted(key)}"), key)
    return not forbidden


def _check_task_id(table: dict[str, Any], path: str, area: str, report: _TableReport) -> None:
    identity = table.get("id")
    if type(identity) is not str:
        return
    number = task_number(area, identity)
    if number is None:
        expected = f"{area}-<number>"
        message = f'"id" is {quoted(identity)}, expected is {expected}'
        report(Fault("invalid-task-id", message), "id")
        return
    name = path.rpartition("/")[2]
    if file_number(name) != number:
        message = f"the id {quoted(identity)} belongs into {number:03d}-<slug>.md, not {name}"
        report(Fault("name-mismatch", message), "id")
