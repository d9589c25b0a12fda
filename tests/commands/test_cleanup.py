"""``git zdev cleanup squash`` on real repositories."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.support.cli import refused, result, zdev
from tests.support.plan import CONFIG, write_empty_area, write_plan

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

PLAN = [
    ".zdev/config.toml",
    ".zdev/payments/TASKS.md",
    ".zdev/payments/area.toml",
    ".zdev/payments/brief.md",
]


@pytest.fixture
def pulled(planned: GitRepo) -> GitRepo:
    """The plan of a pull request, committed on ``topic``."""
    write_plan(planned.path, {"config.toml": CONFIG.replace('"project"', '"pull-request"')})
    write_empty_area(planned.path, "payments", branch="topic")
    planned.git("switch", "-q", "-c", "topic")
    planned.git("add", ".zdev")
    planned.commit("Plan")
    return planned


def test_one_commit_deletes_the_tracked_plan(pulled: GitRepo) -> None:
    parent = pulled.rev("HEAD")
    made = result("cleanup squash", cwd=pulled.path)
    assert made == {
        "branch": "topic",
        "cleanup": "squash",
        "commit": pulled.rev("topic"),
        "message": "Remove the plan below .zdev",
        "record": "pull-request",
        "removed": PLAN,
        "schema_version": 1,
        "status": "committed",
    }
    assert pulled.rev("HEAD^") == parent
    assert pulled.git("log", "-1", "--format=%B") == "Remove the plan below .zdev\n"
    assert pulled.git("diff", "--name-status", "HEAD^", "HEAD").splitlines() == [
        f"D\t{path}" for path in PLAN
    ]
    assert pulled.git("status", "--porcelain") == ""
    assert not (pulled.path / ".zdev").exists()


def test_other_work_stays_where_it_is(pulled: GitRepo) -> None:
    pulled.write("staged.txt", "s\n")
    pulled.git("add", "staged.txt")
    pulled.write("a.txt", "changed\n")
    pulled.write(".zdev/notes.txt", "mine\n")
    before = pulled.git("ls-files", "--stage", "a.txt", "staged.txt")
    result("cleanup squash", cwd=pulled.path)
    assert pulled.git("status", "--porcelain", "-uall") == (
        " M a.txt\nA  staged.txt\n?? .zdev/notes.txt"
    )
    assert pulled.git("ls-files", "--stage", "a.txt", "staged.txt") == before
    assert os.listdir(pulled.path / ".zdev") == ["notes.txt"]


def test_the_current_directory_stays(pulled: GitRepo) -> None:
    os.makedirs(pulled.path / ".zdev/payments/tasks")
    result("cleanup squash", cwd=pulled.path / ".zdev/payments")
    assert os.listdir(pulled.path / ".zdev/payments") == ["tasks"]
    os.rmdir(pulled.path / ".zdev/payments/tasks")
    assert pulled.git("status", "--porcelain") == ""


@pytest.mark.parametrize("record", ["personal", "project"])
def test_other_records_are_kept(record: str, planned: GitRepo) -> None:
    write_plan(planned.path, {"config.toml": CONFIG.replace('"project"', f'"{record}"')})
    refused("not-a-pull-request-record", "cleanup", "squash", cwd=planned.path)


def test_a_plan_that_is_not_tracked(planned: GitRepo) -> None:
    write_plan(planned.path, {"config.toml": CONFIG.replace('"project"', '"pull-request"')})
    refused("nothing-to-clean", "cleanup", "squash", cwd=planned.path)


def test_a_detached_head(pulled: GitRepo) -> None:
    pulled.git("switch", "-q", "--detach")
    refused("detached-head", "cleanup", "squash", cwd=pulled.path)


def edit(repo: GitRepo) -> str:
    repo.write(".zdev/payments/brief.md", "changed\n")
    return ".zdev/payments/brief.md"


def stage(repo: GitRepo) -> str:
    path = edit(repo)
    repo.git("add", path)
    repo.git("restore", path)
    return path


def add(repo: GitRepo) -> str:
    repo.write(".zdev/payments/slices/new.md", "new\n")
    repo.git("add", ".zdev/payments/slices/new.md")
    return ".zdev/payments/slices/new.md"


def delete(repo: GitRepo) -> str:
    (repo.path / ".zdev/payments/TASKS.md").unlink()
    return ".zdev/payments/TASKS.md"


def untrack(repo: GitRepo) -> str:
    repo.git("rm", "-q", "--cached", ".zdev/payments/TASKS.md")
    return ".zdev/payments/TASKS.md"


@pytest.mark.parametrize("change", [edit, stage, add, delete, untrack])
def test_changed_records_are_not_thrown_away(change: type, pulled: GitRepo) -> None:
    path = change(pulled)
    error = refused("records-changed", "cleanup", "squash", cwd=pulled.path)
    assert error["details"] == {"paths": [path]}


def test_line_ends_are_no_change(pulled: GitRepo) -> None:
    path = pulled.path / ".zdev/payments/brief.md"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    result("cleanup squash", cwd=pulled.path)
    assert not path.exists()


def test_a_merge_in_progress(pulled: GitRepo) -> None:
    pulled.git("branch", "other", "main")
    pulled.git("merge", "-q", "--no-ff", "--no-commit", "main", check=False)
    (pulled.path / ".git/MERGE_HEAD").write_text(f"{pulled.rev('main')}\n")
    before = pulled.rev("HEAD")
    run = zdev("cleanup", "squash", cwd=pulled.path)
    assert (run.status, run.stdout, pulled.rev("HEAD")) == (1, b"", before)
    assert all((pulled.path / path).exists() for path in PLAN)


def test_a_hook_that_refuses_leaves_everything(pulled: GitRepo) -> None:
    hook = pulled.write(".git/hooks/pre-commit", "#!/bin/sh\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    before = pulled.rev("HEAD")
    run = zdev("cleanup", "squash", cwd=pulled.path)
    assert (run.status, run.stdout, pulled.rev("HEAD")) == (1, b"", before)
    assert "not today" in run.error_text
    assert pulled.git("status", "--porcelain") == ""


def test_a_plan_below_the_work_tree(pulled: GitRepo) -> None:
    pulled.git("mv", ".zdev", "a.zdev")
    os.makedirs(pulled.path / "sub")
    pulled.git("mv", "a.zdev", "sub/.zdev")
    pulled.commit("Move")
    made = result("cleanup squash", cwd=pulled.path / "sub")
    assert made["removed"] == [f"sub/{path}" for path in PLAN]
    assert pulled.git("ls-files") == "a.txt"
    assert os.listdir(pulled.path / "sub") == []


def test_the_words(pulled: GitRepo) -> None:
    run = zdev("cleanup", "squash", cwd=pulled.path)
    assert run.text == (
        "Removed 4 files of the plan in one commit.\n"
        f"Branch: topic\nCommit: {pulled.rev('topic')}\n"
    )
