"""Where a plan is in its work tree, and which paths it may name, whoever wrote it.

A plan's paths are relative and normalized. Below the work tree none of them may lead into Git's
own folder. Git refuses to track anything that some file system would take for ``.git``, on every
platform, so that a repository is safe to check out anywhere; the same names are refused here.
HFS+ leaves out certain invisible characters when it compares names; NTFS drops trailing dots and
spaces, reads ``:`` as the start of a stream and knows the short name ``git~1``.
"""

from __future__ import annotations

import os

from git_zdev.ground.values import dataclass

RECORD_ROOT = ".zdev"
"""The folder of a plan's records, below its root."""

LENGTH_LIMIT = 4095
"""Most bytes of a path that any call of Linux takes; other systems take less."""

_IGNORED_BY_HFS = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)


@dataclass(frozen=True, slots=True)
class PlanRoot:
    """The folder that holds ``.zdev``, seen from the work tree.

    A record path is relative to it, a path that Git knows to the work tree.

    Attributes:
        folder: Its path below the work tree, ``/`` separated; empty if they are one.
    """

    folder: str

    @property
    def prefix(self) -> str:
        """What a record path begins with in the work tree: ``folder/``, or nothing."""
        return f"{self.folder}/" if self.folder else ""

    def in_work_tree(self, path: str) -> str:
        """A record path relative to the work tree."""
        return self.prefix + path

    def git_path(self, path: str) -> bytes:
        """A record path as Git has it in trees and in the index."""
        return os.fsencode(self.prefix + path)


TOP = PlanRoot("")
"""The root of the work tree."""


def checked_path(path: str) -> str:
    """A relative path without empty, ``.`` or ``..`` components, as plans must give it.

    Raises:
        ValueError: It is none.
    """
    components = path.split("/")
    if path.startswith("/") or not path or {"", ".", ".."} & set(components) or "\0" in path:
        raise ValueError(f"not a path of a plan: {path!r}")
    return path


def is_dot_git(segment: str) -> bool:
    """Whether some file system takes a name for ``.git``."""
    if segment.translate(_IGNORED_BY_HFS).lower() == ".git":
        return True
    return segment.partition(":")[0].rstrip(". ").lower() in {".git", "git~1"}
