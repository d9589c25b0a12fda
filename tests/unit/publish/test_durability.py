"""What is on the disk at the moments that count, should the power fail right then."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.git.process import InstalledGit
from git_zdev.ground.errors import ZdevError
from tests.support.faults import (
    BY_NAME,
    NEW,
    ONE,
    Faults,
    FaultyGit,
    HastyDisk,
    begin,
    crash,
    leftovers,
    opened,
    recovered,
    whole_state,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from git_zdev.disk.atomic import Folder, Spot
    from tests.support.repo import GitRepo


class Volatile(HastyDisk):
    """A disk that knows which bytes and names a loss of power would take.

    Attributes:
        loose_bytes: Paths of files whose bytes may be lost.
        loose_names: Paths of folders in which names may be lost.
        moments: What may be lost at each moment that counts.
        on_first_move: Called when files begin to move.
    """

    def __init__(self, git_dir: str, *, portable: bool, links: bool) -> None:
        super().__init__(portable=portable, links=links)
        self._store = f"{git_dir}/zdev"
        self.loose_bytes: set[str] = set()
        self.loose_names: set[str] = set()
        self.moments: dict[str, tuple[set[str], set[str]]] = {}
        self.on_first_move: Callable[[], None] | None = None

    def note(self, moment: str) -> None:
        """Remember what may be lost, the first time that a moment comes."""
        self.moments.setdefault(moment, (set(self.loose_bytes), set(self.loose_names)))

    def create(self, spot: Spot, *arguments: Any, **options: Any) -> os.stat_result:
        self.loose_bytes.add(spot.path)
        self.loose_names.add(spot.folder.path)
        return super().create(spot, *arguments, **options)

    def _moved(self, source: Spot, target: Spot) -> None:
        if not all(spot.folder.path.startswith(f"{self._store}/") for spot in (source, target)):
            self.note("begins to move files")
            act, self.on_first_move = self.on_first_move, None
            if act is not None:
                act()
        if source.path in self.loose_bytes:
            self.loose_bytes.remove(source.path)
            self.loose_bytes.add(target.path)
        self.loose_names |= {source.folder.path, target.folder.path}

    def rename(self, source: Spot, target: Spot) -> None:
        if target.path == f"{self._store}/journal":
            self.note("has a journal")
        elif source.path == f"{self._store}/journal":
            self.note("is over")
        else:
            self.loose_bytes.discard(target.path)
            self._moved(source, target)
        super().rename(source, target)
        self.loose_names.add(source.folder.path)

    def place(self, source: Spot, target: Spot, sign: Spot | None = None) -> None:
        self._moved(source, target)
        super().place(source, target, sign)

    def swap(self, one: Spot, other: Spot) -> bool:
        done = super().swap(one, other)
        if done:
            self._moved(one, other)
        return done

    def sync_folder(self, folder: Folder) -> None:
        super().sync_folder(folder)
        self.loose_names.discard(folder.path)

    def _force(self, descriptor: int) -> None:
        forced = os.readlink(f"/proc/self/fd/{descriptor}")
        self.loose_bytes = {path for path in self.loose_bytes if os.path.realpath(path) != forced}

    def _force_all(self, descriptor: int) -> None:
        self.loose_bytes.clear()
        self.loose_names.clear()


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="the system has no /proc")
@pytest.mark.parametrize(
    ("portable", "links"),
    [(False, True), (True, True), (True, False)],
    ids=["at once", "piece by piece", "without links"],
)
def test_nothing_is_done_upon_what_could_be_lost(
    repo: GitRepo, *, portable: bool, links: bool
) -> None:
    BY_NAME["commit"].prepare(repo)
    git_dir = f"{repo.path}/.git"
    disk = Volatile(git_dir, portable=portable, links=links)
    released = Faults(released=lambda _: disk.note("commits"))
    git = FaultyGit(InstalledGit(opened(repo).location, os.environ), released)
    with begin(repo, disk=disk, git=git) as held:
        held.publish(BY_NAME["commit"].change)
    journal = f"{git_dir}/zdev/journal"
    assert disk.moments["has a journal"][0] == set()
    lost_bytes, lost_names = disk.moments["begins to move files"]
    assert lost_bytes == set()
    assert lost_names <= {git_dir}  # index.lock
    lost_bytes, lost_names = disk.moments["commits"]
    guard = f"{journal}/hooks/reference-transaction"  # of no use to anybody after a loss
    assert lost_bytes <= ({f"{journal}/commit-index", guard} if portable else set())
    hooks = {journal, f"{journal}/hooks"}
    assert lost_names <= ({git_dir, *hooks} if portable else set())
    assert disk.moments["is over"] == (set(), set())


REF = "the branch"


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="the system has no /proc")
@pytest.mark.parametrize("portable", [False, True], ids=["at once", "piece by piece"])
def test_what_was_taken_back_is_not_lost_with_the_way_back(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch, *, portable: bool
) -> None:
    BY_NAME["commit"].prepare(repo)
    amends = "rm .git/hooks/post-commit; echo 2 > VERSION; git add VERSION; git commit -q --amend"
    hook = repo.write(".git/hooks/post-commit", f"#!/bin/sh\n{amends} --no-edit\n")
    hook.chmod(0o755)
    disk = Volatile(f"{repo.path}/.git", portable=portable, links=True)
    git = InstalledGit(opened(repo).location, os.environ)
    move_ref = git.move_ref

    def moved(*arguments: Any) -> None:
        move_ref(*arguments)
        disk.loose_bytes.add(REF)

    monkeypatch.setattr(git, "move_ref", moved)
    with begin(repo, disk=disk, git=git) as held, pytest.raises(ZdevError) as caught:
        held.publish(BY_NAME["commit"].change)
    assert caught.value.code == "hook-altered-commit"
    assert REF not in disk.moments["is over"][0]
    assert disk.moments["is over"] == (set(), set())


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="the system has no /proc")
@pytest.mark.parametrize("portable", [False, True], ids=["exchanged", "portable"])
def test_files_that_were_put_back_are_on_the_disk(repo: GitRepo, *, portable: bool) -> None:
    BY_NAME["files"].prepare(repo)
    disk = Volatile(f"{repo.path}/.git", portable=portable, links=True)
    last = repo.path / NEW

    def in_the_way() -> None:
        last.parent.mkdir(exist_ok=True)
        last.write_bytes(b"theirs\n")

    disk.on_first_move = in_the_way
    with begin(repo, disk=disk) as held, pytest.raises(ZdevError) as caught:
        held.publish(BY_NAME["files"].change)
    assert caught.value.code == "state-drifted"
    assert (repo.path / ONE).read_bytes() == b"one\n"
    store = f"{repo.path}/.git/zdev"
    lost_bytes, lost_names = disk.moments["is over"]
    assert {path for path in lost_bytes if not path.startswith(store)} == set()
    assert {path for path in lost_names if not path.startswith(store)} == set()


LOST = {"empty": b"", "zeros": bytes(100)}


@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize(
    ("call", "notes"), [("start_commit", ["staged"]), ("release", ["staged", "child"])]
)
def test_a_note_that_the_power_took_was_never_written(
    repo: GitRepo, call: str, notes: list[str], lost: str
) -> None:
    BY_NAME["commit"].prepare(repo)
    before = whole_state(repo)
    crash(repo, "commit", call, prepared=True)
    for note in notes:
        path = repo.path / f".git/zdev/journal/{note}.json"
        assert path.read_bytes()
        path.write_bytes(LOST[lost])
    assert recovered(repo).outcome == "rolled-back"
    assert whole_state(repo) == before
    assert leftovers(repo) == []
