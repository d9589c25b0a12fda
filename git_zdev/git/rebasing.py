"""The rebase in progress, as Git keeps it, and the locks that a Git which was killed left.

What Git keeps is known from the files of ``rebase-merge`` (sequencer.c) or ``rebase-apply``: of a
rebase by merging, ``done`` and ``git-rebase-todo`` hold what was begun and what is to come, one
command a line; ``end`` their number; ``rewritten-list`` and ``rewritten-pending`` the commits that
were copied; and ``stopped-sha`` the one at whose conflict Git stopped. A command moves from
``git-rebase-todo`` to ``done`` before Git carries it out.
"""

from __future__ import annotations

import os

from git_zdev.git.model import RebaseState
from git_zdev.git.read import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.disk.rebase_record import StartedRebase
    from git_zdev.git.model import Location

_HEADS = "refs/heads/"
_DETACHED = "detached HEAD"
_HEX = frozenset("0123456789abcdef")
_ID_LENGTH = 40
_SHORTEST_ID = 4
_LIMIT = 1 << 24
"""Bytes to which one of the files is read; a list of a hundred thousand commits is shorter."""

_OUR_LOCK = "zdev-state.lock"


def rebase_state(location: Location) -> RebaseState | None:
    """What is known about the rebase in progress in this work tree; None without one.

    Where Git's own notes are not whole, or where Git was giving up when it was ended, that is what
    was recorded of the rebase that this program started last.
    """
    state = _kept_state(location)
    started = None if state is None else started_rebase(location)
    if state is None or started is None:
        return state
    if not state.whole:
        names = (started.branch, started.onto, started.original)
        return RebaseState(*names, whole=False, resumable=False)
    is_same = (state.onto, state.original) == (started.onto, started.original)
    if started.action == "abort" and is_same:
        return RebaseState(state.branch, state.onto, state.original, resumable=False)
    return state


def started_rebase(location: Location) -> StartedRebase | None:
    """The rebase that this program started last in this work tree, as far as it was recorded."""
    from git_zdev.disk import rebase_record as records

    try:
        data = files.read(location.git_path(f"{records.FOLDER}/{records.NAME}"), records.LIMIT + 1)
    except OSError:
        return None
    return records.decode(data) if len(data) <= records.LIMIT else None


def _kept_state(location: Location) -> RebaseState | None:
    """What Git keeps."""
    for name in ("rebase-merge", "rebase-apply"):
        folder = location.git_path(name)
        if not os.path.isdir(folder) or os.path.lexists(f"{folder}/applying"):
            continue  # the latter is what `git am` keeps
        branch, onto, original = (
            _text(f"{folder}/{file}").strip("\n") for file in ("head-name", "onto", "orig-head")
        )
        is_branch = branch.startswith(_HEADS) and branch != _HEADS
        if not (is_branch or branch == _DETACHED) or not (_is_id(onto) and _is_id(original)):
            return RebaseState(None, None, None, whole=False, resumable=False)
        named = branch.removeprefix(_HEADS) if is_branch else None
        resumable = name == "rebase-apply" or _is_resumable(folder)
        return RebaseState(named, onto, original, resumable=resumable)
    return None


def left_locks(location: Location, branch: str) -> list[str]:
    """Lock files that keep Git from going on, absolute, sorted: of a Git that was killed, or lives.

    Args:
        location: The repository's parts.
        branch: A branch whose lock counts as well.
    """
    found = {f"{location.common_dir}/{name}.lock" for name in ("packed-refs", f"{_HEADS}{branch}")}
    found |= {
        location.git_path(name)
        for name in _names(location.git_dir)
        if name.endswith(".lock") and name != _OUR_LOCK
    }
    return sorted(path for path in found if os.path.lexists(path))


def _is_resumable(folder: str) -> bool:
    """Whether every commit is on the list of those to come, was copied, or is where Git stopped."""
    if any(name.endswith(".lock") for name in _names(folder)):
        return False
    done, coming = _commands(f"{folder}/done"), _commands(f"{folder}/git-rebase-todo")
    if not done:
        return False
    last, comes_again = done[-1], coming[:1] == done[-1:]
    total = _text(f"{folder}/end").strip()
    if total not in {str(len(done) + len(coming)), str(len(done) + len(coming) - comes_again)}:
        return False
    commit = _commit_of(last)
    if commit is None or comes_again:
        return True
    copied = _text(f"{folder}/rewritten-list") + _text(f"{folder}/rewritten-pending")
    known = [line.partition(" ")[0] for line in copied.split("\n")]
    if os.path.lexists(f"{folder}/message"):  # the last file that Git writes when it stops
        known.append(_text(f"{folder}/stopped-sha").strip())
    return any(_are_one(commit, one) for one in known)


def _commands(path: str) -> list[str]:
    """The lines of a list of Git's that are not comments, whatever begins a comment."""
    return [line for line in _text(path).split("\n") if line[:1].isalpha()]


def _commit_of(command: str) -> str | None:
    """The commit that a command copies; None for one that copies none, such as ``exec``."""
    words = command.split(maxsplit=3)[1:3]
    return next((word for word in words if len(word) >= _SHORTEST_ID and set(word) <= _HEX), None)


def _are_one(one: str, other: str) -> bool:
    """Whether two ids, of which either may be abbreviated, can be those of one commit."""
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= _SHORTEST_ID and longer.startswith(shorter)


def _is_id(text: str) -> bool:
    return len(text) == _ID_LENGTH and _HEX.issuperset(text)


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _text(path: str) -> str:
    """The text of a file; empty if there is none."""
    try:
        return files.read(path, _LIMIT).decode("utf-8", "backslashreplace")
    except OSError:
        return ""
