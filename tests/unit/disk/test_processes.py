from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from git_zdev.disk import processes
from git_zdev.disk.processes import ProcessIdentity, git_commands_above
from git_zdev.ground.values import replace

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


def test_we_are_alive_and_a_reaped_child_is_not() -> None:
    assert ProcessIdentity.of(os.getpid()).alive() is True
    child = subprocess.Popen(["true"])
    identity = ProcessIdentity.of(child.pid)
    child.wait()
    assert identity.alive() is False


@linux
def test_a_zombie_is_dead() -> None:
    child = subprocess.Popen(["true"])
    identity = ProcessIdentity.of(child.pid)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert identity.alive() is False
    child.wait()


@linux
def test_the_start_time_survives_an_exec(tmp_path: Path) -> None:
    gate = subprocess.Popen(["sh", "-c", "read go; exec cat"], stdin=subprocess.PIPE)
    before = ProcessIdentity.of(gate.pid)
    assert gate.stdin is not None
    gate.stdin.write(b"go\n")
    gate.stdin.flush()
    while Path(f"/proc/{gate.pid}/comm").read_text() != "cat\n":
        pass
    assert ProcessIdentity.of(gate.pid) == before
    gate.communicate()


@pytest.mark.parametrize(
    ("changes", "alive"),
    [
        ({"host": "another"}, True),  # a container may have a name of its own
        ({"boot": "another"}, False),
        ({"boot": "another", "host": "another"}, None),
        ({"boot": "", "host": "another"}, None),
        ({"boot": ""}, True),
        ({"namespace": 1}, None),
    ],
)
def test_what_cannot_be_seen_from_here(changes: dict[str, object], alive: bool | None) -> None:
    identity = replace(ProcessIdentity.of(os.getpid()), **changes)
    assert identity.alive() is alive


def test_without_a_start_time_a_pid_in_use_counts_as_alive() -> None:
    identity = replace(ProcessIdentity.of(os.getpid()), start=None)
    assert identity.alive() is True


@linux
def test_a_name_with_spaces_and_parentheses_is_read(tmp_path: Path) -> None:
    odd = tmp_path / "a) S (b"
    odd.write_text("#!/bin/sh\nread go\n")
    odd.chmod(0o755)
    child = subprocess.Popen([str(odd)], stdin=subprocess.PIPE)
    identity = ProcessIdentity.of(child.pid)
    assert identity.start is not None
    assert identity.alive() is True
    child.communicate(b"go\n")


@linux
def test_only_git_itself_counts_among_the_ancestors(monkeypatch: pytest.MonkeyPatch) -> None:
    family = {
        30: processes._Stat(b"sh", b"S", 20, 0),
        20: processes._Stat(b"git", b"S", 10, 0),
        10: processes._Stat(b"git-gui", b"S", 1, 0),
        1: processes._Stat(b"init", b"S", 0, 0),
    }
    monkeypatch.setattr(os, "getppid", lambda: 30)
    monkeypatch.setattr(processes, "_stat", family.get)
    monkeypatch.setattr(processes, "_command_line", lambda pid: ["git", f"of-{pid}"])
    assert list(git_commands_above()) == [["git", "of-20"]]
