"""The other work trees of a repository and the branches that they hold.

Git lets a branch be checked out in one work tree at a time, and counts one that is being rebased
or bisected (git-worktree(1), gitrepository-layout(5)).
"""

from __future__ import annotations

import os

from git_zdev.git.read import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from git_zdev.git.config.config import GitConfig
    from git_zdev.git.model import Location

_HEADS = b"refs/heads/"
_NAMES_OF_BRANCHES = ("HEAD", "rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START")
_LONGEST = 4096


def branches_elsewhere(location: Location, config: GitConfig) -> dict[str, str]:
    """Each branch that another work tree holds, and that work tree's root.

    What cannot be read holds nothing, so that one broken work tree does not stop another.
    """
    found: dict[str, str] = {}
    for git_dir, work_tree in _others(location, config):
        for name in _NAMES_OF_BRANCHES:
            branch = _branch(_line(f"{git_dir}/{name}"), bisected=name == "BISECT_START")
            if branch:
                found.setdefault(_text(branch), _text(work_tree))
    return found


def _others(location: Location, config: GitConfig) -> Iterator[tuple[str, bytes]]:
    """Git directory and root of every other work tree."""
    common, own = location.common_dir, os.path.realpath(location.git_dir)
    if os.path.realpath(common) != own and not config.get_bool("core.bare", default=False):
        named = config.get("core.worktree")
        root = os.path.normpath(f"{common}/{named}") if named else common.removesuffix("/.git")
        yield common, os.fsencode(root)
    try:
        names = sorted(os.listdir(f"{common}/worktrees"))
    except OSError:
        return
    for name in names:
        git_dir = f"{common}/worktrees/{name}"
        root_file = _line(f"{git_dir}/gitdir")
        if root_file and os.path.realpath(git_dir) != own:
            absolute = os.path.join(os.fsencode(git_dir), root_file)
            yield git_dir, os.path.dirname(os.path.normpath(absolute))


def _branch(line: bytes, *, bisected: bool) -> bytes:
    """The branch that a file of the Git directory names; empty where it names none."""
    name = line.removeprefix(b"ref:").strip()
    if name.startswith(_HEADS):
        return name.removeprefix(_HEADS)
    return name if bisected else b""


def _line(path: str) -> bytes:
    """The text of a one-line file; empty where there is none, or none that can be read."""
    try:
        return files.read(path, _LONGEST).strip(b"\n")
    except OSError:
        return b""


def _text(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")
