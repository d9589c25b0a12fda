"""Progress on a terminal's standard error."""

from __future__ import annotations

import os
import pty
from typing import TYPE_CHECKING

import pytest

from git_zdev.cli import progress, streams

if TYPE_CHECKING:
    from collections.abc import Iterator

DAYS = 1e6


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """What a person's terminal receives from standard error."""
    ours, theirs = pty.openpty()
    monkeypatch.setattr(streams, "STDERR", theirs)
    yield ours
    os.close(theirs)
    os.close(ours)


def test_a_line_counts_and_leaves(screen: int) -> None:
    with progress.shown("Working", period=0.01):
        assert os.read(screen, 15) == b"\r\x1b[KWorking: 1 s"[:15]
    os.write(streams.STDERR, b"END")
    rest = b""
    while not rest.endswith(b"END"):
        rest += os.read(screen, 1000)
    assert rest.endswith(b"\r\x1b[KEND")


def test_quick_work_shows_nothing(screen: int) -> None:
    with progress.shown("Working", period=DAYS):
        pass
    os.write(streams.STDERR, b"END")
    assert os.read(screen, 1000) == b"END"


def interrupted(screen: int) -> None:
    with progress.shown("Working", period=0.01):
        os.read(screen, 1)
        raise KeyboardInterrupt


def test_a_failure_goes_through_and_leaves_the_line_clean(screen: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted(screen)
    os.write(streams.STDERR, b"END")
    rest = b""
    while not rest.endswith(b"END"):
        rest += os.read(screen, 1000)
    assert rest.endswith(b"\r\x1b[KEND")


def test_without_a_label_or_a_terminal_nothing_is_shown(
    screen: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with progress.shown(None, period=0):
        pass
    os.write(streams.STDERR, b"END")
    assert os.read(screen, 1000) == b"END"
    reader, writer = os.pipe()
    monkeypatch.setattr(streams, "STDERR", writer)
    with progress.shown("Working", period=0):
        pass
    os.close(writer)
    assert os.read(reader, 10) == b""
    os.close(reader)
