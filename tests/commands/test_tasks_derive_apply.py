"""``git zdev tasks derive apply`` on real repositories."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import plan as payments_plan
from tests.support.cli import changes, refused, result, succeed, tree_state, zdev
from tests.support.plan import (
    INDEX_PATH,
    SOURCE_PATH,
    apply,
    checked,
    committed_files,
    draft,
    envelope,
    follow_up,
    refuse,
    review,
    split,
    write_plan,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.repo import GitRepo

CHILD = ".zdev/payments/tasks/005-end-the-retries-where-agreed.md"
CHILDREN = [
    ".zdev/payments/tasks/005-extract-the-retry-policy.md",
    ".zdev/payments/tasks/006-wire-the-retry-policy.md",
]


def status(repo: GitRepo) -> list[str]:
    return repo.git("status", "--short", "--untracked-files=all").splitlines()


def kept(*paths: str) -> dict[str, Any]:
    """A split that retains these paths."""
    document = split()
    document["split_ownership"]["retained_parent_paths"] = list(paths)
    return document


def test_a_follow_up_is_one_commit(payments: GitRepo) -> None:
    head = payments.rev("HEAD")
    payments.write("docs/boundary.md", "Settled.\n")
    payments.git("add", "docs/boundary.md")
    done = apply(payments, follow_up())
    assert done["tasks"] == ["payments-005"]
    assert done["ready"] == ["payments-003", "payments-004", "payments-005"]
    assert done["paths"] == ["docs/boundary.md", SOURCE_PATH, CHILD, INDEX_PATH]
    assert done["commit"] == payments.rev("HEAD")
    assert payments.rev("HEAD^") == head
    assert committed_files(payments) == {
        "docs/boundary.md": "A",
        SOURCE_PATH: "M",
        CHILD: "A",
        INDEX_PATH: "M",
    }
    assert payments.git("log", "-1", "--format=%B").rstrip() == (
        f"Derive tasks from payments-002\n\nZdev-Change-Id: {done['change_id']}"
    )
    assert status(payments) == []
    succeed("area", "list", cwd=payments.path)


def test_a_split_is_one_commit_of_records(payments: GitRepo) -> None:
    done = apply(payments, split())
    assert done["tasks"] == ["payments-005", "payments-006"]
    assert done["ready"] == ["payments-004", "payments-005"]
    assert done["paths"] == [SOURCE_PATH, *CHILDREN, INDEX_PATH]
    assert committed_files(payments) == {
        SOURCE_PATH: "M",
        CHILDREN[0]: "A",
        CHILDREN[1]: "A",
        INDEX_PATH: "M",
    }
    assert status(payments) == []


def test_artifacts_of_every_kind_are_taken_in_index_order(payments: GitRepo) -> None:
    payments.git("mv", "src/log.rs", "src/logging.rs")
    payments.git("rm", "-q", "tests/pay.rs")
    payments.write("zz/script", "#!/bin/sh\n").chmod(0o755)
    (payments.path / "a-link").symlink_to("src")
    payments.write("caf\u00e9 \u202e.txt", "x\n")
    payments.git("add", "--all")
    done = apply(payments, follow_up())
    assert done["paths"] == [
        "a-link",
        "caf\u00e9 \u202e.txt",
        "src/log.rs",
        "src/logging.rs",
        "tests/pay.rs",
        "zz/script",
        SOURCE_PATH,
        CHILD,
        INDEX_PATH,
    ]
    assert set(committed_files(payments)) >= {"src/log.rs", "src/logging.rs", "tests/pay.rs"}
    assert status(payments) == []


def test_work_tree_changes_beside_a_follow_up_stay(payments: GitRepo) -> None:
    payments.write("src/payments.rs", "staged\n")
    payments.git("add", "src/payments.rs")
    payments.write("src/payments.rs", "staged and changed again\n")
    payments.write("src/log.rs", "changed\n")
    payments.write("notes", "untracked\n")
    payments.write("later.rs", "later\n")
    payments.git("add", "--intent-to-add", "later.rs")
    before = tree_state(payments.path / "src") | tree_state(payments.path / "tests")
    done = apply(payments, follow_up())
    assert done["paths"][0] == "src/payments.rs"
    assert payments.git("show", "HEAD:src/payments.rs") == "staged"
    after = tree_state(payments.path / "src") | tree_state(payments.path / "tests")
    assert changes(before, after) == []
    assert status(payments) == [" A later.rs", " M src/log.rs", " M src/payments.rs", "?? notes"]


def test_a_retained_delta_stays_in_every_bit(payments: GitRepo) -> None:
    changed = payments.write("src/payments.rs", "changed by the parent\n")
    changed.chmod(0o755)
    os.utime(changed, ns=(1_600_000_000_123_456_789, 1_600_000_000_987_654_321))
    payments.write("src/new.rs", "untracked\n")
    before = tree_state(payments.path / "src")
    entries = payments.git("ls-files", "--stage", "--debug", "src", "tests")
    done = apply(payments, kept("src/new.rs", "src/payments.rs"))
    assert done["paths"] == [SOURCE_PATH, *CHILDREN, INDEX_PATH]
    assert changes(before, tree_state(payments.path / "src")) == []
    assert payments.git("ls-files", "--stage", "--debug", "src", "tests") == entries
    assert status(payments) == [" M src/payments.rs", "?? src/new.rs"]


def test_a_proposal_is_applied_once(payments: GitRepo) -> None:
    apply(payments, split())
    error = refuse("invalid-proposal", payments, split())
    assert {one["code"] for one in error["details"]["problems"]} >= {
        "duplicate-task-key",
        "task-blocked",
    }


def test_from_a_file_in_a_sub_directory(payments: GitRepo) -> None:
    (payments.path.parent / "proposal").write_bytes(envelope(split()))
    run = succeed(
        *("tasks", "derive", "apply", "payments", "--from", "../../proposal"),
        cwd=payments.path / "src",
    )
    assert run.text.startswith("payments-002 waits for payments-005, payments-006.\n")
    assert status(payments) == []


def test_a_plan_below_the_work_tree(payments: GitRepo) -> None:
    payments.git("mv", ".zdev", "moved")
    (payments.path / "part").mkdir()
    payments.git("mv", "moved", "part/.zdev")
    payments.commit("Move the plan")
    payments.write("docs/x.md", "x\n")
    payments.git("add", "docs")
    done = apply(payments, follow_up(), cwd=payments.path / "part")
    assert done["paths"] == [
        "docs/x.md",
        *(f"part/{path}" for path in (SOURCE_PATH, CHILD, INDEX_PATH)),
    ]
    assert status(payments) == []


def test_a_linked_work_tree(payments: GitRepo) -> None:
    bind_to_branch(payments)
    payments.git("switch", "-q", "main")
    linked = payments.path.parent / "linked"
    payments.git("worktree", "add", "-q", str(linked), "pay")
    done = apply(payments, split(), cwd=linked)
    assert done["commit"] == payments.rev("pay")
    assert payments.git("-C", str(linked), "status", "--short") == ""


def bind_to_branch(repo: GitRepo) -> None:
    """Put the area on the branch ``pay``, which is checked out and starts from ``main``."""
    text = payments_plan.AREA_ON_TRUNK.replace('mode = "trunk"', 'branch = "pay"')
    repo.write(".zdev/payments/area.toml", f'{text}base_commit = "{repo.rev("HEAD")}"\n')
    repo.git("add", ".zdev")
    repo.commit("Work on a branch")
    repo.git("branch", "pay")
    repo.git("reset", "-q", "--keep", "HEAD^")
    repo.git("switch", "-q", "pay")


def test_a_stale_branch_gets_the_advisory(payments: GitRepo) -> None:
    bind_to_branch(payments)
    payments.git("switch", "-q", "main")
    payments.commit("Go on", more__txt="more\n")
    payments.git("switch", "-q", "pay")
    words = ("tasks", "derive", "apply", "payments", "--from", "-")
    run = succeed(*words, cwd=payments.path, stdin=envelope(split()))
    assert "`git zdev area rebase payments`" in run.error_text


def test_the_reviewed_proposal_is_applied(payments: GitRepo) -> None:
    document = kept("src/payments.rs")
    payments.write("src/payments.rs", "changed\n")
    stored = review(payments, document)
    words = ("tasks", "derive", "apply", "payments", "--reviewed", stored["review"])
    run = succeed("--format=json", *words, cwd=payments.path)
    checked(json.loads(run.stdout), document)
    assert status(payments) == [" M src/payments.rs"]
    refused("invalid-proposal", *words, cwd=payments.path)


def problems(error: dict[str, Any]) -> list[tuple[str | None, str]]:
    return [(one.get("pointer"), one["message"]) for one in error["details"]["problems"]]


def test_staged_records_are_no_artifacts(payments: GitRepo) -> None:
    payments.write(".zdev/config.toml", payments_plan.FILES["config.toml"] + 'guidance = "auto"\n')
    payments.git("add", ".zdev")
    assert refuse("records-staged", payments, follow_up())["details"]["paths"] == [
        ".zdev/config.toml"
    ]
    refuse("index-not-empty", payments, split())


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".zdev/payments/brief.md", payments_plan.FILES["payments/brief.md"] + "\nMore.\n"),
        (".zdev/payments/notes.txt", "untracked\n"),
        (SOURCE_PATH, payments_plan.TASKS["002-settle-the-retry-boundary.md"] + "\n"),
    ],
)
def test_records_of_the_area_are_settled(path: str, text: str, payments: GitRepo) -> None:
    payments.write(path, text)
    assert refuse("records-changed", payments, follow_up())["details"]["paths"] == [path]
    error = refuse("invalid-ownership", payments, split())
    assert problems(error) == [
        (
            "/split_ownership/retained_parent_paths",
            f'the path "{path}" is changed in the work tree and is not listed',
        )
    ]
    place = "/split_ownership/retained_parent_paths/0"
    assert [where for where, _ in problems(refuse("invalid-ownership", payments, kept(path)))] == [
        place
    ]


def test_hidden_record_changes_are_found(payments: GitRepo) -> None:
    payments.git("update-index", "--assume-unchanged", ".zdev/payments/brief.md")
    brief = payments.path / ".zdev/payments/brief.md"
    brief.write_text(brief.read_text() + "\nHidden.\n")
    refuse("records-changed", payments, follow_up())
    refuse("hidden-changes", payments, split())


def test_hidden_changes_elsewhere_stop_a_split_only(payments: GitRepo) -> None:
    payments.git("update-index", "--skip-worktree", "src/log.rs")
    payments.write("src/log.rs", "hidden\n")
    assert refuse("hidden-changes", payments, split())["details"]["paths"] == ["src/log.rs"]
    apply(payments, follow_up())
    assert (payments.path / "src/log.rs").read_text() == "hidden\n"


def test_records_that_were_never_committed(repo: GitRepo) -> None:
    repo.commit("Begin", **{"src/payments__rs": "x\n", "tests/x": "x\n"})
    repo.write(".git/info/exclude", "/.zdev/\n")
    write_plan(repo.path, payments_plan.FILES)
    refuse("record-not-tracked", repo, follow_up())
    refuse("record-not-tracked", repo, split())


@pytest.mark.parametrize("intent", [False, True])
def test_a_split_needs_an_empty_index(intent: bool, payments: GitRepo) -> None:
    payments.write("new.rs", "new\n")
    payments.git("add", *(["--intent-to-add"] if intent else []), "new.rs")
    error = refuse("index-not-empty", payments, kept("new.rs"))
    assert error["details"]["paths"] == ["new.rs"]


def test_unmerged_paths(payments: GitRepo) -> None:
    blob = payments.git("hash-object", "-w", "--stdin", stdin=b"x\n")
    entries = "".join(f"100644 {blob} {stage}\tsrc/log.rs\n" for stage in (1, 2, 3))
    payments.git("rm", "-q", "--cached", "src/log.rs")
    payments.git("update-index", "--index-info", stdin=entries.encode())
    for document in (follow_up(), split()):
        assert refuse("unmerged-index", payments, document)["details"]["paths"] == ["src/log.rs"]


def test_a_git_operation_is_under_way(payments: GitRepo) -> None:
    payments.git("switch", "-q", "-c", "side")
    payments.commit("Side", **{"src/log__rs": "side\n"})
    payments.git("switch", "-q", "main")
    payments.commit("Main", **{"src/log__rs": "main\n"})
    payments.git("merge", "-q", "side", check=False)
    error = refuse("git-operation-in-progress", payments, follow_up())
    assert error["details"]["branch_status"]["task_work"]["git_operation"] == "merge"


def test_another_branch_and_no_branch(payments: GitRepo) -> None:
    payments.git("switch", "-q", "-c", "other")
    refuse("wrong-branch", payments, split())
    payments.git("switch", "-q", "--detach")
    refuse("detached-head", payments, split())


def test_personal_records(payments: GitRepo) -> None:
    config = (payments.path / ".zdev/config.toml").read_text()
    payments.write(".zdev/config.toml", config.replace('"project"', '"personal"'))
    payments.git("commit", "-q", "-a", "-m", "Make it personal")
    for document in (follow_up(), split()):
        refuse("personal-record", payments, document)


def test_an_unknown_area(payments: GitRepo) -> None:
    refused(
        "unknown-area",
        *("tasks", "derive", "apply", "refunds", "--from", "-"),
        cwd=payments.path,
        stdin=envelope(
            follow_up(area="refunds", source_task="refunds-002"),
            b"PROPOSE zdev-derived refunds refunds-002\n",
        ),
    )


def test_a_dirty_submodule_stops_a_split(
    payments: GitRepo, new_repo: Callable[..., GitRepo]
) -> None:
    inner = new_repo("inner")
    inner.commit("Inside", x__txt="x\n")
    allow = ("-c", "protocol.file.allow=always")
    payments.git(*allow, "submodule", "add", "-q", str(inner.path), "sub")
    payments.commit("Add a submodule")
    payments.write("sub/x.txt", "dirty\n")
    refuse("dirty-submodules", payments, split())
    apply(payments, follow_up())


def test_retained_paths_must_be_the_whole_delta(payments: GitRepo) -> None:
    payments.write("src/log.rs", "changed\n")
    payments.write("src/payments.rs", "changed\n")
    error = refuse("invalid-ownership", payments, kept("src/log.rs", "tests/pay.rs"))
    assert problems(error) == [
        (
            "/split_ownership/retained_parent_paths/1",
            'the path "tests/pay.rs" is not changed in the work tree',
        ),
        (
            "/split_ownership/retained_parent_paths",
            'the path "src/payments.rs" is changed in the work tree and is not listed',
        ),
    ]


@pytest.mark.parametrize(
    ("key", "one", "other"),
    [
        ("core.ignoreCase", "src/Policy.rs", "src/policy.RS"),
        ("core.precomposeUnicode", "src/caf\u00e9.rs", "src/cafe\u0301.rs"),
    ],
)
def test_names_that_the_file_system_would_merge(
    key: str, one: str, other: str, payments: GitRepo
) -> None:
    document = split()
    children = document["split_ownership"]["child_future_paths"]
    children[0]["paths"], children[1]["paths"] = [one], [other]
    payments.git("config", key, "true")
    assert problems(refuse("invalid-ownership", payments, document)) == [
        (
            "/split_ownership/child_future_paths/1/paths/0",
            (
                f'the path "{other}": it is "{one}" to this file system, '
                'for the task "extract-policy" already'
            ),
        )
    ]
    payments.git("config", key, "false")
    apply(payments, document)


def test_line_ends_of_records_are_kept(payments: GitRepo) -> None:
    for path in (SOURCE_PATH, INDEX_PATH):
        file = payments.path / path
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    payments.write(".zdev/.gitattributes", "* -text\n")
    payments.git("commit", "-q", "-a", "-m", "End lines as on Windows")
    apply(payments, follow_up())
    for path in (SOURCE_PATH, INDEX_PATH):
        data = (payments.path / path).read_bytes()
        assert data.count(b"\r\n") == data.count(b"\n") > 10
    assert b"\r" not in (payments.path / CHILD).read_bytes()
    succeed("check", cwd=payments.path)


def test_a_failing_hook_leaves_everything_as_it_was(payments: GitRepo) -> None:
    hook = payments.write(".git/hooks/pre-commit", "#!/bin/sh\necho no >&2\nexit 1\n")
    hook.chmod(0o755)
    payments.write("docs/x.md", "x\n")
    payments.git("add", "docs")
    before = tree_state(payments.path / ".zdev"), payments.git("ls-files", "--stage", "--debug")
    index = payments.path / ".git/index"
    head, written = payments.rev("HEAD"), index.stat().st_mtime_ns
    run = zdev(
        *("tasks", "derive", "apply", "payments", "--from", "-"),
        cwd=payments.path,
        stdin=envelope(follow_up()),
    )
    assert (run.status, run.stdout) == (1, b"")
    assert "no" in run.error_text
    after = tree_state(payments.path / ".zdev"), payments.git("ls-files", "--stage", "--debug")
    assert changes(before[0], after[0]) == []
    assert before[1] == after[1]
    assert (payments.rev("HEAD"), index.stat().st_mtime_ns) == (head, written)


def test_hidden_text_is_applied_as_a_review_only(payments: GitRepo) -> None:
    document = follow_up(tasks=[draft(outcome="The path is used.\u2060")])
    pointer = "/tasks/0/outcome"
    error = refuse("hidden-text", payments, document)
    assert problems(error) == [(pointer, "the text has 1 hidden character: U+2060")]
    stored = review(payments, document)
    assert [one["pointer"] for one in stored["warnings"]] == [pointer]
    page = Path(stored["path"]).read_text()
    assert f"- `{pointer}`: the text has 1 hidden character: U+2060\n" in page
    assert "\u2060" not in page
    words = ("payments", "--reviewed", stored["review"])
    assert result("tasks derive apply", *words, cwd=payments.path)["status"] == "committed"
