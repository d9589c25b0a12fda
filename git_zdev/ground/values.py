"""Value classes: what ``dataclasses`` gives, with ``Protocol`` and ``cached_property`` beside it.

Type checkers are shown the standard library. The program takes the small stand-ins of
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
