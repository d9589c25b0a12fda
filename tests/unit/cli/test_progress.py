"""Progress on a terminal's standard error."""

from __future__ import annotations

import _thread
import os
import pty
import select
from typing import TYPE_CHECKING

import pytest

from git_zdev.cli import progress, streams
from git_zdev.cli.progress import Bar, line
from git_zdev.ground.progress import UNSEEN, Stage

if TYPE_CHECKING:
    from collections.abc import Iterator

DAYS = 1e6
CAPABLE = {"TERM": "xterm"}
ERASE = b"\r\x1b[K"


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """What a person's terminal receives from standard error."""
    ours, theirs = pty.openpty()
    monkeypatch.setattr(streams, "STDERR", theirs)
    yield ours
    os.close(theirs)
    os.close(ours)


def read_until(screen: int, mark: bytes) -> bytes:
    seen = b""
    while mark not in seen:
        seen += os.read(screen, 1000)
    return seen


def left_on(screen: int) -> bytes:
    """What has been written and not been read yet."""
    os.write(streams.STDERR, b"END")
    return read_until(screen, b"END")[:-3]


def stage(what: str = "Working", total: int | None = None, done: int = 0) -> Stage:
    made = UNSEEN.stage(what, total)
    made.done = done
    return made


def test_a_stage_is_drawn_and_leaves_nothing(screen: int) -> None:
    with Bar(CAPABLE, unicode=True, delay=0) as bar:
        with bar.stage("Working", 4) as work:
            read_until(screen, b"0 %, 0 of 4")
            work.done = 3
            read_until(screen, b" 75 %, 3 of 4")
        # Gone before whatever comes next is written, a hook's words for example.
        assert left_on(screen).endswith(ERASE)
        assert left_on(screen) == b""
    assert left_on(screen) == b""


def test_the_innermost_stage_is_drawn(screen: int) -> None:
    with Bar(CAPABLE, unicode=True, delay=0) as bar, bar.stage("Outer"):
        read_until(screen, b"Outer")
        with bar.stage("Inner"):
            read_until(screen, b"Inner")
        read_until(screen, b"Outer")


def test_between_stages_and_before_the_delay_nothing_is_drawn(screen: int) -> None:
    with Bar(CAPABLE, unicode=True, delay=0):
        assert not select.select([screen], [], [], 5 * progress.PERIOD)[0]
    with Bar(CAPABLE, unicode=True, delay=DAYS) as bar, bar.stage("Working"):
        pass
    assert left_on(screen) == b""


def interrupted(screen: int) -> None:
    with Bar(CAPABLE, unicode=True, delay=0) as bar, bar.stage("Working"):
        read_until(screen, b"Working")
        raise KeyboardInterrupt


def test_a_failure_goes_through_and_leaves_the_line_clean(screen: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted(screen)
    assert left_on(screen).endswith(ERASE)


def test_nothing_is_drawn_in_the_background(screen: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def foreground(descriptor: int) -> int:
        asked.append(descriptor)
        return os.getpgrp() + 1

    monkeypatch.setattr(os, "tcgetpgrp", foreground)
    with Bar(CAPABLE, unicode=True, delay=0) as bar, bar.stage("Working"):
        while not asked:
            assert not select.select([screen], [], [], progress.PERIOD)[0]
    assert left_on(screen) == b""


@pytest.mark.usefixtures("screen")
@pytest.mark.parametrize(
    ("environment", "drawn"),
    [
        (CAPABLE, True),
        (CAPABLE | {"CI": ""}, True),
        (CAPABLE | {"CI": "false"}, True),
        (CAPABLE | {"CI": "true"}, False),
        ({"TERM": "dumb"}, False),
        ({}, False),
    ],
)
def test_where_a_bar_is_drawn(environment: dict[str, str], drawn: bool) -> None:
    assert progress.bar(environment, unicode=True).watched is drawn


def test_a_pipe_gets_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    monkeypatch.setattr(streams, "STDERR", writer)
    assert progress.bar(CAPABLE, unicode=True) is UNSEEN
    os.close(writer)
    os.close(reader)


@pytest.mark.parametrize(
    ("what", "columns", "expected"),
    [
        (stage(total=8, done=2), 40, "Working ━━━━──────────────  25 %, 2 of 8"),
        (stage(total=8, done=8), 40, "Working ━━━━━━━━━━━━━━━━━━ 100 %, 8 of 8"),
        (stage(total=8, done=9), 40, "Working ━━━━━━━━━━━━━━━━━━ 100 %, 8 of 8"),
        (stage(total=1200, done=7), 30, "Working   0 %,     7 of 1,200"),
        (stage(total=1200, done=7), 12, "Working   0 "),
        (stage(done=12345), 28, "Working ━━━━━──────── 12,345"),
        (stage(), 20, "Working ━━━━━───────"),
    ],
)
def test_the_line_fits(what: Stage, columns: int, expected: str) -> None:
    shown = line(what, columns, 0, unicode=True)
    assert shown == expected
    assert len(shown) <= columns


def test_ascii_is_enough() -> None:
    assert line(stage(total=2, done=1), 30, 0, unicode=False) == "Working [###...]  50 %, 1 of 2"


def test_bytes_are_told_in_megabytes() -> None:
    made = UNSEEN.stage("Hashing", 3_000_000_000, in_bytes=True)
    made.done = 1_500_000_000
    assert line(made, 50, 0, unicode=False).endswith(" 50 %, 1,500 of 3,000 MB")


def test_what_has_no_known_end_runs_to_and_fro() -> None:
    shown = [line(stage(), 17, looks, unicode=False) for looks in range(5)]
    assert [text.removeprefix("Working ") for text in shown] == [
        "[#####..]",
        "[.#####.]",
        "[..#####]",
        "[.#####.]",
        "[#####..]",
    ]


def test_without_a_thread_to_be_had_there_is_no_bar(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(_thread, "start_new_thread", refuse)
    with Bar(CAPABLE, unicode=True, delay=0) as bar, bar.stage("Working"):
        pass
    assert capfdbinary.readouterr().err == b""
