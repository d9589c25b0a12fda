"""Publications to break: by calls that fail one by one, by signals, by kills.

A file system, a Git and a repository share one :class:`Faults`, which numbers a command's calls in
order. A first run counts them; then one run follows for each. A :class:`Scenario` is a command's
part between taking the lock and its result; a :class:`Writing` is a real command in a real
repository, with other work in it if the command allows that. New ones need no change in the tests
or in ``scripts/torture``.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import shutil
import signal
import time
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.cli import options
from git_zdev.cli.main import main as zdev
from git_zdev.commands.shared.session import Session, Surroundings
from git_zdev.disk.atomic import Disk
from git_zdev.git.port import Repository
from git_zdev.git.process import InstalledGit
from git_zdev.git.read.discovery import discover
from git_zdev.git.read.repository import open_repository
from git_zdev.ground.changeset import ChangeSet, CommitPlan, FileChange
from git_zdev.ground.errors import ZdevError
from git_zdev.publish.recovery import Recovery, recover
from git_zdev.publish.transaction import Transaction, transaction
from tests.support import plan as derived
from tests.support.plan import (
    CONFIG,
    FILES,
    FIRST,
    INDEX_PATH,
    bundle,
    commit_payments,
    envelope,
    index_text,
    write_empty_area,
    write_plan,
)
from tests.support.repo import GitRepo, make_repo

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from git_zdev.disk.atomic import Spot
    from git_zdev.git.model import CommitFiles, RefMove
    from git_zdev.git.port import CommitChild, Publisher

    Gates = Sequence[Callable[[], None]]

DISK_CALLS = (
    "open_root",
    "open_folder",
    "make_folder",
    "remove_folder",
    "names",
    "read",
    "stat",
    "create",
    "set_times",
    "sync",
    "sync_folder",
    "sync_everything",
    "link",
    "rename",
    "place",
    "swap",
    "remove",
)
GIT_CALLS = (
    "stage",
    "reset_index",
    "write_tree",
    "differs",
    "transfer",
    "start_commit",
    "move_ref",
)
REPOSITORY_CALLS = ("head", "operation", "branch_tip", "entries", "read_commit")


@dataclass
class Faults:
    """The call that fails, and its failure.

    Attributes:
        at: Number of the failing call, from 1; None if none fails.
        number: The ``errno`` of failing file system calls.
        half: Whether a failing write leaves half of its bytes first.
        lasting: Whether every later call fails too.
        calls: Names of the calls so far.
        act: Called instead of a failure; the call then continues.
        released: Called with the pid of the commit that has just been released.
        armed: Whether calls are already counted; :meth:`begin` sets it for a late start.
        linkless: Whether the file system has neither flagged renames nor hard links.
    """

    at: int | None = None
    number: int = errno.EIO
    half: bool = False
    lasting: bool = False
    calls: list[str] = field(default_factory=list)
    act: Callable[[], None] | None = None
    armed: bool = True
    linkless: bool = False
    released: Callable[[int], None] | None = None

    def begin(self) -> None:
        """Begin to count: the publication itself begins."""
        self.armed = True

    def due(self, name: str) -> bool:
        """Count a call, and return whether it must fail."""
        if not self.armed:
            return False
        self.calls.append(name)
        now = len(self.calls)
        due = self.at is not None and (now == self.at or (self.lasting and now > self.at))
        if due and self.act is not None:
            self.act()
            return False
        return due

    def error(self, path: str) -> OSError:
        """The failure of a file system call."""
        return OSError(self.number, os.strerror(self.number), path)


class HastyDisk(Disk):
    """A file system that forces nothing to the disk: no test cuts the power.

    Args:
        portable: Whether it has only the calls of POSIX.
        links: Whether it has hard links, unlike exFAT.
    """

    def __init__(self, *, portable: bool = False, links: bool = True) -> None:
        super().__init__(portable=portable)
        self._links = links

    def link(self, source: Spot, target: Spot) -> None:
        if not self._links:
            raise OSError(errno.EPERM, os.strerror(errno.EPERM), target.path)
        super().link(source, target)

    def _force(self, descriptor: int) -> None:
        pass

    def _force_all(self, descriptor: int) -> None:
        pass


class FaultyDisk(HastyDisk):
    """A file system that fails on demand."""

    def __init__(self, faults: Faults, *, portable: bool = False, links: bool = True) -> None:
        super().__init__(portable=portable, links=links)
        self._faults = faults
        self._half_written = False

    def create(
        self, spot: Spot, data: bytes, mode: int | None = None, *, forced: bool = True
    ) -> os.stat_result:
        if self._faults.due(f"create {spot.name}"):
            if not self._faults.half:
                raise self._faults.error(spot.path)
            self._half_written = True
        return super().create(spot, data, mode, forced=forced)

    def _fill(self, descriptor: int, data: bytes) -> None:
        if self._half_written:
            self._half_written = False
            os.write(descriptor, data[: len(data) // 2])
            raise self._faults.error("half-written")
        super()._fill(descriptor, data)


def _failing(name: str) -> Any:
    def call(self: FaultyDisk, *arguments: Any) -> Any:
        subject = arguments[0]
        label = getattr(subject, "name", None) or os.path.basename(
            str(getattr(subject, "path", subject))
        )
        if self._faults.due(f"{name} {label}"):
            raise self._faults.error(str(getattr(subject, "path", subject)))
        return getattr(HastyDisk, name)(self, *arguments)

    return call


for _name in DISK_CALLS:
    if _name != "create":
        setattr(FaultyDisk, _name, _failing(_name))


class Faulty:
    """Any other port whose named methods fail with a :class:`ZdevError`."""

    def __init__(self, inner: Any, names: Container[str], faults: Faults) -> None:
        self._inner = inner
        self._names = names
        self._faults = faults

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._inner, name)
        if name not in self._names or not callable(value):
            return value

        def call(*arguments: Any, **options: Any) -> Any:
            if self._faults.due(name):
                raise ZdevError("injected", f"{name} failed")
            return value(*arguments, **options)

        return call


class FaultyChild:
    """A commit whose release fails, or whose exit status is lost."""

    def __init__(self, inner: CommitChild, faults: Faults) -> None:
        self._inner = inner
        self._faults = faults
        self.pid = inner.pid

    def release(self) -> None:
        if self._faults.due("release"):
            raise ZdevError("injected", "release failed")
        self._inner.release()
        if self._faults.released is not None:
            self._faults.released(self.pid)

    def wait(self, agree: Callable[[Sequence[RefMove]], bool]) -> int:
        status = self._inner.wait(agree)
        return 128 if self._faults.due("wait") else status


class FaultyGit(Faulty):
    """An installed Git that fails on demand."""

    def __init__(self, inner: Publisher, faults: Faults) -> None:
        super().__init__(inner, GIT_CALLS, faults)

    def start_commit(self, index: str, files: CommitFiles, publication: str) -> FaultyChild:
        if self._faults.due("start_commit"):
            raise ZdevError("injected", "start_commit failed")
        return FaultyChild(self._inner.start_commit(index, files, publication), self._faults)


def faulty_repository(inner: Repository, faults: Faults) -> Repository:
    """A repository that fails on demand."""
    return Faulty(inner, REPOSITORY_CALLS, faults)


PLAIN = {
    ".zdev/config.toml": b"config\n",
    ".zdev/area/area.toml": b"area\n",
    ".zdev/area/tasks/001-one.md": b"one\n",
    ".zdev/area/tasks/002-two.md": b"two\n",
}
"""A small tree; publication does not depend on the files' content."""


def opened(repo: GitRepo) -> Repository:
    """The repository through the real port."""
    return open_repository(discover(str(repo.path), os.environ), os.environ)


@contextlib.contextmanager
def begin(
    repo: GitRepo,
    *,
    git: Publisher | None = None,
    disk: Disk | None = None,
    environment: Mapping[str, str] | None = None,
    root: str = "",
) -> Iterator[Transaction]:
    """A transaction in a test's repository."""
    around = os.environ if environment is None else environment
    plan_root = str(repo.path / root)
    with transaction(opened(repo), plan_root, around, git=git, disk=disk) as held:
        yield held


def files_changed(**files: tuple[bytes | None, bytes | None]) -> ChangeSet:
    """A plan without a commit: name (``__`` is a slash) to old and new bytes."""
    return ChangeSet(
        "test",
        tuple(
            FileChange(f".zdev/{name.replace('__', '/')}", old, new)
            for name, (old, new) in files.items()
        ),
    )


def plant(repo: GitRepo, files: Mapping[str, bytes] = PLAIN) -> None:
    """Write the small tree."""
    for path, data in files.items():
        repo.write(path, data)


STORES = {"work-context", "reviews", "derived-reviews", "secret", "set-aside"}
"""The names that stay in the ``zdev`` folder of the Git directory by design."""


def tree(path: Path) -> dict[str, bytes | str]:
    """Every file below ``path`` with its bytes, links with their target, folders as ``/``."""
    found: dict[str, bytes | str] = {}
    for one in sorted(path.rglob("*")):
        name = one.relative_to(path).as_posix()
        if one.is_symlink():
            found[name] = f"-> {os.readlink(one)}"
        elif one.is_dir():
            found[name] = "/"
        else:
            found[name] = one.read_bytes()
    return found


def leftovers(repo: GitRepo) -> list[str]:
    """Files that publication should not have left in the Git directory."""
    git_dir = repo.path / ".git"
    home = git_dir / "zdev"
    left = (
        [str(path) for path in home.iterdir() if path.name not in STORES] if home.exists() else []
    )
    return left + [str(path) for path in git_dir.rglob("*.lock") if path.name != "zdev-state.lock"]


def foreign_locks(repo: GitRepo) -> list[Path]:
    """Locks of refs, which only Git takes."""
    git_dir = repo.path / ".git"
    return [
        path for path in (git_dir / "HEAD.lock", *git_dir.rglob("refs/**/*.lock")) if path.exists()
    ]


def recovered(repo: GitRepo, **options: Any) -> Recovery:
    """Run recovery."""
    return recover(opened(repo), os.environ, disk=HastyDisk(), **options)


def index_entries(repo: GitRepo) -> dict[str, str]:
    """Every entry of the index, by path and stage: blob, mode, flags and stat data."""
    found: dict[str, str] = {}
    name = ""
    for line in repo.git("ls-files", "--stage", "--debug", "-v").split("\n"):
        if line.startswith("  "):
            found[name] += line
            continue
        facts, _, path = line.partition("\t")
        name = path if facts.endswith(" 0") else f"{path}:{facts[-1]}"
        found[name] = facts
    return found


def whole_state(repo: GitRepo) -> dict[str, object]:
    """Everything that a failed publication must leave as it was.

    Files with their bytes, permissions and times; the index with its bytes and time; HEAD and all
    refs.
    """
    files = {
        path.relative_to(repo.path).as_posix(): (
            path.read_bytes(),
            path.stat().st_mode,
            path.stat().st_mtime_ns,
        )
        for path in sorted(repo.path.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(repo.path).parts
    }
    folders = [
        path for path in sorted(repo.path.rglob("*")) if path.is_dir() and ".git" not in path.parts
    ]
    git_dir = repo.path / ".git"
    index, packed = git_dir / "index", git_dir / "packed-refs"
    refs = {
        path.relative_to(git_dir).as_posix(): path.read_text() for path in _files(git_dir / "refs")
    }
    head = (git_dir / "HEAD").read_text().strip()
    return {
        "files": files,
        "folders": folders,
        "index": (index.read_bytes(), index.stat().st_mtime_ns) if index.exists() else None,
        "refs": (head, refs, packed.read_text() if packed.exists() else None),
        "head": refs.get(head.removeprefix("ref: "), "").strip(),
    }


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


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
        change: The change that it publishes.
        portable: Whether the file system has only the calls of POSIX.
        links: Whether it has hard links.
        gates: Makes the command's own gates from the repository's folder and its port: those
            checked twice, and those checked last.
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
        """Publish, with a disk, a Git and a repository that fail as ``faults`` says."""
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
        """Assert exactly the new state; leftovers may wait for the next writer."""
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
    """Records, of which one is empty like a reserved name."""
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
    """The same, and a hook that stages a file after the commit."""
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
        folder: The folder for repositories.
        counting: Counts the calls; by default every call that can fail.
    """
    original = prepared(scenario, folder)
    counting = counting or Faults()
    scenario.run(copy_of(original, folder / "counted"), counting)
    return original, counting.calls


@contextlib.contextmanager
def fresh_copy(original: GitRepo, folder: Path) -> Iterator[tuple[GitRepo, dict[str, Any]]]:
    """A copy to break, with its whole state; removed afterwards."""
    repo = copy_of(original, folder / "copy")
    yield repo, whole_state(repo)
    shutil.rmtree(repo.path)


def die() -> None:
    """End this process as a kill does."""
    os.kill(os.getpid(), signal.SIGKILL)


def in_a_child(run: Callable[[], object]) -> int:
    """Run something in a forked process; its wait status."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads of the test runner
        pid = os.fork()
    if pid == 0:
        try:
            run()
        finally:
            os._exit(0)
    return os.waitpid(pid, 0)[1]


def outcomes_of_kills(
    scenario: Scenario,
    folder: Path,
    rehearsal: tuple[GitRepo, list[str]],
    points: Iterable[int],
    check: Callable[[GitRepo, str], None] = lambda _repo, _message: None,
) -> set[str]:
    """Kill a scenario before calls, and recover each time.

    Args:
        scenario: The scenario.
        folder: The folder for repositories.
        rehearsal: What :func:`rehearsed` returns.
        points: The numbers of the calls.
        check: Called with each recovered repository and the point in words.

    Returns:
        What recovery did.
    """
    original, calls = rehearsal
    outcomes = set()
    for number in points:
        with fresh_copy(original, folder) as (repo, before):
            faults = Faults(at=number, act=die)
            status = in_a_child(lambda repo=repo, faults=faults: scenario.run(repo, faults))
            assert os.WTERMSIG(status) == signal.SIGKILL
            message = f"killed at call {number}, {calls[number - 1]}"
            outcomes.add(scenario.settled(repo, before, message, killed=True))
            check(repo, message)
    return outcomes


def copy_of(repo: GitRepo, path: Path) -> GitRepo:
    """Copy a repository to ``path``, times included."""
    shutil.copytree(repo.path, path, symlinks=True)
    return GitRepo(path)


TOML = ".zdev/payments/area.toml"


def make_area(repo: GitRepo, record: str) -> GitRepo:
    """The area ``payments`` with one commit on its branch, which is checked out."""
    write_plan(repo.path, {"config.toml": CONFIG.replace('"project"', f'"{record}"')})
    if record == "personal":
        repo.write(".git/info/exclude", "/.zdev/\n")
    write_empty_area(
        repo.path,
        "payments",
        branch="payments",
        lifecycle="open",
        base_commit=repo.rev("main"),
    )
    repo.git("switch", "-q", "-c", "payments")
    if record != "personal":
        repo.git("add", ".zdev")
        repo.commit("Plan")
    repo.commit("Work", work__txt="work\n")
    return repo


def advance(repo: GitRepo, **files: str) -> str:
    """Make a commit on ``main``, and return to the branch."""
    here = repo.git("symbolic-ref", "--short", "HEAD")
    repo.git("switch", "-q", "main")
    commit = repo.commit("Main goes on", **(files or {"main__txt": "main\n"}))
    repo.git("switch", "-q", here)
    return commit


def anchor(repo: GitRepo) -> str:
    """The recorded base commit."""
    text = (repo.path / TOML).read_text()
    return text.partition('base_commit = "')[2][:40]


ANY_SNAPSHOT = "SNAPSHOT"
"""A placeholder for the id of the repository's snapshot."""

PORT_CALLS = tuple(name for name in dir(Repository) if not name.startswith("_"))

DONE = ("--summary", "Settled.", "--validation", "Ran.")


class FaultySession(Session):
    """A run whose file system, Git and repository fail on demand."""

    def __init__(self, surroundings: Surroundings, faults: Faults) -> None:
        super().__init__(surroundings)
        self._faults = faults

    @cached_property
    def repository(self) -> Any:
        return Faulty(Session(self.surroundings).repository, PORT_CALLS, self._faults)

    @cached_property
    def git(self) -> Any:
        return FaultyGit(Session(self.surroundings).git, self._faults)

    @cached_property
    def disk(self) -> Any:
        linkless = self._faults.linkless
        return FaultyDisk(self._faults, portable=linkless, links=not linkless)


@dataclass(frozen=True)
class Writing:
    """A writing command.

    Attributes:
        name: Its name.
        prepare: Makes the repository that it starts from.
        words: Its arguments.
        stdin: Its standard input.
    """

    name: str
    prepare: Callable[[GitRepo], None]
    words: tuple[str, ...]
    stdin: bytes = b""

    def arguments(self, repo: GitRepo) -> list[str]:
        """The arguments, in this repository."""
        found = (path.stem for path in repo.path.glob(".git/zdev/work-context/*/*.json"))
        return [next(found) if word == ANY_SNAPSHOT else word for word in self.words]

    def run(self, repo: GitRepo, faults: Faults) -> None:
        """Run it in this process."""
        command, rest = options.split(self.arguments(repo))
        module = importlib.import_module(f"git_zdev.commands.{command.module}")
        values = options.parse(command, module, rest)
        for name in ("format", "color", "root"):
            values.pop(name)
        around = Surroundings(str(repo.path), dict(os.environ), None, lambda: self.stdin)
        module.run(FaultySession(around, faults), **values)

    def attempt(self, repo: GitRepo, faults: Faults) -> ZdevError | None:
        """The error of :meth:`run`, None when there is none."""
        try:
            self.run(repo, faults)
        except ZdevError as error:
            return error
        return None


def lasting(repo: GitRepo) -> tuple[Any, ...]:
    """The state that two successful runs of one command have in common."""
    state: Any = whole_state(repo)
    exclude = repo.path / ".git/info/exclude"
    return (
        {name: content for name, (content, _, _) in state["files"].items()},
        repo.git("rev-parse", "HEAD^{tree}"),
        repo.git("rev-list", "--count", "HEAD"),
        repo.git("ls-files", "--stage"),
        repo.git("status", "--porcelain"),
        exclude.read_bytes() if exclude.exists() else None,
    )


def folders(repo: GitRepo) -> list[str]:
    """The folders of the work tree. A disk that fails at the last moment can leave an empty one."""
    state: Any = whole_state(repo)
    return [path.relative_to(repo.path).as_posix() for path in state["folders"]]


def other_work(repo: GitRepo) -> None:
    """Make other work of every kind beside the plan, index flags included."""
    for name in ("edited.txt", "hidden.txt", "assumed.txt"):
        repo.write(name, "one\n")
        repo.git("add", name)
    repo.commit("Other files")
    repo.write("edited.txt", "two\n")
    repo.write("staged.txt", "staged\n")
    repo.git("add", "staged.txt")
    repo.write("intended.txt", "intended\n")
    repo.git("add", "-N", "intended.txt")
    repo.git("update-index", "--skip-worktree", "hidden.txt")
    repo.git("update-index", "--assume-unchanged", "assumed.txt")
    repo.write("hidden.txt", "two\n")
    repo.write("assumed.txt", "two\n")
    repo.write("untracked.txt", "untracked\n")


def bare(repo: GitRepo) -> None:
    """A repository without a plan."""
    repo.commit("Begin", a__txt="one\n")
    other_work(repo)


def planned(repo: GitRepo) -> None:
    """A tracked plan: payments with tasks, an open and a closed area without, a branch to bind."""
    write_empty_area(repo.path, "chores", mode="trunk", lifecycle="open")
    write_empty_area(repo.path, "former", mode="trunk", lifecycle="closed")
    write_empty_area(repo.path, "web", branch="web", lifecycle="open")
    commit_payments(repo)
    repo.git("branch", "web")
    repo.git("branch", "topic")
    other_work(repo)


def with_guidance(repo: GitRepo) -> None:
    write_plan(repo.path, {"config.toml": CONFIG + 'guidance = "auto"\n'})
    bare(repo)


def untracked(repo: GitRepo) -> None:
    """A plan without tasks that no commit holds yet."""
    repo.commit("Begin", a__txt="one\n")
    write_plan(repo.path, {name: data for name, data in FILES.items() if "/tasks/" not in name})
    repo.write(INDEX_PATH, index_text([], counts=(0, 0, 0, 0)))
    other_work(repo)


def stale_index(repo: GitRepo) -> None:
    planned(repo)
    repo.write(INDEX_PATH, "by hand\n")


def pulled(repo: GitRepo) -> None:
    """The plan of a pull request."""
    write_plan(repo.path, FILES)
    write_plan(repo.path, {"config.toml": CONFIG.replace('"project"', '"pull-request"')})
    repo.git("add", ".")
    repo.commit("Plan")
    other_work(repo)


def advanced(repo: GitRepo) -> None:
    """An area whose branch was rebased by hand: only its anchor is behind."""
    repo.commit("Begin", a__txt="one\n")
    write_plan(repo.path, {"config.toml": CONFIG})
    begin = repo.rev("main")
    write_empty_area(repo.path, "web", branch="web", lifecycle="open", base_commit=begin)
    repo.git("add", ".zdev")
    repo.commit("Plan")
    repo.git("switch", "-q", "-c", "web")
    other_work(repo)


def admitted(repo: GitRepo) -> None:
    """Work that has been admitted to verification."""
    from tests.support.cli import succeed

    planned(repo)
    succeed("verify", "admit", "payments", cwd=repo.path)


AREA = ("--title=More", "--objective=More.")
IMPORT = ("tasks", "import", "payments", "--from=-")
SLICE = ("--title=Web", "--objective=Web.", "--boundary=No.")
APPLY = ("tasks", "derive", "apply", "payments", "--from=-")
ALONE = bundle({**FIRST, "blocked_by": []})

COMMANDS = [
    Writing("init project", bare, ("init", "--record=project")),
    Writing("init personal", bare, ("init", "--record=personal")),
    Writing("config set", planned, ("config", "set", "project.guidance", "auto")),
    Writing("config unset", with_guidance, ("config", "unset", "project.guidance")),
    Writing("config trunk", planned, ("config", "trunk", "topic", "--allow-divergent")),
    Writing("area create", planned, ("area", "create", "more", *AREA, "--branch=topic")),
    Writing("area close", planned, ("area", "close", "chores")),
    Writing("area reopen", planned, ("area", "reopen", "former")),
    Writing("area bind", planned, ("area", "bind", "web", "topic")),
    Writing("area parent", planned, ("area", "parent", "web", "payments")),
    Writing("area rebase", advanced, ("area", "rebase", "web")),
    Writing("area rebase --commit", advanced, ("area", "rebase", "web", "--commit")),
    Writing("slice create", planned, ("slice", "create", "payments", "web", *SLICE)),
    Writing("tasks import", planned, IMPORT, bundle()),
    Writing("tasks import --commit", planned, (*IMPORT, "--commit"), bundle()),
    Writing("tasks import --commit, first", untracked, (*IMPORT, "--commit"), ALONE),
    Writing("tasks index", stale_index, ("tasks", "index", "payments")),
    Writing("check --fix", stale_index, ("check", "--fix")),
    Writing("task done", planned, ("task", "done", "payments", "payments-002", *DONE)),
    Writing("task reopen", planned, ("task", "reopen", "payments", "payments-001")),
    Writing(
        "verify complete",
        admitted,
        ("verify", "complete", "payments", "--snapshot", ANY_SNAPSHOT, *DONE),
    ),
    Writing("cleanup squash", pulled, ("cleanup", "squash")),
    Writing("derive follow-up", derived.investigated, APPLY, envelope(derived.FOLLOW_UP)),
    Writing("derive split", derived.half_done, APPLY, envelope(derived.SPLIT)),
]


BY_NAME: dict[str, Scenario | Writing] = {one.name: one for one in (*SCENARIOS, *COMMANDS)}


class Crash(BaseException):
    """Ends a run without any rollback."""


def crash(repo: GitRepo, name: str, call: str, *, prepared: bool = False) -> Scenario | Writing:
    """Run a scenario or command that crashes at the first call whose name starts with ``call``."""
    scenario = BY_NAME[name]
    if not prepared:
        scenario.prepare(repo)
    faults = Faults()

    def dead(_: str) -> bool:
        raise Crash

    original = faults.due

    def due(made: str) -> bool:
        if made.startswith(call):
            faults.due = dead
            raise Crash
        return original(made)

    faults.due = due
    with pytest.raises(Crash):
        scenario.run(repo, faults)
    return scenario


CHECK = Writing("check", lambda _: None, ("check",))


def start(case: Writing, repo: GitRepo) -> int:
    """Start a command in a forked process, and return its pid."""
    pid = os.fork()
    if pid:
        return pid
    status = 70
    try:
        os.chdir(repo.path)
        reading, writing = os.pipe()
        os.write(writing, case.stdin)
        os.close(writing)
        os.dup2(reading, 0)
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        status = zdev(case.arguments(repo))
    finally:
        os._exit(status)


def run(case: Writing, repo: GitRepo) -> float:
    """Run a command to its end, and return its duration in seconds."""
    began = time.perf_counter()
    _, status = os.waitpid(start(case, repo), 0)
    if status:
        raise SystemExit(f"{case.name}: ended with {os.waitstatus_to_exitcode(status)} unharmed")
    return time.perf_counter() - began


def await_journal(repo: GitRepo, pid: int) -> None:
    """Wait until the command has a journal, or has ended."""
    journal = repo.path / ".git/zdev/journal"
    while not journal.exists():
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return
        time.sleep(0.0002)


def children(pid: int) -> list[int]:
    """Pids of a process's children."""
    with contextlib.suppress(OSError):
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def is_sound(repo: GitRepo) -> bool:
    """Whether `git zdev check` succeeds."""
    return os.waitpid(start(CHECK, repo), 0)[1] == 0


def verdict(repo: GitRepo, before: dict[str, Any], after: tuple[Any, ...]) -> tuple[str, list[str]]:
    """Recover, and return ``old`` or ``new`` and every fault."""
    wrong = []
    try:
        recovered(repo)
    except ZdevError as error:
        wrong.append(f"recovery refuses: {error.message}")
    for lock in foreign_locks(repo):
        lock.unlink()  # a killed Git leaves it, and only the user may remove it
    wrong += [f"{path} is left" for path in leftovers(repo)]
    head = repo.rev("HEAD")
    state = "old" if whole_state(repo) == before else "new"
    if state == "new" and (lasting(repo), folders(repo)) != after:
        wrong.append("the state is neither the old nor the new one")
    if repo.git("fsck", "--strict", "--no-dangling", "--no-progress"):
        wrong.append("git fsck complains")
    if state == "new" and (repo.path / ".zdev").exists() and not is_sound(repo):
        wrong.append("git zdev check complains")  # the old state is the old one to a byte
    if repo.rev("HEAD") != head:
        wrong.append("HEAD moved after recovery")
    return state, wrong
