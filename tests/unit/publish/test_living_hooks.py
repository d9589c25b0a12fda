"""A branch that moves at the worst moment, and hooks that go on with what they find."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from git_zdev.ground.changeset import ChangeSet, CommitPlan, FileChange
from git_zdev.ground.errors import ZdevError
from tests.support.faults import HastyDisk, begin, leftovers, plant, whole_state

if TYPE_CHECKING:
    from pathlib import Path

    from git_zdev.publish.attempt import PublishResult
    from tests.support.repo import GitRepo

ONE = ".zdev/area/tasks/001-one.md"
NEW = ".zdev/area/tasks/003-new.md"
CHANGE_ID = f"Z{'0' * 64}"
CHANGES = (FileChange(ONE, b"one\n", b"edited\n"), FileChange(NEW, None, b"new\n"))
PLAN = ChangeSet(
    "test", CHANGES, CommitPlan(f"Add tasks\n\nZdev-Change-Id: {CHANGE_ID}\n", (ONE, NEW))
)
WITHOUT_ID = ChangeSet("test", CHANGES, CommitPlan("Add tasks\n", (ONE, NEW)))
PLANS = pytest.mark.parametrize("plan", [PLAN, WITHOUT_ID], ids=["change id", "no change id"])


@pytest.fixture
def planted(repo: GitRepo) -> GitRepo:
    """A repository of two commits, with something staged and something not."""
    repo.write("other.txt", "other\n")
    repo.git("add", ".")
    repo.commit("Zero")
    plant(repo)
    repo.git("add", ".")
    repo.commit("First")
    repo.write("staged.txt", "staged\n")
    repo.git("add", "staged.txt")
    repo.write("other.txt", "unstaged\n")
    return repo


def publish(repo: GitRepo, plan: ChangeSet = PLAN) -> PublishResult:
    with begin(repo, disk=HastyDisk()) as tx:
        return tx.publish(plan)


def hook(repo: GitRepo, name: str, script: str) -> None:
    """A hook that acts once: what it starts itself runs no second one."""
    once = "test ! -e .git/once || exit 0; : > .git/once"
    repo.write(f".git/hooks/{name}", f"#!/bin/sh\n{once}\n{script}\n").chmod(0o755)


def interposed(repo: GitRepo, monkeypatch: pytest.MonkeyPatch, before_commit: str) -> None:
    """Put a `git` on PATH that runs a script before `git commit` begins."""
    real = shutil.which("git")
    folder = repo.path.parent / "bin"
    folder.mkdir()
    script = f"""#!/bin/sh
case " $* " in *" commit "*)
    ( unset GIT_INDEX_FILE; cd {repo.path}; git() {{ {real} "$@"; }}; {before_commit} ) ;;
esac
exec {real} "$@"
"""
    (folder / "git").write_text(script)
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


PUSHED = """
blob=$(echo pushed | git hash-object -w --stdin)
tree=$(printf '100644 blob %s\\tpushed.txt\\n' $blob | cat - /dev/null)
tree=$( (git ls-tree HEAD; printf '%s\\n' "$tree") | git mktree)
git update-ref refs/heads/main $(git commit-tree -p HEAD -m Pushed $tree)
"""


@PLANS
@pytest.mark.parametrize("detached", [False, True], ids=["branch", "detached"])
def test_a_branch_that_moves_before_git_commit_reads_it_keeps_its_commit(
    planted: GitRepo, monkeypatch: pytest.MonkeyPatch, plan: ChangeSet, *, detached: bool
) -> None:
    script = PUSHED
    if detached:
        planted.git("checkout", "-q", "--detach")
        script = PUSHED.replace("refs/heads/main", "--no-deref HEAD")
    interposed(planted, monkeypatch, script)
    before = whole_state(planted)
    with pytest.raises(ZdevError) as caught:
        publish(planted, plan)
    assert caught.value.code == "state-drifted"
    assert "HEAD moved meanwhile" in caught.value.message
    assert planted.git("log", "-1", "--format=%s") == "Pushed"
    assert planted.git("show", "HEAD:pushed.txt") == "pushed"
    after = whole_state(planted)
    for part in ("files", "folders", "index"):
        assert after[part] == before[part]
    assert leftovers(planted) == []


def test_a_branch_that_is_born_meanwhile_keeps_its_commit(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = ChangeSet("test", (CHANGES[1],), CommitPlan("Add tasks\n", (NEW,)))
    born = "git commit-tree -m Born $(git mktree </dev/null)"
    interposed(repo, monkeypatch, f"git update-ref HEAD $({born})")
    with pytest.raises(ZdevError) as caught:
        publish(repo, plan)
    assert caught.value.code == "state-drifted"
    assert repo.git("log", "--format=%s") == "Born"
    assert not (repo.path / ".zdev").exists()


def test_head_that_points_elsewhere_before_git_commit_reads_it(
    planted: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted.git("branch", "other")
    interposed(planted, monkeypatch, "git symbolic-ref HEAD refs/heads/other")
    before = whole_state(planted)
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert caught.value.code == "hook-altered-commit"
    assert planted.rev("other") == planted.rev("main") == planted.rev("main@{0}")
    after = whole_state(planted)
    for part in ("files", "folders", "index"):
        assert after[part] == before[part]


def test_a_commit_that_nobody_asked_about_is_taken_off_the_other_one(
    planted: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where hooks do not run at all, nothing keeps Git from another parent."""
    from git_zdev.git import commit_hooks

    monkeypatch.setattr(commit_hooks, "_ALONE", "#!/bin/sh\nexit 0\n")
    interposed(planted, monkeypatch, PUSHED)
    before = whole_state(planted)
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert caught.value.code == "hook-altered-commit"
    assert "it was taken off refs/heads/main again" in caught.value.message
    assert planted.git("log", "-1", "--format=%s") == "Pushed"
    after = whole_state(planted)
    for part in ("files", "folders", "index"):
        assert after[part] == before[part]
    assert leftovers(planted) == []


AMENDED = "echo 2 > VERSION; git add VERSION; git commit -q --amend"


@PLANS
@pytest.mark.parametrize("message", ["--no-edit", "-m Bumped"], ids=["same message", "another"])
def test_a_commit_that_a_hook_amends_to_another_tree_is_taken_back(
    planted: GitRepo, plan: ChangeSet, message: str
) -> None:
    hook(planted, "post-commit", f"{AMENDED} {message}")
    before = whole_state(planted)
    with pytest.raises(ZdevError) as caught:
        publish(planted, plan)
    assert caught.value.code == "hook-altered-commit"
    assert "it was taken off refs/heads/main again" in caught.value.message
    amended = caught.value.details["commit"]
    assert planted.git("show", f"{amended}:VERSION") == "2"
    assert (planted.path / "VERSION").read_text() == "2\n"
    (planted.path / "VERSION").unlink()
    assert whole_state(planted) == before
    assert leftovers(planted) == []


def test_a_commit_that_a_hook_melts_into_the_one_below_is_taken_back(planted: GitRepo) -> None:
    """What the hook took off the branch together with ours comes back."""
    hook(
        planted,
        "post-commit",
        'm=$(git log -1 --format=%B); git reset -q --soft HEAD~2; git commit -q -m "$m"',
    )
    before = whole_state(planted)
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert caught.value.code == "hook-altered-commit"
    assert whole_state(planted) == before
    assert leftovers(planted) == []


def test_a_commit_that_a_hook_replays_on_another_is_taken_off_that(planted: GitRepo) -> None:
    """As after a hook that pulls with a rebase: what it brought stays."""
    planted.git("branch", "upstream")
    upstream = planted.git("commit-tree", "-p", "main", "-m", "Pulled", "main^{tree}")
    hook(
        planted,
        "post-commit",
        f"""git update-ref refs/heads/main $(git log -1 --format=%B |
            git commit-tree -p {upstream} 'HEAD^{{tree}}')""",
    )
    before = whole_state(planted)
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert caught.value.code == "hook-altered-commit"
    assert planted.rev("main") == upstream
    after = whole_state(planted)
    for part in ("files", "folders", "index"):
        assert after[part] == before[part]


@pytest.mark.parametrize("name", ["pre-commit", "commit-msg"])
def test_a_hook_that_commits_the_plan_first_has_published_it(planted: GitRepo, name: str) -> None:
    hook(planted, name, "git commit -q -m Theirs")
    result = publish(planted)
    assert result.commit == planted.rev("HEAD")
    assert result.change_id is None
    assert planted.git("log", "-1", "--format=%s") == "Theirs"
    assert planted.git("status", "--porcelain") == " M other.txt\nA  staged.txt"
    assert leftovers(planted) == []


@pytest.mark.parametrize("how", ["--soft", "--mixed", "--hard"])
def test_a_hook_that_resets_leaves_nothing_of_the_commit(planted: GitRepo, how: str) -> None:
    planted.git("checkout", "-q", "other.txt")  # or a hard reset takes the user's edit
    hook(planted, "post-commit", f"git reset -q {how} HEAD^")
    before = whole_state(planted)
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert (caught.value.code, caught.value.message) == (
        "commit-failed",
        "a hook took the new commit off the branch again",
    )
    assert caught.value.hint.startswith("Everything else is as before; ")
    assert without_times(whole_state(planted)) == without_times(before)
    assert leftovers(planted) == []


def without_times(state: dict[str, object]) -> dict[str, object]:
    files = state["files"]
    assert isinstance(files, dict)
    return state | {"files": {name: facts[:2] for name, facts in files.items()}}


@pytest.mark.parametrize(
    ("script", "branch", "status"),
    [
        ("git switch -q -c side", "side", " M other.txt\nA  staged.txt"),
        ("git switch -q --detach", "HEAD", " M other.txt\nA  staged.txt"),
        ("git branch old HEAD^; git switch -q old", "old", " M other.txt\nA  staged.txt"),
    ],
)
def test_a_hook_may_switch_after_the_commit(
    planted: GitRepo, script: str, branch: str, status: str
) -> None:
    hook(planted, "post-commit", script)
    result = publish(planted)
    assert result.commit == planted.rev("main")
    assert planted.git("rev-parse", "--abbrev-ref", "HEAD") == branch
    assert planted.git("status", "--porcelain") == status
    assert leftovers(planted) == []


def test_a_commit_that_a_hook_moves_to_another_branch_is_taken_off_that(planted: GitRepo) -> None:
    hook(planted, "post-commit", "git switch -q -c side; git update-ref refs/heads/main HEAD^")
    before = whole_state(planted)
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert caught.value.code == "hook-altered-commit"
    assert planted.rev("main") == planted.rev("side")
    after = whole_state(planted)
    for part in ("files", "folders", "index"):
        assert after[part] == before[part]


def test_a_hook_that_reverts_on_top_leaves_the_files_to_that_commit(planted: GitRepo) -> None:
    hook(planted, "post-commit", "git revert --no-edit HEAD >/dev/null")
    result = publish(planted)
    assert result.commit == planted.rev("HEAD^")
    assert planted.git("status", "--porcelain") == " M other.txt\nA  staged.txt"
    assert (planted.path / ONE).read_bytes() == b"one\n"


def test_hooks_find_the_surroundings_that_git_gives_them(
    planted: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their name, arguments, input and configuration are those of an ordinary commit."""
    planted.write(".git/info/exclude", "/seen\n")
    for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction"):
        script = f"""#!/bin/sh
{{ echo "{name} $0 $*"; git config core.hooksPath; git config some.key; cat
ls /proc/self/fd | wc -l
env | grep -o -E '^(ZDEV_CONFIG_PARAMETERS|GIT_CONFIG_PARAMETERS)'; }} >> seen
"""
        planted.write(f".git/hooks/{name}", script).chmod(0o755)
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'some.key'='some value'")
    planted.git("commit", "-q", "-m", "Plain")
    plain = seen(planted)
    planted.git("reset", "-q", "--soft", "HEAD^")
    seen(planted)
    publish(planted)
    ours = seen(planted)
    assert [is_move(line) for line in ours] == [is_move(line) for line in plain]
    assert [line for line in ours if not is_move(line)] == [
        line for line in plain if not is_move(line)
    ]


def seen(repo: GitRepo) -> list[str]:
    found = (repo.path / "seen").read_text().splitlines()
    (repo.path / "seen").unlink()
    return found


def is_move(line: str) -> bool:
    return len(line.split()) == 3 and len(line.split(maxsplit=1)[0]) == 40


def test_a_reference_transaction_hook_of_the_user_still_refuses(planted: GitRepo) -> None:
    script = '#!/bin/sh\ntest "$1" != prepared || { echo no entry >&2; exit 1; }\n'
    planted.write(".git/hooks/reference-transaction", script).chmod(0o755)
    before = whole_state(planted)
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert caught.value.code == "commit-failed"
    assert "no entry" in caught.value.said
    assert whole_state(planted) == before


def test_a_journal_that_is_destroyed_meanwhile_is_told_with_its_paths(planted: GitRepo) -> None:
    hook(planted, "pre-commit", "rm -r .git/zdev/journal; exit 1")
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert caught.value.code == "rollback-incomplete"
    assert caught.value.details["paths"] == [ONE, NEW]


def test_paths_with_quotes_and_spaces_reach_the_hooks(
    tmp_path: Path, new_repo: object, planted: GitRepo
) -> None:
    folder = tmp_path / "it's a hook"
    folder.mkdir()
    (folder / "pre-commit").write_text("#!/bin/sh\necho ran >&2; exit 1\n")
    (folder / "pre-commit").chmod(0o755)
    planted.git("config", "core.hooksPath", str(folder))
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert caught.value.said == "ran"


def test_locks_that_a_killed_git_leaves_are_named_at_once(planted: GitRepo) -> None:
    killed = "while read -r word pid; do test $word != PPid: || kill -9 $pid; done"
    script = f'#!/bin/sh\ntest "$1" != prepared || {killed} < /proc/$PPID/status\n'
    planted.write(".git/hooks/reference-transaction", script).chmod(0o755)
    before = whole_state(planted)
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert caught.value.code == "commit-failed"
    assert caught.value.message == "`git commit` was ended by SIGKILL"
    locks = [str(planted.path / ".git" / name) for name in ("HEAD.lock", "refs/heads/main.lock")]
    assert caught.value.details["locks"] == locks
    assert all(lock in caught.value.hint for lock in locks)
    assert leftovers(planted) == locks
    for lock in locks:
        os.unlink(lock)
    after = whole_state(planted)
    assert after == before


def hooks_that_refuse(repo: GitRepo, folder: str) -> None:
    repo.write(f"{folder}/pre-commit", "#!/bin/sh\necho no >&2; exit 1\n").chmod(0o755)


def test_hooks_behind_a_link_are_found_as_the_system_finds_them(planted: GitRepo) -> None:
    hooks_that_refuse(planted, "x/hooks")
    (planted.path / "x/y").mkdir()
    (planted.path / "link").symlink_to("x/y")
    planted.git("config", "core.hooksPath", "link/../hooks")
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert caught.value.said == "no"


def test_an_empty_hooks_path_names_no_hooks(planted: GitRepo) -> None:
    hooks_that_refuse(planted, ".git/hooks")
    planted.git("config", "core.hooksPath", "")
    planted.git("commit", "-q", "--allow-empty", "-m", "Git runs none either")
    assert publish(planted).commit == planted.rev("HEAD")


def test_hooks_run_where_ours_cannot(planted: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a Git directory that is mounted noexec, with hooks elsewhere."""
    hooks_that_refuse(planted, "hooks")
    planted.git("config", "core.hooksPath", "hooks")
    access = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: "/zdev/journal/" not in str(path) and access(path, mode)
    )
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert caught.value.said == "no"
    planted.git("config", "--unset", "core.hooksPath")
    assert publish(planted).commit == planted.rev("HEAD")


def test_a_link_in_place_of_a_managed_file_is_named_and_not_staged(planted: GitRepo) -> None:
    hook(planted, "pre-commit", f"echo formatted > {ONE}; rm {NEW}; ln -s /etc/passwd {NEW}")
    notes = publish(planted).notes
    assert f"Note: the work tree has other files than the commit: {NEW}" in notes
    assert (planted.path / ONE).read_bytes() == b"edited\n"
    assert planted.git("diff", "--cached", "--name-only") == "staged.txt"


def test_a_version_that_was_set_aside_is_named_beside_what_was_kept(planted: GitRepo) -> None:
    hook(planted, "pre-commit", f"echo mine > {ONE}; rm {NEW}; mkdir {NEW}; exit 1")
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert caught.value.details["kept"] == [NEW]
    (aside,) = caught.value.details["set_aside"].values()
    assert aside.rpartition("/")[0] in caught.value.message
    with open(aside, "rb") as file:
        assert file.read() == b"mine\n"


def test_a_hook_that_makes_the_folders_anew_is_undone(planted: GitRepo) -> None:
    folder = NEW.rpartition("/")[0]
    hook(planted, "pre-commit", f"mv {folder} t; mkdir {folder}; cp t/* {folder}; rm -r t; exit 1")
    before = without_times(whole_state(planted))
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert caught.value.code == "commit-failed"
    assert without_times(whole_state(planted)) == before
    assert leftovers(planted) == []


def test_a_commit_whose_journal_is_destroyed_is_taken_back(planted: GitRepo) -> None:
    first = planted.rev("HEAD")
    hook(planted, "post-commit", "rm -r .git/zdev")
    with pytest.raises(ZdevError) as caught:
        publish(planted)
    assert caught.value.code == "rollback-incomplete"
    assert "the journal was removed meanwhile" in caught.value.message
    assert caught.value.details["paths"] == [ONE, NEW]
    assert planted.rev("HEAD") == first
    assert leftovers(planted) == []
