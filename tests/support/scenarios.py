"""Publications to break: by faults, by signals, by kills.

A scenario is what a command does between taking the lock and its result. More of them, real
commands among them, join :data:`SCENARIOS`; the tests and ``scripts/torture`` need not change.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from git_zdev.git.process import InstalledGit
from git_zdev.ground.changeset import ChangeSet, CommitPlan, FileChange
from git_zdev.ground.errors import ZdevError
from git_zdev.publish.transaction import transaction
from tests.support import derived_changes as derived
from tests.support.faults import Faults, FaultyDisk, FaultyGit, HastyDisk, faulty_repository
from tests.support.gitrepo import GitRepo, make_repo
from tests.support.publishing import (
    begin,
    foreign_locks,
    leftovers,
    opened,
    plant,
    recovered,
    whole_state,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from git_zdev.git.port import Repository

    Gates = Sequence[Callable[[], None]]

ONE = ".zdev/area/tasks/001-one.md"
TWO = ".zdev/area/tasks/002-two.md"
NEW = ".zdev/area/slices/api.md"
CHANGES = (
    FileChange(ONE, b"one\n", b"edited\n"),
    FileChange(TWO, b"two\n", None),
    FileChange(NEW, None, b"new\n"),
    FileChange(".zdev/config.toml", b"config\n", b"config\n"),
)
REMOVAL = ChangeSet(
    "cleanup",
    (FileChange(ONE, b"one\n", None), FileChange(TWO, b"two\n", None)),
    CommitPlan("Remove\n", (ONE, TWO)),
)
COMMIT = CommitPlan("Change\n\nZdev-Change-Id: Z0\n", (ONE, TWO, NEW))


@dataclass(frozen=True)
class Scenario:
    """One publication.

    Attributes:
        name: Its name.
        prepare: Makes the repository that it starts from.
        change: What it publishes.
        portable: Whether the file system can do only what POSIX asks of it.
        links: Whether it has hard links.
        gates: Makes the command's own gates from the repository's folder and its port: those
            that are passed twice, and those that are passed last.
        artifacts: Paths that are staged before and become part of the commit.
    """

    name: str
    prepare: Callable[[GitRepo], None]
    change: ChangeSet
    portable: bool = False
    links: bool = True
    gates: Callable[[GitRepo, Repository], tuple[Gates, Gates]] = lambda *_: ((), ())
    artifacts: tuple[str, ...] = ()

    def run(self, repo: GitRepo, faults: Faults) -> None:
        """Publish, with a disk, a Git and a repository that do what ``faults`` says."""
        disk = FaultyDisk(faults, portable=self.portable, links=self.links)
        real = opened(repo)
        git = FaultyGit(InstalledGit(real.location, os.environ), faults)
        repository = faulty_repository(real, faults)
        with transaction(repository, str(repo.path), os.environ, git=git, disk=disk) as tx:
            faults.begin()
            gates, last = self.gates(repo, repository)
            tx.publish(self.change, gates, last=last)

    def attempt(self, repo: GitRepo, faults: Faults) -> ZdevError | None:
        """The error of :meth:`run`, None when there is none."""
        try:
            self.run(repo, faults)
        except ZdevError as error:
            return error
        return None

    def assert_published(self, repo: GitRepo, before: dict[str, Any], message: str) -> None:
        """The state is exactly the new one; rubbish may wait for the next writer."""
        with begin(repo, disk=HastyDisk()):
            pass
        assert leftovers(repo) == [], message
        for change in self.change.changes:
            path = repo.path / change.path
            assert (path.read_bytes() if path.exists() else None) == change.new, message
        if self.change.commit is None:
            after = whole_state(repo)
            assert (after["index"], after["refs"]) == (before["index"], before["refs"]), message
            return
        paths = sorted(self.change.commit.paths)
        changed = repo.git("diff-tree", "--root", "-r", "--no-commit-id", "--name-only", "HEAD")
        assert set(changed.split("\n")) <= {*paths, *self.artifacts}, message
        assert set(self.artifacts) <= set(changed.split("\n")), message
        parents = repo.git("rev-list", "--parents", "-1", "HEAD").split(" ")[1:]
        assert parents == [old for old in [before["head"]] if old], message
        assert repo.git("status", "--porcelain", "--", *paths) == "", message
        assert repo.git("fsck", "--strict", "--no-dangling") == "", message

    def settled(
        self, repo: GitRepo, before: dict[str, Any], message: str, *, killed: bool = False
    ) -> str:
        """Recover, and check that the state is the old or the new one; the outcome.

        ``killed`` says that Git was, which leaves locks that only the user may remove.
        """
        outcome = recovered(repo).outcome
        if killed:
            for lock in foreign_locks(repo):
                lock.unlink()
        assert leftovers(repo) == [], message
        if outcome == "rolled-back":
            assert whole_state(repo) == before, message
        elif outcome == "completed" or whole_state(repo) != before:
            self.assert_published(repo, before, message)
        return outcome


def tracked(repo: GitRepo) -> None:
    """Records that are tracked, and other work beside them."""
    plant(repo)
    repo.git("add", ".")
    repo.commit("First")
    repo.write("staged.txt", "staged\n")
    repo.git("add", "staged.txt")
    repo.write("untracked.txt", "untracked\n")


def hollow(repo: GitRepo) -> None:
    """Records of which one is empty, as a reserved name is."""
    plant(repo)
    repo.write(TWO, "")


HOLLOW = ChangeSet(
    "edit",
    (
        FileChange(ONE, b"one\n", b""),
        FileChange(TWO, b"", b"two\n"),
        FileChange(NEW, None, b""),
        FileChange(".zdev/config.toml", b"config\n", None),
    ),
)


def staging_later(repo: GitRepo) -> None:
    """The same, and a hook that stages something once the commit is made."""
    tracked(repo)
    hook = repo.write(".git/hooks/post-commit", "#!/bin/sh\ngit add untracked.txt\n")
    hook.chmod(0o755)


SCENARIOS = [
    Scenario("files", plant, ChangeSet("edit", CHANGES)),
    Scenario("files-portable", plant, ChangeSet("edit", CHANGES), portable=True),
    Scenario("files-linkless", plant, ChangeSet("edit", CHANGES), portable=True, links=False),
    Scenario("hollow-linkless", hollow, HOLLOW, portable=True, links=False),
    Scenario("commit", tracked, ChangeSet("import", CHANGES, COMMIT)),
    Scenario("commit-portable", tracked, ChangeSet("import", CHANGES, COMMIT), portable=True),
    Scenario(
        "commit-linkless",
        tracked,
        ChangeSet("import", CHANGES, COMMIT),
        portable=True,
        links=False,
    ),
    Scenario(
        "first-commit-linkless",
        plant,
        ChangeSet("import", CHANGES, COMMIT),
        portable=True,
        links=False,
    ),
    Scenario("first-commit", plant, ChangeSet("import", CHANGES, COMMIT)),
    Scenario("removal", tracked, REMOVAL),
    Scenario("staging-hook", staging_later, ChangeSet("import", CHANGES, COMMIT)),
    Scenario(
        "derive-follow-up",
        derived.investigated,
        derived.change(derived.FOLLOW_UP),
        gates=derived.gate(derived.FOLLOW_UP),
        artifacts=(derived.ARTIFACT,),
    ),
    Scenario(
        "derive-split",
        derived.half_done,
        derived.change(derived.SPLIT),
        gates=derived.gate(derived.SPLIT),
    ),
]


def prepared(scenario: Scenario, folder: Path, name: str = "original") -> GitRepo:
    """A repository that a scenario starts from."""
    repo = make_repo(folder / name, options=("--template=",))
    scenario.prepare(repo)
    return repo


def rehearsed(
    scenario: Scenario, folder: Path, counting: Faults | None = None
) -> tuple[GitRepo, list[str]]:
    """A repository that a scenario starts from, and the calls that it makes there.

    Args:
        scenario: The scenario.
        folder: Where repositories may be made.
        counting: What counts the calls; by default all that can fail.
    """
    original = prepared(scenario, folder)
    counting = counting or Faults()
    scenario.run(copy_of(original, folder / "counted"), counting)
    return original, counting.calls


@contextlib.contextmanager
def fresh_copy(original: GitRepo, folder: Path) -> Iterator[tuple[GitRepo, dict[str, Any]]]:
    """A copy to break, with its whole state; gone afterwards."""
    repo = copy_of(original, folder / "copy")
    yield repo, whole_state(repo)
    shutil.rmtree(repo.path)


def copy_of(repo: GitRepo, path: Path) -> GitRepo:
    """The same repository at another place, times included."""
    shutil.copytree(repo.path, path, symlinks=True)
    return GitRepo(path)
