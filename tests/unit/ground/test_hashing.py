"""Hashes are the same whoever computes them, and OpenSSL is loaded where it pays only."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest

from git_zdev.ground import hashing
from tests.support.cli import PACKAGE_PARENT

SIZES = [0, 1, 1000, hashing._ENOUGH - 1001, 1, 5, 3 * hashing._ENOUGH, 7]


@pytest.mark.parametrize("missing", [(), ("_sha1", "_sha256", "_sha2")], ids=["all", "none"])
@pytest.mark.parametrize("name", ["sha1", "sha256"])
def test_hashes_are_those_of_the_standard_library(
    name: str, missing: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in missing:
        monkeypatch.setitem(sys.modules, module, None)
    function = hashing.Function(name)
    for size in SIZES:
        content = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
        begun = function(size)
        begun.update(content)
        assert begun.digest() == hashlib.new(name, content).digest()


def test_a_known_hash() -> None:
    # FIPS 180-2, appendix B.1
    expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert hashing.sha256_of(b"abc") == expected


@pytest.mark.parametrize(("sizes", "loaded"), [([100, 2000], False), ([100, 1 << 20], True)])
@pytest.mark.parametrize("name", ["sha1", "sha256"])
def test_openssl_is_loaded_for_much_only(name: str, sizes: list[int], loaded: bool) -> None:
    script = (
        "import sys\n"
        "from git_zdev.ground import hashing\n"
        f"for size in {sizes}: hashing.{name}(size).update(bytes(size))\n"
        f"built_in = hashing._built_in({name!r})\n"
        "print('hashlib' in sys.modules or built_in is None)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PACKAGE_PARENT, capture_output=True, check=True
    )
    assert done.stdout.decode().strip() == str(loaded)
