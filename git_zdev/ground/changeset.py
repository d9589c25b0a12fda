"""A planned change as a value: which files change, from which bytes to which, and the commit.

Commands plan; ``publish`` makes the plan visible as a whole or not at all. A plan has the bytes
that it expects to find, so a change in between is noticed and never overwritten.
"""

from __future__ import annotations

from git_zdev.ground.values import dataclass


class Place:
    """The root to which a change's path is relative; importing ``enum`` would cost too much."""

    PLAN_ROOT = "plan-root"
    COMMON_DIR = "common-dir"
    GIT_DIR = "git-dir"


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after.

    Attributes:
        path: ``/`` separated path relative to ``place``.
        old: The bytes that must be there; None if the file must not exist.
        new: The bytes to leave; None to delete the file.
        place: What ``path`` is relative to: a value of :class:`Place`.
    """

    path: str
    old: bytes | None
    new: bytes | None
    place: str = Place.PLAN_ROOT


@dataclass(frozen=True, slots=True)
class CommitPlan:
    """The one commit that follows the files.

    Attributes:
        message: The whole message, trailers included.
        paths: Repository-relative managed paths to stage, in the order of the result's ``paths``.
        whole_index: Whether the commit takes the whole index (artifacts that are staged already)
            besides ``paths``, instead of HEAD's tree plus ``paths``.
    """

    message: str
    paths: tuple[str, ...]
    whole_index: bool = False


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Everything that one command changes.

    Attributes:
        command: The command's words, for the journal and for messages.
        changes: The files, each path once.
        commit: The commit, None for files only.
    """

    command: str
    changes: tuple[FileChange, ...] = ()
    commit: CommitPlan | None = None
