"""POSIX regular expressions, run by the C library as Git does.

``diff.<driver>.xfuncname`` and ``funcname`` hold extended and basic ones. Python's ``re`` would
answer differently where several alternatives fit: POSIX takes the longest.
"""

from __future__ import annotations

import ctypes

_EXTENDED = 1
_REGEX_SIZE = 1024
"""More than the size of any C library's ``regex_t``."""


class PosixRegex:
    """A compiled expression.

    Args:
        pattern: The expression.
        extended: Whether it is an extended one.

    Raises:
        ValueError: When it is none.
    """

    def __init__(self, pattern: bytes, *, extended: bool) -> None:
        self._compiled = ctypes.create_string_buffer(_REGEX_SIZE)
        if _library().regcomp(self._compiled, pattern, _EXTENDED if extended else 0):
            raise ValueError(pattern)

    def __del__(self) -> None:
        _library().regfree(self._compiled)

    def search(self, text: bytes) -> bytes | None:
        """The first group of the leftmost match, or the whole match where it took no part."""
        offsets = (_offset_type() * 4)(-1, -1, -1, -1)
        text = text.partition(b"\0")[0]
        if _library().regexec(self._compiled, text, 2, offsets, 0):
            return None
        start, end = offsets[2:4] if offsets[2] >= 0 else offsets[0:2]
        return text[start:end]


def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None)


_offsets: list[type[ctypes.c_int] | type[ctypes.c_longlong]] = []


def _offset_type() -> type[ctypes.c_int] | type[ctypes.c_longlong]:
    """The type of match offsets: ``int`` in glibc, 64 bits wide in others; found by a trial."""
    if not _offsets:
        compiled = ctypes.create_string_buffer(_REGEX_SIZE)
        offsets = (ctypes.c_longlong * 4)()
        _library().regcomp(compiled, b"b", _EXTENDED)
        _library().regexec(compiled, b"ab", 1, offsets, 0)
        _library().regfree(compiled)
        _offsets.append(ctypes.c_longlong if offsets[0] == 1 else ctypes.c_int)
    return _offsets[0]
