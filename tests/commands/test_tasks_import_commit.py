"""``git zdev tasks import --commit``: one commit with the import and nothing else, or nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.cli import PYTHON, changes, refused, result, succeed, tree_state
from tests.support.faults import index_entries
from tests.support.plan import (
    BRIEF,
    CONFIG,
    FILES,
    FIRST,
    FIRST_PATH,
    INDEX_PATH,
    SECOND,
    SECOND_PATH,
    SLICE,
    SOURCE_PATH,
    bundle,
    commit_payments,
    write_plan,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.repo import GitRepo

BRIEF_PATH = ".zdev/payments/brief.md"
FIRST_TIME = [
    ".zdev/.gitattributes",
    ".zdev/config.toml",
    ".zdev/payments/area.toml",
    BRIEF_PATH,
    ".zdev/payments/slices/api.md",
    ".zdev/payments/tasks/001-apply-the-retry-policy.md",
    ".zdev/payments/TASKS.md",
]


def commit(repo: GitRepo, data: bytes, *words: str) -> dict[str, Any]:
    command = ("--from=-", "--commit", *words)
    return result("tasks import", "payments", *command, cwd=repo.path, stdin=data)


def refuse(repo: GitRepo, code: str, data: bytes = b"") -> dict[str, Any]:
    words = ("tasks", "import", "payments", "--from=-", "--commit")
    return refused(code, *words, cwd=repo.path, stdin=data or bundle())


def unplanned(repo: GitRepo) -> None:
    """A commit, and beside it the plan without tasks, untracked."""
    repo.commit("Begin", a__txt="one\n")
    files = {name: data for name, data in FILES.items() if "/tasks/" not in name}
    write_plan(repo.path, files)


def test_the_commit_holds_the_import(repo: GitRepo) -> None:
    parent = commit_payments(repo)
    document = commit(repo, bundle())
    assert list(document) == sorted(document)
    assert document["tasks"] == ["payments-005", "payments-006"]
    assert document["status"] == "committed"
    assert document["commit"] == repo.rev("HEAD")
    assert repo.rev("HEAD^") == parent
    assert document["paths"] == [FIRST_PATH, SECOND_PATH, INDEX_PATH]
    assert repo.git("show", "--format=", "--name-status") == (
        f"M\t{INDEX_PATH}\nA\t{FIRST_PATH}\nA\t{SECOND_PATH}"
    )
    assert repo.git("log", "-1", "--format=%B").rstrip("\n") == (
        f"Add tasks to payments\n\nZdev-Change-Id: {document['change_id']}"
    )
    assert repo.git("status", "--short") == ""
    assert result("check", "--staged", cwd=repo.path)["status"] == "ok"
    found = result("change lookup", document["change_id"], cwd=repo.path)
    assert [entry["commit"] for entry in found["commits"]] == [document["commit"]]


@pytest.mark.parametrize("comment", ["A", "Z", "auto"])
@pytest.mark.parametrize("cleanup", ["strip", "scissors", "verbatim"])
def test_the_message_is_the_planned_one_whatever_git_takes_for_a_comment(
    repo: GitRepo, cleanup: str, comment: str
) -> None:
    commit_payments(repo)
    repo.git("config", "commit.cleanup", cleanup)
    repo.git("config", "core.commentChar", comment)
    words = ("tasks", "import", "payments", "--from=-", "--commit", "--format=json")
    done = succeed(*words, cwd=repo.path, stdin=bundle())
    assert done.error_text == ""
    assert repo.git("log", "-1", "--format=%B").rstrip("\n") == (
        f"Add tasks to payments\n\nZdev-Change-Id: {json.loads(done.stdout)['change_id']}"
    )


def test_the_first_time_the_files_it_stands_on_come_along(repo: GitRepo) -> None:
    unplanned(repo)
    document = commit(repo, bundle({**FIRST, "blocked_by": []}))
    assert document["paths"] == FIRST_TIME
    assert repo.git("show", "--format=", "--name-only").splitlines() == sorted(FIRST_TIME)
    assert repo.git("status", "--short") == ""


def test_the_first_time_without_gitattributes_and_slice(repo: GitRepo) -> None:
    unplanned(repo)
    (repo.path / ".zdev/.gitattributes").unlink()
    (repo.path / ".zdev/payments/slices/api.md").unlink()
    document = commit(repo, bundle({**SECOND, "blocked_by": []}))
    assert document["paths"] == [
        *FIRST_TIME[1:4],
        ".zdev/payments/tasks/001-document-the-policy.md",
        INDEX_PATH,
    ]


def test_the_first_time_with_the_plan_staged_already(repo: GitRepo) -> None:
    unplanned(repo)
    repo.git("add", ".zdev")
    assert commit(repo, bundle({**FIRST, "blocked_by": []}))["paths"] == FIRST_TIME


def test_a_brief_with_unstaged_edits_comes_along(repo: GitRepo) -> None:
    commit_payments(repo)
    repo.write(BRIEF_PATH, BRIEF + "\nMore.\n")
    document = commit(repo, bundle())
    assert document["paths"] == [BRIEF_PATH, FIRST_PATH, SECOND_PATH, INDEX_PATH]
    assert repo.git("status", "--short") == ""


def test_other_work_stays_where_it_is(repo: GitRepo) -> None:
    commit_payments(repo)
    repo.write("src/payments.rs", "fn pay() { staged() }\n")
    repo.git("add", "src/payments.rs")
    repo.write("src/payments.rs", "fn pay() { unstaged() }\n")
    repo.write("src/log.rs", "fn log() { unstaged() }\n")
    repo.write("new.txt", "new\n")
    repo.git("add", "-N", "new.txt")
    repo.write("loose.txt", "loose\n")
    repo.write(".zdev/config.toml", CONFIG.replace("checkout", "shop"))
    for name, flag in (("hidden.txt", "--skip-worktree"), ("assumed.txt", "--assume-unchanged")):
        os.utime(repo.write(name, "one\n"), (1_700_000_000, 1_700_000_000))  # not racily clean
        repo.git("add", name)
        repo.git("update-index", flag, name)
        repo.write(name, "two\n")
    before = repo.git("status", "--short")
    entries = index_entries(repo)
    document = commit(repo, bundle())
    assert document["paths"] == [FIRST_PATH, SECOND_PATH, INDEX_PATH]
    after = index_entries(repo)
    assert repo.git("status", "--short") == before
    assert after.keys() - entries.keys() == {FIRST_PATH, SECOND_PATH}
    assert {path for path in entries if after[path] != entries[path]} == {INDEX_PATH}
    assert repo.git("show", "--format=", "--name-only").splitlines() == sorted(document["paths"])


def test_a_reviewed_bundle_is_committed(repo: GitRepo) -> None:
    commit_payments(repo)
    words = ("payments", "--from=-")
    review = result("tasks review", *words, cwd=repo.path, stdin=bundle())["review"]
    document = result("tasks import", "payments", "--reviewed", review, "--commit", cwd=repo.path)
    assert document["status"] == "committed"


def test_text_names_commit_and_change(repo: GitRepo) -> None:
    commit_payments(repo)
    words = ("tasks", "import", "payments", "--from=-", "--commit")
    text = succeed(*words, cwd=repo.path, stdin=bundle(FIRST)).text
    assert f"\nCommit:    {repo.rev('HEAD')}\nChange id: Z" in text


def stage_brief(repo: GitRepo) -> None:
    repo.write(BRIEF_PATH, BRIEF + "\nMore.\n")
    repo.git("add", BRIEF_PATH)


def stage_then_edit_brief(repo: GitRepo) -> None:
    stage_brief(repo)
    repo.write(BRIEF_PATH, BRIEF + "\nMore yet.\n")


def complete(repo: GitRepo) -> None:
    words = ("payments", "payments-002", "--summary", "Settled.", "--validation", "Ran.")
    succeed("task", "done", *words, cwd=repo.path)


def stage_index(repo: GitRepo) -> None:
    repo.write(INDEX_PATH, "staged\n")
    repo.git("add", INDEX_PATH)


@pytest.mark.parametrize(
    ("spoil", "path"),
    [
        (complete, SOURCE_PATH),
        (stage_brief, BRIEF_PATH),
        (stage_then_edit_brief, BRIEF_PATH),
        (stage_index, INDEX_PATH),
        (
            lambda repo: repo.write(".zdev/payments/notes.txt", "loose\n"),
            ".zdev/payments/notes.txt",
        ),
        (
            lambda repo: write_plan(
                repo.path, {"payments/slices/web.md": SLICE.format(key="web", tag="payments")}
            ),
            ".zdev/payments/slices/web.md",
        ),
        (
            lambda repo: (repo.path / ".zdev/payments/slices/api.md").write_text(
                SLICE.format(key="api", tag="payments") + "\n- More.\n"
            ),
            ".zdev/payments/slices/api.md",
        ),
        (
            lambda repo: repo.git("rm", "-q", "--cached", SOURCE_PATH),
            SOURCE_PATH,
        ),
    ],
)
def test_other_changes_of_the_area_are_refused(
    repo: GitRepo, spoil: Callable[[GitRepo], object], path: str
) -> None:
    commit_payments(repo)
    spoil(repo)
    error = refuse(repo, "area-has-changes")
    assert path in error["details"]["paths"]


@pytest.mark.parametrize("name", ["area.toml", "brief.md", "TASKS.md"])
def test_an_area_that_is_tracked_in_part_is_refused(repo: GitRepo, name: str) -> None:
    commit_payments(repo)
    path = f".zdev/payments/{name}"
    repo.git("rm", "-q", "--cached", path)
    repo.commit("Forget one file")
    error = refuse(repo, "area-partly-tracked")
    assert error["details"]["paths"] == [path]


def test_a_new_slice_of_a_tracked_area_comes_along(repo: GitRepo) -> None:
    commit_payments(repo)
    path = ".zdev/payments/slices/web.md"
    repo.write(path, SLICE.format(key="web", tag="payments"))
    document = commit(repo, bundle({**FIRST, "slice": "web"}))
    assert document["paths"] == [path, FIRST_PATH, INDEX_PATH]


def test_changes_of_another_area_do_not_matter(repo: GitRepo) -> None:
    commit_payments(repo)
    repo.write(".zdev/payments-more/notes.txt", "loose\n")
    assert commit(repo, bundle())["status"] == "committed"


def test_a_personal_record_is_never_committed(repo: GitRepo) -> None:
    commit_payments(repo)
    repo.write(".zdev/config.toml", CONFIG.replace('"project"', '"personal"'))
    refuse(repo, "personal-record")


def test_the_gate_refuses(repo: GitRepo) -> None:
    commit_payments(repo)
    repo.git("switch", "-q", "-c", "topic")
    error = refuse(repo, "wrong-branch")
    assert error["details"]["branch_status"]["branch"] == "main"


def test_an_operation_in_progress(repo: GitRepo) -> None:
    commit_payments(repo)
    repo.write(".git/MERGE_HEAD", f"{repo.rev('HEAD')}\n")
    refuse(repo, "git-operation-in-progress")


def test_an_invalid_bundle_changes_nothing(repo: GitRepo) -> None:
    commit_payments(repo)
    refuse(repo, "invalid-bundle", bundle(SECOND))


@pytest.mark.parametrize("hook", ["pre-commit", "commit-msg"])
def test_a_hook_that_says_no_leaves_everything_as_it_was(repo: GitRepo, hook: str) -> None:
    commit_payments(repo)
    path = repo.write(f".git/hooks/{hook}", "#!/bin/sh\necho 'not today' >&2\nexit 1\n")
    path.chmod(0o755)
    head = repo.rev("HEAD")
    index = (repo.path / ".git/index").read_bytes()
    before = tree_state(repo.path / ".zdev")
    run = refused_run(repo)
    assert "not today" in run
    assert repo.rev("HEAD") == head
    assert (repo.path / ".git/index").read_bytes() == index
    assert changes(before, tree_state(repo.path / ".zdev")) == []
    assert repo.git("status", "--short") == ""


def refused_run(repo: GitRepo) -> str:
    from tests.support.cli import zdev

    words = ("tasks", "import", "payments", "--from=-", "--commit")
    run = zdev(*words, cwd=repo.path, stdin=bundle())
    assert (run.status, run.stdout) == (1, b"")
    return run.error_text


def test_a_plan_in_a_folder_of_the_work_tree(repo: GitRepo) -> None:
    repo.commit("Begin", a__txt="one\n")
    write_plan(repo.path / "sub", FILES)
    repo.git("add", "--all")
    repo.commit("Plan")
    data = bundle()
    document = result(
        "tasks import", "payments", "--from=-", "--commit", cwd=repo.path / "sub", stdin=data
    )
    assert document["paths"] == [f"sub/{path}" for path in (FIRST_PATH, SECOND_PATH, INDEX_PATH)]
    assert repo.git("status", "--short") == ""


def test_in_a_linked_work_tree(repo: GitRepo) -> None:
    commit_payments(repo)
    repo.git("switch", "-q", "-c", "elsewhere")
    linked = repo.path.parent / "linked"
    repo.git("worktree", "add", "-q", str(linked), "main")
    words = ("payments", "--from=-", "--commit")
    document = result("tasks import", *words, cwd=linked, stdin=bundle())
    assert repo.rev("main") == document["commit"]
    assert repo.git("status", "--short") == ""


def test_what_a_hook_says_and_stages_besides_is_told(repo: GitRepo) -> None:
    commit_payments(repo)
    repo.write("loose.txt", "loose\n")
    repo.write(".git/hooks/pre-commit", "#!/bin/sh\necho checked it >&2\n").chmod(0o755)
    repo.write(".git/hooks/post-commit", "#!/bin/sh\ngit add loose.txt\n").chmod(0o755)
    words = ("tasks", "import", "payments", "--from=-", "--commit")
    run = succeed(*words, cwd=repo.path, stdin=bundle())
    assert run.error_text == "A hook staged besides: loose.txt\nchecked it\n"
    assert repo.git("status", "--short") == "A  loose.txt"


def test_24_imports_at_once_take_turns(repo: GitRepo) -> None:
    commit_payments(repo)
    command = [sys.executable, "-m", "git_zdev", "tasks", "import", "payments"]
    writers = []
    for number in range(24):
        repo.write(f"../{number}.json", bundle({**SECOND, "key": f"k{number}", "blocked_by": []}))
        words = [*command, "--from", f"../{number}.json", "--commit", "--format=json"]
        environment = {**os.environ, **PYTHON}
        pipe = subprocess.PIPE
        writers.append(subprocess.Popen(words, cwd=repo.path, env=environment, stdout=pipe))
    documents = [json.loads(writer.communicate()[0]) for writer in writers]
    ids = [f"payments-{number:03}" for number in range(5, 29)]
    assert sorted(task for document in documents for task in document["tasks"]) == ids
    log = repo.git("log", "--reverse", "--format=%H", "HEAD~24..").splitlines()
    in_turn = sorted(documents, key=lambda document: document["tasks"])
    assert [document["commit"] for document in in_turn] == log
    assert repo.git("status", "--short") == ""
    assert result("check", cwd=repo.path)["status"] == "ok"


@pytest.mark.parametrize("name", ["COMMIT_EDITMSG", "logs/HEAD", "logs/refs/heads/main"])
def test_git_is_not_let_wait_for_a_fifo(repo: GitRepo, name: str) -> None:
    commit_payments(repo)
    path = repo.path / ".git" / name
    path.unlink()
    os.mkfifo(path)
    assert str(path) in refuse(repo, "unreadable-repository")["error"]
