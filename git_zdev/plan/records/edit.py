"""Surgical edits of record files: a command changes what it must, and not one byte more.

Every edit works on the text of the file, hand-written or not, keeps its line ends, and reads its
result back before returning it.
"""

from __future__ import annotations

from git_zdev.ground.errors import InvalidInput, Problem, ZdevError, summary_of
from git_zdev.ground.values import replace
from git_zdev.plan.records import codec, markdown, text, toml
from git_zdev.plan.records.fields import claims_allocation, trimmed_line
from git_zdev.plan.records.model import (
    AREA_FIELDS,
    CONFIG_PATH,
    PROJECT_FIELDS,
    TASK_FIELDS,
    VERSION,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from git_zdev.plan.records.fields import Field
    from git_zdev.plan.records.markdown import Outline
    from git_zdev.plan.records.model import Area, Project, Task
    from git_zdev.plan.records.text import Parts

RESULT = "Result"
HISTORY = "History"
PREVIOUS = "### Previous completion"
_LINE_END = "\n"
_TASK_ORDER = [field.name for field in TASK_FIELDS]


def complete_task(task: Task, summary: str, validation: Sequence[str]) -> Task:
    """Complete an open task: check its conditions, set its status, append its result.

    Args:
        task: The open task as it was read.
        summary: One line.
        validation: One line each, at least one.

    Returns:
        The done task; its new bytes are ``source``.

    Raises:
        InvalidInput: ``invalid-completion`` when a text is not a line or would read back
            differently, or when no result can be appended to the file.
    """
    _require_status(task, "open")
    problems = list(_completion_problems(summary, validation))
    if problems:
        raise _refused("invalid-completion", task, problems)
    matter = _matter(task)
    before = markdown.outline(matter.text[matter.body :])
    _require_no_result(task, matter, before)
    block = toml.set_value(matter.block, ("status",), "done", _TASK_ORDER)
    body = _with_boxes(before, checked=True)
    items = "\n".join(f"- {item}" for item in validation)
    result = f"{summary}\n\nValidation:\n\n{items}"
    body = _append(body, f"## {RESULT}\n\n{result}\n")
    outline = markdown.outline(body)
    section = outline.sections[-1]
    if section.name != RESULT or outline.text(section) != result or outline.open_fence is not None:
        message = "the summary or the end of the file hides the result (an open code fence?)"
        problem = Problem("invalid-completion", message, task.path)
        raise _refused("invalid-completion", task, [problem])
    done_when = _boxes(task.done_when, checked=True)
    return _written(matter, block, body, replace(task, status="done", done_when=done_when))


def reopen_task(task: Task) -> Task:
    """Reopen a done task: uncheck its conditions and move its result to the history.

    Returns:
        The open task; its new bytes are ``source``.

    Raises:
        InvalidInput: ``invalid-task`` when the file cannot hold the history where it belongs.
    """
    _require_status(task, "done")
    matter = _matter(task)
    block = toml.set_value(matter.block, ("status",), "open", _TASK_ORDER)
    body = _archive_result(_with_boxes(markdown.outline(matter.text[matter.body :]), checked=False))
    done_when = _boxes(task.done_when, checked=False)
    return _written(matter, block, body, replace(task, status="open", done_when=done_when))


def set_blocked_by(task: Task, blocked_by: Sequence[str]) -> Task:
    """Replace a task's blockers; ids added after the present ones keep the array's layout.

    Returns:
        The task with its new bytes.
    """
    matter = _matter(task)
    block = toml.set_array(matter.block, "blocked_by", blocked_by, _TASK_ORDER)
    body = matter.text[matter.body :]
    return _written(matter, block, body, replace(task, blocked_by=tuple(blocked_by)))


def append_boundary(task: Task, item: str) -> Task:
    """Append a bullet to a task's boundaries.

    A missing section is added before ``Done when``.

    Returns:
        The task with its new bytes.

    Raises:
        InvalidInput: ``invalid-task`` when the item is not a line.
    """
    fault = trimmed_line(item)
    if fault is not None:
        problem = Problem(fault.code, f"the boundary {fault.message}", task.path)
        raise InvalidInput("invalid-task", f"{task.id}: {problem.message}", [problem])
    matter = _matter(task)
    body = matter.text[matter.body :]
    outline = markdown.outline(body)
    section = outline.by_name.get("Boundaries")
    if section is None:
        at, added = outline.by_name["Done when"].start, f"## Boundaries\n\n- {item}\n\n"
    elif task.boundaries is None:
        at, added = section.content, f"\n- {item}\n"
    else:
        kept = body[section.content : section.end].rstrip()
        at, added = section.content + len(kept), f"\n- {item}"
    boundaries = f"{task.boundaries}\n- {item}" if task.boundaries else f"- {item}"
    body = body[:at] + added + body[at:]
    return _written(matter, matter.block, body, replace(task, boundaries=boundaries))


def edit_area(data: bytes, area: Area) -> bytes:
    """Change ``area.toml`` so that it holds ``area``.

    Args:
        data: The present file, valid.
        area: The area that it must hold; the tag stays the same.

    Raises:
        InvalidInput: ``invalid-records`` when the file cannot be read, ``invalid-area`` when it
            cannot hold the area.
        ZdevError: ``unsupported-layout``.
    """
    path = f"{area.folder}/area.toml"
    present = codec.require_record(lambda found: codec.read_area(data, path, area.tag, found))
    changes = _changes(present, area, AREA_FIELDS)
    if changes.get("mode") == "isolated":  # the default, which the file leaves out
        changes["mode"] = None
    new = _edit_toml(data, path, (), AREA_FIELDS, changes)
    codec.require_same(
        area,
        lambda found: codec.read_area(new, path, area.tag, found),
        "invalid-area",
        "the area cannot be written",
    )
    return new


def edit_project(data: bytes, project: Project) -> bytes:
    """Change ``config.toml`` so that it holds ``project``.

    Raises:
        InvalidInput: ``invalid-records`` when the file cannot be read, ``invalid-project`` when it
            cannot hold the project.
        ZdevError: ``unsupported-layout``.
    """
    present = codec.require_record(lambda found: codec.read_project(data, CONFIG_PATH, found))
    changes = _changes(present, project, PROJECT_FIELDS)
    new = _edit_toml(data, CONFIG_PATH, ("project",), PROJECT_FIELDS, changes)
    codec.require_same(
        project,
        lambda found: codec.read_project(new, CONFIG_PATH, found),
        "invalid-project",
        "the value cannot be written",
    )
    return new


def _changes(present: object, wanted: object, known: Sequence[Field]) -> dict[str, str | None]:
    """The wanted values that differ from the present ones, by key."""
    names = [field.name for field in known if field is not VERSION]
    after = {name: getattr(wanted, name) for name in names}
    return {name: value for name, value in after.items() if value != getattr(present, name)}


def _edit_toml(
    data: bytes,
    path: str,
    table: tuple[str, ...],
    known: Sequence[Field],
    changes: dict[str, str | None],
) -> bytes:
    parts = codec.require_record(lambda found: text.split_toml(data, path, found))
    block = parts.block
    order = [field.name for field in known]
    for name, value in changes.items():
        key = (*table, name)
        if value is None:
            block = toml.remove(block, key)
        else:
            block = toml.set_value(block, key, value, order)
    return text.encode(block, crlf=parts.crlf)


def _matter(task: Task) -> Parts:
    return codec.require_record(lambda found: text.split_markdown(task.source, task.path, found))


def _require_status(task: Task, status: Literal["open", "done"]) -> None:
    if task.status != status:
        raise ZdevError(f"task-not-{status}", f"{task.id} is {task.status}, not {status}")


def _require_no_result(task: Task, matter: Parts, outline: Outline) -> None:
    """Refuse an open task that has a result, since completing it would add a second one."""
    section = outline.by_name.get(RESULT)
    if section is None:
        return
    line = matter.text.count("\n", 0, matter.body + section.start) + 1
    message = f"the task is open, but has a section ## {RESULT} already"
    raise InvalidInput(
        "invalid-task",
        f"{task.id} cannot be completed: {task.path}:{line}: {message}",
        [Problem("invalid-task", message, task.path, line)],
        f"Remove the section, or move its text below `## {HISTORY}` under `{PREVIOUS}`",
    )


def _completion_problems(summary: str, validation: Sequence[str]) -> list[Problem]:
    problems: list[Problem] = []
    texts = [("/summary", "the summary", summary)]
    texts += [
        (f"/validation/{position}", f"validation item {position + 1}", item)
        for position, item in enumerate(validation)
    ]
    for pointer, name, value in texts:
        fault = trimmed_line(value)
        if fault is not None:
            problems.append(Problem(fault.code, f"{name} {fault.message}", pointer=pointer))
        elif claims_allocation(value):
            message = f"{name} claims a path allocation, which only `derive` writes"
            problems.append(Problem("forged-allocation", message, pointer=pointer))
    outline = markdown.outline(summary)
    if summary.startswith(("## ", "### ")):
        message = "the summary starts with ## and would open a section"
        problems.append(Problem("invalid-completion", message, pointer="/summary"))
    elif outline.open_fence is not None:
        message = "the summary opens a code fence that it does not close"
        problems.append(Problem("invalid-completion", message, pointer="/summary"))
    if not validation:
        message = "there is no validation item; expected at least one"
        problems.append(Problem("invalid-completion", message, pointer="/validation"))
    return problems


def _refused(code: str, task: Task, problems: list[Problem]) -> InvalidInput:
    message = f"{task.id} cannot be completed: {summary_of(problems, placed=False)}"
    return InvalidInput(code, message, problems, "Give different texts; nothing was changed")


def _with_boxes(outline: Outline, *, checked: bool) -> str:
    """A body with every box of ``Done when`` checked or unchecked."""
    body, section = outline.body, outline.by_name["Done when"]
    content = _boxes(body[section.content : section.end], checked=checked)
    return body[: section.content] + content + body[section.end :]


def _boxes(content: str, *, checked: bool) -> str:
    """Checklist text with every box checked or unchecked; a box already checked keeps its case."""
    lines = content.split("\n")
    for number, line in enumerate(lines):
        if checked and line.startswith(markdown.UNCHECKED):
            lines[number] = markdown.CHECKED[0] + line[6:]
        elif not checked and line.startswith(markdown.CHECKED):
            lines[number] = markdown.UNCHECKED + line[6:]
    return "\n".join(lines)


def _append(body: str, block: str) -> str:
    """Append a block after one blank line."""
    if body and not body.endswith("\n"):
        body += "\n"
    return body + ("" if body.endswith("\n\n") else "\n") + block


def _archive_result(body: str) -> str:
    """Move the result to the end of the history."""
    outline = markdown.outline(body)
    result, history = outline.by_name[RESULT], outline.by_name.get(HISTORY)
    if history is None:
        return f"{body[: result.start]}## {HISTORY}\n\n{PREVIOUS}\n{body[result.content :]}"
    if history.end == result.start:
        return f"{body[: result.start]}{PREVIOUS}\n{body[result.content :]}"
    moved = f"{PREVIOUS}\n{body[result.content : result.end].rstrip()}\n"
    end = history.content + len(body[history.content : history.end].rstrip())
    if history.start < result.start:
        rest = body[end : result.start] + body[result.end :]
        kept = body[:end]
    else:
        rest = body[end:]
        kept = body[: result.start] + body[result.end : end]
    if result.end == len(body):
        rest = rest.removesuffix("\n")
    if kept.endswith("\n"):  # the history was empty, and its blank line stays
        return f"{kept}\n{moved}{rest}"
    return f"{kept}\n\n{moved}{rest.removeprefix(_LINE_END)}"


def _written(matter: Parts, block: str, body: str, expected: Task) -> Task:
    """Assemble the file, read it back, and require that it yields the expected task."""
    opening, closing = f"{text.FENCE}\n", f"\n{text.FENCE}\n"
    data = text.encode(opening + block + closing + body, crlf=matter.crlf)
    return codec.require_same(
        replace(expected, source=data),
        lambda found: codec.read_task(data, expected.path, expected.area, found),
        "invalid-task",
        f"{expected.id} cannot be changed",
        "Put the file into the ordinary form first",
    )
