"""The only import of pygit2, as lean as it can be had.

``import pygit2`` runs a package initializer that costs several times what the library itself
does, and start-up is paid at every call. For the versions named in ``LEAN_VERSIONS`` only the
extension module and the cffi handle are loaded, below a package object whose initializer never
ran; every other version gets the ordinary import. Both give the same :class:`Handles`, and the
package object is taken away again, so that an ordinary ``import pygit2`` later on still works.
"""

from __future__ import annotations

import sys
from importlib import import_module

from git_zdev.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LEAN_VERSIONS = frozenset({"1.21.0"})
"""pygit2 versions whose internals are known to load without the package initializer."""


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


def _load_ordinary() -> Handles:
    import_module("pygit2")
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
        return _bindings(lean=True)
    finally:
        del sys.modules["pygit2"]


def _bindings(*, lean: bool) -> Handles:
    ext = import_module("pygit2._pygit2")
    binding = import_module("pygit2._libgit2")
    return Handles(ext=ext, ffi=binding.ffi, lib=binding.lib, lean=lean)


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
