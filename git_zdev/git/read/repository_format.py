"""Whether a repository can be read: its format, and the kinds of its files.

The rules of the format are those of Git's technical documentation, ``repository-version``.

Version 0 knows the extensions that existed before versions were checked; version 1 demands that
every extension is understood. SHA-256 object ids and the reftable storage are not.
"""

from __future__ import annotations

import os

from git_zdev.git.config import config_file
from git_zdev.git.config.config_file import parse_int
from git_zdev.git.failures import unreadable_because
from git_zdev.git.read import files
from git_zdev.ground.errors import ZdevError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from git_zdev.git.model import Location

_HARMLESS = frozenset(
    {"noop", "noop-v1", "preciousobjects", "partialclone", "worktreeconfig", "relativeworktrees"}
)
_ONLY_VALUE = {"objectformat": "sha1", "refstorage": "files"}
_VERSION_1_ONLY = frozenset({"noop-v1", "compatobjectformat", *_ONLY_VALUE})


def require_readable_format(location: Location) -> None:
    """Refuse a repository whose format is not understood.

    Raises:
        ZdevError: ``unsupported-repository-format``, naming what it uses.
    """
    settings = config_file.read_settings(f"{location.common_dir}/config")
    version = parse_int(settings.get("core.repositoryformatversion") or "0")
    if version not in (0, 1):
        raise _unsupported(location, f"the repository format version {version}")
    for name, value in _extensions(settings).items():
        if version == 0 and name not in _VERSION_1_ONLY:
            continue
        if name not in _HARMLESS and _ONLY_VALUE.get(name) != value:
            shown = f"{name} = {value}" if value else name
            raise _unsupported(location, f"the extension {shown}")


def _extensions(settings: Mapping[str, str | None]) -> dict[str, str]:
    prefix = "extensions."
    return {
        key.removeprefix(prefix): value or ""
        for key, value in settings.items()
        if key.startswith(prefix)
    }


def _unsupported(location: Location, what: str) -> ZdevError:
    return ZdevError(
        "unsupported-repository-format",
        f"{location.common_dir} uses {what}, which git-zdev cannot read",
        "Only repositories with SHA-1 object ids and files for refs are supported",
    )


_FILES = (
    "config",
    "packed-refs",
    "shallow",
    "info/grafts",
    "info/exclude",
    "info/attributes",
    "objects/info/alternates",
)
"""Files below the common directory that libgit2 opens whatever they are."""


def require_files(location: Location) -> None:
    """Refuse what libgit2 would wait for, or misread: a FIFO or a directory instead of a file.

    Git and libgit2 pass over a directory in the place of the attributes, so that one is not a
    fault.

    Raises:
        ZdevError: ``unreadable-repository``.
    """
    attributes = f"{location.common_dir}/info/attributes"
    own = (location.index_file, f"{location.git_dir}/gitdir")
    for path in (*own, *(f"{location.common_dir}/{name}" for name in _FILES)):
        wrong = files.wrong_kind(path)
        if wrong is not None and not (path == attributes and os.path.isdir(path)):
            raise unreadable_because(path, wrong)
    for path in files.fifos_in(f"{location.common_dir}/objects/pack"):
        raise unreadable_because(path, files.FIFO)
