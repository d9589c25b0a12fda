"""How results and errors leave the program: bytes for stdout and for stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING

from git_zdev import jsontext

if TYPE_CHECKING:
    from git_zdev.errors import ZdevError

PROBLEM_LINES = 50
"""Problems that the text form of an error lists; the JSON form lists all."""


def error_bytes(error: ZdevError, command: str, form: str) -> bytes:
    """An error as it goes to stderr in one of the two formats."""
    if form == "json":
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
    from git_zdev.inert import escape

    lines = [f"error: {escape(str(error))}"]
    problems = error.details.get("problems", ())
    lines += [f"  {escape(_sentence(problem))}" for problem in problems[:PROBLEM_LINES]]
    if len(problems) > PROBLEM_LINES:
        lines.append(f"  … and {len(problems) - PROBLEM_LINES} more (all with --format json)")
    return "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace")


def _sentence(problem: dict[str, object]) -> str:
    place = problem.get("path") or problem.get("pointer") or ""
    if "line" in problem and place:
        place = f"{place}:{problem['line']}"
    elif "line" in problem:
        place = f"line {problem['line']}"
    return f"{place}: {problem['message']}" if place else str(problem["message"])
