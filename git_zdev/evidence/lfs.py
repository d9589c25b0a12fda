"""The clean side of Git LFS: the pointer that Git stores for a large file.

The format is public (the Git LFS specification, version 1): three lines with the version, the
SHA-256 of the content and its size. An empty file stays empty, and a file that is already a pointer
stays as it is. This needs no process, and the content is never held in memory.
"""

from __future__ import annotations

import hashlib

from git_zdev.evidence.filters import LFS
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_VERSION = "version https://git-lfs.github.com/spec/v1"
_POINTER = (
    rb"version (?:https://git-lfs\.github\.com/spec/v1|https://hawser\.github\.com/spec/v1)\n"
    rb"oid sha256:[0-9a-f]{64}\nsize (?:0|[1-9][0-9]{0,17})\n*"
)
_MARKS = (b"git-lfs", b"hawser", b"git-media")
_POINTER_LIMIT = 1024
"""A file of this size or more is never taken for a pointer."""


def is_own_command(kind: str, command: str) -> bool:
    """Whether a filter's command is the one that ``git lfs install`` configures.

    ``git lfs …`` is the same as ``git-lfs …``, ``--`` can be left out, and ``--skip`` affects only
    the smudge side. Any other command could do anything.

    Args:
        kind: ``clean`` or ``process``.
        command: The value of ``filter.lfs.<kind>``.
    """
    words = [word for word in command.split(" ") if word]
    if words[:2] == ["git", "lfs"]:
        words[:2] = ["git-lfs"]
    if kind == "clean":
        return words in (["git-lfs", "clean", "--", "%f"], ["git-lfs", "clean", "%f"])
    return words in (["git-lfs", "filter-process"], ["git-lfs", "filter-process", "--skip"])


def clean(path: bytes, blocks: Iterable[bytes]) -> bytes:
    """What Git LFS has Git store for a file.

    Args:
        path: The path, for errors.
        blocks: The file's bytes, block by block.

    Raises:
        ZdevError: ``filter-needs-process`` for a file that resembles a pointer without being in
            its exact form: Git LFS decides about those in ways that its specification leaves open.
    """
    digest = hashlib.sha256()
    size = 0
    start = b""
    for block in blocks:
        digest.update(block)
        size += len(block)
        if len(start) < _POINTER_LIMIT:
            start += block[:_POINTER_LIMIT]
    if not size or (size < _POINTER_LIMIT and _is_pointer(path, start)):
        return start
    return f"{_VERSION}\noid sha256:{digest.hexdigest()}\nsize {size}\n".encode("ascii")


def _is_pointer(path: bytes, data: bytes) -> bool:
    if b"version " not in data or not any(mark in data for mark in _MARKS):
        return False
    if data.startswith(f"{_VERSION}\n<<<<<<< ".encode("ascii")):  # a conflict of two pointers
        return False
    import re

    if re.fullmatch(_POINTER, data):
        return True
    name = printable(path)
    raise ZdevError(
        "filter-needs-process",
        f"{name} may have changed, and resembles a Git LFS pointer that is damaged or has "
        "extensions",
        "Commit or stash the file, or restore the pointer; git-lfs is never run here",
        details={"path": name, "filter": LFS},
    )
