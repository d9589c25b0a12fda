"""How refusals are worded: what happened begins small, as Git's messages do; what to do, large."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import git_zdev

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(git_zdev.__file__).parent
MESSAGE_AND_HINT = {"ZdevError": (1, 2), "InvalidInput": (1, 3), "UsageError": (0, 1)}
"""The positions of both among the arguments."""


def beginning(node: ast.expr) -> str:
    """The text with which a string begins; empty where only a run tells."""
    if isinstance(node, ast.JoinedStr):
        return beginning(node.values[0])
    if isinstance(node, ast.BinOp):
        return beginning(node.left)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def refusals() -> Iterator[tuple[str, str, str]]:
    """Place, message and hint of everything that is raised, as far as the source tells."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                positions = MESSAGE_AND_HINT.get(node.func.id, ())
                texts = [
                    beginning(node.args[at]) if at < len(node.args) else "" for at in positions
                ]
                if texts:
                    yield f"{path.name}:{node.lineno}", texts[0], texts[1]


def test_messages_begin_small_and_hints_large() -> None:
    found = list(refusals())
    assert len(found) > 100
    assert [place for place, message, _ in found if re.match("[A-Z][a-z]", message)] == []
    assert [place for place, _, hint in found if re.match("[a-z]", hint)] == []


def test_neither_ends_with_a_full_stop() -> None:
    """The sentences are put together, and ended, in one place."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                for at in MESSAGE_AND_HINT.get(node.func.id, ()):
                    if at < len(node.args) and isinstance(node.args[at], ast.Constant):
                        text = node.args[at].value  # type: ignore[attr-defined]
                        assert not str(text).endswith("."), f"{path.name}:{node.lineno}"


REPR_MAY_BE_SAID = {"evidence", "git", "storage"}
"""Parts that show bytes, or that speak of files nobody writes by hand."""


def test_what_was_given_stands_in_double_quotes() -> None:
    """Keys, ids and names are quoted alike; Python's own quotes would be a third way."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        part = path.relative_to(PACKAGE).parts[0]
        for node in ast.walk(ast.parse(path.read_bytes())):
            is_message = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            if is_message and node.func.id in {"ZdevError", "InvalidInput", "Problem", "_problem"}:
                found += [
                    f"{path.name}:{value.lineno}"
                    for value in ast.walk(node)
                    if isinstance(value, ast.FormattedValue) and value.conversion == ord("r")
                    if part not in REPR_MAY_BE_SAID
                ]
    assert found == []
