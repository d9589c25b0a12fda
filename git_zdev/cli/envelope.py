"""Errors as they are printed: a document for programs, blocks for people."""

from __future__ import annotations

from git_zdev.ground import jsontext
from git_zdev.screen.result import Verbatim, Words, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.ground.errors import ZdevError
    from git_zdev.screen.result import Block, Line

PROBLEM_LINES = 50
"""The most problems that the text form of an error lists; the JSON form lists all."""


def error_document(error: ZdevError, command: str) -> bytes:
    """An error in JSON, for stderr."""
    document = {
        "schema_version": 1,
        "command": command,
        "ok": False,
        "code": error.code,
        "error": str(error),
    }
    if error.details:
        document["details"] = error.details
    return jsontext.encode(document)


def error_blocks(error: ZdevError) -> list[Block]:
    """An error as text."""
    problems = error.details.get("problems", ())
    if len(problems) == 1 and _is_told(problems[0], error.message):
        problems = ()
    label = Words("error:", "error")
    shown: list[Block] = [line(label, f" {error}")]
    if error.said:
        shown = [line(label, f" {error.message}:"), Verbatim(error.said_indented)]
        shown += [line(f"{error.hint}.")] if error.hint else []
    shown += map(_problem, problems[:PROBLEM_LINES])
    if len(problems) > PROBLEM_LINES:
        more = len(problems) - PROBLEM_LINES
        shown.append(line("  ", Words("…"), f" and {more} more (all with --format json)"))
    return shown


def _is_told(problem: dict[str, object], message: str) -> bool:
    """Whether an error's message already contains its problem's place and words."""
    placed = "path" not in problem or _place(problem) in message
    return placed and str(problem["message"]) in message


def _problem(problem: dict[str, object]) -> Line:
    place = _place(problem)
    message = str(problem["message"])
    return line("  ", Words(place, "id"), f": {message}") if place else line(f"  {message}")


def _place(problem: dict[str, object]) -> str:
    place = str(problem.get("path") or problem.get("pointer") or "")
    if "line" not in problem:
        return place
    return f"{place}:{problem['line']}" if place else f"line {problem['line']}"
