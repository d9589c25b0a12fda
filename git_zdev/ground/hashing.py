"""SHA-1 and SHA-256 without the price of ``hashlib``.

That brings OpenSSL with it, which hashes ten times as fast as Python's own functions and takes
longer to load than most runs hash. So the first bytes of a run are hashed by Python itself, where
it has the function at hand.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import _Hash as Hash
    from typing import Any

_BUILT_IN = {"sha1": ("_sha1",), "sha256": ("_sha256", "_sha2")}
"""Modules that have a function, by its name; some in one version of Python, some in the other."""

_ENOUGH = 1 << 19
"""Bytes from which OpenSSL pays."""


class Function:
    """A hash function by its name in ``hashlib``."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._left = _ENOUGH
        self._begin: Any = None

    def __call__(self, size: int) -> Hash:
        """A hash object for content of so many bytes."""
        before = self._left
        self._left -= size
        if self._begin is None or before > 0 >= self._left:
            few = self._left > 0
            self._begin = (_built_in(self._name) if few else None) or _openssl(self._name)
        begun: Hash = self._begin(usedforsecurity=False)
        return begun


def _built_in(name: str) -> Any:
    for module in _BUILT_IN[name]:
        try:
            return getattr(__import__(module), name)
        except ImportError:
            continue
    return None


def _openssl(name: str) -> Any:
    import hashlib

    return getattr(hashlib, name)


sha1 = Function("sha1")
sha256 = Function("sha256")


def sha256_of(content: bytes) -> str:
    """The SHA-256 of some bytes in hexadecimal."""
    hashing = sha256(len(content))
    hashing.update(content)
    return hashing.hexdigest()
