"""libgit2 without pygit2's package initializer, which costs several times as much as the library.

Only the extension module and the cffi handle are loaded, below a package object whose initializer
never ran. That object is removed again, so that an ordinary ``import pygit2`` still works later.
A probe, not the version number, decides whether a pygit2 allows this: the two modules must be where
they are expected, load by themselves, have everything that the program uses, and work.
"""

from __future__ import annotations

import sys

from git_zdev.fast import OFF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NEEDED = frozenset(
    {"Blob", "Commit", "Diff", "GitError", "Odb", "Oid", "Patch", "Repository", "Tag", "Tree"}
    | {"hash", "init_file_backend", "reference_is_valid_name"}
)
"""The names in ``pygit2._pygit2`` that the program uses."""

_EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


def load() -> tuple[Any, Any] | None:
    """Load the modules ``pygit2._pygit2`` and ``pygit2._libgit2``.

    Returns:
        Both modules; None if the full way, ``import pygit2``, must be used.
    """
    folder = None if OFF or "pygit2" in sys.modules else package_folder()
    if folder is None:
        return None
    package = type(sys)("pygit2")
    package.__path__ = [folder]
    sys.modules["pygit2"] = package
    try:
        from pygit2 import _libgit2, _pygit2

        return (_pygit2, _libgit2) if fits(_pygit2, _libgit2) else None
    except (ImportError, AttributeError):
        return None
    finally:
        del sys.modules["pygit2"]


def fits(ext: Any, binding: Any) -> bool:
    """Whether the modules have everything that the program uses, and libgit2 is initialized."""
    return (
        all(hasattr(ext, name) for name in NEEDED)
        and hasattr(ext.Diff, "from_c")
        and hasattr(ext.Patch, "create_from")
        and hasattr(binding.ffi, "gc")
        and hasattr(binding.lib, "git_index_get_byindex")
        and str(ext.hash(b"")) == _EMPTY_BLOB
    )


def package_folder() -> str | None:
    """The folder that ``import pygit2`` would use; None if only the import system can find it."""
    for entry in sys.path:
        folder = f"{entry or '.'}/pygit2"
        try:
            with open(f"{folder}/__init__.py", "rb"):
                return folder
        except OSError:
            continue
    return None
