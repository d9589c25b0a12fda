"""Paths: where a plan is in its work tree, which ones a plan may name, and the folders above one.

A plan's paths are relative and normalized, and none of them may lead into Git's own folder. On
every platform, Git refuses to track a name that some file system would take for ``.git``, so that a
repository is safe to check out anywhere; the same names are refused here. HFS+ ignores certain
invisible characters when it compares names; NTFS drops trailing dots and
spaces, reads ``:`` as the start of a stream and knows the short name ``git~1``.
"""

from __future__ import annotations

import os

from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

RECORD_ROOT = ".zdev"
"""The folder of a plan's records, below its root."""

LENGTH_LIMIT = 4095
"""The most bytes of a path that any Linux system call takes; other systems take less."""

_IGNORED_BY_HFS = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)


@dataclass(frozen=True, slots=True)
class PlanRoot:
    """The folder that holds ``.zdev``, seen from the work tree.

    A record path is relative to this folder, a path in Git to the work tree.

    Attributes:
        folder: Its path below the work tree, ``/`` separated; empty for the work tree itself.
    """

    folder: str

    @property
    def prefix(self) -> str:
        """The prefix of record paths in the work tree: ``folder/``, or nothing."""
        return f"{self.folder}/" if self.folder else ""

    def in_work_tree(self, path: str) -> str:
        """A record path relative to the work tree."""
        return self.prefix + path

    def git_path(self, path: str) -> bytes:
        """A record path as Git has it in trees and in the index."""
        return os.fsencode(self.prefix + path)


TOP = PlanRoot("")
"""A plan at the root of the work tree."""


def checked_path(path: str) -> str:
    """Return a relative path without empty, ``.`` or ``..`` components, as plans require.

    Raises:
        ValueError: The path is not of this form.
    """
    components = path.split("/")
    if path.startswith("/") or not path or {"", ".", ".."} & set(components) or "\0" in path:
        raise ValueError(f"not a path of a plan: {path!r}")
    return path


def is_dot_git(segment: str) -> bool:
    """Whether some file system treats a name as ``.git``."""
    if segment.translate(_IGNORED_BY_HFS).lower() == ".git":
        return True
    return segment.partition(":")[0].rstrip(". ").lower() in {".git", "git~1"}


def folder_above(folder: bytes) -> bytes:
    """The folder above one, both with a trailing slash; empty for the root."""
    return folder[: folder[:-1].rfind(b"/") + 1]


def unknown_folders(folder: bytes, known: Container[bytes]) -> list[bytes]:
    """A folder and those above it as far as they are not known, outer ones first.

    Something that a folder inherits can be worked out in this order, however deep it is.
    """
    found: list[bytes] = []
    while folder not in known:
        found.append(folder)
        if not folder:
            break
        folder = folder_above(folder)
    return found[::-1]
