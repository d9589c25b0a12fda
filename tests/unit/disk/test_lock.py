from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from git_zdev.disk.lock import LOCK_FILE, StateLock, is_free, still_held
from git_zdev.ground.errors import ZdevError
from tests.support.repo import Seen

if TYPE_CHECKING:
    from collections.abc import Callable

HOLD = """
import sys, time
from git_zdev.disk.lock import StateLock
with StateLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(git_dir: Path) -> subprocess.Popen[bytes]:
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(git_dir)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"held\n"
    return child


def end(child: subprocess.Popen[bytes]) -> None:
    child.communicate()


def test_a_live_holder_is_named_after_the_wait(tmp_path: Path) -> None:
    child = holder(tmp_path)
    with pytest.raises(ZdevError) as caught, StateLock(str(tmp_path), lambda: 0):
        pass
    assert caught.value.code == "state-locked"
    assert f"process {child.pid} " in caught.value.message
    assert caught.value.details == {"pid": child.pid}
    end(child)


def test_a_waiter_gets_the_lock_when_the_holder_is_done(tmp_path: Path) -> None:
    child = holder(tmp_path)
    timer = threading.Timer(0.05, end, [child])
    timer.start()
    seen = Seen()
    with StateLock(str(tmp_path), lambda: -1, seen):
        assert child.wait() == 0
        assert seen.stages == [("Waiting for another command", 0, None)]
    timer.join()


def test_a_file_left_by_a_killed_holder_is_no_lock(tmp_path: Path) -> None:
    child = holder(tmp_path)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert (tmp_path / LOCK_FILE).read_text() == f"{child.pid}\n"
    with StateLock(str(tmp_path), lambda: 0):
        assert (tmp_path / LOCK_FILE).read_text() == f"{os.getpid()}\n"
    assert (tmp_path / LOCK_FILE).exists()


def test_the_timeout_is_not_asked_for_while_nobody_holds_the_lock(tmp_path: Path) -> None:
    def never() -> float:
        raise AssertionError("asked")

    with StateLock(str(tmp_path), never):
        pass


def test_no_child_inherits_the_lock(tmp_path: Path) -> None:
    with StateLock(str(tmp_path)):
        child = subprocess.Popen(["sleep", "60"], close_fds=False)
    try:
        with StateLock(str(tmp_path), lambda: 0):
            pass
    finally:
        child.kill()
        child.wait()


def test_a_symbolic_link_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("mine")
    (tmp_path / LOCK_FILE).symlink_to("elsewhere")
    with pytest.raises(ZdevError, match="is a symbolic link"), StateLock(str(tmp_path)):
        pass
    assert (tmp_path / "elsewhere").read_text() == "mine"


def test_readers_see_whether_a_writer_is_at_work(tmp_path: Path) -> None:
    assert is_free(str(tmp_path), lambda: True)
    assert not (tmp_path / LOCK_FILE).exists()
    child = holder(tmp_path)
    assert not is_free(str(tmp_path), lambda: True)
    end(child)
    assert is_free(str(tmp_path), lambda: True)
    assert not is_free(str(tmp_path), lambda: False)


def fifo(path: Path) -> None:
    os.mkfifo(path)


def link(path: Path) -> None:
    path.with_name("elsewhere").write_text("")
    path.symlink_to("elsewhere")


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def bound(path: Path) -> None:
    with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as opened:
        opened.bind(path.name)


def folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("make", [fifo, link, endless, bound, folder])
def test_what_is_no_file_is_named_and_not_waited_for(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    path = tmp_path / LOCK_FILE
    make(path)
    for take in (StateLock(str(tmp_path)).__enter__, lambda: is_free(str(tmp_path), lambda: True)):
        with pytest.raises(ZdevError) as caught:
            take()
        assert caught.value.code == "unsafe-path"
        assert str(path) in caught.value.message
        assert caught.value.hint.startswith("Remove it")


def test_a_reader_that_waited_names_the_holder(tmp_path: Path) -> None:
    child = holder(tmp_path)
    error = still_held(str(tmp_path), 0.5)
    assert error.code == "state-locked"
    assert error.message == (
        f"process {child.pid} has held {tmp_path / LOCK_FILE} for more than 0.5 s"
    )
    assert error.details == {"pid": child.pid}
    end(child)
