"""Evidence that is not UTF-8: refused by default, captured as bytes on request."""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.cli import in_terminal, refused, result, succeed, validate
from tests.support.repo import git, make_repo

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

LATIN = "caf\xe9\n".encode("latin-1")


def encoded(data: bytes) -> str:
    return b64encode(data).decode()


@pytest.fixture
def spoiled(payments: GitRepo) -> GitRepo:
    """Bytes that are not UTF-8 in both diffs, in names, in a target and in a nested repository."""
    payments.write("latin.txt", LATIN)
    payments.git("add", "latin.txt")
    payments.write("latin.txt", LATIN * 2)
    payments.write(b"name-\xe9", "x\n")
    payments.write("base64:x", "x\n")
    os.symlink(b"target-\xe9", payments.path / "link")
    nested = make_repo(payments.path / "nested")
    nested.write("n.txt", LATIN)
    nested.git("add", "n.txt")
    nested.write(b"\xff", "y\n")
    return payments


def captured(repo: GitRepo, *words: str) -> dict[str, Any]:
    return result("work-context", "payments", *words, cwd=repo.path)


def test_it_holds_what_git_prints(spoiled: GitRepo) -> None:
    document = captured(spoiled, "--bytes")
    for key, words in (("git_diff_cached", ("diff", "--cached")), ("git_diff", ("diff",))):
        assert b64decode(document[key]["base64"]) == git(*words, cwd=spoiled.path).stdout
    untracked = document["git_untracked"]
    assert untracked["link"] == {
        "kind": "symlink",
        "target": {"base64": encoded(b"target-\xe9")},
    }
    blob = {"kind": "file", "hash": spoiled.git("hash-object", "base64:x")}
    assert untracked["base64:" + encoded(b"name-\xe9")] == blob
    assert untracked["base64:" + encoded(b"base64:x")] == blob
    nested = untracked["nested/"]
    printed = git("diff", "--cached", "--binary", cwd=spoiled.path / "nested").stdout
    assert b64decode(nested["git_diff_cached"]["base64"]) == printed
    assert list(nested["git_untracked"]) == ["base64:" + encoded(b"\xff")]


def test_by_default_it_is_refused_with_the_way_to_capture_it(spoiled: GitRepo) -> None:
    error = refused("evidence-not-utf8", "work-context", "payments", cwd=spoiled.path)
    assert "--bytes" in error["error"]
    assert ".git/info/attributes" in error["error"]


def test_a_mark_in_the_repositorys_own_attributes_changes_nothing_tracked(
    payments: GitRepo,
) -> None:
    payments.write("latin.txt", LATIN)
    payments.git("add", "latin.txt")
    payments.write(".git/info/attributes", "latin.txt -diff\n")
    assert "Binary files" in captured(payments)["git_diff_cached"]


def test_the_setting_does_what_the_option_does(spoiled: GitRepo) -> None:
    expected = captured(spoiled, "--bytes")
    spoiled.git("config", "zdev.evidence", "bytes")
    assert captured(spoiled) == expected
    spoiled.git("config", "zdev.evidence", "latin")
    refused("invalid-git-config", "work-context", "payments", cwd=spoiled.path)


def test_where_all_is_text_both_forms_are_one(payments: GitRepo) -> None:
    payments.write("é", "é\n")
    assert captured(payments, "--bytes") == captured(payments)


def test_a_stored_document_is_compared_in_its_own_form(spoiled: GitRepo) -> None:
    snapshot = captured_and_stored(spoiled, "--bytes")
    words = ("work-context", "payments", "--compare", snapshot, "--verbose", "--exit-code")
    succeed(*words, cwd=spoiled.path)
    spoiled.write("latin.txt", LATIN * 3)
    run = succeed(*words, "--format=json", cwd=spoiled.path, status=5)
    assert json.loads(run.stdout)["changed"] == ["git_diff"]


def test_a_stored_text_is_compared_as_text_unless_the_setting_says_otherwise(
    payments: GitRepo,
) -> None:
    payments.write("latin.txt", "e\n")
    payments.git("add", "latin.txt")
    snapshot = captured_and_stored(payments)
    payments.write("latin.txt", LATIN)
    words = ("work-context", "payments", "--compare", snapshot, "--exit-code")
    refused("evidence-not-utf8", *words, cwd=payments.path)
    payments.git("config", "zdev.evidence", "bytes")
    succeed(*words, cwd=payments.path, status=5)


def captured_and_stored(repo: GitRepo, *words: str) -> str:
    run = succeed("work-context", "payments", "--store", *words, "--format=json", cwd=repo.path)
    document = json.loads(run.stdout)
    validate("work-context-store", document)
    return str(document["snapshot"])


def test_people_see_the_bytes_by_number(spoiled: GitRepo) -> None:
    snapshot = captured_and_stored(spoiled, "--bytes")
    captured = succeed("work-context", "payments", "--bytes", cwd=spoiled.path).stdout.decode()
    stored = in_terminal("work-context", "payments", "--show", snapshot, cwd=spoiled.path)
    for shown in (captured, stored):
        assert "+caf\\xe9" in shown


def test_the_option_is_for_a_fresh_document(payments: GitRepo) -> None:
    words = ("work-context", "payments", "--bytes", "--compare", "W0123456789abcdef")
    refused("usage", *words, cwd=payments.path, status=2)


def test_a_verification_may_hold_bytes(spoiled: GitRepo) -> None:
    words = ("verify", "admit", "payments", "--bytes", "--format=json")
    admitted = json.loads(succeed(*words, cwd=spoiled.path).stdout)
    succeed(
        "verify", "complete", "payments", "--snapshot", admitted["snapshot"],
        "--summary=Done", "--validation=Tests ran", cwd=spoiled.path,
    )  # fmt: skip
