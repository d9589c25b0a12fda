"""The only import of pygit2, as lean as it can be had.

``import pygit2`` runs a package initializer that costs several times what the library itself
does, and start-up is paid at every call. For the versions named in ``LEAN_VERSIONS`` only the
extension module and the cffi handle are loaded, through a package object whose initializer never
ran; every other version gets the ordinary import. Both give the same :class:`Handles`.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import importlib.util
import sys
import types
from dataclasses import dataclass
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


@functools.cache
def load() -> Handles:
    """Load libgit2 once and return its handles."""
    lean = "pygit2" not in sys.modules and _installed_version() in LEAN_VERSIONS
    if lean:
        spec = importlib.util.find_spec("pygit2")
        if spec is None or spec.submodule_search_locations is None:
            raise ImportError("pygit2 is not installed")
        package = types.ModuleType("pygit2")
        package.__path__ = list(spec.submodule_search_locations)
        package.__spec__ = spec
        sys.modules["pygit2"] = package
    ext = importlib.import_module("pygit2._pygit2")
    binding = importlib.import_module("pygit2._libgit2")
    return Handles(ext=ext, ffi=binding.ffi, lib=binding.lib, lean=lean)


def _installed_version() -> str:
    return importlib.metadata.version("pygit2")
