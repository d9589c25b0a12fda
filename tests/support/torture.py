"""Commands that run in processes of their own, to be ended at the worst moment."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from git_zdev.cli.main import main as zdev
from git_zdev.ground.errors import ZdevError
from tests.support.publishing import foreign_locks, leftovers, recovered, whole_state
from tests.support.writing import Writing, folders, lasting

if TYPE_CHECKING:
    from tests.support.gitrepo import GitRepo

CHECK = Writing("check", lambda _: None, ("check",))


def start(case: Writing, repo: GitRepo) -> int:
    """Start a command in a forked process; its pid."""
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
    """Run a command to its end; the seconds that it took."""
    began = time.perf_counter()
    _, status = os.waitpid(start(case, repo), 0)
    if status:
        raise SystemExit(f"{case.name}: ended with {os.waitstatus_to_exitcode(status)} unharmed")
    return time.perf_counter() - began


def await_journal(repo: GitRepo, pid: int) -> None:
    """Wait until the command has something to lose, or is over."""
    journal = repo.path / ".git/zdev/journal"
    while not journal.exists():
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return
        time.sleep(0.0002)


def children(pid: int) -> list[int]:
    """Pids of the processes that a process started."""
    with contextlib.suppress(OSError):
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def is_sound(repo: GitRepo) -> bool:
    """Whether `git zdev check` is content."""
    return os.waitpid(start(CHECK, repo), 0)[1] == 0


def verdict(repo: GitRepo, before: dict[str, Any], after: tuple[Any, ...]) -> tuple[str, list[str]]:
    """Recover; ``old`` or ``new``, and what is wrong."""
    wrong = []
    try:
        recovered(repo)
    except ZdevError as error:
        wrong.append(f"recovery refuses: {error.message}")
    for lock in foreign_locks(repo):
        lock.unlink()  # a killed Git leaves them, and only the user may remove them
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
