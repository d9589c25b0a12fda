"""The handles of libgit2, by the lean way of :mod:`git_zdev.fast.libgit2` or by ``import pygit2``.

Both give the same :class:`Handles`.

libgit2 and its libraries read the environment through the C library; :class:`environment` shows
them another one.
"""

from __future__ import annotations

import os

from git_zdev.fast import libgit2 as lean_way
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Any

CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
"""Where OpenSSL would find certificates. It reads all of the file when libgit2 starts, which takes
longer than all the rest of that, and nothing here ever opens a connection."""


@dataclass(frozen=True, slots=True)
class Handles:
    """What the modules beside this one use of pygit2.

    Attributes:
        ext: The C extension module ``pygit2._pygit2`` (``Repository``, ``Oid``, ``Patch`` …).
        ffi: The cffi object of ``pygit2._libgit2``.
        lib: The libgit2 functions that cffi declares.
        lean: Whether the package initializer was skipped.
    """

    ext: Any
    ffi: Any
    lib: Any
    lean: bool


_loaded: list[Handles] = []


def load() -> Handles:
    """Load libgit2 once and return its handles."""
    if not _loaded:
        _loaded.append(_load_lean() or _load_ordinary())
    return _loaded[0]


def undeclared(handles: Handles, name: str, *arguments: Any) -> int:
    """Call a function of libgit2's that pygit2 does not declare, in the library that it has loaded.

    Args:
        handles: The libgit2 handles.
        name: A function that returns ``int``.
        arguments: cffi pointers, bytes and integers.

    Returns:
        What it returns, negative for a failure.
    """
    from ctypes import CDLL, c_char_p, c_int, c_void_p

    def converted(argument: Any) -> Any:
        if isinstance(argument, bytes):
            return c_char_p(argument)
        if isinstance(argument, int):
            return c_int(argument)
        return c_void_p(int(handles.ffi.cast("uintptr_t", argument)))

    return int(getattr(CDLL(handles.ext.__file__), name)(*map(converted, arguments)))


class environment:  # noqa: N801 - used like a function, as contextlib's own
    """Shows C libraries other variables while its block runs.

    ``os.environ`` stays as it is, and after the block the C library says the same again.

    Args:
        variables: Values by name; None hides a variable.
    """

    def __init__(self, variables: Mapping[str, str | None]) -> None:
        self._variables = variables

    def __enter__(self) -> None:
        for name, value in self._variables.items():
            _tell(name, value)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for name in self._variables:
            _tell(name, os.environ.get(name))


def _tell(name: str, value: str | None) -> None:
    if value is None:
        os.unsetenv(name)
    else:
        os.putenv(name, value)


def _load_lean() -> Handles | None:
    with environment(dict.fromkeys(CERTIFICATES)):
        found = lean_way.load()
    if found is None:
        return None
    ext, binding = found
    return Handles(ext=ext, ffi=binding.ffi, lib=binding.lib, lean=True)


def _load_ordinary() -> Handles:
    __import__("pygit2")
    from pygit2 import _libgit2, _pygit2

    return Handles(ext=_pygit2, ffi=_libgit2.ffi, lib=_libgit2.lib, lean=False)
