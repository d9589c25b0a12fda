"""The conditions of ``includeIf`` (git-config(1), "Conditional includes")."""

from __future__ import annotations

import os

from git_zdev.git.read import files
from git_zdev.git.wildmatch import wildmatch
from git_zdev.ground.errors import ZdevError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def git_dir_matches(
    pattern: str, git_dir: str, folder: str | None, *, ignore_case: bool = False
) -> bool:
    """Whether a Git directory is one that ``gitdir:<pattern>`` means.

    Args:
        pattern: The pattern, its ``~/`` expanded.
        git_dir: Absolute path of the work tree's own Git directory.
        folder: Where the file with the condition is; None on the command line.
        ignore_case: Whether it was ``gitdir/i``.
    """
    if pattern.startswith("./"):
        if folder is None:
            raise ZdevError(
                "invalid-git-config",
                f"the command line has an include condition with the relative path {pattern!r}",
                "Put the condition into a configuration file, or make the path absolute",
            )
        fixed, pattern = f"{folder}/", pattern[2:]
    else:
        fixed = ""
        pattern = pattern if pattern.startswith("/") else f"**/{pattern}"
    start, rest = os.fsencode(fixed), _open_ended(os.fsencode(pattern))
    start = start.lower() if ignore_case else start
    matches = wildmatch(rest, folded=ignore_case)
    for name in (os.fsencode(os.path.realpath(git_dir)), os.fsencode(git_dir)):
        text = name.lower() if ignore_case else name
        if text.startswith(start) and matches(text[len(start) :]):
            return True
    return False


def branch_matches(pattern: str, git_dir: str) -> bool:
    """Whether the checked-out branch is one that ``onbranch:<pattern>`` means."""
    try:
        head = os.fsdecode(files.read(f"{git_dir}/HEAD"))
    except OSError:
        return False
    target = head.removeprefix("ref:").strip()
    if not head.startswith("ref:") or not target.startswith("refs/heads/"):
        return False
    matches = wildmatch(_open_ended(os.fsencode(pattern)))
    return matches(os.fsencode(target.removeprefix("refs/heads/")))


def any_url_matches(pattern: str, urls: Iterable[str]) -> bool:
    """Whether one of the remotes' URLs is what ``hasconfig:remote.*.url:<pattern>`` means."""
    return any(map(wildmatch(os.fsencode(pattern)), map(os.fsencode, urls)))


def _open_ended(pattern: bytes) -> bytes:
    return pattern + b"**" if pattern.endswith(b"/") else pattern
