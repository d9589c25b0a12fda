"""Runs the program in a terminal of its own, as a person sees it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.support.cli import PYTHON

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Shown:
    """What one run left on the terminal.

    Attributes:
        status: Exit status.
        text: All that stands there, line ends as LF.
        piped: What went past the terminal, where one of the streams is a pipe.
    """

    status: int
    text: str
    piped: str = ""

    @property
    def plain(self) -> str:
        """The text without styles."""
        return ANSI.sub("", self.text)


def in_terminal(
    *arguments: str,
    cwd: str | os.PathLike[str],
    columns: int = 80,
    rows: int = 24,
    env: Mapping[str, str] | None = None,
) -> str:
    """Everything that a successful run of ``git-zdev`` shows, no pager in between."""
    shown = run_in_terminal(
        *arguments, cwd=cwd, columns=columns, rows=rows, env={"GIT_PAGER": "cat", **(env or {})}
    )
    assert shown.status == 0, shown.text
    return shown.text


def run_in_terminal(
    *arguments: str,
    cwd: str | os.PathLike[str],
    columns: int = 80,
    rows: int = 24,
    env: Mapping[str, str] | None = None,
    piped: str = "",
    program: Sequence[str] = (sys.executable, "-m", "git_zdev"),
) -> Shown:
    """Run ``git-zdev`` in a terminal of its own.

    Args:
        arguments: The words after the program's name.
        cwd: Where.
        columns: Width of the terminal.
        rows: Height of the terminal.
        env: Added to the current (sealed) environment; an empty ``TERM`` or ``LANG`` is as good as
            none.
        piped: ``stdout`` or ``stderr`` where that stream is a pipe instead.
        program: What to start.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    if piped:
        streams[piped] = subprocess.PIPE
    around = {**PYTHON, "TERM": "xterm-256color"}
    with subprocess.Popen(
        [*program, *arguments], cwd=cwd, env={**os.environ, **around, **(env or {})}, **streams
    ) as process:
        os.close(theirs)
        shown = b"".join(iter(lambda: _read(ours), b""))
        pipe = getattr(process, piped) if piped else None
        past = pipe.read().decode() if pipe else ""
    os.close(ours)
    return Shown(process.returncode, shown.decode().replace("\r\n", "\n"), past)


def _read(descriptor: int) -> bytes:
    """The next bytes; none at the end, which Linux reports as an error."""
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""
