"""A progress bar on standard error, if that is a terminal.

Nothing is shown in the first second, nor if standard error is not a terminal, the terminal cannot
move back in a line (``TERM=dumb``), a build server runs the command (``CI``) or the command is in
the background. When a stage ends, its bar is erased before anything else is written, so that hooks,
editors, pinentry and the result find the line as it was. There is no bar between stages or while
Git's own processes run.

``GIT_PROGRESS_DELAY`` replaces that second, as for Git's own commands.
"""

from __future__ import annotations

import os

from git_zdev.cli import streams
from git_zdev.ground.progress import UNSEEN, Progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from git_zdev.ground.progress import Stage

DELAY = 1.0
"""Seconds before the first bar."""
PERIOD = 0.1
"""Seconds between two updates."""
ERASE = b"\r\x1b[K"
WIDEST = 30
"""Columns of the bar itself in a wide terminal."""
NARROWEST = 8
RUNNER = 5
"""Columns of the part that runs to and fro while the total is unknown."""
MEGABYTE = 1_000_000


class Bar(Progress):
    """A bar that shows the innermost stage.

    Args:
        environment: The environment's variables.
        unicode: Whether the locale shows more than ASCII.
        delay: Seconds before the first bar.
    """

    watched = True

    def __init__(
        self, environment: Mapping[str, str], *, unicode: bool, delay: float = DELAY
    ) -> None:
        import _thread  # built in, so it costs nothing, unlike ``threading``

        self._environment = environment
        self._unicode = unicode
        self._delay = delay
        self._stages: list[Stage] = []
        self._drawn = ""
        self._screen = _thread.allocate_lock()
        self._running = _thread.allocate_lock()
        self._start = _thread.start_new_thread

    def __enter__(self) -> Bar:
        """Start the thread that draws."""
        self._running.acquire()
        try:
            self._start(self._watch, ())
        except RuntimeError:
            return self  # the system has no thread left: no bar then
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Erase the bar and stop the thread."""
        with self._screen:
            self._stages.clear()
            self._erase()
        self._running.release()

    def begin(self, stage: Stage) -> None:
        """Draw this stage from now on."""
        self._stages.append(stage)

    def end(self, stage: Stage) -> None:
        """Erase the bar, so that the line is as it was."""
        with self._screen:
            self._stages.remove(stage)
            self._erase()

    def _watch(self) -> None:
        pause = self._delay
        looks = 0
        while not self._running.acquire(timeout=pause):
            pause = PERIOD
            with self._screen:
                if self._stages and _in_foreground():
                    self._draw(self._stages[-1], looks)
            looks += 1

    def _draw(self, stage: Stage, looks: int) -> None:
        columns, _ = streams.size(streams.STDERR, self._environment)
        text = line(stage, columns - 1, looks, unicode=self._unicode)
        if text != self._drawn:
            streams.write_stderr(ERASE + text.encode())
            self._drawn = text

    def _erase(self) -> None:
        if self._drawn:
            streams.write_stderr(ERASE)
            self._drawn = ""


def bar(environment: Mapping[str, str], *, unicode: bool) -> Progress:
    """The bar of a run, or progress that shows nothing if no bar may be drawn.

    Args:
        environment: The environment's variables.
        unicode: Whether the locale shows more than ASCII.
    """
    from git_zdev.cli import colour

    if not streams.is_terminal(streams.STDERR) or not colour.is_capable(environment):
        return UNSEEN
    if environment.get("CI", "") not in {"", "0", "false"}:
        return UNSEEN
    value = environment.get("GIT_PROGRESS_DELAY", "")
    delay = int(value) if value.isascii() and value.isdigit() else DELAY
    return Bar(environment, unicode=unicode, delay=delay)


def line(stage: Stage, columns: int, looks: int, *, unicode: bool) -> str:
    """A stage in one line of at most ``columns`` characters.

    Args:
        stage: The stage.
        columns: The room for it.
        looks: How often the bar was updated before: a moving part advances by one each time.
        unicode: Whether the locale shows more than ASCII.
    """
    words = f" {_amount(stage)}".rstrip()
    room = min(WIDEST, columns - len(stage.what) - len(words) - 1)
    if room < NARROWEST:
        return f"{stage.what}{words}"[:columns]
    return f"{stage.what} {_track(stage, room, looks, unicode=unicode)}{words}"


def _amount(stage: Stage) -> str:
    """How much is done, in numbers; nothing if nothing is counted."""
    unit, name = (MEGABYTE, " MB") if stage.in_bytes else (1, "")
    if not stage.total:
        return f"{stage.done // unit:,}{name}" if stage.done else ""
    done = min(stage.done, stage.total)
    whole = f"{stage.total // unit:,}"
    return f"{100 * done // stage.total:3} %, {done // unit:>{len(whole)},} of {whole}{name}"


def _track(stage: Stage, columns: int, looks: int, *, unicode: bool) -> str:
    """The bar: filled from the left if the total is known, else with a moving part."""
    filled, empty, left, right = ("━", "─", "", "") if unicode else ("#", ".", "[", "]")
    columns -= len(left) + len(right)
    if stage.total:
        start, length = 0, min(columns, columns * stage.done // stage.total)
    else:
        way = columns - RUNNER
        start, length = way - abs(looks % (2 * way) - way), RUNNER
    rest = columns - start - length
    return f"{left}{empty * start}{filled * length}{empty * rest}{right}"


def _in_foreground() -> bool:
    """Whether this command is in the terminal's foreground."""
    try:
        return os.tcgetpgrp(streams.STDERR) == os.getpgrp()
    except OSError:
        return True  # a terminal, but not this process's controlling one
