"""Identities of processes that survive the reuse of a pid, and our ancestors.

Linux has all of this in ``/proc``. Elsewhere only the pid identifies a process, which errs on the
safe side: a reused pid counts as alive.
"""

from __future__ import annotations

import os

from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_DEAD_STATES = (b"Z", b"X")


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """A process, distinguished from a later one with the same pid.

    Attributes:
        pid: Its pid.
        start: Start time in clock ticks after boot; None if the system has none.
        host: Name of the machine.
        boot: Id of the machine's boot; empty if the system has none.
        namespace: Id of the pid namespace; 0 if the system has none.
    """

    pid: int
    start: int | None
    host: str
    boot: str
    namespace: int

    @classmethod
    def of(cls, pid: int) -> ProcessIdentity:
        """The identity of a running process."""
        found = _stat(pid)
        return cls(
            pid, None if found is None else found.start, os.uname().nodename, _boot(), _namespace()
        )

    def alive(self) -> bool | None:
        """Whether it still runs; a zombie does not. None if that cannot be known from here.

        The boot id is more reliable than the host's name, which can differ per container.
        """
        if not self.boot or _boot() != self.boot:
            if os.uname().nodename != self.host:
                return None
            if self.boot:
                return False
        if _namespace() != self.namespace:
            return None
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        found = _stat(self.pid)
        if found is None or self.start is None:
            return True
        return found.start == self.start and found.state not in _DEAD_STATES


def git_commands_above() -> Iterator[list[str]]:
    """Command lines of the ancestors that are ``git`` itself, nearest first.

    Empty if the system does not list them.
    """
    pid = os.getppid()
    while pid > 0:
        found = _stat(pid)
        if found is None:
            return
        if found.name == b"git":
            yield _command_line(pid)
        pid = found.parent


def pids_above() -> Iterator[int]:
    """The pids of the ancestors, nearest first; only the parent if the system lists no more."""
    pid = os.getppid()
    while pid > 0:
        yield pid
        found = _stat(pid)
        pid = 0 if found is None else found.parent


@dataclass(frozen=True, slots=True)
class _Stat:
    name: bytes
    state: bytes
    parent: int
    start: int


def _stat(pid: int) -> _Stat | None:
    """The fields of ``/proc/<pid>/stat`` (proc(5)); the name can hold any character, even ``)``."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            content = file.read()
    except OSError:
        return None
    name, _, rest = content.partition(b"(")[2].rpartition(b")")
    fields = rest.split()
    return _Stat(name, fields[0], int(fields[1]), int(fields[19]))


def _command_line(pid: int) -> list[str]:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return [os.fsdecode(word) for word in file.read().split(b"\0")[:-1]]
    except OSError:
        return []


def _boot() -> str:
    try:
        with open("/proc/sys/kernel/random/boot_id", "rb") as file:
            return file.read().decode().strip()
    except OSError:
        return ""


def _namespace() -> int:
    try:
        return os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        return 0


def boot_id() -> str:
    """Id of the machine's boot; empty if the system has none."""
    return _boot()
