"""Repositories for tests, and their environment, sealed from the machine.

The installed Git makes real ones. Its environment is built only here: a HOME of its own, no system
configuration, fixed identities and dates. ``tests/conftest.py`` puts the same into ``os.environ``,
so that a program started by a test is as sealed as the Git commands that prepare its repository.
``ZDEV_TEST_GIT`` names another Git binary than the one on PATH.

``FakeRefs`` and ``FakeTree`` are tables that replace a repository in tests of the domain.
"""

from __future__ import annotations

import contextlib
import functools
import os
import subprocess
import tempfile
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from git_zdev.git.model import Head, IndexEntry, TreeEntry
from git_zdev.git.read.discovery import discover
from git_zdev.git.read.repository import LibGit2Repository, open_repository
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from git_zdev.git.model import RebaseState
    from git_zdev.git.read.operation import Operation
    from git_zdev.ground.progress import Stage

GIT = os.environ.get("ZDEV_TEST_GIT", "git")

IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada Author",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "1700000000 +0000",
    "GIT_COMMITTER_NAME": "Cleo Committer",
    "GIT_COMMITTER_EMAIL": "cleo@example.org",
    "GIT_COMMITTER_DATE": "1700000000 +0000",
}


def sealed_environment(home: Path) -> dict[str, str]:
    """The environment of a machine without any configuration; HOME is ``home``."""
    inherited = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    return inherited | {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": str(home.parent),
        "GIT_EDITOR": "false",
        "PAGER": "cat",
        "GIT_SEQUENCE_EDITOR": "false",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C.UTF-8",
        **IDENTITY,
    }


def git(
    *arguments: str | bytes | os.PathLike[str],
    cwd: str | os.PathLike[str],
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    check: bool = True,
) -> subprocess.CompletedProcess[bytes]:
    """Run Git in ``cwd``; ``env`` is added to the current (sealed) environment.

    A failure shows Git's output, unless ``check`` is off.
    """
    done = subprocess.run(
        [GIT, *arguments],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        input=b"" if stdin is None else stdin,
        capture_output=True,
        check=False,
    )
    if check and done.returncode:
        words = " ".join(os.fsdecode(argument) for argument in arguments)
        raise AssertionError(f"git {words}: exit {done.returncode}\n{done.stderr.decode()}")
    return done


@functools.cache
def git_version() -> tuple[int, int]:
    """Major and minor number of the Git that the tests use."""
    done = subprocess.run([GIT, "version"], capture_output=True, check=True)
    major, minor = done.stdout.decode().split()[2].split(".")[:2]
    return int(major), int(minor)


@dataclass
class GitRepo:
    """A repository in a temporary folder, and the few verbs that tests need.

    Attributes:
        path: Root of the work tree.
    """

    path: Path
    _tick: int = field(default=1_700_000_000, repr=False)

    def git(
        self,
        *arguments: str | bytes | os.PathLike[str],
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        check: bool = True,
    ) -> str:
        """Run Git in the work tree, and return its output without the last line end."""
        done = git(*arguments, cwd=self.path, env=env, stdin=stdin, check=check)
        return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")

    def write(self, path: str | bytes, content: str | bytes = "") -> Path:
        """Write a file of the work tree, with the folders above it."""
        target = self.path / os.fsdecode(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    def commit(self, message: str = "Change", /, **files: str | bytes) -> str:
        """Write ``files`` (``__`` in a name is a dot), stage them and commit everything staged.

        Each commit is one second later than the one before. Returns the new commit id.
        """
        for name, content in files.items():
            path = name.replace("__", ".")
            self.write(path, content)
            self.git("add", "--", path)
        self._tick += 1
        date = {
            "GIT_AUTHOR_DATE": f"{self._tick} +0000",
            "GIT_COMMITTER_DATE": f"{self._tick} +0000",
        }
        self.git("commit", "-q", "--allow-empty", "-m", message, env=date)
        return self.rev("HEAD")

    def rev(self, revision: str) -> str:
        """The full object id of a revision."""
        return self.git("rev-parse", "--verify", revision)


def make_repo(path: Path, *, branch: str = "main", options: tuple[str, ...] = ()) -> GitRepo:
    """Initialize a repository at ``path``; ``options`` go to ``git init``."""
    path.mkdir(parents=True, exist_ok=True)
    git("init", "-q", f"--initial-branch={branch}", *options, cwd=path)
    return GitRepo(path)


def opened(cwd: Path, **env: str) -> LibGit2Repository:
    """The repository around ``cwd``; ``env`` is added to the environment."""
    environment = {**os.environ, **env}
    return open_repository(discover(str(cwd), environment), environment)


_NOBODY = 65534


@contextlib.contextmanager
def open_folder() -> Iterator[Path]:
    """A temporary folder that every user can enter."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def trusting(home: Path) -> dict[str, str]:
    """The environment of a user with that home who trusts everybody's repositories."""
    return {
        **os.environ,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }


def as_unprivileged(act: Callable[[], str]) -> str:
    """The result of ``act`` in a forked child, which runs as nobody if the tests run as root.

    A refusal is returned as its code and sentence. The child may not be able to read the program's
    files, so ``act`` is called once before, to import everything.
    """
    with contextlib.suppress(ZdevError):
        act()
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.write(writing, _attempt(act).encode())
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        text = pipe.read().decode()
    os.waitpid(child, 0)
    return text


def _attempt(act: Callable[[], str]) -> str:
    try:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(_NOBODY)
            os.setuid(_NOBODY)
        return act()
    except ZdevError as error:
        return f"{error.code}: {error}"
    except BaseException as error:  # noqa: BLE001 — the parent must see every error
        return repr(error)


@dataclass
class FakeRefs:
    """A small history: each commit with its parents; ``hidden`` commits' parents are unknown.

    A detached HEAD is at the commit ``at``.
    """

    parents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    checked_out: str | None = "work"
    under_way: Operation | None = None
    hidden: frozenset[str] = frozenset()
    broken: bool = False
    rebasing: RebaseState | None = None
    elsewhere: dict[str, str] = field(default_factory=dict)
    at: str | None = None

    def head(self) -> Head:
        if self.broken:
            raise ZdevError("unreadable-repository", "HEAD cannot be read")
        if self.checked_out is None:
            return Head(None, self.at)
        return Head(self.checked_out, self.branches.get(self.checked_out))

    def operation(self) -> Operation | None:
        return self.under_way

    def rebase_state(self) -> RebaseState | None:
        return self.rebasing

    def work_tree_of(self, branch: str) -> str | None:
        return self.elsewhere.get(branch)

    def branch_tip(self, branch: str) -> str | None:
        return self.branches.get(branch)

    def has_commit(self, commit: str) -> bool:
        return commit in self.parents

    def reach(self, commit: str) -> set[str]:
        found: set[str] = set()
        waiting = [commit]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += () if name in self.hidden else self.parents[name]
        return found

    def is_ancestor(self, ancestor: str, descendant: str) -> bool | None:
        seen = self.reach(descendant)
        return True if ancestor in seen else None if seen & self.hidden else False

    def merge_base(self, one: str, other: str) -> str | None:
        common = self.reach(one) & self.reach(other)
        inner = {parent for commit in common for parent in self.parents[commit]}
        return min(common - inner, default=None)

    def has_merges(self, anchor: str, tip: str) -> bool | None:
        owned = self.reach(tip) - self.reach(anchor)
        if any(len(self.parents[commit]) > 1 for commit in owned):
            return True
        return None if owned & self.hidden else False


REGULAR = 0o100644


@dataclass
class FakeTree:
    """The committed and staged content of a repository, by path.

    Attributes:
        committed: HEAD's tree.
        staged: The index.
        branch: The checked-out branch; None for a detached HEAD.
    """

    committed: Mapping[str, bytes] = field(default_factory=dict)
    staged: Mapping[str, bytes] = field(default_factory=dict)
    branch: str | None = "main"

    @classmethod
    def clean(cls, files: Mapping[str, bytes]) -> FakeTree:
        """A tree with all files committed, and nothing else staged."""
        return cls(dict(files), dict(files))

    def head(self) -> Head:
        return Head(self.branch, "1" * 40)

    def head_tree_entries(self, prefix: bytes = b"") -> dict[bytes, TreeEntry]:
        return {
            path.encode(): TreeEntry(REGULAR, _blob(content))
            for path, content in self.committed.items()
            if path.encode().startswith(prefix)
        }

    def entries(self, prefix: bytes = b"") -> Iterator[IndexEntry]:
        return (
            IndexEntry(path.encode(), REGULAR, _blob(content))
            for path, content in sorted(self.staged.items())
            if path.encode().startswith(prefix)
        )

    def read_blob(self, blob: str) -> bytes:
        return bytes.fromhex(blob)


def _blob(content: bytes) -> str:
    """An id that encodes its content."""
    return content.hex()


class Seen(Progress):
    """Progress that records its stages.

    Attributes:
        stages: Name, amount done and total of each ended stage.
    """

    watched = True

    def __init__(self) -> None:
        self.stages: list[tuple[str, int, int | None]] = []

    def end(self, stage: Stage) -> None:
        """Record the stage."""
        self.stages.append((stage.what, stage.done, stage.total))
