"""Value classes as in ``dataclasses``, and ``Protocol`` and ``cached_property``.

Type checkers see the standard library. The program uses the small replacements in
:mod:`git_zdev.fast.values`, unless the fast ways are off.
"""

from __future__ import annotations

from git_zdev import fast

TYPE_CHECKING = False
if TYPE_CHECKING or fast.OFF:
    from dataclasses import asdict, dataclass, field, replace
    from functools import cached_property
    from typing import Protocol
else:
    from git_zdev.fast.values import Protocol, asdict, cached_property, dataclass, field, replace

__all__ = ["Protocol", "asdict", "cached_property", "dataclass", "field", "replace"]
