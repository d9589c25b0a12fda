"""Gives libgit2 the configuration that Git reads.

libgit2 finds the global files by itself, from the environment as it was when the library was
loaded, and knows neither the command line's values nor ``GIT_CONFIG_GLOBAL``,
``GIT_CONFIG_SYSTEM`` and ``GIT_CONFIG_NOSYSTEM``. So for everything that it decides on its own
(line ends, ignore files, attributes, file modes, letter case) it is shown, before a repository is
opened, where the user's and the machine's folders are, and right after, which files stand in for
them; what it would not find at all becomes a file of the highest level, kept in memory where the
system can do that.
"""

from __future__ import annotations

import os

from git_zdev.git.config.config import DEEPEST_INCLUDE, Entry, system_folder, xdg_folder
from git_zdev.git.config.config_file import parse_bool
from git_zdev.git.failures import unreadable
from git_zdev.ground.errors import ZdevError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from git_zdev.git.config.config import GitConfig
    from git_zdev.git.read.libgit2 import Handles

_READABLE_EXTENSIONS = ("partialclone", "refstorage", "relativeworktrees")
"""Repository extensions that change nothing for a reader; the refused ones are refused earlier."""


def prepare(handles: Handles, environment: Mapping[str, str]) -> None:
    """Set libgit2's process-wide folders and switches, before a repository is opened.

    Ownership is checked by :mod:`git_zdev.git.read.ownership`, by Git's rules, so libgit2's own
    check is off.
    """
    lib = handles.lib
    no_attributes = parse_bool(environment.get("GIT_ATTR_NOSYSTEM", "0"))
    folders = {
        lib.GIT_CONFIG_LEVEL_PROGRAMDATA: "",
        lib.GIT_CONFIG_LEVEL_SYSTEM: "" if no_attributes else system_folder(environment),
        lib.GIT_CONFIG_LEVEL_XDG: xdg_folder(environment) or "",
        lib.GIT_CONFIG_LEVEL_GLOBAL: environment.get("HOME", ""),
    }
    for level, folder in folders.items():
        _option(handles, lib.GIT_OPT_SET_SEARCH_PATH, _int(handles, level), _text(handles, folder))
    _option(handles, lib.GIT_OPT_SET_HOMEDIR, _text(handles, environment.get("HOME", "")))
    _option(handles, lib.GIT_OPT_SET_OWNER_VALIDATION, _int(handles, 0))
    names = [_text(handles, name) for name in _READABLE_EXTENSIONS]
    array = handles.ffi.new("char *[]", names)
    count = handles.ffi.cast("size_t", len(names))
    _option(handles, lib.GIT_OPT_SET_EXTENSIONS, array, count)


def require_depth(config: GitConfig) -> None:
    """Refuse includes that libgit2 would not follow: it goes one file less deep than Git.

    Raises:
        ZdevError: ``unreadable-repository``.
    """
    if config.depth >= DEEPEST_INCLUDE:
        raise ZdevError(
            "unreadable-repository",
            f"the configuration includes files {config.depth} deep, and libgit2 reads them only "
            f"{DEEPEST_INCLUDE - 1} deep",
            "Include one of them from a file further up",
        )


def attach(handles: Handles, repository: Any, config: GitConfig, *, folds_case: bool) -> None:
    """Make an open repository's configuration say what Git's does.

    Args:
        handles: The libgit2 handles.
        repository: The cffi ``git_repository *``, just opened.
        config: The configuration as Git reads it.
        folds_case: Whether the file system does what ``core.ignoreCase`` says. Where it does not,
            Git still looks for each file under its very name; libgit2 would not.
    """
    ffi, lib = handles.ffi, handles.lib
    boxed = ffi.new("git_config **")
    _check(handles, lib.git_repository_config(boxed, repository))
    files = {
        lib.GIT_CONFIG_LEVEL_SYSTEM: config.sources.system,
        lib.GIT_CONFIG_LEVEL_XDG: config.sources.xdg,
        lib.GIT_CONFIG_LEVEL_GLOBAL: config.sources.user,
    }
    given = _overlay(config.entries, folds_case=folds_case)
    if given is not None:
        files[lib.GIT_CONFIG_LEVEL_APP] = given
    try:
        for level, path in files.items():
            name = os.fsencode(path or os.devnull)
            code = lib.git_config_add_file_ondisk(boxed[0], name, level, repository, 1)
            _check(handles, code)
    finally:
        lib.git_config_free(boxed[0])


def render(entries: Iterable[Entry]) -> bytes:
    """Entries as a configuration file that reads back to the same keys and values."""
    lines: list[str] = []
    for entry in entries:
        section, _, rest = entry.key.partition(".")
        subsection, _, name = rest.rpartition(".")
        title = f'{section} "{_escaped(subsection)}"' if subsection else section
        value = "" if entry.value is None else f' = "{_escaped(entry.value)}"'
        lines.append(f"[{title}]\n{name}{value}\n")
    return "".join(lines).encode("utf-8", "surrogateescape")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _overlay(entries: Sequence[Entry], *, folds_case: bool) -> str | None:
    """What libgit2 does not find by itself, as a file that lasts as long as this process.

    These are the command line's values; that letter case counts, if it does; and all values, in
    their order, if files are included because of a remote's URL, a condition that libgit2 does not
    know. It may read the file again at any time, so the descriptor is never closed.
    """
    hidden = any(entry.key.startswith("includeif.hasconfig:") for entry in entries)
    given = [
        entry
        for entry in entries
        if (hidden or entry.scope == "command") and not entry.key.startswith("include")
    ]
    if not folds_case:
        given.append(Entry("core.ignorecase", "false", "command", ""))
    if not given:
        return None
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("git-config")
        path = f"/proc/self/fd/{descriptor}"
    else:
        import atexit
        import tempfile

        descriptor, path = tempfile.mkstemp(prefix="git-config-")
        atexit.register(os.unlink, path)
    os.write(descriptor, render(given))
    return path


def _option(handles: Handles, name: int, *arguments: Any) -> None:
    _check(handles, handles.lib.git_libgit2_opts(name, *arguments))


def _int(handles: Handles, value: int) -> Any:
    return handles.ffi.cast("int", value)


def _text(handles: Handles, value: str) -> Any:
    return handles.ffi.new("char[]", os.fsencode(value))


def _check(handles: Handles, code: int) -> None:
    if code < 0:
        raise unreadable(handles, "the configuration")
