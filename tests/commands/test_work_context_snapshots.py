"""``work-context --store``, ``--show`` and ``--compare``."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.cli import (
    changes,
    in_terminal,
    refused,
    succeed,
    tree_state,
    validate,
    zdev,
)
from tests.support.plan import (
    CONFIG,
    SOURCE_PATH,
    task_text,
    write_empty_area,
    write_plan,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.repo import GitRepo

NONE = "W0123456789abcdef"


def run_json(repo: GitRepo, *words: str, area: str = "payments", status: int = 0) -> dict[str, Any]:
    run = succeed("work-context", area, *words, "--format=json", cwd=repo.path, status=status)
    document: dict[str, Any] = json.loads(run.stdout)
    form = "work-context-store" if "--store" in words else "work-context-compare"
    validate(form, document)
    return document


def store(repo: GitRepo, *words: str, area: str = "payments") -> dict[str, Any]:
    return run_json(repo, "--store", *words, area=area)


def compare(repo: GitRepo, snapshot: str, *words: str, area: str = "payments") -> dict[str, Any]:
    return run_json(repo, "--compare", snapshot, *words, area=area)


def refuse(repo: GitRepo, code: str, *words: str, area: str = "payments") -> dict[str, Any]:
    return refused(code, "work-context", area, *words, cwd=repo.path)


@pytest.fixture(autouse=True)
def payments(payments: GitRepo) -> None:
    payments.write("src/log.rs", "fn log() {}\nfn more() {}\n")
    payments.write("new.txt", "new\n")


def test_stored_bytes_are_the_printed_ones(repo: GitRepo) -> None:
    printed = succeed("work-context", "payments", "--format=json", cwd=repo.path).stdout
    document = store(repo)
    snapshot = f"W{hashlib.sha256(printed).hexdigest()[:16]}"
    path = repo.git(
        "rev-parse",
        "--path-format=absolute",
        "--git-path",
        f"zdev/work-context/payments/{snapshot}.json",
    )
    assert document == {
        "area": "payments",
        "complexity": "standard",
        "head": repo.rev("HEAD"),
        "lifecycle": "open",
        "path": path,
        "queue": "ready",
        "schema_version": 1,
        "snapshot": snapshot,
        "stale_advisory": False,
        "task_id": "payments-002",
        "task_path": SOURCE_PATH,
    }
    assert Path(path).read_bytes() == printed
    assert stat.S_IMODE(Path(path).stat().st_mode) == 0o444
    assert stat.S_IMODE(Path(path).parent.stat().st_mode) == 0o700


def test_nothing_else_is_written(repo: GitRepo) -> None:
    before = tree_state(repo.path)
    path = Path(store(repo)["path"]).relative_to(repo.path).as_posix()
    moved = set(changes(before, tree_state(repo.path)))
    folders = {str(parent) for parent in Path(path).parents if str(parent).startswith(".git/")}
    assert moved == {path} | folders


def test_the_same_context_is_one_untouched_file(repo: GitRepo) -> None:
    path = Path(store(repo)["path"])
    os.utime(path, ns=(1, 1))
    inode = path.stat().st_ino
    assert store(repo)["path"] == str(path)
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (1, inode)
    assert os.listdir(path.parent) == [path.name]


def test_show_prints_the_stored_bytes_in_both_formats(repo: GitRepo) -> None:
    document = store(repo)
    data = Path(document["path"]).read_bytes()
    words = ("work-context", "payments", "--show", document["snapshot"])
    assert succeed(*words, cwd=repo.path).stdout == data
    assert succeed(*words, "--format=json", cwd=repo.path / "src").stdout == data


def test_show_needs_no_branch_no_head_and_no_plan(repo: GitRepo) -> None:
    document = store(repo)
    data = Path(document["path"]).read_bytes()
    repo.git("checkout", "-q", "--detach")
    repo.write(".git/MERGE_HEAD", "nonsense\n")
    repo.write(".git/index", "corrupt")
    repo.git("update-ref", "-d", "refs/heads/main")
    (repo.path / ".zdev").rename(repo.path / "plan-no-more")
    (repo.path / ".git/zdev/journal").mkdir()
    words = ("work-context", "payments", "--show", document["snapshot"])
    assert succeed(*words, cwd=repo.path).stdout == data


def test_a_closed_context_leaves_out_what_it_has_not(repo: GitRepo) -> None:
    write_empty_area(repo.path, "old", branch="gone", lifecycle="closed")
    document = store(repo, area="old")
    snapshot = document.pop("snapshot")
    assert document.pop("path").endswith(f"/old/{snapshot}.json")
    assert document == {
        "area": "old",
        "lifecycle": "closed",
        "queue": "empty",
        "schema_version": 1,
        "task_id": None,
    }
    assert compare(repo, snapshot, area="old")["equal"] is True


def test_nothing_moved(repo: GitRepo) -> None:
    snapshot = store(repo)["snapshot"]
    before = tree_state(repo.path)
    assert compare(repo, snapshot) == {
        "area": "payments",
        "equal": True,
        "schema_version": 1,
        "snapshot": snapshot,
    }
    assert compare(repo, snapshot, "--verbose", "--exit-code")["changed"] == []
    text = succeed("work-context", "payments", "--compare", snapshot, cwd=repo.path).text
    assert text == f"Nothing has moved since {snapshot}.\n"
    assert changes(before, tree_state(repo.path)) == []


def done(repo: GitRepo) -> None:
    succeed(
        *("task", "done", "payments", "payments-002"),
        *("--summary", "Settled.", "--validation", "Ran."),
        cwd=repo.path,
    )


def move_config(repo: GitRepo) -> None:
    repo.write(".zdev/config.toml", CONFIG.replace("checkout", "shop"))


def prefer_another(repo: GitRepo) -> None:
    text = task_text(4, key="tidy-logs", title="Tidy the logs", extra="afk = true\n")
    write_plan(repo.path, {"payments/tasks/004-tidy-the-logs.md": text})


MOVES: dict[str, tuple[Callable[[GitRepo], object], set[str]]] = {
    "the task is done": (
        done,
        {"goal", "status", "task_id", "git_diff", "git_status"},
    ),
    "a commit": (lambda repo: repo.commit("Go on"), {"head"}),
    "the index": (
        lambda repo: repo.git("add", "src/log.rs"),
        {"git_diff", "git_diff_cached", "git_status"},
    ),
    "a tracked file": (
        lambda repo: repo.write("src/log.rs", "fn log() {}\nfn less() {}\n"),
        {"git_diff"},
    ),
    "an untracked file's bytes": (lambda repo: repo.write("new.txt", "old\n"), {"git_untracked"}),
    "another untracked file": (
        lambda repo: repo.write("newer.txt", ""),
        {"git_status", "git_untracked"},
    ),
    "the project's name": (move_config, {"git_diff", "git_status", "status"}),
    "the default selection": (prefer_another, {"git_diff", "git_status"}),
}


@pytest.mark.parametrize("move", MOVES)
def test_what_moved_is_a_difference_and_no_error(repo: GitRepo, move: str) -> None:
    snapshot = store(repo)["snapshot"]
    act, expected = MOVES[move]
    act(repo)
    before = tree_state(repo.path)
    assert compare(repo, snapshot)["equal"] is False
    words = ("--compare", snapshot, "--exit-code", "--verbose")
    document = run_json(repo, *words, status=5)
    assert (document["equal"], set(document["changed"])) == (False, expected)
    assert document["changed"] == sorted(document["changed"])
    assert changes(before, tree_state(repo.path)) == []


def test_a_snapshot_of_another_task_is_compared_for_that_task(repo: GitRepo) -> None:
    snapshot = store(repo, "--task", "payments-004")["snapshot"]
    assert compare(repo, snapshot)["equal"] is True
    done(repo)
    changed = compare(repo, snapshot, "--verbose")["changed"]
    assert "task_id" not in changed


def test_the_area_closed_in_between(repo: GitRepo) -> None:
    write_empty_area(repo.path, "side", mode="trunk", lifecycle="open")
    snapshot = store(repo, area="side")["snapshot"]
    succeed("area", "close", "side", cwd=repo.path)
    assert compare(repo, snapshot, area="side")["equal"] is False


def test_text_names_what_moved_when_asked(repo: GitRepo) -> None:
    snapshot = store(repo)["snapshot"]
    repo.write("new.txt", "old\n")
    words = ("work-context", "payments", "--compare", snapshot)
    assert succeed(*words, cwd=repo.path).text == f"Something moved since {snapshot}.\n"
    assert succeed(*words, "--verbose", cwd=repo.path).text == (
        f"Something moved since {snapshot}: git_untracked.\n"
    )


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda repo: repo.git("switch", "-q", "-c", "topic"), "wrong-branch"),
        (lambda repo: repo.write(".git/REVERT_HEAD", "0" * 40), "git-operation-in-progress"),
        (lambda repo: repo.write(SOURCE_PATH, "no task\n"), "invalid-records"),
        (lambda repo: repo.write("src/log.rs", b"\xff"), "evidence-not-utf8"),
    ],
)
def test_where_no_fresh_context_can_be_had_compare_fails_alike(
    repo: GitRepo, spoil: Callable[[GitRepo], object], code: str
) -> None:
    snapshot = store(repo)["snapshot"]
    spoil(repo)
    fresh = refuse(repo, code)
    error = refuse(repo, code, "--compare", snapshot)
    assert error.get("details") == fresh.get("details")


def test_a_context_that_became_too_large_fails_alike(repo: GitRepo) -> None:
    document = store(repo)
    size = Path(document["path"]).stat().st_size
    repo.git("config", "zdev.maxContextSize", str(size))
    assert compare(repo, document["snapshot"])["equal"] is True
    repo.write("another.txt", "new\n")
    error = refuse(repo, "context-too-large", "--compare", document["snapshot"])
    assert error["details"] == refuse(repo, "context-too-large")["details"]
    (repo.path / "another.txt").unlink()
    repo.git("config", "zdev.maxContextSize", str(size - 1))
    refuse(repo, "context-too-large", "--compare", document["snapshot"])


def test_a_dirty_submodule_fails_alike(repo: GitRepo, new_repo: Callable[..., GitRepo]) -> None:
    inner = new_repo("inner")
    inner.commit("Begin", a__txt="one\n")
    allow = ("-c", "protocol.file.allow=always")
    repo.git(*allow, "submodule", "--quiet", "add", str(inner.path), "inner")
    repo.commit("Add the submodule")
    snapshot = store(repo)["snapshot"]
    repo.write("inner/a.txt", "two\n")
    fresh = refuse(repo, "dirty-submodules")
    error = refuse(repo, "dirty-submodules", "--compare", snapshot)
    assert error["details"] == fresh["details"]


def test_an_older_open_document_is_shown_and_never_equal(repo: GitRepo) -> None:
    path = Path(store(repo)["path"])
    document = json.loads(path.read_bytes())
    del document["git_untracked"]
    data = json.dumps(document, indent=2).encode() + b"\n"
    snapshot = f"W{hashlib.sha256(data).hexdigest()[:16]}"
    path.with_name(f"{snapshot}.json").write_bytes(data)
    words = ("work-context", "payments", "--show", snapshot)
    assert succeed(*words, cwd=repo.path).stdout == data
    assert compare(repo, snapshot, "--verbose")["changed"] == ["git_untracked"]


@pytest.mark.parametrize("option", ["--show", "--compare"])
def test_errors_are_told_apart(repo: GitRepo, option: str) -> None:
    refuse(repo, "snapshot-malformed-id", option, "W0")
    refuse(repo, "snapshot-malformed-id", option, f"../{NONE}")
    error = refused("snapshot-unavailable", "work-context", "payments", option, NONE, cwd=repo.path)
    assert error["error"].endswith("with `git zdev work-context payments --store`.")
    refuse(repo, "unknown-area", option, NONE, area="../payments")
    path = Path(store(repo)["path"])
    snapshot = path.stem
    other = path.parent.with_name("other")
    other.mkdir()
    (other / path.name).write_bytes(path.read_bytes())
    refuse(repo, "snapshot-wrong-area", option, snapshot, area="other")
    path.chmod(0o644)
    path.write_bytes(path.read_bytes() + b" ")
    refuse(repo, "snapshot-corrupt", option, snapshot)
    path.unlink()
    path.symlink_to(other / path.name)
    refuse(repo, "snapshot-not-regular", option, snapshot)
    path.unlink()
    os.mkfifo(path)
    refuse(repo, "snapshot-not-regular", option, snapshot)


def test_a_closed_store_path_is_refused_without_a_file(repo: GitRepo) -> None:
    (repo.path / ".git/zdev").symlink_to(repo.path)
    refuse(repo, "snapshot-not-regular", "--store")


def test_a_linked_work_tree_has_a_store_of_its_own(repo: GitRepo) -> None:
    repo.git("switch", "-q", "-c", "elsewhere")
    linked = repo.path.parent / "linked"
    repo.git("worktree", "add", "-q", str(linked), "main")
    run = succeed("work-context", "payments", "--store", "--format=json", cwd=linked)
    document = json.loads(run.stdout)
    expected = (repo.path / ".git/worktrees/linked/zdev/work-context/payments").resolve()
    assert Path(document["path"]).parent == expected
    refuse(repo, "snapshot-unavailable", "--show", document["snapshot"])
    words = ("work-context", "payments", "--compare", document["snapshot"], "--exit-code")
    succeed(*words, cwd=linked)


def test_sixteen_processes_store_at_once(repo: GitRepo) -> None:
    tasks = ["payments-002", "payments-004"]

    def one(number: int) -> str:
        words = ("--store", "--task", tasks[number % 2], "--format=json")
        run = zdev("work-context", "payments", *words, cwd=repo.path)
        assert run.status == 0, run.error_text
        snapshot: str = json.loads(run.stdout)["snapshot"]
        return snapshot

    with ThreadPoolExecutor(8) as pool:
        snapshots = set(pool.map(one, range(16)))
    assert len(snapshots) == 2
    folder = repo.path / ".git/zdev/work-context/payments"
    assert sorted(os.listdir(folder)) == sorted(f"{snapshot}.json" for snapshot in snapshots)


def test_a_store_needs_no_lock(repo: GitRepo) -> None:
    import fcntl

    repo.git("config", "zdev.lockTimeout", "0")
    with (repo.path / ".git/zdev-state.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        store(repo)


def test_a_terminal_gets_the_summary_of_a_stored_document(repo: GitRepo) -> None:
    snapshot = store(repo)["snapshot"]
    shown = in_terminal("work-context", "payments", "--show", snapshot, cwd=repo.path)
    assert "Settle the retry boundary" in shown
    assert '"git_diff"' not in shown


def test_a_snapshot_with_hidden_text_as_it_was_stored_before_is_shown_and_equal(
    repo: GitRepo,
) -> None:
    """Formerly soft hyphens and tags were stored raw; the id is that of other bytes then."""
    repo.write("src/log.rs", "fn log() {} // \u00ad\U000e0041\n")
    stored = store(repo)
    fresh = Path(stored["path"]).read_bytes()
    former = fresh.replace(rb"\u00ad", "\u00ad".encode()).replace(
        rb"\udb40\udc41", "\U000e0041".encode()
    )
    assert len(former) == len(fresh) - 4 - 8
    former_id = f"W{hashlib.sha256(former).hexdigest()[:16]}"
    Path(stored["path"]).with_name(f"{former_id}.json").write_bytes(former)
    assert succeed("work-context", "payments", "--show", former_id, cwd=repo.path).stdout == former
    assert compare(repo, former_id)["equal"] is True
    assert compare(repo, stored["snapshot"])["equal"] is True
