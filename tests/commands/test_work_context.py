"""``git zdev work-context``: collected from real repositories and compared with Git itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.cli import (
    changes,
    modules_of,
    refused,
    result,
    succeed,
    tree_state,
    zdev,
)
from tests.support.plan import (
    FILES,
    SOURCE_PATH,
    task_text,
    write_area,
    write_empty_area,
    write_plan,
)

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

KEYS = [
    "area", "git_diff", "git_diff_cached", "git_status", "git_untracked", "goal", "head",
    "lifecycle", "queue", "schema_version", "stale_advisory", "status", "task_id",
]  # fmt: skip


def context(repo: GitRepo, *words: str, env: dict[str, str] | None = None) -> dict[str, Any]:
    return result("work-context", "payments", *words, cwd=repo.path, env=env)


def close(repo: GitRepo) -> None:
    """The area ``old``: closed, with one done task."""
    write_empty_area(repo.path, "old", branch="gone", lifecycle="closed")
    write_plan(repo.path, {"old/tasks/001-step-1.md": task_text(1, tag="old", status="done")})


def dirty(repo: GitRepo) -> None:
    """Staged, unstaged and untracked changes."""
    repo.write("src/payments.rs", "fn pay() { later() }\n")
    repo.git("add", "src/payments.rs")
    repo.write("src/log.rs", "fn log() {}\nfn more() {}\n")
    repo.write("notes/ünïcode.txt", "new\n")
    (repo.path / "link").symlink_to("nowhere")


def keys_are_sorted(value: Any) -> bool:
    if isinstance(value, dict):
        return list(value) == sorted(value) and all(map(keys_are_sorted, value.values()))
    return not isinstance(value, list) or all(map(keys_are_sorted, value))


def test_it_is_goal_status_head_and_what_git_prints(payments: GitRepo) -> None:
    dirty(payments)
    document = context(payments)
    assert list(document) == KEYS
    assert keys_are_sorted(document)
    git = payments.git
    assert document["head"] == payments.rev("HEAD")
    assert document["git_status"] == git("status", "--short", "--untracked-files=all") + "\n"
    assert document["git_diff"] == git("diff") + "\n"
    assert document["git_diff_cached"] == git("diff", "--cached") + "\n"
    blob = git("hash-object", "--no-filters", "notes/ünïcode.txt")
    assert document["git_untracked"] == {
        "link": {"kind": "symlink", "target": "nowhere"},
        "notes/ünïcode.txt": {"hash": blob, "kind": "file"},
    }
    assert document["goal"] == result("goal", "payments", cwd=payments.path)
    assert document["status"] == result("status", "payments", cwd=payments.path)
    assert (document["lifecycle"], document["queue"]) == ("open", "ready")
    assert (document["stale_advisory"], document["task_id"]) == (False, "payments-002")


def test_equal_states_are_equal_bytes_whoever_asks(payments: GitRepo) -> None:
    dirty(payments)
    words = ("work-context", "payments", "--format=json")
    here = succeed(*words, cwd=payments.path).stdout
    below = succeed(*words, cwd=payments.path / "src").stdout
    payments.git("config", "color.ui", "always")
    payments.git("config", "diff.noprefix", "true")
    payments.git("config", "status.short", "false")
    env = {"GIT_EXTERNAL_DIFF": "false", "TZ": "Asia/Tokyo", "TERM": "xterm"}
    assert here == below == succeed(*words, cwd=payments.path, env=env).stdout
    assert here.endswith(b"}\n")
    assert here.startswith(b'{\n  "area": "payments",\n  "git_diff": "diff --git')


def test_nothing_is_written(payments: GitRepo) -> None:
    dirty(payments)
    before = tree_state(payments.path)
    context(payments)
    assert changes(before, tree_state(payments.path)) == []


def test_the_text_has_task_branch_status_and_diffs(payments: GitRepo) -> None:
    dirty(payments)
    text = succeed("work-context", "payments", cwd=payments.path).text
    assert "payments-002  Settle the retry boundary\n" in text
    assert f"Branch: main (safe to work on)\nHEAD:   {payments.rev('HEAD')}\n" in text
    status = payments.git("status", "--short", "--untracked-files=all")
    assert f"\nStatus\n{status}\n" in text
    assert f"\nStaged\n{payments.git('diff', '--cached')}\n" in text
    assert f"\nNot staged\n{payments.git('diff')}\n" in text


def test_a_clean_work_tree_says_so(payments: GitRepo) -> None:
    document = context(payments)
    parts = [document[key] for key in ("git_status", "git_diff", "git_diff_cached")]
    assert (parts, document["git_untracked"]) == (["", "", ""], {})
    text = succeed("work-context", "payments", cwd=payments.path).text
    assert text.endswith("\nThe work tree is clean.\n")


def test_colour_is_for_terminals_only(payments: GitRepo) -> None:
    dirty(payments)
    text = succeed("work-context", "payments", "--color=always", cwd=payments.path).text
    assert "\x1b[32m+fn more() {}\x1b[0m" in text
    assert "\x1b" not in succeed("work-context", "payments", cwd=payments.path).text


def test_open_without_work(payments: GitRepo) -> None:
    write_area(payments.path, "fresh")
    payments.write(
        ".zdev/fresh/area.toml",
        str(FILES["payments/area.toml"]).replace('"payments"', '"fresh"'),
    )
    document = result("work-context", "fresh", cwd=payments.path)
    assert (document["queue"], document["task_id"]) == ("empty", None)
    assert (document["goal"]["task"], document["status"]["next"]) == (None, None)


def test_a_closed_area_is_its_goal_alone(payments: GitRepo) -> None:
    close(payments)
    goal = result("goal", "old", cwd=payments.path)
    document = result("work-context", "old", cwd=payments.path)
    assert document == {
        "area": "old",
        "goal": goal,
        "lifecycle": "closed",
        "queue": "exhausted",
        "schema_version": 1,
        "task_id": None,
    }
    assert keys_are_sorted(document)
    text = succeed("work-context", "old", cwd=payments.path).text
    assert text.endswith("The area old is closed.\n")


def test_a_closed_area_touches_nothing_of_git(payments: GitRepo) -> None:
    close(payments)
    expected = succeed("work-context", "old", "--format=json", cwd=payments.path).stdout
    payments.git("checkout", "-q", "--detach")
    payments.write(".git/MERGE_HEAD", f"{payments.rev('HEAD')}\n")
    payments.write(".git/index", "corrupt")
    payments.write(".git/HEAD", "ref: refs/heads/nowhere\n")
    again = succeed("work-context", "old", "--format=json", cwd=payments.path).stdout
    assert again == expected


def test_a_closed_area_imports_nothing_heavy(payments: GitRepo) -> None:
    close(payments)
    loaded = modules_of("work-context", "old", "--format=json", cwd=payments.path)
    assert loaded.isdisjoint({"pygit2", "rich", "jsonschema", "subprocess"})
    assert not any(name.startswith("git_zdev.evidence") for name in loaded)


def test_an_open_area_starts_no_process(payments: GitRepo) -> None:
    dirty(payments)
    for words in ((), ("--format=json",), ("--store",)):
        loaded = modules_of("work-context", "payments", *words, cwd=payments.path)
        assert loaded.isdisjoint({"rich", "jsonschema", "subprocess", "multiprocessing"})


def test_another_ready_task(payments: GitRepo) -> None:
    document = context(payments, "--task", "payments-004")
    assert document["task_id"] == "payments-004"
    assert document["goal"]["task"]["id"] == document["status"]["next"] == "payments-004"
    assert document["goal"]["counts"]["ready"] == 2


@pytest.mark.parametrize(
    ("task", "code", "word"),
    [
        ("payments-009", "unknown-task", "payments-009"),
        ("payments-001", "task-done", "done"),
        ("payments-003", "task-blocked", "payments-002"),
    ],
)
def test_a_task_that_is_not_ready_says_why(
    payments: GitRepo, task: str, code: str, word: str
) -> None:
    error = refused(code, "work-context", "payments", "--task", task, cwd=payments.path)
    assert word in error["error"]


def test_a_task_of_a_closed_area_is_done(payments: GitRepo) -> None:
    close(payments)
    refused("task-done", "work-context", "old", "--task", "old-001", cwd=payments.path)
    refused("unknown-task", "work-context", "old", "--task", "old-002", cwd=payments.path)


def test_the_gate_refuses_with_the_branch_status(payments: GitRepo) -> None:
    payments.git("switch", "-q", "-c", "topic")
    error = refused("wrong-branch", "work-context", "payments", cwd=payments.path)
    assert error["details"]["branch_status"]["checked_out_branch"] == "topic"
    payments.git("checkout", "-q", "--detach", "main")
    refused("detached-head", "work-context", "payments", cwd=payments.path)
    payments.git("switch", "-q", "main")
    payments.write(".git/CHERRY_PICK_HEAD", f"{payments.rev('HEAD')}\n")
    refused("git-operation-in-progress", "work-context", "payments", cwd=payments.path)


def test_a_stale_branch_carries_the_advisory(payments: GitRepo) -> None:
    base = payments.rev("HEAD")
    payments.git("switch", "-q", "-c", "pay")
    write_empty_area(payments.path, "pay", branch="pay", lifecycle="open", base_commit=base)
    payments.git("switch", "-q", "main")
    payments.commit("Main goes on")
    payments.git("switch", "-q", "pay")
    document = result("work-context", "pay", cwd=payments.path)
    assert document["stale_advisory"] is True
    run = succeed("work-context", "pay", cwd=payments.path)
    assert run.error_text.startswith("Advisory: run `git zdev area rebase pay`")


def test_an_unborn_head_has_no_context(repo: GitRepo) -> None:
    write_plan(repo.path, FILES)
    error = refused("trunk-branch-missing", "work-context", "payments", cwd=repo.path)
    assert "main" in error["error"]


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda repo: repo.write(SOURCE_PATH, "no task\n"), "invalid-records"),
        (lambda repo: repo.write(".git/index", "corrupt"), "corrupt-index"),
        (lambda repo: repo.write("src/log.rs", b"\xff\xfe\n"), "evidence-not-utf8"),
    ],
)
def test_it_fails_whole(payments: GitRepo, spoil: Any, code: str) -> None:
    spoil(payments)
    refused(code, "work-context", "payments", cwd=payments.path)


def test_a_document_that_is_too_large(payments: GitRepo) -> None:
    size = len(succeed("work-context", "payments", "--format=json", cwd=payments.path).stdout)
    payments.git("config", "zdev.maxContextSize", str(size))
    context(payments)
    payments.git("config", "zdev.maxContextSize", str(size - 1))
    error = refused("context-too-large", "work-context", "payments", cwd=payments.path)
    assert error["details"] == {"limit": size - 1, "size": size}
    refused("context-too-large", "work-context", "payments", "--store", cwd=payments.path)
    payments.git("config", "zdev.maxContextSize", "1m")
    context(payments)


def test_an_unknown_area(payments: GitRepo) -> None:
    refused("unknown-area", "work-context", "other", cwd=payments.path)
    refused("unknown-area", "work-context", "../payments", cwd=payments.path)


def test_it_needs_a_repository_while_the_area_is_open(payments: GitRepo) -> None:
    close(payments)
    (payments.path / ".git").rename(payments.path / "git-no-more")
    refused("not-a-repository", "work-context", "payments", cwd=payments.path)
    result("work-context", "old", cwd=payments.path)


@pytest.mark.parametrize(
    "words",
    [
        ("--exit-code",),
        ("--verbose",),
        ("--store", "--exit-code"),
        ("--store", "--show", "W0123456789abcdef"),
        ("--show", "W0123456789abcdef", "--task", "payments-002"),
        ("--compare", "W0123456789abcdef", "--task", "payments-002"),
        ("--show", "W0123456789abcdef", "--compare", "W0123456789abcdef"),
    ],
)
def test_options_that_do_not_fit_together(payments: GitRepo, words: tuple[str, ...]) -> None:
    run = zdev("work-context", "payments", *words, cwd=payments.path)
    assert (run.status, run.stdout) == (2, b"")
