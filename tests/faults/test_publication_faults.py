"""Every call on the path of a publication fails once, and nothing is left of it.

A scenario is what a command does between taking the lock and its result. More scenarios, real
commands among them, join :data:`SCENARIOS`; the tests below need not change.
"""

from __future__ import annotations

import errno
import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from git_zdev.changeset import ChangeSet, CommitPlan, FileChange
from git_zdev.errors import ZdevError
from git_zdev.git.process import InstalledGit
from git_zdev.publication import transaction
from tests.support.faults import Faults, FaultyDisk, FaultyGit, HastyDisk, faulty_repository
from tests.support.gitrepo import GitRepo, make_repo
from tests.support.publishing import begin, leftovers, opened, plant, recovered, whole_state

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ONE = ".zdev/area/tasks/001-one.md"
TWO = ".zdev/area/tasks/002-two.md"
NEW = ".zdev/area/slices/api.md"
CHANGES = (
    FileChange(ONE, b"one\n", b"edited\n"),
    FileChange(TWO, b"two\n", None),
    FileChange(NEW, None, b"new\n"),
    FileChange(".zdev/config.toml", b"config\n", b"config\n"),
)
COMMIT = CommitPlan("Change\n\nZdev-Change-Id: Z0\n", (ONE, TWO, NEW))


@dataclass(frozen=True)
class Scenario:
    """One publication.

    Attributes:
        name: Its name in the test's id.
        prepare: Makes the repository that it starts from.
        change: What it publishes.
        exchange: Whether the file system can exchange files.
    """

    name: str
    prepare: Callable[[GitRepo], None]
    change: ChangeSet
    exchange: bool = True

    def run(self, repo: GitRepo, faults: Faults) -> None:
        disk = FaultyDisk(faults, exchange=self.exchange)
        real = opened(repo)
        git = FaultyGit(InstalledGit(real.location, os.environ), faults)
        repository = faulty_repository(real, faults)
        with transaction(repository, str(repo.path), os.environ, git=git, disk=disk) as tx:
            tx.publish(self.change)

    def attempt(self, repo: GitRepo, faults: Faults) -> ZdevError | None:
        try:
            self.run(repo, faults)
        except ZdevError as error:
            return error
        return None


def tracked(repo: GitRepo) -> None:
    plant(repo)
    repo.git("add", ".")
    repo.commit("First")
    repo.write("staged.txt", "staged\n")
    repo.git("add", "staged.txt")
    repo.write("untracked.txt", "untracked\n")


def staging_later(repo: GitRepo) -> None:
    """A hook that stages something once the commit is made."""
    tracked(repo)
    hook = repo.write(".git/hooks/post-commit", "#!/bin/sh\ngit add untracked.txt\n")
    hook.chmod(0o755)


SCENARIOS = [
    Scenario("files", plant, ChangeSet("edit", CHANGES)),
    Scenario("files-portable", plant, ChangeSet("edit", CHANGES), exchange=False),
    Scenario("commit", tracked, ChangeSet("import", CHANGES, COMMIT)),
    Scenario("commit-portable", tracked, ChangeSet("import", CHANGES, COMMIT), exchange=False),
    Scenario("first-commit", plant, ChangeSet("import", CHANGES, COMMIT)),
    Scenario("staging-hook", staging_later, ChangeSet("import", CHANGES, COMMIT)),
]
MODES = {
    "eio": Faults(number=errno.EIO),
    "no-space-half-way": Faults(number=errno.ENOSPC, half=True),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_each_call_may_fail(
    tmp_path: Path, scenario: Scenario, mode: str, record_property: Callable[[str, object], None]
) -> None:
    original = make_repo(tmp_path / "original", options=("--template=",))
    scenario.prepare(original)
    counting = Faults()
    scenario.run(copy_of(original, tmp_path / "counted"), counting)
    undone = 0
    wanted = MODES[mode]
    points = [
        number
        for number, call in enumerate(counting.calls, 1)
        if call.startswith("create ") or not wanted.half
    ]
    for number in points:
        repo = copy_of(original, tmp_path / "copy")
        before = whole_state(repo)
        faults = Faults(at=number, number=wanted.number, half=wanted.half)
        error = scenario.attempt(repo, faults)
        message = f"call {number}, {faults.calls[number - 1]}: {error}"
        if error is None:
            assert_published(scenario, repo, before, message)
        else:
            undone += 1
            assert error.code != "rollback-incomplete", message
            assert whole_state(repo) == before, message
            assert leftovers(repo) == [], message
        shutil.rmtree(repo.path)
    record_property("points", len(points))
    assert undone > len(points) // 2


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_what_a_dying_disk_leaves_is_recovered(
    tmp_path: Path, scenario: Scenario, record_property: Callable[[str, object], None]
) -> None:
    """From one call on everything fails, the way back included; later the disk is well again."""
    original = make_repo(tmp_path / "original", options=("--template=",))
    scenario.prepare(original)
    counting = Faults()
    scenario.run(copy_of(original, tmp_path / "counted"), counting)
    outcomes = set()
    for number in range(1, len(counting.calls) + 1):
        repo = copy_of(original, tmp_path / "copy")
        before = whole_state(repo)
        faults = Faults(at=number, lasting=True)
        message = f"from call {number}, {counting.calls[number - 1]}"
        scenario.attempt(repo, faults)
        outcome = recovered(repo).outcome
        outcomes.add(outcome)
        assert leftovers(repo) == [], message
        if outcome == "rolled-back":
            assert whole_state(repo) == before, message
        elif outcome == "completed" or whole_state(repo) != before:
            assert_published(scenario, repo, before, message)
        shutil.rmtree(repo.path)
    record_property("points", len(counting.calls))
    assert outcomes == {"none", "rolled-back", "completed"}


def copy_of(repo: GitRepo, path: Path) -> GitRepo:
    """The same repository at another place, times included."""
    shutil.copytree(repo.path, path, symlinks=True)
    return GitRepo(path)


def assert_published(
    scenario: Scenario, repo: GitRepo, before: dict[str, object], message: str
) -> None:
    """The state is exactly the new one; rubbish may wait for the next writer."""
    with begin(repo, disk=HastyDisk()):
        pass
    assert leftovers(repo) == [], message
    for change in scenario.change.changes:
        path = repo.path / change.path
        assert (path.read_bytes() if path.exists() else None) == change.new, message
    if scenario.change.commit is None:
        after = whole_state(repo)
        assert (after["index"], after["refs"]) == (before["index"], before["refs"]), message
        return
    paths = sorted(scenario.change.commit.paths)
    changed = repo.git("diff-tree", "--root", "-r", "--no-commit-id", "--name-only", "HEAD")
    assert set(changed.split("\n")) <= set(paths), message
    parents = repo.git("rev-list", "--parents", "-1", "HEAD").split(" ")[1:]
    assert parents == [old for old in [before["head"]] if old], message
    assert repo.git("status", "--porcelain", "--", *paths) == "", message
    assert repo.git("fsck", "--strict", "--no-dangling") == "", message
