"""A planned change as a value: each file before and after it, and the commit that follows.

Commands plan; ``publish`` makes the plan visible as a whole or not at all. A plan contains the
bytes that it expects to find, so that a change made in between is noticed and never overwritten.
"""

from __future__ import annotations

from git_zdev.ground.values import dataclass


class Place:
    """The root of a change's path; ``enum`` would cost more than small commands."""

    PLAN_ROOT = "plan-root"
    COMMON_DIR = "common-dir"
    GIT_DIR = "git-dir"


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after.

    Attributes:
        path: ``/`` separated path relative to ``place``.
        old: The bytes that the file must have; None if it must not exist.
        new: The bytes to write; None to delete the file.
        place: The root of ``path``: a value of :class:`Place`.
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
        whole_index: Whether the commit holds the whole index (artifacts that are already staged)
            plus ``paths``, instead of HEAD's tree plus ``paths``.
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
        commit: The commit; None if only files change.
    """

    command: str
    changes: tuple[FileChange, ...] = ()
    commit: CommitPlan | None = None
