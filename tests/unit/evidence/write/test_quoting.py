"""Path names as Git prints them."""

from __future__ import annotations

import pytest

from git_zdev.evidence.write.quoting import quote, quote_for_status


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        (b"plain/name-1.txt", b"plain/name-1.txt"),
        (b"with space", b"with space"),
        (b'quote"d', rb'"quote\"d"'),
        (b"back\\slash", rb'"back\\slash"'),
        (b"tab\tnewline\n", rb'"tab\tnewline\n"'),
        (b"\x07\x08\x0b\x0c\r\x01\x7f", rb'"\a\b\v\f\r\001\177"'),
        ("grün".encode(), rb'"gr\303\274n"'),
        (b"\xff", rb'"\377"'),
    ],
)
def test_unusual_bytes_are_escaped_in_double_quotes(name: bytes, printed: bytes) -> None:
    assert quote(name) == printed


def test_the_prefix_stands_inside_the_quotes() -> None:
    assert quote(b"a\tb", b"a/") == rb'"a/a\tb"'
    assert quote(b"a b", b"b/") == b"b/a b"


def test_the_status_quotes_a_name_with_a_space_too() -> None:
    assert quote_for_status(b"a b") == b'"a b"'
    assert quote_for_status(b"a b\t") == rb'"a b\t"'
    assert quote_for_status(b"ab") == b"ab"
