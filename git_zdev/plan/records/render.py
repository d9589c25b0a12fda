"""Render records: the files that the commands create, in the format's canonical form.

Every rendered file is read back before it is returned, and must yield exactly the record that was
given. That one rule covers every way in which text could pass for structure: a context that opens
a section, a title with a line end, a code fence left open, an item that forges an allocation.
"""

from __future__ import annotations

from git_zdev.ground.errors import InvalidInput, Problem, summary_of
from git_zdev.ground.values import replace
from git_zdev.plan.records import codec, fields, markdown, text
from git_zdev.plan.records.fields import Fault, claims_allocation, task_file_name, task_id
from git_zdev.plan.records.model import (
    AREA_FIELDS,
    BRIEF_BODY,
    CONFIG_PATH,
    PROJECT_FIELDS,
    RECORD_ROOT,
    SCHEMA_VERSION,
    SLICE_BODY,
    SLICE_FIELDS,
    TASK_BODY,
    TASK_FIELDS,
    VERSION,
    Area,
    Brief,
    Draft,
    Project,
    Slice,
    Task,
)
from git_zdev.plan.records.toml import literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from git_zdev.plan.records.fields import BodyField, Field

GITATTRIBUTES = b"* text eol=lf\n"
"""Keeps ``core.autocrlf`` from touching the records."""

DEFAULT_TESTING = "Existing checks only."


def render_project(project: Project) -> bytes:
    """``config.toml`` of a new project.

    Raises:
        InvalidInput: ``invalid-project`` for a value that the format cannot hold.
    """
    lines = [*_lines(project, [VERSION]), "", "[project]", *_lines(project, PROJECT_FIELDS)]
    data = _joined(lines)
    codec.require_same(
        project,
        lambda found: codec.read_project(data, CONFIG_PATH, found),
        "invalid-project",
        "the project cannot be written",
    )
    return data


def render_area(area: Area) -> bytes:
    """``area.toml`` of a new area; ``mode`` is left out for isolated areas.

    Raises:
        InvalidInput: ``invalid-area`` for a value that the format cannot hold.
    """
    known = (field for field in AREA_FIELDS if field.name != "mode" or area.mode == "trunk")
    data = _joined(_lines(area, known))
    path = f"{area.folder}/area.toml"
    codec.require_same(
        area,
        lambda found: codec.read_area(data, path, area.tag, found),
        "invalid-area",
        "the area cannot be written",
    )
    return data


def render_brief(area: Area) -> bytes:
    """``brief.md`` of a new area.

    Raises:
        InvalidInput: ``invalid-area`` when the title or objective would read back differently.
    """
    brief = Brief(f"{area.folder}/brief.md", area.objective, DEFAULT_TESTING)
    lines = [f"# {area.title}"]
    for field in BRIEF_BODY:
        lines += _section(field.heading, getattr(brief, field.name))
    data = _joined(lines)

    def read(found: list[Problem]) -> tuple[object, ...] | None:
        outline = markdown.outline(data.decode())
        shape = outline.title, len(outline.sections), outline.open_fence
        read = codec.read_brief(data, brief.path, found)
        return None if read is None else (read, *shape)

    expected: tuple[object, ...] = (brief, area.title, len(BRIEF_BODY), None)
    codec.require_same(expected, read, "invalid-area", "the area cannot be written")
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
        InvalidInput: ``invalid-slice`` for a value that the format cannot hold.
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
    boundaries = "\n".join(f"- {item}" for item in items)
    new = Slice(key=key, area=area, title=title, objective=objective, boundaries=boundaries)
    data = _markdown(new, SLICE_FIELDS, SLICE_BODY)
    return codec.require_same(
        replace(new, source=data),
        lambda found: codec.read_slice(data, new.path, area, key, found),
        "invalid-slice",
        "the slice cannot be written",
    )


def render_task(draft: Draft, area: str, number: int, blocked_by: Sequence[str]) -> Task:
    """A new task; its bytes are ``source``.

    Args:
        draft: The content.
        area: The area's tag.
        number: The number of its id.
        blocked_by: The ids that replace the draft's own ``blocked_by``.

    Raises:
        InvalidInput: ``invalid-draft`` when a value would read back differently; each problem's
            pointer is relative to the draft.
    """
    task, problems = _try_render(draft, area, number, blocked_by)
    if problems:
        raise InvalidInput(
            "invalid-draft",
            f"the draft {draft.key} cannot be written as a task: {summary_of(problems)}",
            problems,
        )
    return task


def draft_problems(draft: Draft) -> list[Problem]:
    """The values of a draft that would read back differently; pointers are relative to it."""
    return _try_render(draft, "area", 1, ())[1]


def _try_render(
    draft: Draft, area: str, number: int, blocked_by: Sequence[str]
) -> tuple[Task, list[Problem]]:
    """The task of a draft, and the problems that keep its file from reading back as it."""
    expected = _task_of(draft, area, number, blocked_by)
    faults = list(_text_problems(draft))
    found: list[Problem] = []
    if codec.read_task(expected.source, expected.path, area, found) != expected:
        reported = {problem.pointer for problem in faults}
        faults += [problem for problem in _blame(draft) if problem.pointer not in reported]
        faults = faults or _unplaced(found)
    return expected, faults


def _text_problems(draft: Draft) -> Iterator[Problem]:
    """Problems that show without rendering: text that is not one line, forged allocations."""
    for pointer, value in _texts(draft):
        fault = _context_fault(value) if pointer == "/context" else fields.trimmed_line(value)
        if fault is not None:
            yield Problem(fault.code, f"the text {fault.message}", pointer=pointer)
        elif any(map(claims_allocation, value.split("\n"))):
            message = "a line of the text claims a path allocation, which only `derive` writes"
            yield Problem("forged-allocation", message, pointer=pointer)


def _context_fault(text: str) -> Fault | None:
    """The fault of the first line with a control character; tabs and blank lines are allowed."""
    if not text.strip():
        return Fault("invalid-line", "is blank")
    faults = (fields.line(line.replace("\t", " ")) for line in text.split("\n") if line.strip())
    return next((fault for fault in faults if fault is not None), None)


def _task_of(draft: Draft, area: str, number: int, blocked_by: Sequence[str]) -> Task:
    """The task of a draft, with the bytes of its file."""
    task = Task(
        **{field.name: getattr(draft, field.name) for field in TASK_FIELDS if field.draft}
        | {field.name: _section_text(draft, field) for field in TASK_BODY},
        id=task_id(area, number),
        area=area,
        status="open",
        title=draft.title,
        path=f"{RECORD_ROOT}/{area}/tasks/{task_file_name(number, draft.title)}",
    )
    task = replace(task, blocked_by=tuple(blocked_by))
    return replace(task, source=_markdown(task, TASK_FIELDS, TASK_BODY))


def _unplaced(found: Sequence[Problem]) -> list[Problem]:
    """Problems of rendered bytes as problems of the draft, in which their lines mean nothing."""
    unplaced = [Problem(problem.code, problem.message, pointer="") for problem in found]
    return unplaced or [Problem("invalid-draft", "the draft does not read back", pointer="")]


def _markdown(record: Task | Slice, known: Sequence[Field], sections: Sequence[BodyField]) -> bytes:
    """A Markdown record: front matter, title, and the sections that are not None."""
    lines = [text.FENCE, *_lines(record, known), text.FENCE, f"# {record.title}"]
    for field in sections:
        content: str | None = getattr(record, field.name)
        if content is not None:
            lines += _section(field.heading, content)
    return _joined(lines)


_HARMLESS = Draft(key="key", title="Title", outcome="Outcome.", done_when=("Done.",))


def _blame(draft: Draft) -> Iterator[Problem]:
    """Find the texts that do not read back, trying each alone in an otherwise harmless draft."""
    for pointer, value in _texts(draft):
        _, name, *position = pointer.split("/")
        alone: dict[str, Any] = {name: (value,) if position else value}
        expected = _task_of(replace(_HARMLESS, **alone), "area", 1, ())
        if codec.read_task(expected.source, expected.path, "area", []) != expected:
            yield Problem("invalid-draft", _why(value), pointer=pointer)


def _texts(draft: Draft) -> Iterator[tuple[str, str]]:
    """Every text of a draft that goes into Markdown, by its pointer."""
    yield "/title", draft.title
    for field in TASK_BODY:
        value: str | tuple[str, ...] | None = getattr(draft, field.name)
        if isinstance(value, tuple):
            for position, item in enumerate(value):
                yield f"/{field.name}/{position}", item
        elif value is not None:
            yield f"/{field.name}", value


def _why(text: str) -> str:
    """Why a text does not read back, in its author's terms."""
    outline = markdown.outline(text)
    if text != text.strip():
        return "the text starts or ends with white space, which would be lost"
    if outline.sections:
        return "a line of the text starts with ## and would open a section"
    if outline.open_fence is not None:
        return "the text opens a code fence that it does not close"
    return "the text would read back as something else"


def _lines(record: object, known: Iterable[Field]) -> Iterator[str]:
    """The TOML of a record, one key per line; keys with the value None are left out."""
    for field in known:
        value = SCHEMA_VERSION if field is VERSION else getattr(record, field.name)
        if value is not None:
            yield f"{field.name} = {literal(value)}"


def _section(heading: str, content: str) -> list[str]:
    return ["", f"## {heading}", "", content]


def _section_text(draft: Draft, field: BodyField) -> str | None:
    """The text that a draft has for a section of the task; None leaves the section out."""
    value: str | tuple[str, ...] | None = getattr(draft, field.name)
    if field.kind is str:
        return value if isinstance(value, str) else None
    items = value or ((field.default,) if field.default else ())
    mark = markdown.UNCHECKED if field.checks else "- "
    listed = "\n".join(f"{mark}{item}" for item in items)
    return listed if listed or field.required else None


def _joined(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
