"""The Markdown of record files: a title line, ``## `` sections, lists, and fenced code as text.

:class:`BodyReader` reads one body by the table of its sections and reports problems by line.

A section runs from its ``## `` line to the next one. Lines inside a fenced code block (CommonMark
section 4.5: three or more backticks or tildes, indented by at most three spaces) open nothing.
"""

from __future__ import annotations

from git_zdev.ground.errors import Problem
from git_zdev.ground.values import dataclass
from git_zdev.plan.records.fields import PROBLEM_LIMIT, is_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from git_zdev.plan.records.fields import BodyField

UNCHECKED = "- [ ] "
CHECKED = ("- [x] ", "- [X] ")


@dataclass(frozen=True, slots=True)
class Section:
    """One section; offsets count characters of the body.

    Attributes:
        name: Text of the heading.
        start: Start of the heading line.
        content: Start of the line after it.
        end: Start of the next heading, or the end of the body.
    """

    name: str
    start: int
    content: int
    end: int


@dataclass(frozen=True, slots=True)
class Outline:
    """The positions of a body's parts.

    Attributes:
        body: The text.
        title: Text of the title line, trimmed; None without one before the sections.
        sections: The sections in order.
        by_name: The first section of each name.
        open_fence: Offset of a code fence that is never closed, or None.
    """

    body: str
    title: str | None
    sections: list[Section]
    by_name: dict[str, Section]
    open_fence: int | None

    def text(self, section: Section) -> str:
        """A section's content, trimmed."""
        return self.body[section.content : section.end].strip()


def outline(body: str) -> Outline:
    """Find the title, the sections and an unclosed code fence."""
    if "```" in body or "~~~" in body:
        return _outline_by_line(body)
    starts: list[int] = []
    found = 0 if body.startswith("## ") else body.find("\n## ") + 1
    while found or (not starts and body.startswith("## ")):
        starts.append(found)
        found = body.find("\n## ", found) + 1
    head = body[: starts[0]] if starts else body
    title: str | None = None
    for line in head.split("\n"):
        if line.startswith("# "):
            title = line[2:].strip()
            break
    return _outline(body, title, starts, None)


def _outline_by_line(body: str) -> Outline:
    title: str | None = None
    starts: list[int] = []
    fence, fence_at, offset = "", 0, 0
    for line in body.split("\n"):
        if fence:
            if _closes(line, fence):
                fence = ""
        elif opened := _opens(line):
            fence, fence_at = opened, offset
        elif line.startswith("## "):
            starts.append(offset)
        elif line.startswith("# ") and title is None and not starts:
            title = line[2:].strip()
        offset += len(line) + 1
    return _outline(body, title, starts, fence_at if fence else None)


def _outline(body: str, title: str | None, starts: list[int], open_fence: int | None) -> Outline:
    sections: list[Section] = []
    by_name: dict[str, Section] = {}
    for start, end in zip(starts, [*starts[1:], len(body)], strict=False):
        line_end = body.find("\n", start, end)
        content = end if line_end < 0 else line_end + 1
        name = body[start + 3 : content].strip()
        section = Section(name, start, content, end)
        sections.append(section)
        by_name.setdefault(name, section)
    return Outline(body, title, sections, by_name, open_fence)


def _opens(line: str) -> str:
    """The run of fence characters that opens a code block; empty if the line opens none."""
    text = line.lstrip(" ")
    if len(line) - len(text) > 3 or not text.startswith(("```", "~~~")):
        return ""
    rest = text.lstrip(text[0])
    if text[0] == "`" and "`" in rest:  # inline code: an info string holds no backtick
        return ""
    return text[: len(text) - len(rest)]


def _closes(line: str, fence: str) -> bool:
    text = line.lstrip(" ")
    run = text.rstrip(" \t")
    return len(line) - len(text) <= 3 and len(run) >= len(fence) and not run.strip(fence[0])


def list_faults(lines: list[str], *, checklist: bool) -> Iterator[tuple[int, str]]:
    """Find lines that do not belong in a section that is a list.

    A list has items (``- `` or, in a checklist, ``- [ ] ``, ``- [x] ``, ``- [X] ``, each with
    text), blank lines, and lines indented by two spaces or more that continue an item. In a
    checklist, a continuation line must not look like a checkbox.

    Args:
        lines: The section's lines, the heading first.
        checklist: Whether the items are checkboxes.

    Yields:
        The position of a faulty line and what is wrong with it.
    """
    inside = False
    for number, line in enumerate(lines):
        if line.startswith("- "):
            inside = True
            if not (is_check_item(line) if checklist else line[2:].strip()):
                yield number, _EXPECTED[checklist]
            elif not (line.isprintable() or is_line(line)):
                yield number, "the list item holds a control character"
        elif number and line and not line.isspace():
            box = checklist and is_check_item(line.lstrip())
            if box or not (inside and line.startswith("  ")):
                yield number, _EXPECTED[checklist]


_EXPECTED = {
    False: "expected bullets only (- text)",
    True: "expected checklist items only (- [ ] text)",
}


def is_check_item(line: str) -> bool:
    """Whether a line is a checkbox with text."""
    return (line.startswith(UNCHECKED) or line.startswith(CHECKED)) and bool(line[6:].strip())


def items(text: str, *, checklist: bool) -> tuple[str, ...]:
    """The items of a list, without their marks and continuation lines."""
    mark = len(UNCHECKED) if checklist else 2
    return tuple(line[mark:].strip() for line in text.split("\n") if line.startswith("- "))


class BodyReader:
    """Read one body and append every problem to the given list.

    Attributes:
        clean: Whether no problem has been found so far.
    """

    def __init__(self, path: str, text: str, start: int, problems: list[Problem]) -> None:
        """Prepare to read the body that starts at the character ``start`` of a file's text."""
        self.clean = True
        self._reported = 0
        self._path = path
        self._text = text
        self._start = start
        self._problems = problems
        self._outline = outline(text[start:])

    def report(
        self, code: str, message: str, section: Section | None = None, line: int = 0
    ) -> None:
        """Add a problem ``line`` lines below a section's heading or the body's start."""
        self.clean = False
        self._reported += 1
        if self._reported > PROBLEM_LIMIT:
            return
        if self._reported == PROBLEM_LIMIT:
            code, message = "too-many-problems", "there are more problems from here on"
        offset = self._start + (section.start if section is not None else 0)
        at = self._text.count("\n", 0, offset) + 1 + line
        self._problems.append(Problem(code, message, self._path, at))

    def title(self) -> str:
        """The title line's text; empty if it is missing."""
        title = self._outline.title
        if title is None:
            self.report("missing-title", "there is no title line (# <title>) before the sections")
            return ""
        if not is_line(title):
            lines = self._outline.body.split("\n")
            at = next(number for number, line in enumerate(lines) if line.startswith("# "))
            self.report("invalid-line", "the title is blank or holds a control character", line=at)
        return title

    def report_repeated(self, known: Sequence[BodyField] = ()) -> None:
        """Report sections that appear more than once: those of ``known``, or any if empty."""
        first = self._outline.by_name
        if len(first) == len(self._outline.sections):
            return
        names = {field.heading for field in known}
        for section in self._outline.sections:
            again = first[section.name] is not section
            if again and (not names or section.name in names):
                message = f"the section ## {section.name} appears more than once"
                self.report("duplicate-section", message, section)

    def section(self, name: str) -> Section | None:
        """The first section of that name, or None."""
        return self._outline.by_name.get(name)

    def read(self, known: Sequence[BodyField], *, all_checked: bool = False) -> dict[str, Any]:
        """The trimmed text of each section; None for an optional one that is absent or empty.

        Args:
            known: The sections of the record.
            all_checked: Whether an unchecked checkbox is a problem.
        """
        values: dict[str, Any] = {}
        body, by_name = self._outline.body, self._outline.by_name
        for field in known:
            section = by_name.get(field.heading)
            value = "" if section is None else body[section.content : section.end].strip()
            if field.required and not value:
                self._report_empty(field.heading, section)
            if section is not None and field.kind is list:
                unchecked = field.checks and all_checked and UNCHECKED in value
                self._report_list(section, checklist=field.checks, unchecked=unchecked)
            values[field.name] = value if field.required else value or None
        return values

    def _report_empty(self, name: str, section: Section | None) -> None:
        if section is None:
            self.report("missing-section", f"there is no section ## {name}{self._open_fence()}")
        else:
            self.report("empty-section", f"the section ## {name} is empty", section)

    def _report_list(self, section: Section, *, checklist: bool, unchecked: bool) -> None:
        lines = self._outline.body[section.start : section.end].split("\n")
        code = "not-a-condition" if checklist else "not-a-bullet"
        for number, message in list_faults(lines, checklist=checklist):
            self.report(code, message, section, number)
        if unchecked:
            for number, line in enumerate(lines):
                if line.startswith(UNCHECKED):
                    message = "the task is done and this condition is not checked"
                    self.report("unchecked-condition", message, section, number)

    def _open_fence(self) -> str:
        offset = self._outline.open_fence
        if offset is None:
            return ""
        line = self._text.count("\n", 0, self._start + offset) + 1
        return f"; the code fence that line {line} opens is never closed"
