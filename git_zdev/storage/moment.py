"""Whether a publication began or ended while somebody read.

A publication begins and ends with a rename inside the ``zdev`` folder of the Git directory (see
``storage.journal``), and each gives that folder another time. So who reads needs no lock and keeps
no writer waiting: the same moment before and after means that nothing became visible in between,
and nothing ceased to be.

The clock of a file system goes in steps. A folder that changed in the step which is still under way
could change once more and keep its time, so that a first look waits for the next step.
"""

from __future__ import annotations

import os
import time

from git_zdev.values import dataclass

_STEP = 12_000_000
"""Nanoseconds; the kernel's clock goes in steps of 1 to 10 ms, or in finer ones."""

_SECOND = 1_000_000_000
_COARSE_STEP = 2 * _SECOND
"""The longest step of a file system that knows whole seconds only."""

_PATIENCE = 3
"""How often a folder that changes again and again is waited for."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What one look at a Git directory tells.

    Attributes:
        journal: Device and inode of the journal that stands; None for none.
        home: Device, inode, mtime and ctime of the folder in which it stands; None for none.
    """

    journal: tuple[int, int] | None
    home: tuple[int, int, int, int] | None


def moment(git_dir: str) -> Moment:
    """This moment. Costs two ``stat``.

    Args:
        git_dir: The work tree's own Git directory.
    """
    home = _stat(f"{git_dir}/zdev")
    journal = None if home is None else _stat(f"{git_dir}/zdev/journal")
    return Moment(
        None if journal is None else (journal.st_dev, journal.st_ino),
        None if home is None else (home.st_dev, home.st_ino, home.st_mtime_ns, home.st_ctime_ns),
    )


def first_moment(git_dir: str) -> Moment:
    """A moment with which a later one can be compared; waits for the step that it needs."""
    for _ in range(_PATIENCE):
        found = moment(git_dir)
        rest = 0 if found.home is None else _rest_of_step(max(found.home[2:]))
        if not rest:
            break
        time.sleep(rest / _SECOND)
    return found


def _rest_of_step(changed: int) -> int:
    """Nanoseconds until a change could no longer get the time ``changed``."""
    step = _STEP if changed % _SECOND else _COARSE_STEP
    age = time.time_ns() - changed
    return step - age if 0 <= age < step else 0


def _stat(path: str) -> os.stat_result | None:
    """What stands there, symbolic links not followed; None for nothing that can be seen."""
    try:
        return os.lstat(path)
    except OSError:
        return None
