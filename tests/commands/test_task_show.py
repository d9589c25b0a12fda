"""``git zdev task show``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.cli import refused, result, succeed
from tests.support.plan import SOURCE_PATH, TASKS

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

pytestmark = pytest.mark.usefixtures("payments")


BODY = TASKS["002-settle-the-retry-boundary.md"].split("+++\n")[2]


def test_the_view_with_area_and_body(repo: GitRepo) -> None:
    assert result("task show", "payments", "payments-002", cwd=repo.path) == {
        "afk": False,
        "area": "payments",
        "blocked_by": ["payments-001"],
        "body": BODY,
        "complexity": "standard",
        "id": "payments-002",
        "path": SOURCE_PATH,
        "priority": "normal",
        "schema_version": 1,
        "slice": None,
        "slice_brief": None,
        "state": "ready",
        "status": "open",
        "title": "Settle the retry boundary",
    }


def test_keys_are_sorted(repo: GitRepo) -> None:
    document = result("task show", "payments", "payments-002", cwd=repo.path)
    assert list(document) == sorted(document)


def test_crlf_does_not_show_in_the_body(repo: GitRepo) -> None:
    text = TASKS["002-settle-the-retry-boundary.md"].replace("\n", "\r\n")
    repo.write(SOURCE_PATH, text)
    assert result("task show", "payments", "payments-002", cwd=repo.path)["body"] == BODY


def test_the_text_ends_with_the_body(repo: GitRepo) -> None:
    text = succeed("task", "show", "payments", "payments-002", cwd=repo.path).text
    assert text.startswith("payments-002  Settle the retry boundary\nState:  ready\n")
    assert text.endswith(f"\n\n{BODY}")


@pytest.mark.parametrize("task_id", ["payments-009", "other-002", "payments-2", ""])
def test_a_task_that_the_area_has_not(repo: GitRepo, task_id: str) -> None:
    refused("unknown-task", "task", "show", "payments", task_id, cwd=repo.path)
