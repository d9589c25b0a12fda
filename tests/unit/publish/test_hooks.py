"""Hooks, signers, identities and locks of others around the commit of a publication."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from git_zdev.ground.changeset import ChangeSet, CommitPlan, FileChange
from git_zdev.ground.errors import ZdevError
from git_zdev.publish import commit as commit_module
from tests.support.faults import HastyDisk, begin, leftovers, plant, whole_state

if TYPE_CHECKING:
    from git_zdev.publish.attempt import PublishResult
    from tests.support.repo import GitRepo

ONE = ".zdev/area/tasks/001-one.md"
NEW = ".zdev/area/tasks/003-new.md"
CHANGE_ID = f"Z{'0' * 64}"
PLAN = ChangeSet(
    "tasks import",
    (FileChange(ONE, b"one\n", b"edited\n"), FileChange(NEW, None, b"new\n")),
    CommitPlan(f"Add tasks to area\n\nZdev-Change-Id: {CHANGE_ID}\n", (ONE, NEW)),
)
PROJECT = Path(__file__).parents[3]


@pytest.fixture
def planted(repo: GitRepo) -> GitRepo:
    plant(repo)
    repo.write("other.txt", "other\n")
    repo.git("add", ".")
    repo.commit("First")
    repo.write("staged.txt", "staged\n")
    repo.git("add", "staged.txt")
    repo.write("other.txt", "unstaged\n")
    return repo


def hook(repo: GitRepo, name: str, script: str, folder: str = ".git/hooks") -> None:
    repo.write(f"{folder}/{name}", f"#!/bin/sh\n{script}\n").chmod(0o755)


def publish(repo: GitRepo) -> PublishResult:
    with begin(repo, disk=HastyDisk()) as tx:
        return tx.publish(PLAN)


def refused(repo: GitRepo) -> ZdevError:
    """Publish, which fails and leaves everything as it was."""
    before = whole_state(repo)
    with pytest.raises(ZdevError) as caught:
        publish(repo)
    assert whole_state(repo) == before
    assert leftovers(repo) == []
    return caught.value


@pytest.mark.parametrize("name", ["pre-commit", "prepare-commit-msg", "commit-msg"])
def test_a_hook_that_refuses_is_passed_on(planted: GitRepo, name: str) -> None:
    hook(planted, name, "echo because of the moon >&2; exit 1")
    error = refused(planted)
    assert error.code == "commit-failed"
    assert error.said == "because of the moon"
    assert error.details == {"status": 1, "said": "because of the moon\n"}


def test_all_four_hooks_run_once_and_see_the_commit_to_come(planted: GitRepo) -> None:
    for name in ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"):
        hook(
            planted,
            name,
            f"echo {name} $(git diff --cached --name-only) $(git symbolic-ref --short HEAD) >> log",
        )
    planted.write(".git/info/exclude", "/log\n")
    publish(planted)
    assert (planted.path / "log").read_text().splitlines() == [
        f"pre-commit {ONE} {NEW} main",
        f"prepare-commit-msg {ONE} {NEW} main",
        f"commit-msg {ONE} {NEW} main",
        "post-commit main",
    ]


def test_a_failing_post_commit_hook_changes_nothing(planted: GitRepo) -> None:
    hook(planted, "post-commit", "echo too late >&2; exit 1")
    result = publish(planted)
    assert result.commit == planted.rev("HEAD")
    assert result.said == "too late\n"


def test_hooks_may_change_the_message(planted: GitRepo) -> None:
    hook(planted, "prepare-commit-msg", 'sed -i "1s/^/[T-1] /" "$1"')
    hook(planted, "commit-msg", 'echo "Reviewed-by: Me" >> "$1"')
    assert publish(planted).commit == planted.rev("HEAD")
    assert planted.git("log", "-1", "--format=%B") == (
        f"[T-1] Add tasks to area\n\nZdev-Change-Id: {CHANGE_ID}\nReviewed-by: Me\n"
    )


def test_hooks_are_found_where_the_configuration_says(planted: GitRepo) -> None:
    planted.git("config", "core.hooksPath", "team-hooks")
    hook(planted, "pre-commit", "echo team rule >&2; exit 1", folder="team-hooks")
    assert "team rule" in refused(planted).said


def test_a_hook_that_stages_something_else_is_undone(planted: GitRepo) -> None:
    hook(planted, "pre-commit", "git add other.txt")
    error = refused(planted)
    assert error.code == "hook-altered-commit"
    assert planted.git("show", "--format=", "--name-only", error.details["commit"]).split("\n") == [
        ONE,
        NEW,
        "other.txt",
    ]


REWRITES = f"echo formatted > {NEW}; rm {ONE}; echo fixed > {ONE}"


@pytest.mark.parametrize("disk", [HastyDisk(), HastyDisk(portable=True)], ids=["", "portable"])
@pytest.mark.parametrize(
    ("script", "code"),
    [
        (f"{REWRITES}; exit 1", "commit-failed"),
        (f"{REWRITES}; git add {NEW}", "hook-altered-commit"),
    ],
)
def test_what_a_hook_that_refuses_made_of_our_files_is_set_aside(
    planted: GitRepo, script: str, code: str, disk: HastyDisk
) -> None:
    before = whole_state(planted)
    hook(planted, "pre-commit", script)
    with begin(planted, disk=disk) as tx, pytest.raises(ZdevError) as caught:
        tx.publish(PLAN)
    assert caught.value.code == code
    aside = caught.value.details["set_aside"]
    assert {path: Path(kept).read_bytes() for path, kept in aside.items()} == {
        ONE: b"fixed\n",
        NEW: b"formatted\n",
    }
    assert "Exclude .zdev/" in caught.value.hint
    assert whole_state(planted) == before
    assert leftovers(planted) == []


@pytest.mark.parametrize("disk", [HastyDisk(), HastyDisk(portable=True)], ids=["", "portable"])
@pytest.mark.parametrize("name", ["pre-commit", "post-commit"])
def test_a_hook_that_rewrites_our_files_does_not_change_them(
    planted: GitRepo, name: str, disk: HastyDisk
) -> None:
    hook(planted, name, f"echo formatted > {NEW}; rm {ONE}")
    with begin(planted, disk=disk) as tx:
        result = tx.publish(PLAN)
    assert result.commit == planted.rev("HEAD")
    (note,) = result.notes
    assert f"a hook rewrote {NEW}. The plan's files were restored; " in note
    folder = Path(note.partition("the hook's are in ")[2].partition(". ")[0])
    assert [path.read_bytes() for path in folder.iterdir()] == [b"formatted\n"]
    assert (planted.path / ONE).read_bytes() == b"edited\n"
    assert (planted.path / NEW).read_bytes() == b"new\n"
    assert planted.git("status", "--porcelain") == " M other.txt\nA  staged.txt"
    assert planted.git("diff-files", "--name-only") == "other.txt"
    assert leftovers(planted) == []


def test_a_hook_that_points_head_elsewhere_is_undone(planted: GitRepo) -> None:
    planted.git("branch", "other")
    hook(planted, "pre-commit", "git symbolic-ref HEAD refs/heads/other")
    before = whole_state(planted)
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert caught.value.code == "hook-altered-commit"
    after = whole_state(planted)
    assert planted.git("symbolic-ref", "HEAD") == "refs/heads/other"
    assert planted.rev("other") == planted.rev("main")
    for part in ("files", "folders", "index"):
        assert after[part] == before[part]
    assert leftovers(planted) == []


def test_a_hook_that_moves_the_branch_stops_the_commit(planted: GitRepo) -> None:
    first = planted.rev("HEAD")
    hook(
        planted,
        "pre-commit",
        "git update-ref HEAD $(git commit-tree -p HEAD -m Theirs $(git rev-parse HEAD^{tree}))",
    )
    before = whole_state(planted)
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert caught.value.code == "commit-failed"
    assert "HEAD was moved meanwhile" in caught.value.message
    assert "The index and the files are as before" in caught.value.hint
    after = whole_state(planted)
    assert planted.git("log", "-1", "--format=%s") == "Theirs"
    assert planted.rev("HEAD^") == first
    for part in ("files", "folders", "index"):
        assert after[part] == before[part]
    assert leftovers(planted) == []


@pytest.mark.parametrize(
    ("name", "script"),
    [
        ("commit-msg", 'sed -i /Zdev-Change-Id/d "$1"'),
        ("post-commit", "rm .git/hooks/post-commit; git commit -q --amend -m Amended"),
    ],
)
def test_a_hook_that_takes_the_change_id_away_is_told(
    planted: GitRepo, name: str, script: str
) -> None:
    hook(planted, name, script)
    assert publish(planted).notes == ("Note: a hook took the change id out of the message",)
    assert "Zdev-Change-Id" not in planted.git("log", "-1", "--format=%B")


def test_a_hook_that_takes_the_commit_off_again_is_reported(planted: GitRepo) -> None:
    hook(planted, "post-commit", "git update-ref HEAD HEAD^")
    error = refused(planted)
    assert error.code == "commit-failed"
    assert "took the new commit off" in error.message


def test_what_a_hook_stages_afterwards_is_staged_and_told(planted: GitRepo) -> None:
    hook(planted, "post-commit", "git add other.txt; git rm -q --cached staged.txt 2>/dev/null; :")
    result = publish(planted)
    assert result.notes == ("A hook staged besides: other.txt",)
    assert planted.git("status", "--porcelain").split("\n") == ["M  other.txt", "A  staged.txt"]


def test_a_hook_may_commit_on_top(planted: GitRepo) -> None:
    hook(
        planted,
        "post-commit",
        "test -e .git/once || { :> .git/once; git commit -q --allow-empty -m Top; }",
    )
    result = publish(planted)
    assert planted.git("log", "-1", "--format=%s") == "Top"
    assert result.commit == planted.rev("HEAD^")
    assert planted.git("status", "--porcelain") == " M other.txt\nA  staged.txt"


def test_an_altered_commit_with_others_on_top_stays_and_is_told(planted: GitRepo) -> None:
    hook(
        planted,
        "post-commit",
        "test -e .git/once || { :> .git/once; git add other.txt; git commit -q --amend --no-edit; "
        "git commit -q --allow-empty -m Top; }",
    )
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert caught.value.code == "hook-altered-commit"
    assert "it stays" in caught.value.message
    assert caught.value.details["commit"] == planted.rev("HEAD^")
    assert planted.git("log", "-1", "--format=%s") == "Top"
    assert (planted.path / NEW).read_bytes() == b"new\n"
    assert planted.git("status", "--porcelain", "--", ONE, NEW) == ""
    assert leftovers(planted) == []


def test_a_background_process_of_a_hook_holds_no_lock(planted: GitRepo) -> None:
    hook(planted, "post-commit", "sleep 60 & echo $! > .git/pid")
    publish(planted)
    pid = int((planted.path / ".git/pid").read_text())
    try:
        with begin(planted, disk=HastyDisk()) as tx:
            tx.publish(ChangeSet("x", (FileChange(ONE, b"edited\n", b"again\n"),)))
        os.kill(pid, 0)
    finally:
        os.kill(pid, 9)


def test_a_failing_signer(planted: GitRepo) -> None:
    signer = planted.write("../signer", "#!/bin/sh\necho no secret key >&2\nexit 2\n")
    signer.chmod(0o755)
    planted.git("config", "commit.gpgsign", "true")
    planted.git("config", "gpg.program", str(signer))
    error = refused(planted)
    assert error.code == "commit-failed"
    assert "failed to sign" in error.said


def test_a_template_does_not_get_into_the_message(planted: GitRepo) -> None:
    planted.write("../template", "Fill me in\n")
    planted.git("config", "commit.template", "../template")
    publish(planted)
    assert planted.git("log", "-1", "--format=%s") == "Add tasks to area"


def test_a_missing_identity(planted: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    for who in ("AUTHOR", "COMMITTER"):
        for what in ("NAME", "EMAIL"):
            monkeypatch.delenv(f"GIT_{who}_{what}")
    planted.git("config", "user.useConfigOnly", "true")
    error = refused(planted)
    assert error.code == "commit-failed"
    assert "identity" in error.said


def test_no_git_at_all(planted: GitRepo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = whole_state(planted)
    with begin(planted, environment={"PATH": str(tmp_path)}) as tx:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(ZdevError) as caught:
            tx.publish(PLAN)
    assert caught.value.code == "git-failed"
    assert whole_state(planted) == before
    assert leftovers(planted) == []


def test_an_index_lock_of_another_process_is_left_alone(
    planted: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit_module, "LOCK_PATIENCE", 0.05)
    lock = planted.write(".git/index.lock", "theirs")
    before = whole_state(planted)
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert caught.value.code == "index-locked"
    assert whole_state(planted) == before
    assert leftovers(planted) == [str(lock)]
    assert lock.read_text() == "theirs"
    with begin(planted, disk=HastyDisk()) as tx:
        tx.publish(ChangeSet("files only", PLAN.changes))


@pytest.mark.parametrize("name", ["refs/heads/main.lock", "HEAD.lock"])
def test_a_ref_lock_of_another_process_is_left_alone(planted: GitRepo, name: str) -> None:
    lock = planted.write(f".git/{name}", "")
    before = whole_state(planted)
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert caught.value.code == "commit-failed"
    assert whole_state(planted) == before
    assert leftovers(planted) == [str(lock)]


NESTED = f"""
import os, sys
sys.path.insert(0, {str(PROJECT)!r})
from git_zdev.ground.errors import ZdevError
from tests.support.repo import GitRepo
from tests.support.faults import begin
from pathlib import Path
try:
    with begin(GitRepo(Path.cwd())):
        print("taken")
except ZdevError as error:
    print(error.code)
"""


@pytest.mark.parametrize("name", ["pre-commit", "post-commit", "reference-transaction"])
def test_a_writer_inside_of_our_own_hooks_refuses_at_once(planted: GitRepo, name: str) -> None:
    planted.write("../nested.py", NESTED)
    hook(planted, name, f"{sys.executable} ../nested.py >> .git/answers")
    publish(planted)
    answers = (planted.path / ".git/answers").read_text().split()
    assert set(answers) == {"inside-git-hook"}


@pytest.mark.skipif(sys.platform != "linux", reason="ancestors are read from /proc")
@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("pre-commit", ("commit", "-q", "-m", "Plain")),
        ("post-checkout", ("checkout", "-q", "-b", "topic")),
        ("reference-transaction", ("branch", "topic")),
        ("pre-rebase", ("rebase", "-q", "-f", "HEAD^")),
    ],
)
def test_a_writer_inside_of_a_hook_of_the_users_git_refuses(
    planted: GitRepo, name: str, command: tuple[str, ...]
) -> None:
    planted.git("stash", "-q")
    planted.git("commit", "-q", "--allow-empty", "-m", "More")
    planted.write("staged.txt", "x")
    planted.git("add", "staged.txt")
    if name == "pre-rebase":
        planted.git("commit", "-q", "-m", "Staged")
    planted.write("../nested.py", NESTED)
    hook(planted, name, f"{sys.executable} ../nested.py >> .git/answers")
    planted.git(*command)
    assert set((planted.path / ".git/answers").read_text().split()) == {"inside-git-hook"}


@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ({"GIT_INDEX_FILE": ".git/index", "GIT_PREFIX": ""}, "inside-git-hook"),
        ({"GIT_INDEX_FILE": "elsewhere"}, "foreign-index"),
        ({"ZDEV_PUBLICATION": "1"}, "inside-git-hook"),
    ],
)
def test_foreign_surroundings_are_refused(
    planted: GitRepo, variables: dict[str, str], code: str
) -> None:
    before = whole_state(planted)
    with (
        pytest.raises(ZdevError) as caught,
        begin(planted, environment={**os.environ, **variables}),
    ):
        pass
    assert caught.value.code == code
    assert whole_state(planted) == before
