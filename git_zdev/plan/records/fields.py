"""The fields of records, the rules for their values, and the names that the format knows.

A :class:`Field` is one key of a table, in TOML and JSON alike: it says once what readers, writers
and views of records and drafts have to know. Readers differ only in how they name a place, so
:func:`examine` passes every fault to a callback. The tables of fields are in ``model``, beside
the records.
"""

from __future__ import annotations

from git_zdev.ground.text import is_control, is_surrogate, quoted
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    Rule = Callable[[Any], "Fault | None"]
    Report = Callable[["Fault", str, "int | None"], None]


PROBLEM_LIMIT = 100
"""Maximum number of faults reported for one table's unknown keys, or for one list."""


SEGMENT_LIMIT = 80
"""Maximum length in bytes of an area tag, a task key or a slice key."""

NUMBER_LIMIT = 18
"""Maximum number of digits in a task id: enough forever, and short enough to read."""

SLUG_LIMIT = 60
"""Maximum length in bytes of a task file's slug."""

_SEGMENT = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_ALPHANUMERIC = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_DIGITS = frozenset("0123456789")
_HEX = "0123456789abcdef"
_FORBIDDEN_IN_BRANCH = frozenset(" ~^:?*[\\\x7f") | {chr(code) for code in range(32)}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a value: the code and the message of a problem."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Field:
    """One key of a table.

    Attributes:
        name: The key.
        kind: ``str``, ``int``, ``bool``, ``dict`` or ``list``; a list holds strings.
        required: Whether the key must be there.
        rule: Checks a value of the right type, or each item of a list; None accepts all, and
            :func:`any_item` also accepts list items that are not strings.
        default: The effective value if the key is absent; None for no default.
        draft: Whether a draft may have it.
        draft_rule: The rule in a draft, if it differs.
        view: Whether lists and selections show its effective value.
        trait: Its part of a phrase for people, ``{}`` for the value; a boolean appears only if
            it is true. Empty for a value that is shown apart.
        label: Its name on a reviewer's page, if it differs.
    """

    name: str
    kind: type
    required: bool = True
    rule: Rule | None = None
    default: object = None
    draft: bool = False
    draft_rule: Rule | None = None
    view: bool = False
    trait: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class BodyField:
    """One section of a Markdown record.

    Attributes:
        name: The attribute of the record, and the key of a draft.
        heading: The section's heading.
        kind: ``str``, or ``list`` for a list of items.
        required: Whether a file must have the section.
        default: The only item of a list that a draft leaves out; empty for no default.
        checks: Whether the items are checkboxes.
        lines: Whether a draft's text may have several lines.
    """

    name: str
    heading: str
    kind: type
    required: bool = True
    default: str = ""
    checks: bool = False
    lines: bool = False


_KINDS = {
    str: "a string",
    int: "an integer",
    bool: "a boolean",
    float: "a floating-point number",
    list: "an array",
    dict: "a table",
    type(None): "null",
}


def examine(table: Mapping[str, Any], fields: Sequence[Field], report: Report) -> bool:
    """Check a table against its fields.

    Args:
        table: The table as it was read.
        fields: Every known key, in writing order.
        report: Called with each fault, the key, and the position in a list or None.

    Returns:
        Whether nothing was reported.
    """
    clean = True
    present = 0
    for field in fields:
        name, kind, rule = field.name, field.kind, field.rule
        value = table.get(name, _ABSENT)
        if value is _ABSENT:
            if field.required:
                report(Fault("missing-key", f"the key {quoted(name)} is missing"), name, None)
                clean = False
            continue
        present += 1
        if type(value) is not kind:
            report(_wrong_type(name, value, kind), name, None)
            clean = False
        elif kind is list and rule is not any_item:
            clean = _examine_items(name, table[name], rule, report) and clean
        elif rule is not None and rule is not any_item:
            fault = rule(value)
            if fault is not None:
                report(Fault(fault.code, f"{quoted(name)} {fault.message}"), name, None)
                clean = False
    if present == len(table):
        return clean
    known = {field.name for field in fields}
    expected = ", ".join(field.name for field in fields)
    for name in [name for name in table if name not in known][:PROBLEM_LIMIT]:
        message = f"the key {quoted(name)} is unknown; expected {expected}"
        report(Fault("unknown-key", message), name, None)
    return False


_ABSENT = object()


def _examine_items(name: str, values: list[Any], rule: Rule | None, report: Report) -> bool:
    faults = 0
    for position, value in enumerate(values):
        if type(value) is not str:
            fault: Fault | None = _wrong_type(f"{name}[{position}]", value, str)
        else:
            fault = rule(value) if rule is not None else None
            if fault is not None:
                fault = Fault(fault.code, f"item {position + 1} of {quoted(name)} {fault.message}")
        if fault is not None:
            report(fault, name, position)
            faults += 1
            if faults == PROBLEM_LIMIT:
                break
    return not faults


def kind_name(value: object) -> str:
    """The type of a value, in the words of TOML and JSON."""
    return _KINDS.get(type(value), "a date or time")


def _wrong_type(name: str, value: object, kind: type) -> Fault:
    message = f"{quoted(name)} is {kind_name(value)}; expected {_KINDS[kind]}"
    return Fault("wrong-type", message)


def any_item(_value: object) -> Fault | None:
    """The rule of a list whose items are checked elsewhere."""
    return None


def line(value: str) -> Fault | None:
    """One line of text."""
    if is_line(value):
        return None
    if not value.strip():
        return Fault("invalid-line", "is blank")
    wrong = next(one for one in value if is_control(one) or is_surrogate(one))
    if is_surrogate(wrong):
        return Fault("invalid-line", "is not valid UTF-8; expected one line of text")
    name = "a line end" if wrong in "\r\n" else f"the control character U+{ord(wrong):04X}"
    return Fault("invalid-line", f"holds {name}; expected one line of text")


def trimmed_line(value: str) -> Fault | None:
    """One line of text that Markdown keeps unchanged."""
    fault = line(value)
    if fault is None and value != value.strip():
        return Fault("invalid-line", "starts or ends with white space, which would be lost")
    return fault


def segment(value: str) -> Fault | None:
    """An area tag, task key or slice key."""
    if is_segment(value):
        return None
    expected = "1 to 80 of a-z, 0-9 and -, with no - at either end"
    return Fault("invalid-segment", f"is {quoted(value)}; expected {expected}")


def reference(value: str) -> Fault | None:
    """A key of the same input or the id of a task."""
    area, _, _ = value.rpartition("-")
    if is_segment(value) or (is_segment(area) and task_number(area, value) is not None):
        return None
    return Fault("invalid-reference", f"is {quoted(value)}; expected a task key or a task id")


def version(value: int) -> Fault | None:
    """The schema version."""
    if value == 1:
        return None
    return Fault("unsupported-version", f"is {quoted(value)}, this program reads 1")


def branch(value: str) -> Fault | None:
    """A branch name without ``refs/heads/``."""
    if is_branch_name(value):
        return None
    return Fault("invalid-branch", f"is {quoted(value)}, which Git does not accept as a branch")


def commit(value: str) -> Fault | None:
    """A full commit id."""
    if is_commit_id(value):
        return None
    return Fault("invalid-commit", f"is {quoted(value)}; expected all 40 or 64 hex digits")


def choice(*values: str) -> Rule:
    """One of a few words."""
    expected = ", ".join(values[:-1]) + f" or {values[-1]}"

    def rule(value: str) -> Fault | None:
        if value in values:
            return None
        return Fault("invalid-value", f"is {quoted(value)}; expected {expected}")

    return rule


def is_segment(value: str) -> bool:
    """Whether ``value`` may be an area tag, a task key or a slice key."""
    return (
        0 < len(value) <= SEGMENT_LIMIT
        and _SEGMENT.issuperset(value)
        and value[0] != "-"
        and value[-1] != "-"
    )


def is_line(value: str) -> bool:
    """Whether ``value`` is one line of text: not blank, no C0 or C1 control character, UTF-8."""
    return not (value.isspace() or not value) and (
        value.isprintable() or not any(is_control(one) or is_surrogate(one) for one in value)
    )


def is_commit_id(value: str) -> bool:
    """Whether ``value`` is a full lowercase object id (SHA-1 or SHA-256)."""
    return len(value) in {40, 64} and not value.strip(_HEX)


def is_branch_name(value: str) -> bool:
    """Whether Git would create ``refs/heads/<value>`` (git-check-ref-format), in valid UTF-8."""
    if any(map(is_surrogate, value)):
        return False
    if value.startswith("-") or value in {"", "@", "HEAD"} or value.endswith("."):
        return False
    if ".." in value or "@{" in value or not _FORBIDDEN_IN_BRANCH.isdisjoint(value):
        return False
    return all(
        part and not part.startswith(".") and not part.endswith(".lock")
        for part in value.split("/")
    )


def task_number(area: str, task_id: str) -> int | None:
    """The number in ``<area>-<number>``, or None if ``task_id`` has another form."""
    prefix = len(area) + 1
    digits = task_id[prefix:]
    if not task_id.startswith(f"{area}-") or not 0 < len(digits) <= NUMBER_LIMIT:
        return None
    return int(digits) if _DIGITS.issuperset(digits) else None


def task_id(area: str, number: int) -> str:
    """The id of the task with that number: at least three digits."""
    return f"{area}-{number:03d}"


def slug(title: str) -> str:
    """A title as part of a file name: ASCII letters and digits, any other run as one hyphen."""
    kept = "".join(
        character if character in _ALPHANUMERIC else " "
        for character in (letter.lower() if letter.isascii() else " " for letter in title)
    )
    return "-".join(kept.split())[:SLUG_LIMIT].rstrip("-") or "task"


def task_file_name(number: int, title: str) -> str:
    """``<number>-<slug>.md``, the number with at least three digits."""
    return f"{number:03d}-{slug(title)}.md"


def file_number(name: str) -> int | None:
    """The number in a task file's name, or None if it is not ``<number>-<slug>.md``."""
    digits, hyphen, rest = name.partition("-")
    slug_text, dot, extension = rest.partition(".")
    well_formed = (
        hyphen
        and dot
        and extension == "md"
        and slug_text
        and _SEGMENT.issuperset(slug_text)
        and 3 <= len(digits) <= NUMBER_LIMIT
        and _DIGITS.issuperset(digits)
    )
    return int(digits) if well_formed else None


ALLOCATION = "Initial task-owned path allocation:"
"""The start of a derived task's allocation line; no draft may hold such a line."""


def claims_allocation(line: str) -> bool:
    """Whether a line would pass for a derived task's allocation line."""
    return " ".join(line.split()).lower().lstrip("-*+ ").startswith(ALLOCATION.lower())
