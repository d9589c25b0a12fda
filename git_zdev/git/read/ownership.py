"""Whether a repository may be trusted: Git's ownership rule (git-config(1), ``safe.directory``).

A repository that was found by searching must belong to the current user, or be named by
``safe.directory`` in configuration that the repository itself cannot write: the system's, the
user's or the command line's. One that ``GIT_DIR`` names is not asked.
"""

from __future__ import annotations

import os

from git_zdev.git.config.config import read_config
from git_zdev.git.config.config_file import expand_home, parse_bool
from git_zdev.ground.errors import ZdevError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from git_zdev.git.model import Location


def require_trust(location: Location, environment: Mapping[str, str]) -> None:
    """Refuse a repository of another user.

    Raises:
        ZdevError: ``foreign-repository``.
    """
    if location.found_in is None:
        return
    gitfile = os.path.join(location.found_in, ".git")
    parts = [location.found_in, location.git_dir]
    if os.path.isfile(gitfile):
        parts.append(gitfile)
    pretended = parse_bool(environment.get("GIT_TEST_ASSUME_DIFFERENT_OWNER", "0"))
    foreign = [path for path in parts if pretended or not _is_own(path, environment)]
    if not foreign:
        return
    named = read_config(None, environment).get_all("safe.directory")
    if not _is_named(location.found_in, named, environment.get("HOME")):
        raise ZdevError(
            "foreign-repository",
            f"{foreign[0]} is owned by another user, the repository is not trusted",
            f"If you trust it: git config --global --add safe.directory {location.found_in}",
        )


def _is_own(path: str, environment: Mapping[str, str]) -> bool:
    """Whether the current user owns a path; root under ``sudo`` also counts as who called it."""
    owner, user = os.lstat(path).st_uid, os.geteuid()
    if user != 0:
        return owner == user
    caller = environment.get("SUDO_UID", "")
    return owner == 0 or (caller.isdigit() and owner == int(caller))


def _is_named(directory: str, values: Iterable[str], home: str | None) -> bool:
    """Whether ``safe.directory`` names the directory; an empty value forgets those before it."""
    safe = False
    for value in values:
        if not value:
            safe = False
        elif value == "*":
            safe = True
        elif value.endswith("/*"):
            folder = os.path.realpath(expand_home(value[:-2], home))
            safe = safe or directory.startswith(folder.rstrip("/") + "/")
        else:
            safe = safe or directory == os.path.realpath(expand_home(value, home))
    return safe
