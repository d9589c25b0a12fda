"""Other writers, other users, full disks, other file systems, and what moves meanwhile."""

from __future__ import annotations

import os
import resource
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from git_zdev.ground.changeset import ChangeSet, CommitPlan, FileChange
from git_zdev.ground.errors import ZdevError
from git_zdev.plan.records.store import FileSource
from git_zdev.publish.watch import Watched
from tests.support.faults import (
    HastyDisk,
    begin,
    index_entries,
    leftovers,
    plant,
    tree,
    whole_state,
)
from tests.support.repo import GitRepo, make_repo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ONE = ".zdev/area/tasks/001-one.md"
NEW = ".zdev/area/tasks/003-new.md"
CHANGES = (FileChange(ONE, b"one\n", b"edited\n"), FileChange(NEW, None, b"new\n"))
FILES = ChangeSet("edit", CHANGES)
COMMIT = ChangeSet("import", CHANGES, CommitPlan("Add tasks\n", (ONE, NEW)))
NOBODY = 65534


@pytest.fixture
def tracked(repo: GitRepo) -> GitRepo:
    plant(repo)
    repo.git("add", ".")
    repo.commit("First")
    repo.write("staged.txt", "staged\n")
    repo.git("add", "staged.txt")
    return repo


def stage(repo: GitRepo) -> None:
    repo.write("other.txt", "other\n")
    repo.git("add", "other.txt")


def refresh(repo: GitRepo) -> None:
    repo.git("read-tree", "HEAD")


def move_head(repo: GitRepo) -> None:
    tip = repo.git("commit-tree", "-p", "HEAD", "-m", "Theirs", repo.rev("HEAD^{tree}"))
    repo.git("update-ref", "HEAD", tip)


def switch(repo: GitRepo) -> None:
    repo.git("checkout", "-q", "-b", "other")


def edit(repo: GitRepo) -> None:
    repo.write(ONE, "theirs\n")


def replace_by_link(repo: GitRepo) -> None:
    (repo.path / ONE).unlink()
    (repo.path / ONE).symlink_to("002-two.md")


def start_merge(repo: GitRepo) -> None:
    repo.write(".git/MERGE_HEAD", repo.rev("HEAD") + "\n")


DRIFTS = {
    stage: "state-drifted",
    refresh: "state-drifted",
    move_head: "state-drifted",
    switch: "state-drifted",
    edit: "state-drifted",
    replace_by_link: "unsafe-path",
    start_merge: "operation-in-progress",
}


@pytest.mark.parametrize("drift", DRIFTS, ids=lambda one: one.__name__)
def test_what_moves_before_a_commit_stops_it(
    tracked: GitRepo, drift: Callable[[GitRepo], None]
) -> None:
    with begin(tracked, disk=HastyDisk()) as tx:
        drift(tracked)
        before = whole_state(tracked)
        with pytest.raises(ZdevError) as caught:
            tx.publish(COMMIT)
    assert caught.value.code == DRIFTS[drift]
    assert whole_state(tracked) == before
    assert leftovers(tracked) == []


@pytest.mark.parametrize("drift", [move_head, edit, replace_by_link, start_merge])
def test_what_moves_under_the_index_lock_stops_it_too(
    tracked: GitRepo, drift: Callable[[GitRepo], None]
) -> None:
    states = []

    def gate() -> None:
        if (tracked.path / ".git/index.lock").exists():
            drift(tracked)
            states.append(whole_state(tracked))

    with begin(tracked, disk=HastyDisk()) as tx, pytest.raises(ZdevError) as caught:
        tx.publish(COMMIT, [gate])
    assert caught.value.code == DRIFTS[drift]
    assert [whole_state(tracked)] == states
    assert leftovers(tracked) == []


def test_an_edit_while_git_stages_is_not_swept_in(tracked: GitRepo) -> None:
    """The clean filter stands in for somebody who edits the file at that moment."""
    tracked.write(".git/info/attributes", f"{NEW} filter=meddle\n")
    tracked.git("config", "filter.meddle.clean", f"cat; echo theirs > {NEW}")
    with begin(tracked, disk=HastyDisk()) as tx, pytest.raises(ZdevError) as caught:
        tx.publish(COMMIT)
    assert caught.value.code == "state-drifted"
    assert caught.value.details["kept"] == [NEW]
    assert (tracked.path / NEW).read_text() == "theirs\n"
    assert (tracked.path / ONE).read_text() == "one\n"


def test_what_a_command_read_must_still_stand(repo: GitRepo) -> None:
    plant(repo)
    watched = Watched(FileSource(str(repo.path)))
    assert watched.read(".zdev/area/area.toml") == b"area\n"
    assert watched.read(".zdev/none") is None
    names = [name for name, _ in watched.names(".zdev/area/tasks")]
    assert names == ["001-one.md", "002-two.md"]
    watched.verify()
    for path in (".zdev/area/area.toml", ".zdev/none", ".zdev/area/tasks/003-new.md"):
        file = repo.path / path
        before = file.read_bytes() if file.exists() else None
        file.write_bytes(b"theirs\n")
        with begin(repo) as tx, pytest.raises(ZdevError) as caught:
            tx.publish(FILES, [watched.verify])
        assert caught.value.code == "state-drifted"
        assert leftovers(repo) == []
        if before is None:
            file.unlink()
        else:
            file.write_bytes(before)
    watched.verify()


def in_a_child(run: Callable[[], None], *, nobody: bool = False) -> str:
    """Run in a forked process, without privileges for ``nobody``: ``done``, or code and message."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads of the test runner
        pid = os.fork()
    if pid == 0:
        said = "died"
        try:
            if nobody and os.getuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            run()
            said = "done"
        except ZdevError as error:
            said = f"{error.code}: {error}"
        except (OSError, AssertionError, RuntimeError) as error:
            said = repr(error)
        finally:
            os.write(writing, said.encode())
            os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as pipe:
        said = pipe.read()
    os.waitpid(pid, 0)
    return said


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Iterator[GitRepo]:
    """A repository that belongs to nobody, in folders that nobody can reach."""
    folder = Path(tempfile.mkdtemp(prefix="zdev-"))
    folder.chmod(0o755)
    monkeypatch.setenv("HOME", str(folder / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "home/.config"))
    repo = make_repo(folder / "repo")
    plant(repo)
    repo.git("add", ".")
    repo.commit("First")
    with begin(repo) as tx:  # loads what the child may not read any more
        tx.publish(
            ChangeSet(
                "x", (FileChange(".zdev/warm", None, b""),), CommitPlan("Warm", (".zdev/warm",))
            )
        )
    (repo.path / ".git/zdev/secret").unlink()
    (repo.path / ".git/zdev").rmdir()
    (repo.path / ".git/zdev-state.lock").unlink()
    if os.getuid() == 0:
        for path in [repo.path, *repo.path.rglob("*")]:
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    yield repo
    for path in folder.rglob("*"):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    shutil.rmtree(folder)


DENIED = {
    (".git", "files"): "not-writable",
    (".git", "commit"): "not-writable",
    (".zdev/area/tasks", "files"): "not-writable",
    (".zdev/area/tasks", "commit"): "not-writable",
    (".git/objects", "files"): "done",
    (".git/objects", "commit"): "git-failed",
    (".git/refs/heads", "files"): "done",
    (".git/refs/heads", "commit"): "commit-failed",
}


@pytest.mark.parametrize(("folder", "kind"), [*DENIED], ids=str)
def test_folders_that_may_not_be_written(shared: GitRepo, folder: str, kind: str) -> None:
    """Permission is no matter for root, so a child without privileges tries."""
    target = shared.path / folder
    for path in [target, *target.rglob("*")] if folder == ".git/objects" else [target]:
        if path.is_dir():
            path.chmod(0o555)
    before = whole_state(shared)

    def run() -> None:
        with begin(shared, disk=HastyDisk()) as tx:
            tx.publish(FILES if kind == "files" else COMMIT)

    code, _, message = in_a_child(run, nobody=True).partition(": ")
    assert code == DENIED[folder, kind], message
    if code != "done":
        assert "ermission" in message
        assert whole_state(shared) == before
    assert leftovers(shared) == []


@pytest.mark.parametrize("limit", [0, 100, 600, 3000])
@pytest.mark.parametrize("plan", [FILES, COMMIT], ids=["files", "commit"])
def test_files_that_may_not_grow(tracked: GitRepo, plan: ChangeSet, limit: int) -> None:
    large = FileChange(".zdev/large", None, os.urandom(4000))
    before = whole_state(tracked)

    def run() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        with begin(tracked, disk=HastyDisk()) as tx:
            tx.publish(ChangeSet(plan.command, (*plan.changes, large), plan.commit))

    assert in_a_child(run).startswith("no-space: ")
    assert whole_state(tracked) == before
    assert leftovers(tracked) == []


def test_git_may_run_out_of_room_alone(tracked: GitRepo) -> None:
    """The limit comes after our own files are written: Git dies of it by a signal."""
    before = whole_state(tracked)

    class Tight(HastyDisk):
        def sync(self, spot: object) -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))

    def run() -> None:
        with begin(tracked, disk=Tight(portable=True)) as tx:
            tx.publish(COMMIT)

    assert in_a_child(run).partition(": ")[0] in {"commit-failed", "no-space"}
    assert whole_state(tracked) == before
    assert leftovers(tracked) == []


@pytest.mark.parametrize("kind", ["files", "commit"])
@pytest.mark.parametrize("portable", [False, True], ids=["exchange", "portable"])
def test_a_git_directory_on_another_file_system(tmp_path: Path, kind: str, portable: bool) -> None:
    shm = Path("/dev/shm")
    if not shm.is_dir() or shm.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no second file system at hand")
    with tempfile.TemporaryDirectory(dir=shm) as elsewhere:
        repo = GitRepo(tmp_path / "repo")
        repo.path.mkdir()
        repo.git("init", "-q", "-b", "main", f"--separate-git-dir={elsewhere}/git")
        plant(repo)
        repo.git("add", ".")
        repo.commit("First")
        before = tree(repo.path)
        plan = FILES if kind == "files" else COMMIT
        fail = ChangeSet(
            "fail", (*CHANGES, FileChange(".zdev/area/tasks/002-two.md", b"two\n", None))
        )

        calls = []

        def refuse() -> None:
            calls.append(1)

        class Refusing(HastyDisk):
            def sync_folder(self, folder: object) -> None:
                if calls and folder.path.endswith("tasks"):
                    raise OSError(5, "Input/output error", "x")

        with begin(repo, disk=Refusing(portable=portable)) as tx, pytest.raises(ZdevError):
            tx.publish(fail, [refuse])
        assert tree(repo.path) == before

        with begin(repo, disk=HastyDisk(portable=portable)) as tx:
            tx.publish(plan)
        assert (repo.path / ONE).read_bytes() == b"edited\n"
        assert (repo.path / NEW).read_bytes() == b"new\n"
        assert sorted(path.name for path in (repo.path / ".zdev/area/tasks").iterdir()) == [
            "001-one.md",
            "002-two.md",
            "003-new.md",
        ]
        assert os.listdir(f"{elsewhere}/git/zdev") == ["secret"]
        if kind == "commit":
            assert repo.git("status", "--porcelain") == ""


def test_other_entries_keep_their_stat_data_through_many_publications(tracked: GitRepo) -> None:
    before = index_entries(tracked)["staged.txt"]
    old = b"one\n"
    for number in range(5):
        new = b"%d\n" % number
        change = FileChange(ONE, old, new)
        with begin(tracked, disk=HastyDisk()) as tx:
            tx.publish(ChangeSet("x", (change,), CommitPlan(f"{number}\n", (ONE,))))
        old = new
    assert index_entries(tracked)["staged.txt"] == before
    assert tracked.git("rev-list", "--count", "HEAD") == "6"
