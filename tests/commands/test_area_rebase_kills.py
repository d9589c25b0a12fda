"""``git zdev area rebase`` after a Git that was killed, one test for each kind of moment.

``scripts/torture-rebase`` kills a real Git at every moment; here its leavings are made by hand.
"""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.cli import refused, result, succeed, zdev
from tests.support.faults import TOML, advance, anchor, make_area
from tests.support.plan import CONFIG, write_empty_area, write_plan

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repo import GitRepo

ABORT = "`git zdev area rebase payments --abort`"
CONTINUE = "`git zdev area rebase payments --continue`"
INTERRUPTED = (
    f"Git was ended in the middle of it: undo it with {ABORT}, then start again with "
    "`git zdev area rebase payments`."
)
FINISHED = (
    f"The branch is rebased, only Git's notes of it are left: {CONTINUE} drops them and records "
    "the base commit."
)


@pytest.fixture
def stale(planned: GitRepo) -> GitRepo:
    """A tracked plan, whose area lacks a commit of its base."""
    repo = make_area(planned, "project")
    advance(repo)
    return repo


@pytest.fixture
def stopped(planned: GitRepo) -> GitRepo:
    """The same, stopped at a conflict in ``work.txt``."""
    repo = make_area(planned, "project")
    advance(repo, work__txt="main's\n", new__txt="new\n")
    refused_with("rebase-conflict", repo)
    return repo


def refused_with(code: str, repo: GitRepo, *words: str) -> dict[str, Any]:
    """Run the command, which changes whatever Git changes before it fails."""
    run = zdev("--format=json", "area", "rebase", "payments", *words, cwd=repo.path)
    error: dict[str, Any] = json.loads(run.stderr)
    assert (error["code"], run.status, run.stdout) == (code, 1, b""), error
    return error


def rebase(repo: GitRepo, *words: str) -> dict[str, Any]:
    return result("area rebase", "payments", *words, cwd=repo.path)


def notes(repo: GitRepo) -> Path:
    return repo.path / ".git/rebase-merge"


def require_settled(repo: GitRepo) -> None:
    """HEAD is on the branch, and nothing is left of a rebase."""
    assert repo.git("symbolic-ref", "HEAD") == "refs/heads/payments"
    assert not notes(repo).exists()
    home = repo.path / ".git/zdev"
    assert not home.exists() or {path.name for path in home.iterdir()} <= {"secret"}


def hint_of_status(repo: GitRepo) -> str:
    text = succeed("status", "payments", cwd=repo.path).text
    return text.partition("in this work tree: rebase. ")[2].partition("\n")[0]


# While Git writes its notes


@pytest.mark.parametrize("names", [(), ("interactive", "head-name")])
def test_notes_that_were_being_written(stale: GitRepo, names: tuple[str, ...]) -> None:
    tip, old = stale.rev("payments"), anchor(stale)
    notes(stale).mkdir()
    for name in names:
        (notes(stale) / name).write_text("")
    error = refused("git-operation-in-progress", "area", "rebase", "payments", cwd=stale.path)
    assert error["error"].endswith(INTERRUPTED)
    assert hint_of_status(stale) == INTERRUPTED
    error = refused(
        "rebase-interrupted", "area", "rebase", "payments", "--continue", cwd=stale.path
    )
    assert error["error"].endswith(INTERRUPTED)
    assert rebase(stale, "--abort")["status"] == "aborted"
    require_settled(stale)
    assert (stale.rev("payments"), anchor(stale)) == (tip, old)
    assert rebase(stale)["status"] == "rebased"


# While Git checks the base out


def half_checked_out(repo: GitRepo, **files: str) -> None:
    """Git's notes are complete, the index is the old one, and files of the base stand there."""
    repo.git("rebase", "--merge", "main", check=False)
    repo.git("symbolic-ref", "HEAD", "refs/heads/payments")
    repo.git("reset", "-q", "--hard")
    for name in ("done", "stopped-sha", "message"):
        (notes(repo) / name).unlink(missing_ok=True)
    for name, content in files.items():
        repo.write(name.replace("__", "."), content)


@pytest.mark.parametrize("content", ["new\n", "ne", ""])
def test_files_of_the_base_that_were_checked_out(stopped: GitRepo, content: str) -> None:
    stopped.git("rebase", "--abort")
    half_checked_out(stopped, new__txt=content, mine__txt="mine\n")
    (stopped.path / "work.txt").unlink()
    error = refused("git-operation-in-progress", "area", "rebase", "payments", cwd=stopped.path)
    assert error["error"].endswith(INTERRUPTED)
    run = succeed("area", "rebase", "payments", "--abort", cwd=stopped.path)
    assert run.error_text == "Removed what Git had checked out when it was ended: new.txt.\n"
    require_settled(stopped)
    assert stopped.git("status", "--porcelain") == "?? mine.txt"
    assert (stopped.path / "work.txt").read_text() == "work\n"


def test_another_file_in_the_place_of_one_of_the_base_stays(stopped: GitRepo) -> None:
    stopped.git("rebase", "--abort")
    half_checked_out(stopped, new__txt="mine\n")
    assert succeed("area", "rebase", "payments", "--abort", cwd=stopped.path).error_text == ""
    assert (stopped.path / "new.txt").read_text() == "mine\n"


def test_files_of_the_branch_that_were_being_checked_out_again(stopped: GitRepo) -> None:
    """Git would not overwrite them when it goes back."""
    for name in ("stopped-sha", "message"):
        (notes(stopped) / name).unlink()
    stopped.git("reset", "-q", "--hard")
    stopped.git("rm", "-q", "--cached", "work.txt")
    stopped.write("work.txt", "work\n")
    assert rebase(stopped, "--abort")["status"] == "aborted"
    require_settled(stopped)
    assert stopped.git("status", "--porcelain") == ""


# While Git copies commits


def test_a_commit_that_is_on_no_list(stopped: GitRepo) -> None:
    """Git would go on without it."""
    stopped.write("work.txt", "both\n")
    stopped.git("add", "work.txt")
    (notes(stopped) / "stopped-sha").unlink()
    error = refused("git-operation-in-progress", "area", "rebase", "payments", cwd=stopped.path)
    assert error["error"].endswith(INTERRUPTED)
    error = refused(
        "rebase-interrupted", "area", "rebase", "payments", "--continue", cwd=stopped.path
    )
    assert error["error"].endswith(INTERRUPTED)
    assert rebase(stopped, "--abort")["status"] == "aborted"
    require_settled(stopped)


def test_a_rebase_that_can_go_on_is_told_so(stopped: GitRepo) -> None:
    expected = f"Finish it with {CONTINUE}, or undo it with {ABORT}."
    error = refused("git-operation-in-progress", "area", "rebase", "payments", cwd=stopped.path)
    assert error["error"].endswith(expected)
    assert error["details"].keys() == {"branch_status"}


# While Git gives up


def test_an_undoing_that_was_interrupted(stopped: GitRepo, tmp_path: Path) -> None:
    """The index is the old one already, and going on would commit it in place of the conflict."""
    git = shutil.which("git")
    stub = tmp_path / "git"
    stub.write_text(
        "#!/bin/sh\n"
        f'case " $* " in *" --abort "*) {git} read-tree ORIG_HEAD; kill -KILL $$;; esac\n'
        f'exec {git} "$@"\n'
    )
    stub.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    stopped.git("update-ref", "ORIG_HEAD", "payments")
    run = zdev("area", "rebase", "payments", "--abort", cwd=stopped.path, env={"PATH": path})
    assert run.error_text == (
        "error: the rebase of payments is not done: `git rebase` was ended by SIGKILL. "
        f"{INTERRUPTED}\n"
    )
    error = refused(
        "rebase-interrupted", "area", "rebase", "payments", "--continue", cwd=stopped.path
    )
    assert error["error"].endswith(INTERRUPTED)
    assert hint_of_status(stopped) == INTERRUPTED
    assert rebase(stopped, "--abort")["status"] == "aborted"
    require_settled(stopped)
    assert stopped.git("status", "--porcelain") == ""


# While Git finishes


@pytest.fixture
def moved(stopped: GitRepo) -> GitRepo:
    """The branch has moved, HEAD is still detached, and the notes are there."""
    kept = stopped.path / ".git/kept"
    shutil.copytree(notes(stopped), kept)
    stopped.write("work.txt", "both\n")
    stopped.git("add", "work.txt")
    stopped.git("rebase", "--continue", env={"GIT_EDITOR": "true"})
    kept.rename(notes(stopped))
    stopped.git("switch", "-q", "--detach", check=False)
    stopped.write(".git/HEAD", f"{stopped.rev('payments')}\n")
    return stopped


def on_branch(repo: GitRepo) -> None:
    repo.write(".git/HEAD", "ref: refs/heads/payments\n")


def require_forward(repo: GitRepo) -> None:
    tip = repo.rev("payments")
    error = refused("git-operation-in-progress", "area", "rebase", "payments", cwd=repo.path)
    assert error["error"].endswith(FINISHED)
    done = rebase(repo, "--continue")
    assert (done["status"], done["base_commit"]) == ("rebased", repo.rev("main"))
    require_settled(repo)
    assert (repo.rev("payments"), anchor(repo)) == (tip, repo.rev("main"))
    assert repo.git("status", "--porcelain") == f" M {TOML}"


def test_a_branch_that_has_moved(moved: GitRepo) -> None:
    require_forward(moved)


def test_a_branch_that_has_moved_goes_back(moved: GitRepo) -> None:
    old = (notes(moved) / "orig-head").read_text().strip()
    assert rebase(moved, "--abort")["status"] == "aborted"
    require_settled(moved)
    assert moved.rev("payments") == old
    assert moved.git("status", "--porcelain") == ""


def test_notes_of_a_branch_that_is_done(moved: GitRepo) -> None:
    on_branch(moved)
    require_forward(moved)


@pytest.mark.parametrize("gone", ["head-name", "onto", "orig-head"])
def test_notes_that_were_being_removed(moved: GitRepo, gone: str) -> None:
    on_branch(moved)
    (notes(moved) / gone).unlink()
    assert hint_of_status(moved) == FINISHED
    error = refused("rebase-finished", "area", "rebase", "payments", "--abort", cwd=moved.path)
    assert error["error"].endswith(FINISHED)
    require_forward(moved)


# Locks


@pytest.mark.parametrize("name", ["HEAD", "index", "refs/heads/payments", "CHERRY_PICK_HEAD"])
@pytest.mark.parametrize("option", ["--continue", "--abort"])
def test_a_lock_that_git_left(stopped: GitRepo, name: str, option: str) -> None:
    lock = stopped.write(f".git/{name}.lock")
    stopped.write("work.txt", "both\n")
    stopped.git("--no-optional-locks", "status")
    error = refused("git-locked", "area", "rebase", "payments", option, cwd=stopped.path)
    assert error["details"] == {"locks": [str(lock)]}
    assert error["error"] == (
        f"a Git process is running here, or a killed one left {lock}. Remove what remains "
        f"once no Git runs here, then run `git zdev area rebase payments {option}`."
    )
    error = refused("git-operation-in-progress", "area", "rebase", "payments", cwd=stopped.path)
    assert error["details"]["locks"] == [str(lock)]
    assert f". Remove {lock} once no Git runs here. " in error["error"]
    lock.unlink()
    assert rebase(stopped, "--abort")["status"] == "aborted"


def test_a_lock_before_anything_was_done(stale: GitRepo) -> None:
    lock = stale.write(".git/index.lock")
    error = refused_with("git-failed", stale)
    assert error["details"]["locks"] == [str(lock)]
    assert error["error"].endswith(
        f"Remove {lock} once no Git runs here. Run `git zdev area rebase payments` again."
    )
    lock.unlink()
    assert rebase(stale)["status"] == "rebased"


def test_a_lock_that_did_not_matter_is_told(stale: GitRepo) -> None:
    lock = stale.write(".git/REBASE_HEAD.lock")
    stale.git("rebase", "-q", "main", check=False)
    done = rebase(stale)
    assert done["locks"] == [str(lock)]
    run = succeed("area", "rebase", "payments", cwd=stale.path)
    assert run.error_text == (f"Git left {lock}. Remove what remains once no Git runs here.\n")


# Who runs


def test_a_git_that_is_killed_is_told(stale: GitRepo, tmp_path: Path) -> None:
    stub = tmp_path / "git"
    stub.write_text("#!/bin/sh\nkill -KILL $$\n")
    stub.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    run = zdev("area", "rebase", "payments", cwd=stale.path, env={"PATH": path})
    assert run.error_text == (
        "error: `git rebase` was ended by SIGKILL. Run `git zdev area rebase payments` again.\n"
    )
    assert rebase(stale)["status"] == "rebased"
    require_settled(stale)


def test_ctrl_c_says_what_leads_out(stale: GitRepo, tmp_path: Path) -> None:
    stub = tmp_path / "git"
    stub.write_text("#!/bin/sh\nmkdir .git/rebase-merge\nkill -INT $PPID\n")
    stub.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    run = zdev("area", "rebase", "payments", cwd=stale.path, env={"PATH": path})
    assert run.error_text == (
        f"error: the rebase of payments is not done: it was interrupted. {INTERRUPTED}\n"
    )
    assert run.status == 130
    assert rebase(stale, "--abort")["status"] == "aborted"
    require_settled(stale)


@pytest.mark.parametrize("words", [(), ("--continue",), ("--abort",)])
def test_a_git_that_outlived_the_command(stopped: GitRepo, words: tuple[str, ...]) -> None:
    from git_zdev.disk.atomic import Disk
    from git_zdev.disk.rebase_record import RebaseRecord

    record = RebaseRecord(Disk(), str(stopped.path / ".git"))
    main, tip = stopped.rev("main"), stopped.rev("payments")
    record.write("continue", "payments", main, tip, os.getpid())
    error = refused("rebase-running", "area", "rebase", "payments", *words, cwd=stopped.path)
    assert error["details"] == {"process": os.getpid()}
    record.remove()
    assert rebase(stopped, "--abort")["status"] == "aborted"


def test_a_record_that_cannot_be_written_begins_nothing(stale: GitRepo) -> None:
    tip = stale.rev("payments")
    (stale.path / ".git/zdev/rebase.json").mkdir(parents=True)
    refused_with("storage-failed", stale)
    assert stale.rev("payments") == tip
    assert not notes(stale).exists()
    assert stale.git("status", "--porcelain") == ""


# Reading commands


@pytest.mark.parametrize("words", [("status",), ("status", "payments"), ("next", "payments")])
def test_a_plan_that_the_rebase_has_not_brought_yet(
    planned: GitRepo, words: tuple[str, ...]
) -> None:
    planned.git("switch", "-q", "-c", "payments")
    planned.commit("Work", work__txt="work\n")
    write_plan(planned.path, {"config.toml": CONFIG})
    write_empty_area(
        planned.path,
        "payments",
        branch="payments",
        lifecycle="open",
        base_commit=planned.rev("main"),
    )
    planned.git("add", ".zdev")
    planned.commit("Plan")
    advance(planned, work__txt="main's\n")
    refused_with("rebase-conflict", planned)
    assert not (planned.path / ".zdev").exists()
    error = refused("git-operation-in-progress", *words, cwd=planned.path)
    assert error["error"] == (
        "a Git operation is in progress in this work tree: rebase. Finish it with "
        f"{CONTINUE}, or undo it with {ABORT}."
    )
    (notes(planned) / "stopped-sha").unlink()
    error = refused("git-operation-in-progress", *words, cwd=planned.path)
    assert error["error"].endswith(INTERRUPTED)


def test_a_rebase_of_a_branch_without_a_plan(repo: GitRepo) -> None:
    repo.commit("Begin", a="one\n")
    repo.git("switch", "-q", "-c", "work")
    repo.commit("Work", a="two\n")
    advance(repo, a="three\n")
    repo.git("rebase", "-q", "main", check=False)
    refused("not-initialized", "status", cwd=repo.path)


# Rebases of others


def test_broken_notes_of_another_branch(stale: GitRepo) -> None:
    stale.git("switch", "-q", "-c", "other")
    notes(stale).mkdir()
    quit_it = (
        "Git's notes of it are not whole: `git rebase --quit` drops them and leaves HEAD, the "
        "index and the files as they are."
    )
    error = refused("git-operation-in-progress", "area", "rebase", "payments", cwd=stale.path)
    assert error["error"].endswith(quit_it)
    assert hint_of_status(stale) == quit_it
    for option in ("--continue", "--abort"):
        error = refused("foreign-rebase", "area", "rebase", "payments", option, cwd=stale.path)
        assert error["error"].endswith(quit_it)
    stale.git("rebase", "--quit")
    assert not notes(stale).exists()


# The base commit is not recorded


@pytest.mark.parametrize("stop", [False, True])
def test_a_commit_that_is_refused_after_the_rebase(planned: GitRepo, stop: bool) -> None:
    repo = make_area(planned, "project")
    main = advance(repo, **({"work__txt": "main's\n"} if stop else {"main__txt": "main\n"}))
    old, recorded = repo.rev("payments"), anchor(repo)
    words = ["--commit"]
    if stop:
        refused_with("rebase-conflict", repo)
        repo.write("work.txt", "both\n")
        repo.git("add", "work.txt")
        words = ["--commit", "--continue"]
    hook = repo.write(".git/hooks/pre-commit", "#!/bin/sh\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    error = refused_with("commit-failed", repo, *words)
    assert repo.rev("payments~2") == main
    assert error["details"]["rebased"] == {
        "branch": "payments",
        "from": old,
        "to": repo.rev("payments"),
    }
    assert error["error"] == (
        "payments was rebased onto main and stays so, but its base commit is not recorded: "
        "`git commit` refused:\n  not today\nRemove the cause; then `git zdev area rebase payments "
        "--commit` records the base commit."
    )
    assert anchor(repo) == recorded
    require_settled(repo)
    hook.unlink()
    assert rebase(repo, "--commit")["status"] == "updated"
    assert (anchor(repo), repo.git("status", "--porcelain")) == (main, "")


def test_a_record_that_changed_during_the_rebase(stale: GitRepo) -> None:
    hook = stale.write(".git/hooks/post-rewrite", f"#!/bin/sh\necho '# hook' >>{TOML}\n")
    hook.chmod(0o755)
    error = refused_with("records-changed", stale, "--commit")
    assert error["details"]["paths"] == [TOML]
    assert error["details"]["rebased"]["to"] == stale.rev("payments")
    assert error["error"].endswith(
        "Commit or restore them first; then `git zdev area rebase payments --commit` records the "
        "base commit."
    )
    stale.git("restore", TOML)
    assert rebase(stale, "--commit")["status"] == "updated"


def test_an_anchor_alone_that_is_refused_says_nothing_of_a_rebase(stale: GitRepo) -> None:
    stale.git("rebase", "-q", "main")
    hook = stale.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    error = refused_with("commit-failed", stale, "--commit")
    assert "rebased" not in error["details"]
    assert "was rebased" not in error["error"]


def test_git_merges_whatever_the_setting_says(stopped: GitRepo) -> None:
    assert rebase(stopped, "--abort")["status"] == "aborted"
    stopped.git("config", "rebase.backend", "apply")
    refused_with("rebase-conflict", stopped)
    assert notes(stopped).is_dir()
