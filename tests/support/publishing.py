"""What the tests of publication share: a transaction in a real repository, and its whole state."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

from git_zdev.git.read.discovery import discover
from git_zdev.git.read.repository import open_repository
from git_zdev.ground.changeset import ChangeSet, FileChange
from git_zdev.publish.recovery import Recovery, recover
from git_zdev.publish.transaction import Transaction, transaction
from tests.support.faults import HastyDisk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from git_zdev.disk.atomic import Disk
    from git_zdev.git.port import Publisher, Repository
    from tests.support.gitrepo import GitRepo

PLAIN = {
    ".zdev/config.toml": b"config\n",
    ".zdev/area/area.toml": b"area\n",
    ".zdev/area/tasks/001-one.md": b"one\n",
    ".zdev/area/tasks/002-two.md": b"two\n",
}
"""A small tree; publication does not care what the files say."""


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
    """A plan of files only: name (``__`` is a slash) to old and new bytes."""
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
"""What stays in the ``zdev`` folder of the Git directory by design."""


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
    """What publication left in the Git directory and should not have."""
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
