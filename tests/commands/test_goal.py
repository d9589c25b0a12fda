"""``git zdev goal``: from records alone, on any branch and outside of every repository."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.support.cli import modules_of, refused, result, succeed
from tests.support.plan import FILES, SOURCE_PATH, commit_payments, task_text, write_plan

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repo import GitRepo

TEXT = """\
Payments  .zdev/payments
Pay reliably.
Tasks: 4 (2 ready, 1 blocked, 1 done)

payments-002  Settle the retry boundary
File:       .zdev/payments/tasks/002-settle-the-retry-boundary.md
Complexity: standard

Outcome
The step is taken.

Context
There were earlier steps.

Boundaries
- Leave the API alone.
- Leave the database alone.

Done when
- [ ] The step is taken.
- [ ] It is shown.

Validation
- Run the tests.
"""


def test_the_default_task_with_all_that_it_says(repo: GitRepo) -> None:
    commit_payments(repo)
    document = result("goal", "payments", cwd=repo.path)
    assert list(document) == [
        "schema_version", "area", "lifecycle", "queue", "counts", "task", "native_goal",
    ]  # fmt: skip
    assert document["counts"] == {"total": 4, "open": 3, "ready": 2, "blocked": 1, "done": 1}
    assert document["task"]["id"] == "payments-002"
    assert document["task"]["path"] == SOURCE_PATH


def test_the_text(repo: GitRepo) -> None:
    commit_payments(repo)
    assert succeed("goal", "payments", cwd=repo.path).text == TEXT


def test_it_is_the_same_from_everywhere_and_on_every_branch(repo: GitRepo) -> None:
    commit_payments(repo)
    here = succeed("goal", "payments", "--format=json", cwd=repo.path).stdout
    below = succeed("goal", "payments", "--format=json", cwd=repo.path / "src").stdout
    repo.git("switch", "-q", "-c", "elsewhere")
    repo.write("src/log.rs", "changed\n")
    (repo.path / ".git/index").write_bytes(b"broken")
    elsewhere = succeed("goal", "payments", "--format=json", cwd=repo.path).stdout
    assert here == below == elsewhere


def test_it_needs_no_repository(tmp_path: Path) -> None:
    write_plan(tmp_path / "plain", FILES)
    assert succeed("goal", "payments", cwd=tmp_path / "plain").text == TEXT


def test_it_works_in_a_copy_whose_repository_is_broken(repo: GitRepo) -> None:
    commit_payments(repo)
    shutil.rmtree(repo.path / ".git/objects")
    assert succeed("goal", "payments", cwd=repo.path).text == TEXT


def test_a_closed_area_has_no_task(tmp_path: Path) -> None:
    area = str(FILES["payments/area.toml"]).replace('"open"', '"closed"')
    files = {
        "config.toml": FILES["config.toml"],
        "payments/area.toml": area,
        "payments/brief.md": FILES["payments/brief.md"],
        "payments/tasks/001-step-1.md": task_text(1, status="done"),
    }
    write_plan(tmp_path, files)
    document = result("goal", "payments", cwd=tmp_path)
    assert (document["lifecycle"], document["queue"]) == ("closed", "exhausted")
    assert document["task"] is None
    assert "native_goal" not in document
    assert "The area payments is closed." in succeed("goal", "payments", cwd=tmp_path).text


def test_an_empty_area_says_so(repo: GitRepo) -> None:
    files = {name: data for name, data in FILES.items() if "/tasks/" not in name}
    write_plan(repo.path, files)
    document = result("goal", "payments", cwd=repo.path)
    assert (document["queue"], document["task"]) == ("empty", None)
    assert "has no tasks yet" in succeed("goal", "payments", cwd=repo.path).text


def test_an_unknown_area_is_refused(repo: GitRepo) -> None:
    commit_payments(repo)
    error = refused("unknown-area", "goal", "other", cwd=repo.path)
    assert "payments" in error["error"]


@pytest.mark.parametrize("tag", ["../payments", "", ".", "PAYMENTS"])
def test_a_tag_that_is_none_is_an_unknown_area(repo: GitRepo, tag: str) -> None:
    commit_payments(repo)
    refused("unknown-area", "goal", tag, cwd=repo.path)


def test_every_problem_of_the_area_is_told(repo: GitRepo) -> None:
    commit_payments(repo)
    repo.write(SOURCE_PATH, task_text(2, blocked_by=["payments-009"]))
    repo.write(".zdev/payments/brief.md", "# No sections\n")
    error = refused("invalid-records", "goal", "payments", cwd=repo.path)
    paths = {problem["path"] for problem in error["details"]["problems"]}
    assert paths == {SOURCE_PATH, ".zdev/payments/brief.md"}


def test_without_a_plan(repo: GitRepo) -> None:
    refused("not-initialized", "goal", "payments", cwd=repo.path)


def test_hostile_text_is_shown_and_does_nothing(repo: GitRepo) -> None:
    write_plan(repo.path, FILES)
    text = task_text(2, key="settle-retry").replace("There were earlier", "\x1b[31m\u202e")
    repo.write(SOURCE_PATH, text)
    shown = succeed("goal", "payments", "--color=never", cwd=repo.path).text
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert r"\x1b[31m\u202e" in shown


def test_it_imports_nothing_heavy(repo: GitRepo) -> None:
    commit_payments(repo)
    loaded = modules_of("goal", "payments", "--format=json", cwd=repo.path)
    assert loaded.isdisjoint({"pygit2", "rich", "jsonschema", "subprocess"})
