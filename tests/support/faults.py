"""A file system, a Git and a repository in which every call can be made to fail.

All three share one :class:`Faults`, which numbers the calls in the order in which a command makes
them. A first run counts them; then there is one run for each.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from git_zdev.disk.atomic import Disk
from git_zdev.ground.errors import ZdevError

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from git_zdev.disk.atomic import Spot
    from git_zdev.git.model import CommitFiles, RefMove
    from git_zdev.git.port import CommitChild, Publisher, Repository

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
    """Which call fails, and how.

    Attributes:
        at: Number of the call, from 1; None for none.
        number: The ``errno`` of failing file system calls.
        half: Whether a failing write leaves half of its bytes first.
        lasting: Whether every later call fails as well.
        calls: Names of the calls so far.
        act: Called instead of failing; the call then goes on.
        released: Called with the pid of the commit that has just been let go.
        armed: Whether calls count already; :meth:`begin` says so for a late start.
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
        """The publication itself begins."""
        self.armed = True

    def due(self, name: str) -> bool:
        """Count a call; whether it is to fail."""
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
    """A file system that forces nothing to the disk: no test pulls the plug.

    Args:
        portable: Whether it can do only what POSIX asks of it.
        links: Whether it has hard links, which exFAT has not.
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
    """A commit that cannot be let go, or of which nobody learns how it ended."""

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
