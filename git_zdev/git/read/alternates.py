"""Where objects are looked for: the object directory, and those that it borrows from.

gitrepository-layout(5), ``objects/info/alternates``, and git(1),
``GIT_ALTERNATE_OBJECT_DIRECTORIES``: one folder a line, or between colons, perhaps in quotes as
git-config(1) has them. libgit2 reads the files by itself, but knows no quotes.
"""

from __future__ import annotations

import os

from git_zdev.git.config.config_file import unquoted
from git_zdev.git.failures import unreadable_because
from git_zdev.git.read import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from git_zdev.git.model import Location

_DEEPEST = 5
"""How many alternates Git follows from one to the next."""


def object_folders(location: Location, environment: Mapping[str, str]) -> list[str]:
    """The folders in which a repository's objects are looked for, its own first.

    Git has changed to the work tree's root when it reads the variables, so what they name is
    relative to that.

    Raises:
        ZdevError: ``unreadable-repository`` for a FIFO in the place of a file.
    """
    named = environment.get("GIT_OBJECT_DIRECTORY") or f"{location.common_dir}/objects"
    more = os.fsencode(environment.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", ""))
    first = [named, *(_entries(more, b":") if more else ())]
    return with_alternates(*(os.path.join(location.work_tree, folder) for folder in first))


def with_alternates(*first: str) -> list[str]:
    """The given object folders and their alternates, those of alternates too.

    A relative one is relative to the object folder that names it.

    Raises:
        ZdevError: ``unreadable-repository`` for a FIFO in the place of a file.
    """
    found: list[str] = []
    waiting = [(folder, 0) for folder in first]
    while waiting:
        folder, depth = waiting.pop(0)
        if folder in found or depth > _DEEPEST:
            continue
        found.append(folder)
        for named in _entries(_read(f"{folder}/info/alternates"), b"\n"):
            waiting.append((os.path.normpath(os.path.join(folder, named)), depth + 1))
    return found


def _read(path: str) -> bytes:
    try:
        return files.read(path).partition(b"\0")[0]
    except OSError as error:
        wrong = files.wrong_kind(path)
        if wrong is not None and not os.path.isdir(path):
            raise unreadable_because(path, wrong) from error
        return b""


def _entries(text: bytes, separator: bytes) -> Iterator[str]:
    while text:
        quoted = unquoted(text) if text.startswith(b'"') else None
        if quoted is not None:
            entry, text = quoted
            text = text.removeprefix(separator)
        else:
            entry, _, text = text.partition(separator)
            if entry.startswith(b"#"):
                continue
        if entry:
            yield os.fsdecode(entry)
