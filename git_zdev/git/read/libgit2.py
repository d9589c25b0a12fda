"""The only import of pygit2, as lean as it can be had.

``import pygit2`` runs a package initializer that costs several times what the library itself
does, and start-up is paid at every call. For the versions named in ``LEAN_VERSIONS`` only the
extension module and the cffi handle are loaded, below a package object whose initializer never
ran; every other version gets the ordinary import. Both give the same :class:`Handles`, and the
package object is taken away again, so that an ordinary ``import pygit2`` later on still works.

libgit2 and what it is linked with ask the C library for the environment; :class:`environment` is
how they are shown another one.
"""

from __future__ import annotations

import os
import sys

from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Any

LEAN_VERSIONS = frozenset({"1.21.0"})
"""pygit2 versions whose internals are known to load without the package initializer."""

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
        lean: Whether the package initializer was passed by.
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


def _load_ordinary() -> Handles:
    __import__("pygit2")
    return _bindings(lean=False)


def _load_lean() -> Handles | None:
    """The handles without the package initializer; None where that is not known to work."""
    folder = _package_folder()
    if "pygit2" in sys.modules or folder is None or _version_in(folder) not in LEAN_VERSIONS:
        return None
    package = type(sys)("pygit2")
    package.__path__ = [folder]
    sys.modules["pygit2"] = package
    try:
        with environment(dict.fromkeys(CERTIFICATES)):
            return _bindings(lean=True)
    finally:
        del sys.modules["pygit2"]


def _bindings(*, lean: bool) -> Handles:
    from pygit2 import _libgit2, _pygit2

    return Handles(ext=_pygit2, ffi=_libgit2.ffi, lib=_libgit2.lib, lean=lean)


def _package_folder() -> str | None:
    """The folder that ``import pygit2`` would take; None where only the import system can tell."""
    for entry in sys.path:
        folder = f"{entry or '.'}/pygit2"
        try:
            with open(f"{folder}/__init__.py", "rb"):
                return folder
        except OSError:
            continue
    return None


def _version_in(folder: str) -> str:
    """The version that the package states in its build file, without running any of it.

    The distribution's metadata would say it as well, but reading that takes longer than loading
    libgit2.
    """
    try:
        with open(f"{folder}/_build.py", encoding="utf-8") as file:
            for line in file:
                if line.startswith("__version__"):
                    return line.partition("=")[2].strip().strip("'\"")
    except (OSError, UnicodeDecodeError):
        pass
    return ""
