"""``git zdev tasks derive review`` on real repositories, and what its reviews are good for."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.cli import in_terminal, refused, result, succeed
from tests.support.plan import (
    FIRST_LINE,
    SOURCE_PATH,
    apply,
    envelope,
    follow_up,
    review,
    split,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repo import GitRepo

WORDS = ("tasks", "derive", "apply", "payments", "--reviewed")
SHOW = ("tasks", "derive", "review", "payments", "--show")


def store(repo: GitRepo) -> Path:
    return repo.path / ".git/zdev/derived-reviews/payments"


def test_a_review_is_stored_as_the_format_says(payments: GitRepo) -> None:
    data = envelope(follow_up())
    stored = result("tasks derive review", "payments", "--from", "-", cwd=payments.path, stdin=data)
    folder = store(payments) / stored["review"]
    assert stored == {
        "area": "payments",
        "coordinator_authority_required": True,
        "mechanically_eligible": True,
        "path": f"{folder}/review.md",
        "proposal": "investigation_follow_up",
        "reason": None,
        "review": stored["review"],
        "schema_version": 1,
        "source_task": "payments-002",
    }
    assert list(stored) == sorted(stored)
    assert (store(payments) / "current").read_text() == f"{stored['review']}\n"
    content = (folder / "proposal.json").read_bytes()
    assert FIRST_LINE + content == data
    metadata = json.loads((folder / "metadata.json").read_bytes())
    fingerprint = hashlib.sha256(content).digest()
    assert metadata == {
        "area": "payments",
        "fingerprint": fingerprint.hex(),
        "nonce": metadata["nonce"],
        "schema_version": 1,
        "created_head": payments.rev("HEAD"),
        "source_task": "payments-002",
    }
    digest = hashlib.sha256(fingerprint + bytes.fromhex(metadata["nonce"])).hexdigest()
    assert stored["review"] == f"D{digest[:32]}"
    assert payments.git("status", "--short") == ""


def test_a_linked_work_tree_has_its_own_reviews(payments: GitRepo) -> None:
    linked = payments.path.parent / "linked"
    payments.git("worktree", "add", "-q", "--detach", str(linked))
    stored = review(payments, split(), cwd=linked)
    assert stored["path"].startswith(f"{payments.path}/.git/worktrees/linked/zdev/")
    assert stored["mechanically_eligible"] is False
    refused("review-unavailable", *SHOW, cwd=payments.path)


def test_the_stored_page_is_printed_as_it_is(payments: GitRepo) -> None:
    stored = review(payments, split())
    page = (store(payments) / stored["review"] / "review.md").read_bytes()
    for form in ((), ("--format=json",), ("--color=never",)):
        assert succeed(*SHOW, *form, cwd=payments.path).stdout == page
    assert page.startswith(b"# Derived work from `payments-002`\n")


def test_in_a_terminal_the_same_page_is_styled(payments: GitRepo) -> None:
    document = split()
    document["tasks"][0]["title"] = "Extract \u202e [bold]the[/] policy"
    stored = review(payments, document)
    shown = in_terminal(*SHOW, cwd=payments.path)
    assert "\x1b[" in shown
    assert "\u202e" not in shown
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    words = set(re.findall(r"\w+", (store(payments) / stored["review"] / "review.md").read_text()))
    assert words - {"text", "diff"} <= set(re.findall(r"\w+", plain))
    assert "[bold]the[/]" in plain
    assert max(len(line) for line in plain.splitlines()) <= 80


def make_personal(repo: GitRepo) -> None:
    config = repo.path / ".zdev/config.toml"
    config.write_text(config.read_text().replace('"project"', '"personal"'))
    repo.git("commit", "-q", "-a", "-m", "Make it personal")


@pytest.mark.parametrize(
    ("spoil", "code", "reason"),
    [
        (
            lambda repo: repo.write("src/log.rs", "changed\n"),
            "invalid-ownership",
            'the path "src/log.rs" is changed in the work tree and is not listed',
        ),
        (
            lambda repo: repo.git("rm", "-q", "--cached", "src/log.rs"),
            "index-not-empty",
            "a split needs an empty index: src/log.rs",
        ),
        (lambda repo: repo.git("switch", "-q", "-c", "other"), "wrong-branch", "other"),
        (make_personal, "personal-record", "the records are personal"),
    ],
)
def test_what_cannot_be_applied_is_stored_and_stays_so(
    spoil: Any, code: str, reason: str, payments: GitRepo
) -> None:
    spoil(payments)
    stored = review(payments, split())
    assert stored["mechanically_eligible"] is False
    assert reason in stored["reason"]
    page = succeed(*SHOW, cwd=payments.path).text
    assert "| Mechanically eligible | no |" in page
    refused(code, *WORDS, stored["review"], cwd=payments.path)


def test_an_ownership_problem_is_shown_with_every_path(payments: GitRepo) -> None:
    document = split()
    children = document["split_ownership"]["child_future_paths"]
    children[0]["paths"] = ["../out", "src", "/etc/passwd\x1b[31m"]
    children.pop()
    stored = review(payments, document)
    assert stored["reason"].count("; ") == 3
    page = succeed(*SHOW, cwd=payments.path).text
    assert "\\x1b[31m" in page
    assert "\x1b" not in page


def test_a_cured_review_has_to_be_made_again(payments: GitRepo) -> None:
    payments.write("src/log.rs", "changed\n")
    first = review(payments, split())
    payments.git("restore", "src/log.rs")
    refused("review-outdated", *WORDS, first["review"], cwd=payments.path)
    second = review(payments, split())
    assert second["mechanically_eligible"] is True
    done = result(
        "tasks derive apply", "payments", "--reviewed", second["review"], cwd=payments.path
    )
    assert done["status"] == "committed"


def test_a_review_waives_nothing(payments: GitRepo) -> None:
    stored = review(payments, split())
    payments.write("src/log.rs", "changed\n")
    refused("invalid-ownership", *WORDS, stored["review"], cwd=payments.path)
    payments.git("add", "src/log.rs")
    refused("index-not-empty", *WORDS, stored["review"], cwd=payments.path)


def test_a_changed_source_outdates_a_review(payments: GitRepo) -> None:
    stored = review(payments, follow_up())
    source = payments.path / SOURCE_PATH
    source.write_text(source.read_text().replace("The step is taken.", "The step is made."))
    payments.git("commit", "-q", "-a", "-m", "Reword the source")
    refused("review-outdated", *WORDS, stored["review"], cwd=payments.path)


def test_the_page_shows_what_is_staged(payments: GitRepo) -> None:
    payments.write("notes.md", "Found.\n")
    payments.write("b\u202e.md", "Found.\n")
    payments.write("later.md", "Not meant.\n")
    payments.git("add", "notes.md", "b\u202e.md")
    payments.git("add", "--intent-to-add", "later.md")
    run = succeed(*SHOW[:-1], "--from", "-", cwd=payments.path, stdin=envelope(follow_up()))
    assert "Staged:   b\\u202e.md, notes.md\n" in run.text
    commit = succeed(*SHOW, cwd=payments.path).text.partition("## The commit\n")[2]
    artifacts, records = commit.split("Committed with:\n")
    staged = payments.git("diff", "--cached", "--name-only", "-z").strip("\0").split("\0")
    shown = re.findall(r"^- `(.*)`$", artifacts, re.MULTILINE)
    assert shown == [path.replace("\u202e", "\\u202e") for path in staged if path != "later.md"]
    assert SOURCE_PATH in records
    assert "notes.md" in in_terminal(*SHOW, cwd=payments.path)


def test_what_was_staged_after_a_review_outdates_it(payments: GitRepo) -> None:
    stored = review(payments, follow_up())
    payments.write("notes.md", "Found.\n")
    payments.git("add", "notes.md")
    refused("review-outdated", *WORDS, stored["review"], cwd=payments.path)
    again = review(payments, follow_up())
    succeed(*WORDS, again["review"], cwd=payments.path)
    assert "notes.md" in payments.git("show", "--name-only", "--format=")


def test_a_task_that_came_meanwhile_outdates_a_review(payments: GitRepo) -> None:
    stored = review(payments, split())
    apply(payments, split(tasks=[{**split()["tasks"][0], "key": "other"}], **OTHER))
    error = refused("invalid-proposal", *WORDS, stored["review"], cwd=payments.path)
    assert {one["code"] for one in error["details"]["problems"]} == {"task-blocked"}


OTHER = {
    "split_ownership": {
        "retained_parent_paths": [],
        "child_future_paths": [{"key": "other", "paths": ["src/other.rs"]}],
    }
}


def test_a_later_review_replaces_the_earlier_one(payments: GitRepo) -> None:
    first = review(payments, follow_up())
    second = review(payments, follow_up())
    assert first["review"] != second["review"]
    assert sorted(path.name for path in store(payments).iterdir()) == [
        second["review"],
        "current",
    ]
    error = refused("review-replaced", *WORDS, first["review"], cwd=payments.path)
    assert "was replaced" in error["error"]
    refused("review-malformed-id", *WORDS, "D123", cwd=payments.path)
    refused("review-malformed-id", *WORDS, f"R{'0' * 32}", cwd=payments.path)


def test_a_refused_review_leaves_the_one_before(payments: GitRepo) -> None:
    stored = review(payments, split())
    words = ("tasks", "derive", "review", "payments", "--from", "-")
    refused("invalid-proposal", *words, cwd=payments.path, stdin=envelope(split(tasks=[])))
    assert (store(payments) / "current").read_text() == f"{stored['review']}\n"


def edited(name: str, old: bytes, new: bytes) -> Any:
    def edit(folder: Path) -> None:
        data = (folder / name).read_bytes()
        assert old in data
        (folder / name).write_bytes(data.replace(old, new))

    return edit


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (edited("proposal.json", b"retry", b"retri"), "review-corrupt"),
        (edited("metadata.json", b'"payments-002"', b'"payments-004"'), "review-corrupt"),
        (edited("metadata.json", b'"area": "payments"', b'"area": "refunds"'), "review-corrupt"),
        (
            edited("metadata.json", b'"schema_version": 1', b'"schema_version": 1.0'),
            "review-corrupt",
        ),
        (edited("review.md", b"retry", b"retri"), "review-corrupt"),
        (lambda folder: (folder / "review.md").unlink(), "review-corrupt"),
        (lambda folder: (folder / "proposal.json").unlink(), "review-corrupt"),
    ],
)
def test_a_spoiled_review_is_never_applied(spoil: Any, code: str, payments: GitRepo) -> None:
    stored = review(payments, follow_up())
    spoil(store(payments) / stored["review"])
    refused(code, *WORDS, stored["review"], cwd=payments.path)
    if code == "review-corrupt":
        refused(code, *SHOW, cwd=payments.path)


def test_nothing_is_stored_yet(payments: GitRepo) -> None:
    refused("review-unavailable", *SHOW, cwd=payments.path)
    refused("review-unavailable", *WORDS, f"D{'0' * 32}", cwd=payments.path)


def test_the_words_of_the_command(payments: GitRepo) -> None:
    for words in (
        ("tasks", "derive", "review", "payments"),
        ("tasks", "derive", "review", "payments", "--from", "-", "--show"),
        ("tasks", "derive", "apply", "payments"),
        ("tasks", "derive", "apply", "payments", "--from", "-", "--reviewed", "D"),
    ):
        refused("usage", *words, cwd=payments.path, status=2)
    refused("unreadable-input", *SHOW[:-1], "--from", "absent", cwd=payments.path)
    run = succeed(
        *("tasks", "derive", "review", "payments", "--from", "-"),
        cwd=payments.path,
        stdin=envelope(split()),
    )
    assert run.text.startswith("Stored a review of 2 tasks derived from payments-002.\n")
