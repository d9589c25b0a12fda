"""Which paths a plan may name, whoever wrote the plan.

A plan's paths are relative and normalized. Below the work tree none of them may lead into Git's
own folder. Git refuses to track anything that some file system would take for ``.git``, on every
platform, so that a repository is safe to check out anywhere; the same names are refused here.
HFS+ leaves out certain invisible characters when it compares names; NTFS drops trailing dots and
spaces, reads ``:`` as the start of a stream and knows the short name ``git~1``.
"""

from __future__ import annotations

RECORD_ROOT = ".zdev"
"""The folder of a plan's records, below its root."""

LENGTH_LIMIT = 4095
"""Most bytes of a path that any call of Linux takes; other systems take less."""

_IGNORED_BY_HFS = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)


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
