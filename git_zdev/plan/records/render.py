"""Records into bytes: the files that the commands create, in the format's canonical form.

Whatever is rendered is read back before it is handed on, and must give exactly what was asked
for. That one rule covers every way in which a text could pass for structure: a context that opens
a section, a title with a line end, a code fence left open, an item that forges an allocation.
"""

from __future__ import annotations

from git_zdev.ground.errors import InvalidInput, Problem, told
from git_zdev.ground.values import replace
from git_zdev.plan.records import codec, fields, markdown
from git_zdev.plan.records.fields import Fault
from git_zdev.plan.records.model import (
    CONFIG_PATH,
    RECORD_ROOT,
    SCHEMA_VERSION,
    Area,
    Draft,
    Project,
    Slice,
    Task,
)
from git_zdev.plan.records.names import task_file_name, task_id
from git_zdev.plan.records.text import array, basic_string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from git_zdev.plan.records.fields import Field

GITATTRIBUTES = b"* text eol=lf\n"
"""Keeps ``core.autocrlf`` from touching the records."""

DEFAULT_VALIDATION = "Let the verifier choose the smallest useful checks."
"""The bullet of a task whose draft says nothing about validation."""

DEFAULT_TESTING = "Existing checks only."

ALLOCATION = "Initial task-owned path allocation:"
"""How the allocation line of a derived task begins; no draft may hold such a line."""


def render_project(project: Project) -> bytes:
    """``config.toml`` of a new project.

    Raises:
        InvalidInput: ``invalid-project`` for a value that the format does not hold.
    """
    lines = [f"schema_version = {SCHEMA_VERSION}", "", "[project]"]
    lines += _strings(project, codec.PROJECT_FIELDS)
    data = _joined(lines)
    read = _read_back("project", lambda found: codec.read_project(data, CONFIG_PATH, found))
    _demand_same("project", read, project)
    return data


def render_area(area: Area) -> bytes:
    """``area.toml`` of a new area; ``mode`` is left out for isolated areas.

    Raises:
        InvalidInput: ``invalid-area`` for a value that the format does not hold.
    """
    lines = [f"schema_version = {SCHEMA_VERSION}"]
    lines += _strings(
        area,
        [field for field in codec.AREA_FIELDS if field.name != "mode" or area.mode == "trunk"],
    )
    data = _joined(lines)
    path = f"{area.folder}/area.toml"
    read = _read_back("area", lambda found: codec.read_area(data, path, area.tag, found))
    _demand_same("area", read, area)
    return data


def render_brief(area: Area) -> bytes:
    """``brief.md`` of a new area.

    Raises:
        InvalidInput: ``invalid-area`` when title or objective would read as something else.
    """
    lines = [
        f"# {area.title}",
        "",
        "## Objective",
        "",
        area.objective,
        "",
        "## Testing",
        "",
        DEFAULT_TESTING,
    ]
    data = _joined(lines)
    path = f"{area.folder}/brief.md"
    brief = _read_back("area", lambda found: codec.read_brief(data, path, found))
    outline = markdown.outline(data.decode())
    _demand_same(
        "area",
        (outline.title, brief.objective, brief.testing, len(outline.sections), outline.open_fence),
        (area.title, area.objective, DEFAULT_TESTING, 2, None),
    )
    return data


def render_slice(area: str, key: str, title: str, objective: str, items: Sequence[str]) -> Slice:
    """A new slice; its bytes are ``source``.

    Args:
        area: The area's tag.
        key: The slice's key.
        title: One line.
        objective: One line.
        items: The boundaries, one line each, at least one.

    Raises:
        InvalidInput: ``invalid-slice`` for a value that the format does not hold.
    """
    texts = {"title": title, "objective": objective}
    texts |= {f"boundary {place}": item for place, item in enumerate(items, 1)}
    faults = [
        Problem(fault.code, f"the {name} {fault.message}")
        for name, text in texts.items()
        if (fault := fields.trimmed_line(text)) is not None
    ]
    if faults:
        message = f"the slice cannot be written: {faults[0].message}"
        raise InvalidInput("invalid-slice", message, faults)
    lines = [
        codec.FENCE,
        f"schema_version = {SCHEMA_VERSION}",
        f"key = {basic_string(key)}",
        f"area = {basic_string(area)}",
        f"title = {basic_string(title)}",
        codec.FENCE,
        f"# {title}",
        *_section("Objective", objective),
        *_section("Boundaries", *_bullets(items)),
    ]
    data = _joined(lines)
    path = f"{RECORD_ROOT}/{area}/slices/{key}.md"
    found = _read_back("slice", lambda problems: codec.read_slice(data, path, area, key, problems))
    boundaries = "\n".join(_bullets(items))
    _demand_same("slice", found, Slice(key, area, title, objective, boundaries, data))
    return found


def render_task(draft: Draft, area: str, number: int, blocked_by: Sequence[str]) -> Task:
    """A new task; its bytes are ``source``.

    Args:
        draft: What the task says.
        area: The area's tag.
        number: The number of its id.
        blocked_by: The ids that stand for the draft's own ``blocked_by``.

    Raises:
        InvalidInput: ``invalid-draft`` when a value would read back as something else; each
            problem's pointer is relative to the draft.
    """
    task, problems = _try_render(draft, area, number, blocked_by)
    if problems:
        raise InvalidInput(
            "invalid-draft",
            f"the draft {draft.key} cannot be written as a task: {told(problems)}",
            problems,
        )
    return task


def draft_problems(draft: Draft) -> list[Problem]:
    """What in a draft would read back as something else; pointers are relative to the draft."""
    return _try_render(draft, "area", 1, ())[1]


def _try_render(
    draft: Draft, area: str, number: int, blocked_by: Sequence[str]
) -> tuple[Task, list[Problem]]:
    """The task that a draft means, and what keeps its file from saying so."""
    expected = _task_of(draft, area, number, blocked_by)
    faults = list(_text_problems(draft))
    found: list[Problem] = []
    if codec.read_task(expected.source, expected.path, area, found) != expected:
        told = {problem.pointer for problem in faults}
        faults += [problem for problem in _blame(draft) if problem.pointer not in told]
        faults = faults or _unplaced(found)
    return expected, faults


def _text_problems(draft: Draft) -> Iterator[Problem]:
    """What can be said of a text without writing it: lines that are none, forged allocations."""
    for pointer, text in _texts(draft):
        fault = _context_fault(text) if pointer == "/context" else fields.trimmed_line(text)
        if fault is not None:
            yield Problem(fault.code, f"the text {fault.message}", pointer=pointer)
        elif any(map(claims_allocation, text.split("\n"))):
            message = "a line of the text claims a path allocation, which only `derive` writes"
            yield Problem("forged-allocation", message, pointer=pointer)


def _context_fault(text: str) -> Fault | None:
    """The first line with a control character, tabs aside; blank lines are welcome."""
    if not text.strip():
        return Fault("invalid-line", "is blank")
    faults = (fields.line(line.replace("\t", " ")) for line in text.split("\n") if line.strip())
    return next((fault for fault in faults if fault is not None), None)


def _task_of(draft: Draft, area: str, number: int, blocked_by: Sequence[str]) -> Task:
    """The task that a draft means, with the bytes that shall say so."""
    task = Task(
        id=task_id(area, number),
        key=draft.key,
        area=area,
        status="open",
        title=draft.title,
        path=f"{RECORD_ROOT}/{area}/tasks/{task_file_name(number, draft.title)}",
        outcome=draft.outcome,
        context=draft.context,
        boundaries="\n".join(_bullets(draft.boundaries)) if draft.boundaries else None,
        done_when="\n".join(_checkboxes(draft.done_when)),
        validation="\n".join(_bullets(draft.validation or (DEFAULT_VALIDATION,))),
        blocked_by=tuple(blocked_by),
        complexity=draft.complexity,
        afk=draft.afk,
        priority=draft.priority,
        slice=draft.slice,
    )
    return replace(task, source=_joined([*_front_matter(task), *_body(task)]))


def _unplaced(found: Sequence[Problem]) -> list[Problem]:
    """Problems of rendered bytes as problems of the draft: the lines mean nothing outside."""
    unplaced = [Problem(problem.code, problem.message, pointer="") for problem in found]
    return unplaced or [Problem("invalid-draft", "the draft does not read back", pointer="")]


def _front_matter(task: Task) -> Iterator[str]:
    yield codec.FENCE
    yield f"schema_version = {SCHEMA_VERSION}"
    for field in codec.TASK_FIELDS[1:]:
        value = getattr(task, field.name)
        if isinstance(value, bool):
            yield f"{field.name} = {'true' if value else 'false'}"
        elif isinstance(value, tuple):
            yield f"{field.name} = {array(value)}"
        elif value is not None:
            yield f"{field.name} = {basic_string(value)}"
    yield codec.FENCE


def _body(task: Task) -> Iterator[str]:
    yield f"# {task.title}"
    yield from _section("Outcome", task.outcome)
    if task.context is not None:
        yield from _section("Context", task.context)
    if task.boundaries is not None:
        yield from _section("Boundaries", task.boundaries)
    yield from _section("Done when", task.done_when)
    yield from _section("Validation", task.validation)


_HARMLESS = Draft(key="key", title="Title", outcome="Outcome.", done_when=("Done.",))


def _blame(draft: Draft) -> Iterator[Problem]:
    """Find the texts that do not read back, each tried alone in a draft that does no harm."""
    for pointer, text in _texts(draft):
        _, name, *position = pointer.split("/")
        alone: dict[str, Any] = {name: (text,) if position else text}
        expected = _task_of(replace(_HARMLESS, **alone), "area", 1, ())
        if codec.read_task(expected.source, expected.path, "area", []) != expected:
            yield Problem("invalid-draft", _why(text), pointer=pointer)


def _texts(draft: Draft) -> Iterator[tuple[str, str]]:
    """Every text of a draft that goes into Markdown, by its pointer."""
    yield "/title", draft.title
    yield "/outcome", draft.outcome
    if draft.context is not None:
        yield "/context", draft.context
    for name in ("boundaries", "done_when", "validation"):
        items: tuple[str, ...] = getattr(draft, name) or ()
        for position, item in enumerate(items):
            yield f"/{name}/{position}", item


def _why(text: str) -> str:
    """Why a text does not read back, in the words of whoever wrote it."""
    outline = markdown.outline(text)
    if text != text.strip():
        return "the text starts or ends with white space, which would be lost"
    if outline.sections:
        return "a line of the text starts with ## and would open a section"
    if outline.open_fence is not None:
        return "the text opens a code fence that it does not close"
    return "the text would read back as something else"


def claims_allocation(line: str) -> bool:
    """Whether a line would pass for a derived task's allocation line."""
    return " ".join(line.split()).lower().lstrip("-*+ ").startswith(ALLOCATION.lower())


def _strings(record: object, known: Sequence[Field]) -> Iterator[str]:
    for field in known:
        value = getattr(record, field.name, None)
        if value is not None:
            yield f"{field.name} = {basic_string(value)}"


def _section(name: str, *lines: str) -> Iterator[str]:
    yield ""
    yield f"## {name}"
    yield ""
    yield from lines


def _bullets(items: Sequence[str]) -> list[str]:
    return [f"- {item}" for item in items]


def _checkboxes(items: Sequence[str]) -> list[str]:
    return [f"{markdown.UNCHECKED}{item}" for item in items]


def _joined(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")


def _read_back(what: str, read: Callable[[list[Problem]], codec.Record | None]) -> codec.Record:
    problems: list[Problem] = []
    record = read(problems)
    if record is None:
        raise InvalidInput(
            f"invalid-{what}", f"the {what} cannot be written: {told(problems)}", problems
        )
    return record


def _demand_same(what: str, found: object, expected: object) -> None:
    if found != expected:
        message = "a value would read back as something else"
        problem = Problem(f"invalid-{what}", message)
        raise InvalidInput(f"invalid-{what}", f"the {what} cannot be written: {message}", [problem])
