"""A repository opened through libgit2, seen as the installed Git would see it.

libgit2 by itself would search for the repository and ask the process's environment. Here it is
told instead: the parts come from a :class:`~git_zdev.git.port.Location`, ownership and format are
judged by Git's rules before anything is opened.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

from git_zdev.errors import ZdevError
from git_zdev.git import libgit2

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from git_zdev.git.port import Location

_REDIRECTIONS = (
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
)


class LibGit2Repository:
    """A repository with a work tree, opened for reading.

    Attributes:
        location: Where its parts are.
        handles: The libgit2 handles (``ext``, ``ffi``, ``lib``).
        pointer: The cffi ``git_repository *``; lives as long as this object.
        raw: The same repository as the extension module's ``Repository``.
    """

    def __init__(self, location: Location, handles: libgit2.Handles, pointer: Any) -> None:
        self.location = location
        self.handles = handles
        self.pointer = pointer
        boxed = handles.ffi.new("git_repository **", pointer)
        self.raw = handles.ext.Repository.__new__(handles.ext.Repository)
        self.raw._from_c(bytes(handles.ffi.buffer(boxed)), True)


def open_repository(location: Location, environment: Mapping[str, str]) -> LibGit2Repository:
    """Open the repository that discovery found.

    Args:
        location: Its parts, as :func:`git_zdev.git.discovery.discover` gives them.
        environment: The process's environment, the same that discovery saw.

    Raises:
        ZdevError: ``foreign-repository`` when another user owns it and ``safe.directory`` does not
            name it; ``unsupported-repository-format``; ``unreadable-repository`` with what
            libgit2 said.
    """
    handles = libgit2.load()
    opened = handles.ffi.new("git_repository **")
    flags = handles.lib.GIT_REPOSITORY_OPEN_NO_SEARCH
    overrides = _overrides(location, environment)
    if overrides:
        flags = handles.lib.GIT_REPOSITORY_OPEN_FROM_ENV
    path = handles.ffi.NULL if overrides else os.fsencode(location.git_dir)
    with _process_environment(overrides):
        code = handles.lib.git_repository_open_ext(opened, path, flags, handles.ffi.NULL)
    if code < 0:
        raise ZdevError(
            "unreadable-repository",
            f"{location.git_dir} cannot be opened: {last_error(handles)}",
            "`git fsck` tells what is wrong with it",
        )
    return LibGit2Repository(location, handles, opened[0])


def last_error(handles: libgit2.Handles) -> str:
    """What libgit2 said about its last failure, without a final full stop."""
    error = handles.lib.git_error_last()
    if error == handles.ffi.NULL:
        return "no reason given"
    return str(handles.ffi.string(error.message).decode("utf-8", "replace")).rstrip(".")


def _overrides(location: Location, environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that tell libgit2 what it would not find by itself; empty where it would."""
    moved = os.path.realpath(location.work_tree) != os.path.dirname(location.git_dir)
    if not moved and not any(environment.get(name) for name in _REDIRECTIONS):
        return {}
    found = {
        "GIT_DIR": location.git_dir,
        "GIT_COMMON_DIR": location.common_dir,
        "GIT_WORK_TREE": location.work_tree,
        "GIT_INDEX_FILE": location.index_file,
    }
    for name in ("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"):
        if environment.get(name):
            found[name] = environment[name]
    return found


@contextlib.contextmanager
def _process_environment(overrides: Mapping[str, str]) -> Iterator[None]:
    """Let libgit2, which asks the C library, see these variables for a moment."""
    before = {name: os.environ.get(name) for name in overrides}
    for name, value in overrides.items():
        os.putenv(name, value)
    try:
        yield
    finally:
        for name, old in before.items():
            if old is None:
                os.unsetenv(name)
            else:
                os.putenv(name, old)
