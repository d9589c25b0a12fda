"""Which lines open a section in the languages that Git has a driver for (gitattributes(5)).

A driver's pattern is one Python regular expression a line; ``!`` in front says that such a line
opens none. They are our own, from the languages and from what Git shows.
"""

from __future__ import annotations

_PATTERNS: dict[str, str] = {}
_IGNORING_CASE = frozenset({"ada", "css", "fortran", "fountain"})


def built_in(name: str) -> tuple[str | None, bool]:
    """The pattern of a built-in driver (else None), and whether it ignores letter case."""
    return _PATTERNS.get(name), name in _IGNORING_CASE
