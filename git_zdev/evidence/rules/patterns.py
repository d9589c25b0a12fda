"""One line's pattern of an ignore or attributes file, as a test of paths (gitignore(5)).

A pattern without a slash is compared with the last component, any other one with the path below
the folder of its file. Bytes are compared as they are, letters without their case under
``core.ignoreCase``.
"""

from __future__ import annotations

import os
import stat

from git_zdev.disk import reading
from git_zdev.evidence.look.files import unreadable
from git_zdev.git.read import files
from git_zdev.git.read.worktree import work_tree_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from git_zdev.git.read.repository import LibGit2Repository

    Test = Callable[[bytes], bool]

_SPECIAL = b"*?[\\"


def path_test(pattern: bytes, base: bytes, *, ignore_case: bool) -> Test:
    """A test of whole paths.

    Args:
        pattern: The pattern without ``!`` and without a trailing slash.
        base: The folder of its file, empty or with a trailing slash.
        ignore_case: Whether letter case counts not.
    """
    if ignore_case:
        exact = _exact_test(pattern, base.lower(), lowered=True)
        return lambda path: exact(path.lower())
    return _exact_test(pattern, base, lowered=False)


def _exact_test(pattern: bytes, base: bytes, *, lowered: bool) -> Test:
    """The test; of paths in lower case where ``lowered`` says so."""
    if b"/" not in pattern:
        same = _name_test(pattern, lowered=lowered)
        if not base:
            return lambda path: same(path[path.rfind(b"/") + 1 :])
        return lambda path: path.startswith(base) and same(path[path.rfind(b"/") + 1 :])
    # What precedes the first wildcard is compared as it stands, so a "**" right behind it counts
    # as a whole component.
    pattern = pattern.removeprefix(b"/")
    literal = _literal_length(pattern)
    prefix = base + (pattern[:literal].lower() if lowered else pattern[:literal])
    if literal == len(pattern):
        return prefix.__eq__
    rest = _glob(pattern[literal:], lowered=lowered)
    return lambda path: path.startswith(prefix) and rest(path[len(prefix) :])


def _name_test(pattern: bytes, *, lowered: bool) -> Test:
    """A test of a last component, by comparison where that is enough."""
    folded = pattern.lower() if lowered else pattern
    if _literal_length(pattern) == len(pattern):
        return folded.__eq__
    if pattern.startswith(b"*") and _literal_length(pattern[1:]) == len(pattern) - 1:
        return lambda name: name.endswith(folded[1:])
    return _glob(pattern, lowered=lowered)


def _glob(pattern: bytes, *, lowered: bool) -> Test:
    """A test of the pattern, compiled when it is first used; each byte is one character."""
    compiled: list[Callable[[str], object]] = []

    def matches(text: bytes) -> bool:
        if not compiled:
            import re

            from git_zdev.git.config.conditions import wildmatch

            expression = wildmatch(pattern.decode("latin-1"), lowered=lowered)
            compiled.append(re.compile(expression, re.DOTALL | re.ASCII).fullmatch)
        return compiled[0](text.decode("latin-1")) is not None

    return matches


def _literal_length(pattern: bytes) -> int:
    """How many bytes precede the first special one."""
    found = (pattern.find(byte) for byte in _SPECIAL)
    return min((at for at in found if at >= 0), default=len(pattern))


def read_in_folder(repository: LibGit2Repository, path: bytes) -> bytes | None:
    """The bytes of a file of patterns in the work tree; a symbolic link is not followed.

    Raises:
        ZdevError: ``unreadable-file`` for a FIFO or a device, which Git might read for ever.
    """
    try:
        return reading.read_file(work_tree_path(repository, path))
    except reading.WrongKind as error:
        wrong = files.special(error.mode)
        if wrong is not None and not stat.S_ISSOCK(error.mode):  # a socket cannot be opened
            raise unreadable(path, wrong) from error
        return None
    except OSError:
        return None


def read_outside(path: str) -> bytes | None:
    """The bytes of a file of patterns outside of the work tree, None where there is none.

    Raises:
        ZdevError: ``unreadable-file`` for a directory, a FIFO or the like.
    """
    try:
        return files.read(path)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    except OSError as error:
        raise unreadable(os.fsencode(path), error.strerror) from error
