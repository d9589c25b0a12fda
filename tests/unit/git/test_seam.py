"""The port as a seam: what stands on it runs on another reader than libgit2.

The reader here asks ``git`` for everything, and reads a repository with SHA-256 object ids, which
libgit2 does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from git_zdev.branch.gate import judge
from git_zdev.git.model import CommitNode, CommitSummary, Head, IndexEntry, Location, TreeEntry
from git_zdev.ground.progress import UNSEEN
from git_zdev.plan import areas
from git_zdev.plan.check import check
from git_zdev.plan.records.store import FileSource
from git_zdev.plan.records.tracked import IndexSource
from tests.support.plan import commit_payments, write_empty_area
from tests.support.repo import GitRepo, git, make_repo

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from git_zdev.git.model import RebaseState
    from git_zdev.git.port import Config, Repository
    from git_zdev.git.read.operation import Operation


class Settings:
    """Configuration through ``git config``."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def get(self, key: str) -> str | None:
        found = self.get_all(key)
        return found[-1] if found else None

    def get_all(self, key: str) -> Sequence[str]:
        printed = git("config", "--get-all", key, cwd=self._root, check=False).stdout.decode()
        return printed.splitlines()

    def last_of(self, *_keys: str) -> None:
        return None

    def get_bool(self, key: str, *, default: bool) -> bool:
        value = self.get(key)
        return default if value is None else value == "true"

    def get_int(self, key: str, *, default: int) -> int:
        value = self.get(key)
        return default if value is None else int(value)

    def get_word(self, key: str, _words: Sequence[str], *, default: str) -> str:
        return self.get(key) or default


class Printed:
    """A repository as ``git`` prints it; a :class:`git_zdev.git.port.Repository`."""

    progress = UNSEEN

    def __init__(self, root: Path) -> None:
        self._root = root
        git_dir = f"{root}/.git"
        self.location = Location(str(root), git_dir, git_dir, f"{git_dir}/index")
        self.config: Config = Settings(root)

    def _lines(self, *words: str) -> list[str]:
        return git(*words, cwd=self._root, check=False).stdout.decode().splitlines()

    def _line(self, *words: str) -> str | None:
        return next(iter(self._lines(*words)), None)

    def head(self) -> Head:
        return Head(self._line("symbolic-ref", "-q", "--short", "HEAD"), self._id("HEAD"))

    def operation(self) -> Operation | None:
        return None

    def rebase_state(self) -> RebaseState | None:
        return None

    def work_tree_of(self, _branch: str) -> str | None:
        return None

    def branch_tip(self, branch: str) -> str | None:
        return self._id(f"refs/heads/{branch}")

    def has_commit(self, commit: str) -> bool:
        return self._id(f"{commit}^{{commit}}") is not None

    def _id(self, revision: str) -> str | None:
        return self._line("rev-parse", "-q", "--verify", revision)

    def is_ancestor(self, ancestor: str, descendant: str) -> bool | None:
        words = ("merge-base", "--is-ancestor", ancestor, descendant)
        return {0: True, 1: False}.get(git(*words, cwd=self._root, check=False).returncode)

    def merge_base(self, one: str, other: str) -> str | None:
        return self._line("merge-base", one, other)

    def has_merges(self, anchor: str, tip: str) -> bool | None:
        return self._line("rev-list", "--merges", f"{anchor}..{tip}") is not None

    def entries(self, prefix: bytes = b"") -> Iterable[IndexEntry]:
        for line in git("ls-files", "--stage", "-z", cwd=self._root).stdout.split(b"\0")[:-1]:
            state, _, path = line.partition(b"\t")
            mode, blob, stage = state.decode().split()
            if path.startswith(prefix):
                yield IndexEntry(path, int(mode, 8), blob, int(stage))

    def unmerged(self) -> Sequence[bytes]:
        return list(dict.fromkeys(entry.path for entry in self.entries() if entry.stage))

    def read_blob(self, blob: str) -> bytes:
        return git("cat-file", "blob", blob, cwd=self._root).stdout

    def head_tree_entries(self, prefix: bytes = b"") -> dict[bytes, TreeEntry]:
        return self.tree_entries("HEAD", prefix)

    def tree_entries(self, commit: str, prefix: bytes = b"") -> dict[bytes, TreeEntry]:
        found = {}
        for line in git("ls-tree", "-r", "-z", commit, cwd=self._root).stdout.split(b"\0")[:-1]:
            state, _, path = line.partition(b"\t")
            mode, _, blob = state.decode().split()
            if path.startswith(prefix):
                found[path] = TreeEntry(int(mode, 8), blob)
        return found

    def read_commit(self, commit: str) -> CommitNode:
        tree, parents, author, message = (
            git("log", "-1", f"--format={form}", commit, cwd=self._root).stdout.rstrip(b"\n")
            for form in ("%T", "%P", "%an <%ae> %at", "%B")
        )
        return CommitNode(tree.decode(), tuple(parents.decode().split()), author, message.decode())

    def find_commit(self, revision: str) -> CommitSummary | None:
        commit = self._id(f"{revision}^{{commit}}")
        if commit is None:
            return None
        message = self.read_commit(commit).message
        return CommitSummary(commit, message.partition("\n")[0], message)

    def commits_with_trailer(self, _token: str, _value: str) -> Sequence[CommitSummary]:
        return []


def as_a_repository(reader: Printed) -> Repository:
    """The type checker holds the double to the port here."""
    return reader


@pytest.fixture
def sha256(tmp_path: Path, hermetic: Path) -> GitRepo:
    """A plan in a repository with ids of 64 digits."""
    assert hermetic
    repo = make_repo(tmp_path / "long", options=("--object-format=sha256",))
    commit_payments(repo)
    assert len(repo.git("rev-parse", "HEAD")) == 64
    return repo


def test_an_area_is_judged(sha256: GitRepo) -> None:
    sha256.git("branch", "side")
    base = sha256.commit(more="x\n")
    write_empty_area(
        sha256.path, "side", mode="isolated", branch="side", lifecycle="open", base_commit=base
    )
    source = FileSource(str(sha256.path))
    reader = as_a_repository(Printed(sha256.path))
    area = areas.load_area(source, "side").area
    assert judge(source, area, reader).diagnostics[0] == "wrong-branch"
    sha256.git("switch", "-q", "side")
    assert not judge(source, area, reader).safe
    sha256.git("merge", "-q", "main")
    status = judge(source, area, reader)
    assert (status.safe, status.base_commit) == (True, base)


def test_the_next_task_is_selected(sha256: GitRepo) -> None:
    records = areas.load_area(FileSource(str(sha256.path)), "payments")
    task = records.graph.default()
    assert judge(FileSource(str(sha256.path)), records.area, Printed(sha256.path)).safe
    assert task is not None
    assert task.id == "payments-002"


def test_staged_records_are_checked(sha256: GitRepo) -> None:
    reader = as_a_repository(Printed(sha256.path))
    assert check(IndexSource(reader)) == []
    index = ".zdev/payments/TASKS.md"
    sha256.write(index, "stale\n")
    sha256.git("add", index)
    assert {problem.path for problem in check(IndexSource(reader))} == {index}
