"""Runs the two commands of derived work on the plan of ``tests/support/payments.py``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.support.cli import refused, result
from tests.support.proposals import envelope

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.gitrepo import GitRepo

FIELDS = [
    "schema_version",
    "status",
    "area",
    "source_task",
    "proposal",
    "source_result",
    "split_ownership",
    "tasks",
    "ready",
    "commit",
    "change_id",
    "paths",
]
"""The fields of a successful ``apply``, in their order."""


def apply(repo: GitRepo, document: dict[str, Any], cwd: Path | None = None) -> dict[str, Any]:
    """Apply a proposal that is expected to be good; its result, the order of fields checked."""
    done = result(
        "tasks derive apply",
        *("payments", "--from", "-"),
        cwd=cwd or repo.path,
        stdin=envelope(document),
    )
    return checked(done, document)


def checked(done: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    """A result of ``apply``, after a comparison with the proposal that it came from."""
    fields = [name for name in FIELDS if name != "split_ownership" or name in document]
    assert list(done) == fields
    for name in ("area", "source_task", "proposal", "source_result", "split_ownership"):
        assert json.dumps(done.get(name)) == json.dumps(document.get(name))
    return done


def refuse(
    code: str, repo: GitRepo, document: dict[str, Any], cwd: Path | None = None
) -> dict[str, Any]:
    """Apply a proposal that is expected to be refused, with nothing changed; the error."""
    words = ("tasks", "derive", "apply", "payments", "--from", "-")
    where = cwd or repo.path
    return refused(code, *words, cwd=where, unchanged=repo.path, stdin=envelope(document))


def review(repo: GitRepo, document: dict[str, Any], cwd: Path | None = None) -> dict[str, Any]:
    """Review a proposal; the result."""
    return result(
        "tasks derive review",
        *("payments", "--from", "-"),
        cwd=cwd or repo.path,
        stdin=envelope(document),
    )


def committed_files(repo: GitRepo, revision: str = "HEAD") -> dict[str, str]:
    """What a commit changed: status letter by path."""
    shown = repo.git("diff-tree", "-r", "--no-renames", "--name-status", f"{revision}^", revision)
    return {path: letter for letter, path in (line.split("\t") for line in shown.splitlines())}
