"""Publication without a commit, in real repositories."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

import pytest

from git_zdev.ground.changeset import ChangeSet, FileChange, Place
from git_zdev.ground.errors import ZdevError
from git_zdev.publish.attempt import PublishResult
from tests.support.faults import HastyDisk, begin, leftovers, plant, tree

if TYPE_CHECKING:
    from git_zdev.disk.atomic import Disk
    from tests.support.repo import GitRepo

ONE = ".zdev/area/tasks/001-one.md"
TWO = ".zdev/area/tasks/002-two.md"
MIXED = ChangeSet(
    "test",
    (
        FileChange(ONE, b"one\n", b"edited\n"),
        FileChange(TWO, b"two\n", None),
        FileChange(".zdev/area/slices/api.md", None, b"created\n"),
        FileChange(".zdev/config.toml", b"config\n", b"config\n"),
    ),
)


DISKS = {
    "exchange": {},
    "portable": {"portable": True},
    "linkless": {"portable": True, "links": False},
}


@pytest.fixture(params=DISKS)
def disk(request: pytest.FixtureRequest) -> Disk:
    return HastyDisk(**DISKS[request.param])


def test_creates_edits_and_deletes(repo: GitRepo, disk: Disk) -> None:
    plant(repo)
    (repo.path / ONE).chmod(0o755)
    with begin(repo, disk=disk) as tx:
        result = tx.publish(MIXED)
    assert result == PublishResult(paths=(ONE, TWO, ".zdev/area/slices/api.md"))
    assert tree(repo.path / ".zdev") == {
        "area": "/",
        "area/area.toml": b"area\n",
        "area/slices": "/",
        "area/slices/api.md": b"created\n",
        "area/tasks": "/",
        "area/tasks/001-one.md": b"edited\n",
        "config.toml": b"config\n",
    }
    assert (repo.path / ONE).stat().st_mode & 0o777 == 0o755
    assert leftovers(repo) == []


def test_the_first_file_creates_its_folders(repo: GitRepo) -> None:
    with begin(repo) as tx:
        tx.publish(ChangeSet("init", (FileChange(".zdev/config.toml", None, b"x"),)))
    assert tree(repo.path / ".zdev") == {"config.toml": b"x"}


def test_a_plan_may_stand_below_the_work_tree(repo: GitRepo) -> None:
    (repo.path / "sub").mkdir()
    with begin(repo, root="sub") as tx:
        tx.publish(ChangeSet("init", (FileChange(".zdev/config.toml", None, b"x"),)))
    assert (repo.path / "sub" / ".zdev" / "config.toml").read_bytes() == b"x"


def test_the_shared_exclude_file_is_the_main_work_trees(repo: GitRepo) -> None:
    repo.commit(file="x")
    repo.git("worktree", "add", "-q", "../linked")
    linked = type(repo)(repo.path.parent / "linked")
    exclude = repo.path / ".git/info/exclude"
    change = FileChange("info/exclude", exclude.read_bytes(), b"shared", Place.COMMON_DIR)
    with begin(linked) as tx:
        tx.publish(ChangeSet("test", (change,)))
    assert exclude.read_bytes() == b"shared"


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("hooks/pre-commit", Place.COMMON_DIR),
        ("info/attributes", Place.COMMON_DIR),
        ("zdev/reviews/a/current", Place.GIT_DIR),
        ("src/main.py", Place.PLAN_ROOT),
        (".zdev/.git/config", Place.PLAN_ROOT),
        (".zdev", Place.PLAN_ROOT),
    ],
)
def test_what_recovery_would_refuse_is_not_begun(repo: GitRepo, path: str, place: str) -> None:
    with begin(repo) as tx, pytest.raises(ZdevError) as caught:
        tx.publish(ChangeSet("test", (FileChange(path, None, b"x", place),)))
    assert caught.value.code == "unfit-change"
    assert leftovers(repo) == []


def test_an_empty_plan_writes_nothing(repo: GitRepo) -> None:
    plant(repo)
    before = tree(repo.path / ".zdev")
    with begin(repo) as tx:
        pinned = FileChange(ONE, b"one\n", b"one\n")
        assert tx.publish(ChangeSet("test", (pinned,))) == PublishResult()
    assert tree(repo.path / ".zdev") == before


def test_publishes_once(repo: GitRepo) -> None:
    with begin(repo) as tx:
        tx.publish(ChangeSet("test"))
        with pytest.raises(RuntimeError, match="once"):
            tx.publish(ChangeSet("test"))


@pytest.mark.parametrize("path", ["/etc/x", "../x", ".zdev//x", ".zdev/./x", "", "a/../b"])
def test_paths_stay_below_their_place(repo: GitRepo, path: str) -> None:
    with begin(repo) as tx, pytest.raises(ValueError, match="not a path of a plan"):
        tx.publish(ChangeSet("test", (FileChange(path, None, b"x"),)))


def edit(repo: GitRepo) -> None:
    (repo.path / ONE).write_bytes(b"mine\n")


def edit_pinned(repo: GitRepo) -> None:
    (repo.path / ".zdev/config.toml").write_bytes(b"mine\n")


def delete(repo: GitRepo) -> None:
    (repo.path / TWO).unlink()


def create(repo: GitRepo) -> None:
    repo.write(".zdev/area/slices/api.md", "mine\n")


def link_file(repo: GitRepo) -> None:
    (repo.path / ONE).unlink()
    (repo.path / ONE).symlink_to("/etc/hostname")


def link_folder(repo: GitRepo) -> None:
    (repo.path / ".zdev/area").rename(repo.path / "moved")
    (repo.path / ".zdev/area").symlink_to("../moved")


def switch(repo: GitRepo) -> None:
    repo.git("symbolic-ref", "HEAD", "refs/heads/other")


DRIFTS = [edit, edit_pinned, delete, create, link_file, link_folder, switch]


@pytest.mark.parametrize("drift", DRIFTS)
def test_what_moved_since_the_plan_refuses_it(repo: GitRepo, drift: object, disk: Disk) -> None:
    plant(repo)
    with begin(repo, disk=disk) as tx:
        drift(repo)
        before = tree(repo.path)
        with pytest.raises(ZdevError) as caught:
            tx.publish(MIXED)
    assert caught.value.code in {"state-drifted", "unsafe-path"}
    after = tree(repo.path)
    assert after == before
    assert leftovers(repo) == []


@pytest.mark.parametrize("drift", DRIFTS)
def test_what_moves_between_the_gates_refuses_it(repo: GitRepo, drift: object, disk: Disk) -> None:
    """The journal stands when the gates are asked again."""
    plant(repo)
    calls = []

    def gate() -> None:
        calls.append(1)
        if len(calls) == 2:
            drift(repo)
            calls.append(tree(repo.path / ".zdev"))

    with begin(repo, disk=disk) as tx, pytest.raises(ZdevError) as caught:
        tx.publish(MIXED, [gate])
    assert caught.value.code in {"state-drifted", "unsafe-path"}
    assert tree(repo.path / ".zdev") == calls[-1]
    assert leftovers(repo) == []


class Meddler(HastyDisk):
    """Lets somebody act right before a file is exchanged, placed, moved or looked at.

    Only a name that our own empty file reserves is not meddled with in the moment between the last
    look and the rename: there the portable way has its one gap.
    """

    def __init__(self, kind: str, number: int, act: object) -> None:
        super().__init__(**DISKS[kind])
        self.left = number
        self.act = act

    def _meddle(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.act()

    def place(self, source, target, sign=None):
        self._meddle()
        super().place(source, target, sign)

    def rename(self, source, target):
        if self.stat(target) is None:
            self._meddle()
        super().rename(source, target)

    def is_empty_file(self, spot):
        self._meddle()
        return super().is_empty_file(spot)

    def swap(self, one, other):
        if not self._portable:
            self._meddle()
        return super().swap(one, other)


@pytest.mark.parametrize("kind", DISKS)
@pytest.mark.parametrize("number", range(1, 12))
@pytest.mark.parametrize("drift", [edit, delete, create, link_file])
def test_an_edit_at_the_last_moment_is_never_lost(
    repo: GitRepo, drift: object, number: int, kind: str
) -> None:
    plant(repo)
    expected = {}

    def act() -> None:
        stood = tree(repo.path / ".zdev")
        drift(repo)
        for name, content in tree(repo.path / ".zdev").items():
            if stood.get(name) != content:
                expected[name] = content
        expected["gone"] = sorted(stood.keys() - tree(repo.path / ".zdev").keys())

    disk = Meddler(kind, number, act)
    with begin(repo, disk=disk) as tx, contextlib.suppress(ZdevError):
        tx.publish(MIXED)
    after = tree(repo.path / ".zdev")
    gone = expected.pop("gone", [])
    for name, content in expected.items():
        assert after[name] == content
    for name in gone:
        assert name not in after or name == "area/tasks/002-two.md"


def test_gates_are_asked_before_and_after_the_journal(repo: GitRepo) -> None:
    plant(repo)
    seen = []
    with begin(repo) as tx:
        tx.publish(MIXED, [lambda: seen.append(leftovers(repo))])
    first, second = seen
    assert first == []
    assert [os.path.basename(path) for path in second] == ["journal"]


def test_the_last_gates_are_asked_once_behind_the_others(repo: GitRepo) -> None:
    plant(repo)
    seen = []
    with begin(repo) as tx:
        tx.publish(
            MIXED,
            [lambda: seen.append("gate")],
            last=[lambda: seen.append([os.path.basename(path) for path in leftovers(repo)])],
        )
    assert seen == ["gate", "gate", ["journal"]]


@pytest.mark.parametrize("kind", ["gates", "last"])
def test_a_gate_that_refuses_leaves_everything(repo: GitRepo, kind: str) -> None:
    plant(repo)
    before = tree(repo.path)

    def refuse() -> None:
        raise ZdevError("no", "no")

    with begin(repo) as tx, pytest.raises(ZdevError, match="no"):
        tx.publish(MIXED, **{kind: [refuse]})
    after = tree(repo.path)
    for name in (".git/zdev", ".git/zdev/secret", ".git/zdev-state.lock"):
        after.pop(name, None)
    assert after == before
