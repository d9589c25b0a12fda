"""Runs the program in a terminal of its own, as a person sees it."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from typing import TYPE_CHECKING

from tests.support.cli import PACKAGE_PARENT

if TYPE_CHECKING:
    from collections.abc import Mapping


def in_terminal(
    *arguments: str,
    cwd: str | os.PathLike[str],
    columns: int = 80,
    rows: int = 24,
    env: Mapping[str, str] | None = None,
) -> str:
    """Everything that a successful run of ``git-zdev`` shows, no pager in between."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    around = {"PYTHONPATH": str(PACKAGE_PARENT), "TERM": "xterm-256color", "GIT_PAGER": "cat"}
    program = subprocess.Popen(
        [sys.executable, "-m", "git_zdev", *arguments],
        cwd=cwd,
        env={**os.environ, **around, **(env or {})},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    assert program.wait() == 0, shown.decode()
    return shown.decode().replace("\r\n", "\n")


def _read(descriptor: int) -> bytes:
    """The next bytes; none at the end, which Linux reports as an error."""
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""
