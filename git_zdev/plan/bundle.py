"""Bundles of drafts: reading what a person or a tool proposes, and planning the tasks.

Reading is strict and reports everything that is wrong, each with a JSON pointer; a derived proposal
reads its drafts with the same :func:`read_drafts`. Planning produces every id, path and byte of the
new tasks, together with the area as it would become, so nothing is written before all of it is
known to be valid.
"""

from __future__ import annotations

from git_zdev.ground import jsontext
from git_zdev.ground.errors import InvalidInput, Problem, ZdevError, summary_of
from git_zdev.ground.text import quoted
from git_zdev.ground.values import dataclass, replace
from git_zdev.plan import graph as graphs
from git_zdev.plan.records import fields, index_file, render
from git_zdev.plan.records.fields import (
    NUMBER_LIMIT,
    Fault,
    Field,
    examine,
    is_segment,
    task_id,
)
from git_zdev.plan.records.model import (
    SCHEMA_VERSION,
    TASK_BODY,
    TASK_FIELDS,
    VERSION,
    Bundle,
    Draft,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from git_zdev.plan.areas import AreaRecords
    from git_zdev.plan.records.model import Task


BUNDLE_FIELDS = (
    VERSION,
    Field("area", str, rule=fields.segment),
    Field("tasks", list, rule=fields.any_item),
)
_FRONT = [field for field in TASK_FIELDS if field.draft]
DRAFT_FIELDS = (
    _FRONT[0],
    Field("title", str),
    *(replace(field, rule=field.draft_rule or field.rule) for field in _FRONT[1:]),
    *(Field(field.name, field.kind, field.required and not field.default) for field in TASK_BODY),
)
"""The keys of a draft in the order of the bundle schema; texts are judged by reading them back."""


PROBLEM_LIMIT = 1000
"""Number of problems after which no further draft is read; a draft can have several."""


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """New tasks of an area, complete and valid, and nothing written yet.

    Attributes:
        tasks: The new tasks in the order of the drafts; their bytes are ``source``.
        index: The new bytes of ``TASKS.md``, with the line ends that it has now.
        records: The area as it will be.
    """

    tasks: tuple[Task, ...]
    index: bytes
    records: AreaRecords

    @property
    def ready(self) -> tuple[str, ...]:
        """The ids of the whole ready frontier after the import, in id order."""
        return tuple(task.id for task in self.records.graph.ready)


_MEND = "Fix the bundle; nothing of it was taken"


def parse_bundle(data: bytes, area: str) -> Bundle:
    """Read a task bundle for an area.

    Args:
        data: The JSON document.
        area: The tag that the bundle must name.

    Raises:
        InvalidInput: ``invalid-bundle`` with every problem that can be distinguished.
    """
    value = jsontext.decode_object(data, code="invalid-bundle", what="task bundle", hint=_MEND)
    problems: list[Problem] = []
    examine(value, BUNDLE_FIELDS, _pointing("", problems))
    named = value.get("area")
    if isinstance(named, str) and is_segment(named) and named != area:
        message = f'"area" is {quoted(named)}, the command names {quoted(area)}'
        problems.append(Problem("area-mismatch", message, pointer="/area"))
    items = value.get("tasks")
    drafts: list[Draft] = []
    if isinstance(items, list):
        drafts = read_drafts(items, "/tasks", problems)
        if not items:
            message = "there is no draft; expected at least one"
            problems.append(Problem("empty-list", message, pointer="/tasks"))
    if problems:
        raise invalid_bundle(problems)
    return Bundle(area, tuple(drafts))


def invalid_bundle(problems: Sequence[Problem]) -> InvalidInput:
    """The error for a bundle that cannot be imported."""
    message = f"the task bundle is wrong: {summary_of(problems)}"
    return InvalidInput("invalid-bundle", message, problems, _MEND)


def read_drafts(values: Sequence[object], pointer: str, problems: list[Problem]) -> list[Draft]:
    """Read the drafts of a bundle or a proposal.

    Args:
        values: The JSON values of the list.
        pointer: JSON pointer of the list.
        problems: Receives every problem, also keys that appear twice.

    Returns:
        The drafts that have no problem of their own, in order.
    """
    drafts: list[Draft] = []
    keys: dict[str, int] = {}
    for position, value in enumerate(values):
        if len(problems) >= PROBLEM_LIMIT:
            message = "there are more problems; the input is not read any further"
            problems.append(Problem("too-many-problems", message, pointer=f"{pointer}/{position}"))
            break
        draft = read_draft(value, f"{pointer}/{position}", problems)
        if draft is None:
            continue
        drafts.append(draft)
        first = keys.setdefault(draft.key, position)
        if first != position:
            message = f'"key" is {quoted(draft.key)}, as that of {pointer}/{first}'
            place = f"{pointer}/{position}/key"
            problems.append(Problem("duplicate-task-key", message, pointer=place))
    return drafts


def read_draft(value: object, pointer: str, problems: list[Problem]) -> Draft | None:
    """Read one draft.

    Args:
        value: The JSON value.
        pointer: Its JSON pointer.
        problems: Receives every problem of the draft.

    Returns:
        The draft, None if it has problems.
    """
    if not isinstance(value, dict):
        message = f"the draft is {fields.kind_name(value)}; expected an object"
        problems.append(Problem("wrong-type", message, pointer=pointer))
        return None
    table: dict[str, Any] = value
    if not examine(table, DRAFT_FIELDS, _pointing(pointer, problems)):
        return None
    lists = {name: tuple(item) for name, item in table.items() if isinstance(item, list)}
    draft = Draft(**{**table, **lists})
    judged = draft if draft.done_when else replace(draft, done_when=("It is done.",))
    faults = render.draft_problems(judged)
    if not draft.done_when:
        message = '"done_when" is empty; expected at least one item'
        faults.insert(0, Problem("empty-list", message, pointer="/done_when"))
    problems += [replace(fault, pointer=f"{pointer}{fault.pointer}") for fault in faults]
    return None if faults else draft


def plan_import(records: AreaRecords, bundle: Bundle) -> ImportPlan:
    """Plan the tasks of a bundle for an area.

    Args:
        records: The area as it is.
        bundle: The drafts.

    Raises:
        InvalidInput: ``invalid-bundle`` with everything that does not fit the area: keys that are
            taken, unknown slices, unknown or ambiguous blockers, cycles.
        ZdevError: ``area-closed``.
    """
    if records.area.lifecycle == "closed":
        tag = records.area.tag
        hint = f"`git zdev area reopen {tag}` opens it"
        raise ZdevError("area-closed", f"the area {tag} is closed", hint)
    problems = draft_set_problems(records, bundle.drafts, "/tasks")
    if problems:
        raise invalid_bundle(problems)
    tasks = allocate(records, bundle.drafts)
    return plan_with(records, tasks)


def draft_set_problems(
    records: AreaRecords, drafts: Sequence[Draft], pointer: str
) -> list[Problem]:
    """The problems that keep drafts from becoming tasks of an area, each with its pointer.

    Args:
        records: The area.
        drafts: Drafts with keys that differ.
        pointer: JSON pointer of their list.
    """
    taken = {task.key: task for task in records.tasks}
    keys = {draft.key for draft in drafts}
    found: list[Problem] = []
    for position, draft in enumerate(drafts):
        place = f"{pointer}/{position}"
        if draft.key in taken:
            owner = taken[draft.key].id
            message = f'"key" is {quoted(draft.key)}, which is the key of {owner}'
            found.append(Problem("duplicate-task-key", message, pointer=f"{place}/key"))
        if draft.slice is not None and draft.slice not in records.slices:
            message = f'"slice" is {quoted(draft.slice)}, which is not a slice of the area'
            found.append(Problem("unknown-slice", message, pointer=f"{place}/slice"))
        found += _blocker_problems(records, draft, keys, taken, place)
    return found + _cycle_problems(drafts, pointer)


def allocate(records: AreaRecords, drafts: Sequence[Draft]) -> tuple[Task, ...]:
    """Give drafts that fit the area their ids, and render them.

    Raises:
        InvalidInput: ``invalid-draft`` when one cannot be written.
        ZdevError: ``task-numbers-exhausted``.
    """
    tag, first = records.area.tag, records.next_number()
    if first + len(drafts) > 10**NUMBER_LIMIT:
        raise ZdevError(
            "task-numbers-exhausted",
            f"the number of a task has at most {NUMBER_LIMIT} digits, "
            f"and {records.tasks[-1].id} leaves too few for what is to be added",
            "Give that task an ordinary number, in its file's name and its id",
        )
    ids = {draft.key: task_id(tag, first + place) for place, draft in enumerate(drafts)}
    return tuple(
        render.render_task(
            draft, tag, first + place, [ids.get(blocker, blocker) for blocker in draft.blockers]
        )
        for place, draft in enumerate(drafts)
    )


def plan_with(
    records: AreaRecords, added: Sequence[Task], changed: Iterable[Task] = ()
) -> ImportPlan:
    """The area with tasks added and changed, as a plan.

    Raises:
        InvalidInput: ``invalid-records`` when the area would not be valid.
    """
    tasks = {**records.graph.by_id, **{task.id: task for task in [*changed, *added]}}
    graph = graphs.build(tasks.values())
    planned = replace(records, graph=graph)
    index = index_file.render_index(records.area.tag, graph.tasks, graph.states)
    index = index_file.keep_line_ends(records.files.get(records.index_path), index)
    return ImportPlan(tuple(added), index, planned)


def canonical_bundle_bytes(bundle: Bundle) -> bytes:
    """A bundle as canonical JSON: keys in schema order, absent ones left out, no white space."""
    return jsontext.encode_compact(bundle_document(bundle))


def bundle_document(bundle: Bundle) -> dict[str, Any]:
    """A bundle as its JSON object, keys in schema order and absent ones left out."""
    tasks = [draft_document(draft) for draft in bundle.drafts]
    return {"schema_version": SCHEMA_VERSION, "area": bundle.area, "tasks": tasks}


def draft_document(draft: Draft) -> dict[str, Any]:
    """A draft as its JSON object, keys in schema order and absent ones left out."""
    document: dict[str, Any] = {}
    for field in DRAFT_FIELDS:
        value = getattr(draft, field.name)
        if value is not None:
            document[field.name] = list(value) if isinstance(value, tuple) else value
    return document


def _pointing(pointer: str, problems: list[Problem]) -> fields.Report:
    def report(fault: Fault, key: str, position: int | None) -> None:
        place = (
            pointer if fault.code == "missing-key" else f"{pointer}/{jsontext.escape_pointer(key)}"
        )
        if position is not None:
            place = f"{place}/{position}"
        problems.append(Problem(fault.code, fault.message, pointer=place))

    return report


def _blocker_problems(
    records: AreaRecords, draft: Draft, keys: set[str], taken: dict[str, Task], place: str
) -> Iterator[Problem]:
    seen: set[str] = set()
    for position, blocker in enumerate(draft.blockers):
        fault: Fault | None = None
        if blocker in seen:
            fault = Fault("repeated-blocker", f"{quoted(blocker)} is listed more than once")
        elif blocker == draft.key:
            fault = Fault("self-blocker", "the draft lists itself as its blocker")
        elif blocker in keys and blocker in records.graph.by_id:
            message = f"{quoted(blocker)} is a key of this input and the id of a task"
            fault = Fault("ambiguous-blocker", message)
        elif blocker not in keys and blocker not in records.graph.by_id:
            message = f"{quoted(blocker)} is neither a key of this input nor a task of the area"
            if blocker in taken:
                message += f"; name the task by its id, {taken[blocker].id}"
            fault = Fault("missing-blocker", message)
        seen.add(blocker)
        if fault is not None:
            pointer = f"{place}/blocked_by/{position}"
            yield Problem(fault.code, fault.message, pointer=pointer)


def _cycle_problems(drafts: Sequence[Draft], pointer: str) -> list[Problem]:
    places = {draft.key: position for position, draft in enumerate(drafts)}
    waits = {draft.key: draft.blockers for draft in drafts}
    return [
        Problem(
            "dependency-cycle",
            graphs.cycle_message(cycle),
            pointer=f"{pointer}/{places[cycle[0]]}/blocked_by",
        )
        for cycle in graphs.cycles(waits)
    ]
