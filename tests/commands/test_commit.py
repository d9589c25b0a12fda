"""``git zdev commit``, ``change-id`` and ``change …`` on real repositories."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from tests.support.cli import refused, result, succeed, zdev

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repo import GitRepo

ID = re.compile(r"Z[0-9a-f]{64}")


@pytest.fixture
def staged(repo: GitRepo) -> GitRepo:
    """One commit, and one staged and one unstaged change."""
    repo.commit("Begin", a__txt="one\n", b__txt="one\n")
    repo.write("a.txt", "two\n")
    repo.git("add", "a.txt")
    repo.write("b.txt", "two\n")
    return repo


def hook(repo: GitRepo, name: str, script: str) -> None:
    path = repo.write(f".git/hooks/{name}", f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_it_commits_the_index_with_a_trailer(staged: GitRepo) -> None:
    made = result("commit", "-m", "Say two", cwd=staged.path)
    assert made == {
        "change_id": made["change_id"],
        "commit": staged.rev("HEAD"),
        "schema_version": 1,
        "status": "committed",
    }
    assert staged.git("log", "-1", "--format=%B") == (
        f"Say two\n\nZdev-Change-Id: {made['change_id']}\n"
    )
    assert staged.git("log", "-1", "--format=%(trailers:key=Zdev-Change-Id,valueonly)") == (
        f"{made['change_id']}\n"
    )
    assert staged.git("status", "--porcelain") == " M b.txt"


def test_paragraphs(staged: GitRepo) -> None:
    made = result(
        "commit",
        *("-m", "# not a comment", "--body", "One\nparagraph.\n", "--body", "# Another"),
        cwd=staged.path,
    )
    assert staged.git("log", "-1", "--format=%B") == (
        f"# not a comment\n\nOne\nparagraph.\n\n# Another\n\nZdev-Change-Id: {made['change_id']}\n"
    )


def test_the_trailer_joins_a_trailer_block(staged: GitRepo) -> None:
    made = result(
        "commit", "-m", "Say two", "--body", "Reviewed-by: Ada <ada@example.org>", cwd=staged.path
    )
    assert staged.git("log", "-1", "--format=%(trailers:only,unfold)").splitlines()[:2] == [
        "Reviewed-by: Ada <ada@example.org>",
        f"Zdev-Change-Id: {made['change_id']}",
    ]


def test_the_first_commit(repo: GitRepo) -> None:
    repo.write("a.txt", "one\n")
    repo.git("add", "a.txt")
    assert result("commit", "-m", "Begin", cwd=repo.path)["commit"] == repo.rev("main")


def test_from_a_folder_below(staged: GitRepo) -> None:
    (staged.path / "sub").mkdir()
    made = result("commit", "-m", "Say two", cwd=staged.path / "sub")
    assert made["commit"] == staged.rev("HEAD")


def test_hooks_run(staged: GitRepo) -> None:
    hook(staged, "commit-msg", 'echo "seen: $(head -n 1 "$1")" >"$(git rev-parse --git-dir)/seen"')
    result("commit", "-m", "Say two", cwd=staged.path)
    assert (staged.path / ".git/seen").read_text() == "seen: Say two\n"


def test_what_hooks_say_is_shown(staged: GitRepo) -> None:
    for name, script in (
        ("pre-commit", "echo checking; echo 'on two lines' >&2"),
        ("commit-msg", "echo 'to the terminal: \\033[31m' >&2"),
        ("post-commit", "echo sent"),
    ):
        hook(staged, name, script)
    run = succeed("commit", "-m", "Say two", cwd=staged.path)
    assert run.error_text == ("checking\non two lines\nto the terminal: \\x1b[31m\nsent\n")
    staged.git("add", "b.txt")
    assert succeed("commit", "-m", "More", "--format=json", cwd=staged.path).stderr == b""


def test_a_hook_that_refuses(staged: GitRepo) -> None:
    hook(staged, "pre-commit", "echo not today >&2; exit 1")
    before = staged.rev("HEAD")
    run = zdev("commit", "-m", "Say two", cwd=staged.path)
    assert (run.status, run.stdout, staged.rev("HEAD")) == (1, b"", before)
    assert "not today" in run.error_text
    assert staged.git("status", "--porcelain") == "M  a.txt\n M b.txt"


def test_a_hook_that_takes_the_id_away_is_told(staged: GitRepo) -> None:
    hook(staged, "commit-msg", 'sed -i /Zdev/d "$1"')
    run = succeed("commit", "-m", "Say two", cwd=staged.path)
    assert run.error_text == "Note: a hook took the change id out of the message\n"


def test_nothing_staged(repo: GitRepo) -> None:
    before = repo.commit("Begin", a__txt="one\n")
    repo.write("a.txt", "two\n")
    run = zdev("commit", "-m", "Say two", cwd=repo.path)
    assert (run.status, run.stdout, repo.rev("HEAD")) == (1, b"", before)
    assert run.error_text == "error: nothing is staged. Stage the changes to commit first.\n"
    assert repo.git("status", "--porcelain") == " M a.txt"


def test_a_merge_is_concluded(repo: GitRepo) -> None:
    repo.commit("Begin")
    repo.git("switch", "-q", "-c", "side")
    side = repo.commit("Side", b__txt="b\n")
    repo.git("switch", "-q", "main")
    main = repo.commit("Main", a__txt="a\n")
    repo.git("merge", "-q", "--no-commit", "side")
    result("commit", "-m", "Merge", cwd=repo.path)
    assert repo.git("log", "-1", "--format=%P") == f"{main} {side}"


@pytest.mark.parametrize(
    ("subject", "body", "code"),
    [
        ("", "fine", "invalid-line"),
        ("two\nlines", "fine", "invalid-line"),
        ("bell\x07", "fine", "invalid-line"),
        ("fine", " \n", "invalid-paragraph"),
        ("fine", "\x1b[31m", "invalid-paragraph"),
        ("fine", "\udcff", "invalid-paragraph"),
    ],
)
def test_messages_that_are_refused(subject: str, body: str, code: str, staged: GitRepo) -> None:
    error = refused(
        "invalid-message", "commit", f"--message={subject}", f"--body={body}", cwd=staged.path
    )
    assert [problem["code"] for problem in error["details"]["problems"]] == [code]


def test_inside_a_hook(staged: GitRepo) -> None:
    env = {"GIT_INDEX_FILE": ".git/index", "GIT_PREFIX": ""}
    refused("inside-git-hook", "commit", "-m", "x", cwd=staged.path, env=env)


def test_another_index(staged: GitRepo) -> None:
    env = {"GIT_INDEX_FILE": "other"}
    refused("foreign-index", "commit", "-m", "x", cwd=staged.path, env=env)


def test_wrong_usage(staged: GitRepo) -> None:
    refused("usage", "commit", cwd=staged.path, status=2)


@pytest.mark.parametrize(
    ("script", "carried", "note"),
    [
        ('sed -i /Zdev-Change-Id/d "$1"', None, "a hook took the change id out of the message"),
        (
            f'sed -i "s/^Zdev-Change-Id: .*/Zdev-Change-Id: Z{"0" * 64}/" "$1"',
            f"Z{'0' * 64}",
            "a hook put another change id into the message",
        ),
    ],
)
def test_the_change_id_that_is_reported_is_in_the_commit(
    staged: GitRepo, script: str, carried: str | None, note: str
) -> None:
    staged.write(".git/hooks/commit-msg", f"#!/bin/sh\n{script}\n").chmod(0o755)
    made = result("commit", "-m", "Say two", cwd=staged.path)
    assert made["change_id"] == carried
    assert result("change inspect", "HEAD", cwd=staged.path)["change_id"] == carried
    staged.write("a.txt", "three\n")
    staged.git("add", "a.txt")
    told = succeed("commit", "-m", "Say three", cwd=staged.path)
    assert told.text.endswith(f"Change id: {carried or 'none'}\n")
    assert note in told.error_text


def test_change_ids_are_fresh_and_need_no_repository(tmp_path: Path) -> None:
    ids = {result("change-id", cwd=tmp_path)["change_id"] for _ in range(2)}
    assert len(ids) == 2
    assert all(ID.fullmatch(one) for one in ids)
    assert ID.fullmatch(succeed("change-id", cwd=tmp_path).text.removesuffix("\n"))


def test_inspect(staged: GitRepo) -> None:
    plain = staged.rev("HEAD")
    made = result("commit", "-m", "Say two", cwd=staged.path)
    assert result("change inspect", "HEAD", cwd=staged.path) == {
        "change_id": made["change_id"],
        "commit": made["commit"],
        "schema_version": 1,
        "subject": "Say two",
    }
    assert result("change inspect", "main~1", cwd=staged.path) == {
        "change_id": None,
        "commit": plain,
        "schema_version": 1,
        "subject": "Begin",
    }
    assert succeed("change", "inspect", "HEAD~", cwd=staged.path).text == (
        f"Commit:    {plain}\nSubject:   Begin\nChange id: none\n"
    )


@pytest.mark.parametrize("revision", ["missing", "HEAD~9", "HEAD:a.txt", ""])
def test_inspect_of_what_is_no_commit(revision: str, staged: GitRepo) -> None:
    refused("unknown-revision", "change", "inspect", revision, cwd=staged.path)


def test_lookup_finds_a_change_on_every_branch(staged: GitRepo) -> None:
    made = result("commit", "-m", "Say two", cwd=staged.path)
    staged.git("restore", "b.txt")
    staged.git("switch", "-q", "-c", "side", "HEAD~")
    staged.commit("In between", c__txt="c\n")
    env = {"GIT_COMMITTER_DATE": "1800000000 +0000"}
    staged.git("cherry-pick", "main", env=env)
    assert result("change lookup", made["change_id"], cwd=staged.path) == {
        "change_id": made["change_id"],
        "commits": [
            {"commit": staged.rev("side"), "subject": "Say two"},
            {"commit": made["commit"], "subject": "Say two"},
        ],
        "schema_version": 1,
    }


def test_lookup_of_an_unused_id(staged: GitRepo) -> None:
    unused = f"Z{'0' * 64}"
    assert result("change lookup", unused, cwd=staged.path)["commits"] == []
    run = succeed("change", "lookup", unused, cwd=staged.path)
    assert run.text == f"No commit carries {unused}.\n"


@pytest.mark.parametrize("text", ["", "Z", f"Z{'A' * 64}", f"Z{'0' * 63}", "0" * 64])
def test_lookup_of_what_is_no_id(text: str, staged: GitRepo) -> None:
    refused("invalid-change-id", "change", "lookup", text, cwd=staged.path)


@pytest.mark.parametrize("gone", ["HEAD", "HEAD~1"])
def test_a_commit_that_is_missing_has_a_code_of_its_own(staged: GitRepo, gone: str) -> None:
    staged.commit("Second")
    staged.commit("Third")
    name = staged.rev(gone)
    (staged.path / ".git/objects" / name[:2] / name[2:]).unlink()
    words = ("change", "lookup", f"Z{'0' * 64}")
    assert name in refused("missing-object", *words, cwd=staged.path)["error"]


@pytest.mark.parametrize("name", ["COMMIT_EDITMSG", "logs/HEAD", "logs/refs/heads/main"])
@pytest.mark.parametrize("kind", ["fifo", "endless"])
def test_git_is_not_let_wait_for_what_is_no_file(staged: GitRepo, name: str, kind: str) -> None:
    """A plain `git commit` would wait, or read forever."""
    path = staged.path / ".git" / name
    path.unlink()
    if kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    error = refused("unreadable-repository", "commit", "-m", "Second", cwd=staged.path)
    assert str(path) in error["error"]
