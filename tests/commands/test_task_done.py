"""``git zdev task done``: the completion, the gate before it, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.cli import changes, refused, result, succeed, tree_state, zdev
from tests.support.plan import (
    INDEX,
    INDEX_PATH,
    SOURCE_PATH,
    TASKS,
    task_text,
    write_empty_area,
    write_plan,
)

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

pytestmark = pytest.mark.usefixtures("payments")


SOURCE = TASKS["002-settle-the-retry-boundary.md"]
WORDS = (
    "--summary",
    "It is settled.",
    "--validation",
    "Ran the tests.",
    "--validation",
    "Read it.",
)
DONE = SOURCE.replace('status = "open"', 'status = "done"').replace("- [ ]", "- [x]") + (
    "\n## Result\n\nIt is settled.\n\nValidation:\n\n- Ran the tests.\n- Read it.\n"
)


def done(repo: GitRepo, task: str = "payments-002") -> dict[str, Any]:
    return result("task done", "payments", task, *WORDS, cwd=repo.path)


def refuse(repo: GitRepo, code: str, task: str, *words: str) -> dict[str, Any]:
    return refused(code, "task", "done", "payments", task, *(words or WORDS), cwd=repo.path)


def test_the_task_is_done_and_the_index_says_so(repo: GitRepo) -> None:
    before = tree_state(repo.path)
    document = done(repo)
    status = document.pop("branch_status")
    assert document == {
        "advisory": None,
        "area": "payments",
        "schema_version": 1,
        "status": "done",
        "task": "payments-002",
    }
    assert status["task_work"]["safe"] is True
    assert (repo.path / SOURCE_PATH).read_text() == DONE
    expected = INDEX.replace("- Blocked: 1\n- Done: 1", "- Blocked: 0\n- Done: 2")
    expected = expected.replace(
        "boundary | ready | payments-001", "boundary | done | payments-001"
    ).replace("| blocked | payments-002 |", "| ready | payments-002 |")
    assert (repo.path / INDEX_PATH).read_text() == expected
    moved = changes(before, tree_state(repo.path))
    assert [path for path in moved if path.startswith(".zdev")] == [INDEX_PATH, SOURCE_PATH]
    assert result("check", cwd=repo.path)["status"] == "ok"


def test_nothing_is_staged(repo: GitRepo) -> None:
    done(repo)
    assert repo.git("status", "--short") == f" M {INDEX_PATH}\n M {SOURCE_PATH}"


def test_hand_written_parts_stay_byte_for_byte(repo: GitRepo) -> None:
    text = SOURCE.replace("+++\n# Settle", "# kept\n+++\n\n\n# Settle").replace(
        "## Done when", "## Notes\n\n\ttabbed  \n\n## Done when"
    )
    text = text.replace('key = "settle-retry"', "key   = 'settle-retry'")
    repo.write(SOURCE_PATH, text)
    done(repo)
    expected = text.replace('"open"', '"done"').replace("- [ ]", "- [x]")
    expected += "\n## Result\n\nIt is settled.\n\nValidation:\n\n- Ran the tests.\n- Read it.\n"
    assert (repo.path / SOURCE_PATH).read_text() == expected


def test_a_done_task_stays_as_it_is(repo: GitRepo) -> None:
    before = tree_state(repo.path / ".zdev")
    assert done(repo, "payments-001")["status"] == "unchanged"
    assert changes(before, tree_state(repo.path / ".zdev")) == []
    run = succeed("task", "done", "payments", "payments-001", *WORDS, cwd=repo.path)
    assert run.text == "payments-001 was done already; nothing changed.\n"


def test_completing_again_after_reopening_keeps_the_history(repo: GitRepo) -> None:
    done(repo)
    result("task reopen", "payments", "payments-002", cwd=repo.path)
    done(repo)
    text = (repo.path / SOURCE_PATH).read_text()
    assert text.count("### Previous completion") == 1
    assert text.index("## History") < text.index("## Result")
    assert result("check", cwd=repo.path)["status"] == "ok"


def test_a_blocked_task_names_its_open_blockers(repo: GitRepo) -> None:
    error = refuse(repo, "task-blocked", "payments-003")
    assert error["details"]["open_blockers"] == ["payments-002"]


def test_an_unknown_task(repo: GitRepo) -> None:
    refuse(repo, "unknown-task", "payments-009")


@pytest.mark.parametrize(
    ("summary", "validation"),
    [
        ("", "Ran."),
        (" ", "Ran."),
        ("Two\nlines", "Ran."),
        ("## Result", "Ran."),
        ("Bell \x07", "Ran."),
        ("Settled.", ""),
        ("Settled.", "Two\nlines"),
        ("Settled.", ' Initial task-owned path allocation: ["a"]'),
    ],
)
def test_texts_that_would_read_back_as_something_else(
    repo: GitRepo, summary: str, validation: str
) -> None:
    words = ("--summary", summary, "--validation", validation)
    error = refuse(repo, "invalid-completion", "payments-002", *words)
    assert error["details"]["problems"]


def test_all_wrong_texts_are_told_together(repo: GitRepo) -> None:
    words = ("--summary", "", "--validation", "", "--validation", "fine", "--validation", "\x01")
    problems = refuse(repo, "invalid-completion", "payments-002", *words)["details"]["problems"]
    assert [problem["pointer"] for problem in problems] == [
        "/summary", "/validation/0", "/validation/2",
    ]  # fmt: skip


def test_the_gate_refuses(repo: GitRepo) -> None:
    repo.git("switch", "-q", "-c", "topic")
    error = refuse(repo, "wrong-branch", "payments-002")
    assert error["details"]["branch_status"]["checked_out_branch"] == "topic"
    refuse(repo, "wrong-branch", "payments-001")


def test_a_closed_area_needs_no_branch_as_all_is_done(repo: GitRepo) -> None:
    write_empty_area(repo.path, "old", branch="old", lifecycle="closed")
    write_plan(repo.path, {"old/tasks/001-step-1.md": task_text(1, tag="old", status="done")})
    document = result("task done", "old", "old-001", *WORDS, cwd=repo.path)
    assert document["status"] == "unchanged"
    assert document["branch_status"]["task_work"]["safe"] is False


def test_an_unfinished_merge_refuses(repo: GitRepo) -> None:
    repo.write(".git/MERGE_HEAD", f"{repo.rev('HEAD')}\n")
    refuse(repo, "git-operation-in-progress", "payments-002")


def test_a_linked_task_file_is_refused(repo: GitRepo) -> None:
    (repo.path / SOURCE_PATH).rename(repo.path / "aside.md")
    (repo.path / SOURCE_PATH).symlink_to(repo.path / "aside.md")
    error = refuse(repo, "invalid-records", "payments-002")
    assert error["details"]["problems"][0]["code"] == "symlink-in-records"


def test_summary_and_validation_are_needed(repo: GitRepo) -> None:
    for words in ((), ("--summary", "Settled."), ("--validation", "Ran.")):
        assert zdev("task", "done", "payments", "payments-002", *words, cwd=repo.path).status == 2


def test_inside_a_hook_it_is_refused(repo: GitRepo) -> None:
    refused(
        "inside-git-hook",
        "task",
        "done",
        "payments",
        "payments-002",
        *WORDS,
        cwd=repo.path,
        env={"GIT_INDEX_FILE": str(repo.path / ".git/index"), "GIT_PREFIX": ""},
    )


def test_in_a_linked_work_tree_it_writes_there(repo: GitRepo) -> None:
    repo.git("switch", "-q", "-c", "elsewhere")
    linked = repo.path.parent / "linked"
    repo.git("worktree", "add", "-q", str(linked), "main")
    result("task done", "payments", "payments-002", *WORDS, cwd=linked)
    assert (linked / SOURCE_PATH).read_text() == DONE
    assert (repo.path / SOURCE_PATH).read_text() == SOURCE
