"""The body of a Markdown record file, section by section, with the line of whatever is wrong."""

from __future__ import annotations

from git_zdev.ground.errors import Problem
from git_zdev.plan.records import markdown
from git_zdev.plan.records.fields import PROBLEM_LIMIT
from git_zdev.plan.records.names import is_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.plan.records.markdown import Section


class BodyReader:
    """Reads one body; every problem goes to the list that was given.

    Attributes:
        clean: Whether no problem was found so far.
    """

    def __init__(self, path: str, text: str, start: int, problems: list[Problem]) -> None:
        """Prepare to read the body that starts at the character ``start`` of a file's text."""
        self.clean = True
        self._reported = 0
        self._path = path
        self._text = text
        self._start = start
        self._problems = problems
        self._outline = markdown.outline(text[start:])

    def report(
        self, code: str, message: str, section: Section | None = None, line: int = 0
    ) -> None:
        """Add a problem, ``line`` lines below a section's heading or the body's start."""
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
        """The title line's text; empty after a problem."""
        title = self._outline.title
        if title is None:
            self.report("missing-title", "there is no title line (# <title>) before the sections")
            return ""
        if not is_line(title):
            lines = self._outline.body.split("\n")
            at = next(number for number, line in enumerate(lines) if line.startswith("# "))
            self.report("invalid-line", "the title is blank or holds a control character", line=at)
        return title

    def each_once(self, *names: str) -> None:
        """Report sections (of these names, all when none are given) that stand again."""
        first = self._outline.by_name
        if len(first) == len(self._outline.sections):
            return
        for section in self._outline.sections:
            again = first[section.name] is not section
            if again and (not names or section.name in names):
                message = f"the section ## {section.name} stands more than once"
                self.report("duplicate-section", message, section)

    def section(self, name: str) -> Section | None:
        """Where a section stands."""
        return self._outline.by_name.get(name)

    def optional(self, name: str) -> str | None:
        """A section's trimmed text, None when it is missing or empty."""
        section = self._outline.by_name.get(name)
        return None if section is None else self._outline.text(section) or None

    def prose(self, name: str) -> str:
        """The text of a section that must be there and not be empty."""
        section = self._outline.by_name.get(name)
        if section is None:
            self.report("missing-section", f"there is no section ## {name}{self._open_fence()}")
            return ""
        value = self._outline.text(section)
        if not value:
            self.report("empty-section", f"the section ## {name} is empty", section)
        return value

    def bullets(self, name: str) -> str:
        """The text of a required section of bullets, at least one."""
        value = self.prose(name)
        self._check_list(name, checklist=False)
        return value

    def optional_bullets(self, name: str) -> str | None:
        """The text of a section of bullets, None when it is missing or empty."""
        self._check_list(name, checklist=False)
        return self.optional(name)

    def checklist(self, name: str, *, all_checked: bool) -> str:
        """The text of a required section of checkboxes, at least one."""
        value = self.prose(name)
        section = self._check_list(name, checklist=True)
        if section is not None and all_checked and markdown.UNCHECKED in value:
            for number, line in enumerate(self._lines(section)):
                if line.startswith(markdown.UNCHECKED):
                    message = "the task is done and this condition is not checked"
                    self.report("unchecked-condition", message, section, number)
        return value

    def _check_list(self, name: str, *, checklist: bool) -> Section | None:
        section = self._outline.by_name.get(name)
        if section is not None:
            faults = markdown.list_faults(self._lines(section), checklist=checklist)
            for number, message in faults:
                code = "not-a-condition" if checklist else "not-a-bullet"
                self.report(code, message, section, number)
        return section

    def _lines(self, section: Section) -> list[str]:
        """The section's lines, the heading first."""
        return self._outline.body[section.start : section.end].split("\n")

    def _open_fence(self) -> str:
        offset = self._outline.open_fence
        if offset is None:
            return ""
        line = self._text.count("\n", 0, self._start + offset) + 1
        return f"; the code fence that line {line} opens is never closed"
