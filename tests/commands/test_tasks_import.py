"""``git zdev tasks import``, files only."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.cli import changes, refused, result, succeed, tree_state, zdev
from tests.support.plan import (
    CANONICAL,
    FIRST,
    FIRST_PATH,
    FIRST_TEXT,
    INDEX,
    INDEX_PATH,
    SECOND,
    SECOND_PATH,
    SECOND_TEXT,
    SOURCE_PATH,
    bundle,
    write_area,
)

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

pytestmark = pytest.mark.usefixtures("payments")


NEW_ROWS = (
    "| [payments-005](tasks/005-apply-the-retry-policy.md) | Apply the retry policy | api "
    "| ready | payments-001 |\n"
    "| [payments-006](tasks/006-document-the-policy.md) | Document the policy | — "
    "| blocked | payments-005 |\n"
)


def add(repo: GitRepo, data: bytes, *words: str) -> dict[str, Any]:
    return result("tasks import", "payments", "--from=-", *words, cwd=repo.path, stdin=data)


def refuse(repo: GitRepo, code: str, data: bytes, *words: str) -> dict[str, Any]:
    return refused(
        code, "tasks", "import", "payments", "--from=-", *words, cwd=repo.path, stdin=data
    )


def review(repo: GitRepo, data: bytes) -> dict[str, Any]:
    return result("tasks review", "payments", "--from=-", cwd=repo.path, stdin=data)


def reviewed(code: str, repo: GitRepo, review_id: str) -> dict[str, Any]:
    return refused(code, "tasks", "import", "payments", "--reviewed", review_id, cwd=repo.path)


def test_tasks_and_index_are_written(repo: GitRepo) -> None:
    before = tree_state(repo.path)
    assert add(repo, bundle()) == {
        "area": "payments",
        "ready": ["payments-002", "payments-004", "payments-005"],
        "schema_version": 1,
        "status": "created",
        "tasks": ["payments-005", "payments-006"],
    }
    assert (repo.path / FIRST_PATH).read_text() == FIRST_TEXT
    assert (repo.path / SECOND_PATH).read_text() == SECOND_TEXT
    index = (repo.path / INDEX_PATH).read_text()
    assert index.endswith(NEW_ROWS)
    assert "- Total: 6\n- Ready: 3\n- Blocked: 2\n- Done: 1\n" in index
    moved = [path for path in changes(before, tree_state(repo.path)) if path.startswith(".zdev")]
    assert moved == sorted([INDEX_PATH, FIRST_PATH, SECOND_PATH])
    assert result("check", cwd=repo.path)["status"] == "ok"


def test_nothing_is_staged_and_no_branch_is_needed(repo: GitRepo) -> None:
    repo.git("checkout", "-q", "--detach")
    add(repo, bundle())
    status = repo.git("status", "--short", "--untracked-files=all")
    assert status == f" M {INDEX_PATH}\n?? {FIRST_PATH}\n?? {SECOND_PATH}"


def test_text(repo: GitRepo) -> None:
    path = repo.write("bundle.json", bundle())
    text = succeed("tasks", "import", "payments", "--from", path, cwd=repo.path).text
    assert text == (
        "Added 2 tasks to payments.\n"
        "Tasks: payments-005, payments-006\n"
        "Ready: payments-002, payments-004, payments-005\n"
    )


def test_numbers_go_on_behind_the_highest(repo: GitRepo) -> None:
    (repo.path / SOURCE_PATH).with_name("003-document-the-retries.md").unlink()
    assert add(repo, bundle(FIRST))["tasks"] == ["payments-005"]


def test_a_reviewed_bundle(repo: GitRepo) -> None:
    review_id = review(repo, bundle())["review"]
    document = result("tasks import", "payments", "--reviewed", review_id, cwd=repo.path)
    assert document["tasks"] == ["payments-005", "payments-006"]
    assert (repo.path / FIRST_PATH).read_text() == FIRST_TEXT


def test_a_replaced_review(repo: GitRepo) -> None:
    first = review(repo, bundle())["review"]
    second = review(repo, bundle())["review"]
    error = reviewed("review-replaced", repo, first)
    assert "was replaced" in error["error"]
    assert error["details"]["current"] == second


def test_a_review_cannot_be_imported_twice(repo: GitRepo) -> None:
    review_id = review(repo, bundle())["review"]
    result("tasks import", "payments", "--reviewed", review_id, cwd=repo.path)
    error = reviewed("invalid-bundle", repo, review_id)
    codes = {problem["code"] for problem in error["details"]["problems"]}
    assert codes == {"duplicate-task-key"}


@pytest.mark.parametrize("name", ["bundle.json", "metadata.json", "review.md"])
def test_a_review_whose_files_changed(repo: GitRepo, name: str) -> None:
    document = review(repo, bundle())
    path = Path(document["path"]).with_name(name)
    path.write_bytes(path.read_bytes().replace(b"payments", b"paymentz", 1))
    reviewed("review-corrupt", repo, document["review"])


def test_reviews_that_are_none(repo: GitRepo) -> None:
    reviewed("review-unavailable", repo, "R" + "0" * 32)
    reviewed("review-malformed-id", repo, "R0")
    reviewed("review-malformed-id", repo, "D" + "0" * 32)


def test_approval_by_fingerprint(repo: GitRepo) -> None:
    draft = {**SECOND, "blocked_by": ["payments-001"]}
    approved = hashlib.sha256(CANONICAL).hexdigest()
    spread = json.dumps(json.loads(bundle(draft)), indent=4).encode()
    refuse(repo, "not-approved", bundle(FIRST), "--approval", approved)
    refuse(repo, "not-approved", spread, "--approval", approved[:-1])
    assert add(repo, spread, "--approval", approved)["tasks"] == ["payments-005"]


def test_approval_by_the_current_review(repo: GitRepo) -> None:
    review_id = review(repo, bundle(FIRST))["review"]
    refuse(repo, "not-approved", bundle(), "--approval", review_id)
    assert add(repo, bundle(FIRST), "--approval", review_id)["tasks"] == ["payments-005"]


def test_approval_by_a_replaced_review(repo: GitRepo) -> None:
    review_id = review(repo, bundle(FIRST))["review"]
    review(repo, bundle(FIRST))
    refuse(repo, "review-replaced", bundle(FIRST), "--approval", review_id)


@pytest.mark.parametrize(
    ("draft", "pointer"),
    [
        ({**SECOND, "context": "## Result\n\nForged."}, "/tasks/0/context"),
        ({**SECOND, "context": "```\nopen"}, "/tasks/0/context"),
        ({**SECOND, "title": "Two\nlines"}, "/tasks/0/title"),
        ({**SECOND, "outcome": "  "}, "/tasks/0/outcome"),
        ({**SECOND, "done_when": ["Fine.", "Two\nlines"]}, "/tasks/0/done_when/1"),
        (
            {**SECOND, "boundaries": ['Initial task-owned path allocation: ["a"]. X']},
            "/tasks/0/boundaries/0",
        ),
        ({**SECOND, "key": "UPPER"}, "/tasks/0/key"),
        ({**SECOND, "key": "tidy-logs"}, "/tasks/0/key"),
    ],
)
def test_drafts_that_would_read_back_as_something_else(
    repo: GitRepo, draft: dict[str, Any], pointer: str
) -> None:
    error = refuse(repo, "invalid-bundle", bundle({**draft, "blocked_by": []}))
    assert pointer in {problem["pointer"] for problem in error["details"]["problems"]}


def test_a_closed_area(repo: GitRepo) -> None:
    write_area(repo.path, "old")
    path = repo.path / ".zdev/old/area.toml"
    path.write_text(path.read_text().replace('"open"', '"closed"'))
    data = bundle({**SECOND, "blocked_by": []}, area="old")
    refused("area-closed", "tasks", "import", "old", "--from=-", cwd=repo.path, stdin=data)


def test_invalid_records(repo: GitRepo) -> None:
    repo.write(SOURCE_PATH, "no task\n")
    refuse(repo, "invalid-records", bundle(FIRST))


def test_a_file_in_the_way_is_never_overwritten(repo: GitRepo) -> None:
    (repo.path / FIRST_PATH).mkdir()
    refuse(repo, "invalid-records", bundle(FIRST))


def test_hand_written_bytes_of_the_index_are_replaced(repo: GitRepo) -> None:
    repo.write(INDEX_PATH, INDEX.replace("Ready: 2", "Ready: 9").replace("\n", "\r\n"))
    add(repo, bundle())
    index = (repo.path / INDEX_PATH).read_bytes()
    assert index.endswith(NEW_ROWS.replace("\n", "\r\n").encode())
    assert index.count(b"\n") == index.count(b"\r\n")


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--from=-", "--reviewed", "R0"),
        ("--reviewed", "R0", "--approval", "x"),
    ],
)
def test_options_that_do_not_fit_together(repo: GitRepo, words: tuple[str, ...]) -> None:
    assert zdev("tasks", "import", "payments", *words, cwd=repo.path).status == 2


SOFT = {**FIRST, "outcome": "The ty\u00adpo is gone.", "done_when": ["Gone.\U000e0041"]}


def test_hidden_text_is_not_imported_unread(repo: GitRepo) -> None:
    error = refuse(repo, "hidden-text", bundle(SOFT))
    assert error["details"]["problems"] == [
        {
            "code": "hidden-text",
            "message": "the text has 1 hidden character: U+00AD",
            "pointer": "/tasks/0/outcome",
        },
        {
            "code": "hidden-text",
            "message": "the text has 1 hidden character: U+E0041",
            "pointer": "/tasks/0/done_when/0",
        },
    ]
    assert "git zdev tasks review payments" in error["error"]
    refuse(repo, "hidden-text", bundle(SOFT), "--commit")


def test_hidden_text_that_was_read_is_imported(repo: GitRepo) -> None:
    stored = review(repo, bundle(SOFT))
    done = result("tasks import", "payments", "--reviewed", stored["review"], cwd=repo.path)
    path = next((repo.path / ".zdev/payments/tasks").glob(f"{done['tasks'][0][-3:]}-*"))
    assert "The ty\u00adpo is gone.\n" in path.read_text()
    found = result("check", cwd=repo.path)
    place = path.relative_to(repo.path).as_posix()
    assert [(one["path"], one["line"]) for one in found["warnings"]] == [
        (place, path.read_text().split("\n").index("The ty\u00adpo is gone.") + 1),
        (place, path.read_text().split("\n").index("- [ ] Gone.\U000e0041") + 1),
    ]
    text = succeed("check", cwd=repo.path)
    assert text.text.startswith("The plan is sound")
    assert text.error_text.startswith(f"Hidden text: {place}:")


def test_hidden_text_that_was_approved_is_imported(repo: GitRepo) -> None:
    stored = review(repo, bundle(SOFT))
    add(repo, bundle(SOFT), "--approval", stored["review"])
    refuse(repo, "not-approved", bundle({**SOFT, "key": "other"}), "--approval", "0" * 64)
