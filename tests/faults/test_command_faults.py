"""Every call on the path of every writing command fails once, and nothing is left of it.

Unlike in ``test_publication_faults`` these are the real commands, from their arguments on.
"""

from __future__ import annotations

import errno
import functools
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.support.faults import (
    COMMANDS,
    Faults,
    Writing,
    copy_of,
    lasting,
    leftovers,
    recovered,
    whole_state,
)
from tests.support.repo import make_repo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faults.conftest import Sample
    from tests.support.repo import GitRepo


@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: one.name)
def test_each_call_may_fail(
    tmp_path: Path,
    command: Writing,
    sample: Sample,
    record_property: Callable[[str, object], None],
) -> None:
    original = make_repo(tmp_path / "original", options=("--template=",))
    command.prepare(original)
    reference = copy_of(original, tmp_path / "copy")
    counting = Faults()
    command.run(reference, counting)
    new = lasting(reference)
    assert new != lasting(original)
    shutil.rmtree(reference.path)
    points = sample(len(counting.calls), every=10)
    for number in points:
        repo = copy_of(original, tmp_path / "copy")
        before = whole_state(repo)
        half = counting.calls[number - 1].startswith("create ")
        faults = Faults(at=number, number=errno.ENOSPC if half else errno.EIO, half=half)
        error = command.attempt(repo, faults)
        message = f"call {number}, {faults.calls[number - 1]}: {error}"
        if error is None:
            recovered(repo)  # what is over may wait to be swept
            assert lasting(repo) == new, message
        else:
            assert error.code != "rollback-incomplete", message
            assert whole_state(repo) == before, message
        assert leftovers(repo) == [], message
        shutil.rmtree(repo.path)
    record_property("points", len(points))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: one.name)
def test_each_command_works_without_hard_links(
    tmp_path: Path,
    command: Writing,
    sample: Sample,
    record_property: Callable[[str, object], None],
) -> None:
    """As on exFAT; and each call may fail there as well."""
    original = make_repo(tmp_path / "original", options=("--template=",))
    command.prepare(original)
    plain = copy_of(original, tmp_path / "plain/copy")
    linkless = copy_of(original, tmp_path / "copy")
    command.run(plain, Faults())
    counting = Faults(linkless=True)
    command.run(linkless, counting)
    new = lasting(plain)
    assert lasting(linkless) == new
    shutil.rmtree(linkless.path)
    points = sample(len(counting.calls), every=40)
    for number in points:
        repo = copy_of(original, tmp_path / "copy")
        before = whole_state(repo)
        error = command.attempt(repo, Faults(at=number, lasting=True, linkless=True))
        recovered(repo)
        message = f"from call {number}, {counting.calls[number - 1]}: {error}"
        assert leftovers(repo) == [], message
        if error is None or whole_state(repo) != before:
            assert lasting(repo) == new, message
        shutil.rmtree(repo.path)
    record_property("points", len(points))


def edit(repo: GitRepo) -> None:
    """Change every file of the plan by a line's end, which no command would overwrite unread."""
    for path in repo.path.glob(".zdev/**/*.*"):
        path.write_bytes(path.read_bytes() + b"\n")
    repo.write(".zdev/config.toml", "theirs = 1\n")


def link(repo: GitRepo) -> None:
    folder = repo.path / ".zdev"
    if folder.exists():
        folder.rename(repo.path / "moved")
    folder.symlink_to("moved")


def move_head(repo: GitRepo) -> None:
    tree = repo.rev("HEAD^{tree}")
    repo.git("update-ref", "HEAD", repo.git("commit-tree", "-p", "HEAD", "-m", "Theirs", tree))


def switch(repo: GitRepo) -> None:
    repo.git("symbolic-ref", "HEAD", "refs/heads/elsewhere")


DRIFTS = {
    edit: {"state-drifted"},
    link: {"symlink-in-records", "unsafe-path"},
    move_head: {"state-drifted"},
    switch: {"state-drifted"},
}


def meanwhile(
    due: Callable[[str], bool],
    moment: str,
    drift: Callable[[GitRepo], None],
    repo: GitRepo,
    states: list[object],
    call: str,
) -> bool:
    """Stands in for ``due`` of the faults: let the other process act once, at the moment."""
    if call.startswith(moment) and not states:
        drift(repo)
        states.append(whole_state(repo))
    return due(call)


@pytest.mark.parametrize("drift", DRIFTS)
@pytest.mark.parametrize("moment", ["make_folder journal.", "rename journal."])
def test_what_another_process_does_meanwhile_stops_each_command(
    tmp_path: Path, drift: Callable[[GitRepo], None], moment: str
) -> None:
    """It is done after the plan was made, while the journal is written."""
    for command in COMMANDS:
        repo = make_repo(tmp_path / command.name, options=("--template=",))
        command.prepare(repo)
        states = []
        faults = Faults()
        faults.due = functools.partial(meanwhile, faults.due, moment, drift, repo, states)
        error = command.attempt(repo, faults)
        assert error is not None, command.name
        assert error.code in DRIFTS[drift], (command.name, error)
        assert [whole_state(repo)] == states, (command.name, error)
        assert leftovers(repo) == [], command.name
        shutil.rmtree(repo.path)
