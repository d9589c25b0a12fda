"""The scenarios of derived work, each named after its row, on real repositories with real hooks.

The rows that a coordinator decides (an investigation without follow-ups, a split that needs a
product choice, and what becomes of a second proposal from one worker result) are not here: they
belong to the coordinator's own tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.cli import changes, refused, result, succeed, tree_state, zdev
from tests.support.plan import (
    INDEX_PATH,
    SOURCE_PATH,
    apply,
    committed_files,
    draft,
    envelope,
    follow_up,
    refuse,
    split,
)

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

APPLY = ("tasks", "derive", "apply", "payments", "--from", "-")
HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")


@pytest.fixture
def payments(payments: GitRepo) -> GitRepo:
    """The plan, and hooks that write down that they ran."""
    for hook in HOOKS:
        install(payments, hook, f'echo {hook} >> "$(git rev-parse --git-dir)/hooks-ran"')
    return payments


def install(repo: GitRepo, hook: str, script: str) -> None:
    repo.write(f".git/hooks/{hook}", f"#!/bin/sh\n{script}\n").chmod(0o755)


def hooks_that_ran(repo: GitRepo) -> list[str]:
    log = repo.path / ".git/hooks-ran"
    return log.read_text().split() if log.exists() else []


def managed(repo: GitRepo) -> tuple[Any, ...]:
    """Everything that a failure must leave as it was: work tree, index with its time, refs."""
    git_dir = repo.path / ".git"
    work_tree = {
        path: state for path, state in tree_state(repo.path).items() if not path.startswith(".git/")
    }
    index = git_dir / "index"
    refs = repo.git("for-each-ref"), repo.git("symbolic-ref", "HEAD")
    leftovers = sorted(path.name for path in git_dir.glob("*.lock") if "zdev" not in path.name)
    leftovers += [path.name for path in (git_dir / "zdev").glob("*") if path.name != "secret"]
    return work_tree, index.read_bytes(), index.stat().st_mtime_ns, refs, leftovers


def states(repo: GitRepo) -> dict[str, str]:
    listed = result("tasks list", "payments", cwd=repo.path)
    return {task["id"]: task["state"] for task in listed["tasks"]}


def complete(repo: GitRepo, task_id: str) -> None:
    words = ("--summary", "It works.", "--validation", "Ran the tests.")
    succeed("task", "done", "payments", task_id, *words, cwd=repo.path)
    repo.git("add", ".zdev")
    repo.commit(f"Complete {task_id}")


@pytest.mark.parametrize("count", [1, 5])
def test_successful_investigation(count: int, payments: GitRepo) -> None:
    payments.write("docs/retry-boundary.md", "Retries stop at the gateway.\n")
    payments.git("add", "docs")
    payments.write("src/log.rs", "somebody else's change\n")
    drafts = [draft(f"step-{place}0", title=f"Step {place}") for place in range(count)]
    done = apply(payments, follow_up(tasks=drafts))
    new = [f".zdev/payments/tasks/{5 + place:03d}-step-{place}.md" for place in range(count)]
    assert done["paths"] == ["docs/retry-boundary.md", SOURCE_PATH, *new, INDEX_PATH]
    assert committed_files(payments) == {
        "docs/retry-boundary.md": "A",
        SOURCE_PATH: "M",
        INDEX_PATH: "M",
        **dict.fromkeys(new, "A"),
    }
    assert hooks_that_ran(payments) == list(HOOKS)
    assert "## Result\n\nFound where retries must end." in payments.git(
        "show", f"HEAD:{SOURCE_PATH}"
    )
    assert payments.git("status", "--short") == " M src/log.rs"
    succeed("check", cwd=payments.path)


def test_the_follow_ups_of_an_investigation_are_done_in_order(payments: GitRepo) -> None:
    drafts = [
        draft("first", title="First"),
        draft("second", title="Second", blocked_by=["first"]),
        draft("third", title="Third", blocked_by=["second", "payments-004"]),
    ]
    done = apply(payments, follow_up(tasks=drafts))
    first, second, third = done["tasks"]
    assert done["ready"] == ["payments-003", "payments-004", first]
    for blocked in (second, third):
        refused(
            "task-blocked",
            *("task", "done", "payments", blocked, "--summary", "S", "--validation", "V"),
            cwd=payments.path,
        )
    complete(payments, first)
    assert (states(payments)[second], states(payments)[third]) == ("ready", "blocked")
    complete(payments, second)
    assert states(payments)[third] == "blocked"
    complete(payments, "payments-004")
    assert states(payments)[third] == "ready"
    complete(payments, third)
    succeed("check", cwd=payments.path)


@pytest.mark.parametrize("delta", [False, True], ids=["empty-delta", "retained-delta"])
def test_safe_implementation_split(delta: bool, payments: GitRepo) -> None:
    document = split()
    if delta:
        payments.write("src/payments.rs", "half done\n").chmod(0o755)
        payments.write("src/half.rs", "new\n")
        retained = ["src/payments.rs", "src/half.rs"]
        document["split_ownership"]["retained_parent_paths"] = retained
    before = tree_state(payments.path / "src")
    unstaged = payments.git("status", "--short")
    done = apply(payments, document)
    children = done["tasks"]
    assert changes(before, tree_state(payments.path / "src")) == []
    assert payments.git("status", "--short") == unstaged
    assert hooks_that_ran(payments) == list(HOOKS)
    assert set(committed_files(payments)) == set(done["paths"])
    assert all(path.startswith(".zdev/payments/") for path in done["paths"])
    assert states(payments)["payments-002"] == "blocked"
    shown = result("task show", "payments", "payments-002", cwd=payments.path)
    assert shown["blocked_by"] == ["payments-001", *children]
    succeed("check", cwd=payments.path)


def test_a_split_source_becomes_ready_after_all_its_children(payments: GitRepo) -> None:
    first, second = apply(payments, split())["tasks"]
    complete(payments, first)
    assert states(payments)["payments-002"] == "blocked"
    complete(payments, second)
    assert states(payments)["payments-002"] == "ready"
    body = result("task show", "payments", "payments-002", cwd=payments.path)["body"]
    assert "- [ ] The step is taken.\n- [ ] It is shown.\n" in body
    complete(payments, "payments-002")
    succeed("check", cwd=payments.path)


def test_duplicate_proposal(payments: GitRepo) -> None:
    for drafts in (
        [draft("tidy-logs")],
        [draft("measure-retries")],
        [draft("twice"), draft("twice", title="Twice")],
    ):
        error = refuse("invalid-proposal", payments, follow_up(tasks=drafts))
        assert [one["code"] for one in error["details"]["problems"]] == ["duplicate-task-key"]
    assert hooks_that_ran(payments) == []


@pytest.mark.parametrize(
    ("blocked_by", "code"),
    [
        ("payments-099", "missing-blocker"),
        ("payments-002", "source-blocker"),
        ("extract-policy", "self-blocker"),
        ("wire-policy", "dependency-cycle"),
        ("payments-003", "dependency-cycle"),
    ],
)
def test_invalid_dependency(blocked_by: str, code: str, payments: GitRepo) -> None:
    first, second = split()["tasks"]
    document = split(tasks=[first | {"blocked_by": [blocked_by]}, second])
    error = refuse("invalid-proposal", payments, document)
    assert code in [one["code"] for one in error["details"]["problems"]]
    assert hooks_that_ran(payments) == []


@pytest.mark.parametrize("kind", ["follow-up", "split"])
@pytest.mark.parametrize("hook", ["pre-commit", "prepare-commit-msg", "commit-msg"])
def test_publication_or_commit_failure(hook: str, kind: str, payments: GitRepo) -> None:
    install(payments, hook, f"echo {hook} says no >&2; exit 1")
    document = follow_up()
    payments.write("src/log.rs", "unrelated\n")
    if kind == "split":
        document = split()
        document["split_ownership"]["retained_parent_paths"] = ["notes.txt", "src/log.rs"]
    else:
        payments.write("docs/retry-boundary.md", "Settled.\n")
        payments.git("add", "docs")
    payments.write("notes.txt", "unrelated\n")
    before = managed(payments)
    run = zdev(*APPLY, cwd=payments.path, stdin=envelope(document))
    assert (run.status, run.stdout) == (1, b"")
    assert f"{hook} says no" in run.error_text
    assert managed(payments) == before


def test_nested_or_repeated_handoff_proposal(payments: GitRepo) -> None:
    for nested in ({"proposal": follow_up()}, {"tasks": [draft("inner")]}):
        document = follow_up(tasks=[draft() | nested])
        error = refuse("invalid-proposal", payments, document)
        assert "the key is unknown here" in error["details"]["problems"][0]["message"]
    second = envelope(follow_up()) + envelope(follow_up(), b"")
    refused("invalid-proposal", *APPLY, cwd=payments.path, stdin=second)
    assert hooks_that_ran(payments) == []
    apply(payments, split())
    head = payments.rev("HEAD")
    refuse("invalid-proposal", payments, split())
    assert payments.rev("HEAD") == head
    for child in ("payments-005", "payments-006"):
        complete(payments, child)
    again = split(
        tasks=[draft("polish", title="Polish")],
        split_ownership={
            "retained_parent_paths": [],
            "child_future_paths": [{"key": "polish", "paths": ["src/policy.rs"]}],
        },
    )
    assert apply(payments, again)["tasks"] == ["payments-007"]
