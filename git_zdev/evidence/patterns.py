"""One line's pattern of an ignore or attributes file, as a test of paths (gitignore(5)).

A pattern without a slash is compared with the last component, any other one with the path below
the folder of its file. Bytes are compared as they are, letters without their case under
``core.ignoreCase``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Test = Callable[[bytes], bool]

_SPECIAL = b"*?[\\"


def path_test(pattern: bytes, base: bytes, *, ignore_case: bool) -> Test:
    """A test of whole paths.

    Args:
        pattern: The pattern without ``!`` and without a trailing slash.
        base: The folder of its file, empty or with a trailing slash.
        ignore_case: Whether letter case counts not.
    """
    fold = bytes.lower if ignore_case else bytes
    prefix = fold(base)
    if b"/" in pattern:
        same = _glob(pattern.removeprefix(b"/"), ignore_case=ignore_case)
        return lambda path: fold(path).startswith(prefix) and same(path[len(prefix) :])
    same = _glob(pattern, ignore_case=ignore_case)
    if not prefix:
        return lambda path: same(path[path.rfind(b"/") + 1 :])
    return lambda path: fold(path).startswith(prefix) and same(path[path.rfind(b"/") + 1 :])


def _glob(pattern: bytes, *, ignore_case: bool) -> Test:
    """A test for the pattern: by comparison where it has no wildcard, else compiled on use."""
    fold = bytes.lower if ignore_case else bytes
    if not _has_special(pattern):
        literal = fold(pattern)
        return lambda text: fold(text) == literal
    if pattern.startswith(b"*") and not _has_special(pattern[1:]) and b"/" not in pattern:
        ending = fold(pattern[1:])
        return lambda text: fold(text).endswith(ending) and b"/" not in text
    compiled: list[Callable[[str], object]] = []

    def matches(text: bytes) -> bool:
        if not compiled:
            compiled.append(_compiled(pattern, ignore_case=ignore_case))
        return compiled[0](text.decode("latin-1")) is not None

    return matches


def _compiled(pattern: bytes, *, ignore_case: bool) -> Callable[[str], object]:
    """The pattern over bytes: each byte is one character, as for Git."""
    import re

    from git_zdev.git.conditions import wildmatch

    flags = re.DOTALL | re.ASCII | (re.IGNORECASE if ignore_case else 0)
    return re.compile(wildmatch(pattern.decode("latin-1")), flags).fullmatch


def _has_special(pattern: bytes) -> bool:
    return any(byte in pattern for byte in _SPECIAL)


def read_in_folder(path: bytes) -> bytes | None:
    """The bytes of a file of patterns in the work tree; a symbolic link is not followed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            return file.read()
    except OSError:
        return None
