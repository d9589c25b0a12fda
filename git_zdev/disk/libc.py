"""Calls of the C library that Python does not have: renames with flags, and a flush of one disk."""

from __future__ import annotations

import errno
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    FlaggedRename = Callable[[int, bytes, int, bytes, int], int]

_DARWIN = sys.platform == "darwin"
NO_REPLACE = 4 if _DARWIN else 1
EXCHANGE = 2

_flagged_renames: list[FlaggedRename | None] = []


def flagged_rename() -> FlaggedRename | None:
    """The rename that takes flags, answering 0 or an error number; None where there is none."""
    if not _flagged_renames:
        _flagged_renames.append(_load_flagged_rename())
    return _flagged_renames[0]


def _load_flagged_rename() -> FlaggedRename | None:
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    try:
        call = library.renameatx_np if _DARWIN else library.renameat2
    except AttributeError:
        return None
    call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    call.restype = ctypes.c_int

    def rename(source: int, name: bytes, target: int, new_name: bytes, flags: int) -> int:
        failed = call(source, name, target, new_name, flags)
        return ctypes.get_errno() if failed else 0

    return rename


def syncfs() -> Callable[[int], None] | None:
    """The call that flushes the file system of a descriptor (Linux); None where there is none."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "syncfs"):
        return None

    def flush(descriptor: int) -> None:
        if library.syncfs(descriptor):
            problem = ctypes.get_errno()
            if problem != errno.ENOSYS:
                raise OSError(problem, os.strerror(problem))
            os.sync()  # a sandbox without the call; on Linux this one waits as well

    return flush
