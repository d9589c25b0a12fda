"""Which keys a table may have, of which type, under which rule; TOML and JSON alike.

A :class:`Field` says it once for a record's reader and for a draft's; what differs is only how a
place is named, so :func:`examine` hands every fault to a callback.
"""

from __future__ import annotations

from git_zdev.ground.text import is_control, is_surrogate, quoted
from git_zdev.ground.values import dataclass
from git_zdev.plan.records.names import is_branch_name, is_commit_id, is_line, is_segment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    Rule = Callable[[Any], "Fault | None"]
    Report = Callable[["Fault", str, "int | None"], None]


PROBLEM_LIMIT = 100
"""Most faults that are told of one table's unknown keys, or of one list."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a value: the code and the sentence of a problem."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Field:
    """One key of a table.

    Attributes:
        name: The key.
        kind: ``str``, ``int``, ``bool``, ``dict`` or ``list``; a list holds strings.
        required: Whether the key must be there.
        rule: Judges a value of the right type, or each item of a list; None accepts all, and
            :func:`any_item` also list items that are no strings.
    """

    name: str
    kind: type
    required: bool = True
    rule: Rule | None = None


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
    """Compare a table with its fields.

    Args:
        table: What was read.
        fields: Every key that is known, in writing order.
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
        message = f"the key {quoted(name)} is unknown, expected are {expected}"
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
    """What a value is, in the words of TOML and JSON."""
    return _KINDS.get(type(value), "a date or time")


def _wrong_type(name: str, value: object, kind: type) -> Fault:
    message = f"{quoted(name)} is {kind_name(value)}, expected is {_KINDS[kind]}"
    return Fault("wrong-type", message)


def any_item(_value: object) -> Fault | None:
    """The rule of a list whose items somebody else reads."""
    return None


def line(value: str) -> Fault | None:
    """One line of text."""
    if is_line(value):
        return None
    if not value.strip():
        return Fault("invalid-line", "is blank")
    wrong = next(one for one in value if is_control(one) or is_surrogate(one))
    if is_surrogate(wrong):
        return Fault("invalid-line", "holds a byte that is no UTF-8, expected is one line of text")
    name = "a line end" if wrong in "\r\n" else f"the control character U+{ord(wrong):04X}"
    return Fault("invalid-line", f"holds {name}, expected is one line of text")


def trimmed_line(value: str) -> Fault | None:
    """One line of text that Markdown gives back as it is."""
    fault = line(value)
    if fault is None and value != value.strip():
        return Fault("invalid-line", "starts or ends with white space, which would be lost")
    return fault


def segment(value: str) -> Fault | None:
    """An area tag, task key or slice key."""
    if is_segment(value):
        return None
    expected = "1 to 80 of a-z, 0-9 and -, with no - at either end"
    return Fault("invalid-segment", f"is {quoted(value)}, expected are {expected}")


def version(value: int) -> Fault | None:
    """The schema version."""
    if value == 1:
        return None
    return Fault("unsupported-version", f"is {quoted(value)}, this program reads 1")


def branch(value: str) -> Fault | None:
    """A branch name without ``refs/heads/``."""
    if is_branch_name(value):
        return None
    return Fault("invalid-branch", f"is {quoted(value)}, which is no branch name that Git accepts")


def commit(value: str) -> Fault | None:
    """A full commit id."""
    if is_commit_id(value):
        return None
    return Fault("invalid-commit", f"is {quoted(value)}, expected are all 40 or 64 hex digits")


def choice(*values: str) -> Rule:
    """One of a few words."""
    expected = ", ".join(values[:-1]) + f" or {values[-1]}"

    def rule(value: str) -> Fault | None:
        if value in values:
            return None
        return Fault("invalid-value", f"is {quoted(value)}, expected is {expected}")

    return rule
