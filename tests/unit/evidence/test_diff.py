"""Hunk headers: which line they show, and where it is cut."""

from __future__ import annotations

import pytest

from git_zdev.evidence.diff import valid_prefix, with_functions
from git_zdev.evidence.userdiff import usual_function_line

OLD = b"".join(b"%s\n" % line for line in (b"one()", b" 1", b" 2", b"two()", b" 3", b" 4"))
FILE = b"diff --git a/file b/file\n--- a/file\n+++ b/file\n"


def headers(patch: bytes, old: bytes = OLD) -> list[bytes]:
    found = with_functions(FILE + patch, old, None)
    return [line for line in found.split(b"\n") if line.startswith(b"@@")]


def test_the_nearest_line_before_the_hunk_is_shown() -> None:
    assert headers(b"@@ -2,2 +2 @@ guess\n 1\n-2\n") == [b"@@ -2,2 +2 @@ one()"]
    assert headers(b"@@ -4 +4 @@\n-two()\n") == [b"@@ -4 +4 @@ one()"]
    assert headers(b"@@ -5 +5 @@\n- 3\n") == [b"@@ -5 +5 @@ two()"]
    assert headers(b"@@ -1 +1 @@\n-one()\n") == [b"@@ -1 +1 @@"]


def test_lines_are_inserted_behind_the_number_that_the_header_gives() -> None:
    assert headers(b"@@ -4,0 +5 @@\n+x\n") == [b"@@ -4,0 +5 @@ two()"]
    assert headers(b"@@ -0,0 +1 @@\n+x\n") == [b"@@ -0,0 +1 @@"]


def test_a_later_hunk_keeps_the_function_that_is_still_open() -> None:
    old = OLD.replace(b"two()", b" two()")
    assert headers(b"@@ -2 +2 @@\n- 1\n@@ -6 +5 @@\n- 4\n", old) == [
        b"@@ -2 +2 @@ one()",
        b"@@ -6 +5 @@ one()",
    ]


def test_lines_of_the_hunk_that_look_like_headers_stay() -> None:
    patch = b"@@ -1,2 +1,2 @@\n-@@ -1 +1 @@\n+@@ x\n @@ y\n"
    assert with_functions(FILE + patch, b"@@ -1 +1 @@\n@@ y\n", None) == patch


def test_a_header_ends_before_a_byte_that_is_no_utf8() -> None:
    old = b"f\xc3\xbcr(\xff)\n 1\n"
    assert headers(b"@@ -2 +2 @@\n- 1\n", old) == ["@@ -2 +2 @@ für(".encode()]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (b"plain", b"plain"),
        ("grün".encode(), "grün".encode()),
        ("grün".encode()[:3], b"gr"),
        (b"a\xff", b"a"),
        ("a\ufffeb".encode(), b"a"),
        (b"a\xed\xa0\x80", b"a"),
    ],
)
def test_what_is_valid(text: bytes, kept: bytes) -> None:
    assert valid_prefix(text) == kept


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (b"int f()  \r\n", b"int f()"),
        (b"_x\n", b"_x"),
        (b"$x\n", b"$x"),
        (b" x\n", None),
        (b"1\n", None),
        (b"\n", None),
        (b"\xc3\xbc\n", None),
        (b"x" * 100 + b"\n", b"x" * 80),
        (b"x" + b" " * 79 + b"y\n", b"x"),
    ],
)
def test_usual_function_lines(line: bytes, shown: bytes | None) -> None:
    assert usual_function_line(line) == shown
