"""Path patterns, by hand; ``tests/parity/test_random_rules.py`` asks Git."""

from __future__ import annotations

import pytest

from git_zdev.git.wildmatch import wildmatch


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("a", ["a"], ["", "b", "aa", "a/a"]),
        ("a?c", ["abc", "a.c"], ["ac", "a/c"]),
        ("a*c", ["ac", "abbc"], ["a/c", "acb"]),
        ("*a*b", ["ab", "xaxb", "aab", "abab"], ["ba", "a", "a/b"]),
        ("**", ["", "a", "a/b"], []),
        ("**/a", ["a", "b/a", "c/b/a"], ["a/b", "ba"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "b/a"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb"]),
        ("**/a/**/b", ["a/b", "x/a/y/b", "a/a/b/b"], ["a", "b/a"]),
        ("**\\/a", ["b/a", "c/b/a"], ["a"]),
        ("a**b", ["ab", "axxb"], ["a/b"]),
        ("*/**", ["a/b", "a/b/c"], ["a"]),
        ("[a-c]x", ["ax", "cx"], ["dx", "x", "Ax"]),
        ("[!a-c]x", ["dx", "-x"], ["ax", "/x"]),
        ("[^a]", ["b"], ["a", "/", ""]),
        ("[]a]", ["]", "a"], ["b"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("[\\]]", ["]"], ["\\"]),
        ("[[:digit:][:upper:]]", ["1", "A"], ["a"]),
        ("[[:space:]]", [" ", "\t"], ["\v", "a"]),
        ("[[:digit:]", [], ["1", "[", ":"]),
        ("[[:other:]]", [], ["o", ":"]),
        ("[[:a]", ["[", ":", "a"], ["b"]),
        ("[c-a]", ["c"], ["a", "b"]),
        ("[a", [], ["a", "[a"]),
        ("a\\", [], ["a", "a\\"]),
        ("\\*", ["*"], ["a", "\\*"]),
        ("a/", ["a/"], ["a", "a/b"]),
        ("", [""], ["a"]),
    ],
)
def test_what_a_pattern_matches(pattern: str, matching: list[str], others: list[str]) -> None:
    test = wildmatch(pattern.encode())
    assert [name for name in [*matching, *others] if test(name.encode())] == matching


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("A*", ["a", "ab"], ["b"]),
        ("[A-C]", ["a", "c"], ["d"]),
        ("[A]", [], ["a"]),
        ("[[:upper:]]", ["a"], ["1"]),
        ("\\A", [], ["a"]),
    ],
)
def test_letter_case_that_does_not_count(
    pattern: str, matching: list[str], others: list[str]
) -> None:
    test = wildmatch(pattern.encode(), folded=True)
    assert [name for name in [*matching, *others] if test(name.encode())] == matching


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        (b"*a" * 5_000 + b"b", b"a" * 20_000),
        (b"**/a/" * 3_000 + b"b", b"a/" * 10_000 + b"c"),
        (b"*[a]" * 60 + b"b", b"a" * 2_000),
        (b"*?" * 60 + b"b", b"a" * 2_000),
        (b"**/*a*a/" * 60 + b"b", b"aaa/" * 1_000),
        (b"[" * 20_000, b"["),
        (b"[[:" * 20_000, b"["),
    ],
)
def test_patterns_made_to_take_for_ever(pattern: bytes, name: bytes) -> None:
    assert not wildmatch(pattern)(name)
