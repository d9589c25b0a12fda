"""The measure behind rename percentages; the numbers were worked out by hand or taken from git."""

from __future__ import annotations

import pytest

from git_zdev.evidence.write.similarity import (
    MAX_SCORE,
    Meter,
    chunk_number,
    chunks,
    sizes_rule_out,
)


def score(old: bytes, new: bytes) -> int:
    larger = max(len(old), len(new))
    return Meter().score(chunks(old, text=True), chunks(new, text=True), larger)


def test_lines_are_counted_in_bytes() -> None:
    assert chunks(b"ab\ncd\nab\n", text=True) == {b"ab": 6, b"cd": 3}


def test_an_unterminated_last_line_does_not_count() -> None:
    assert chunks(b"ab\ncd", text=True) == {b"ab": 3}
    assert chunks(b"", text=True) == {}


def test_long_lines_are_cut_every_64_bytes() -> None:
    assert chunks(b"x" * 130 + b"\n", text=True) == {b"x" * 64: 128, b"xx": 3}
    assert chunks(b"x" * 63 + b"\n", text=True) == {b"x" * 63: 64}
    assert chunks(b"x" * 64 + b"\n", text=True) == {b"x" * 64: 64, b"": 1}


def test_text_loses_the_cr_of_each_line_end() -> None:
    assert chunks(b"ab\r\n", text=True) == {b"ab": 3}
    assert chunks(b"ab\r\n", text=False) == {b"ab\r": 4}
    assert chunks(b"a\rb\n", text=True) == {b"a\rb": 4}


def test_the_number_of_a_chunk_of_few_bytes() -> None:
    # "a": 0x61. "a\n": 0x61 << 7, plus 0x0a, both words far from overflowing.
    assert chunk_number(b"a") == 0x61
    assert chunk_number(b"a\n") == (0x61 << 7) + 0x0A
    # The fifth byte pushes bits of the first into the second word.
    low = (((((0x61 << 7) + 0x62 << 7) + 0x63) << 7) + 0x64 << 7) + 0x65
    assert chunk_number(b"abcde") == ((low & 0xFFFFFFFF) + (low >> 32) * 0x61) % 107927


def test_half_of_the_larger_file_is_half_a_score() -> None:
    assert score(b"one\ntwo\n", b"one\nsix\n") == MAX_SCORE // 2
    assert score(b"one\ntwo\n", b"one\ntwo\n") == MAX_SCORE
    assert score(b"", b"") == 0


def test_more_copies_of_a_line_do_not_match_fewer() -> None:
    assert score(b"a\na\na\na\n", b"a\nb\nc\nd\n") == MAX_SCORE // 4


def test_different_chunks_of_one_number_count_as_the_same() -> None:
    by_number: dict[int, bytes] = {}
    for number in range(2000):
        chunk = b"%020d" % (number * number * 998244353987)
        other = by_number.setdefault(chunk_number(chunk + b"\n"), chunk)
        if other != chunk:
            break
    else:
        pytest.fail("no two of the chunks share a number")
    assert score(chunk + b"\n", other + b"\n") == MAX_SCORE


@pytest.mark.parametrize(
    ("old", "new", "ruled_out"), [(100, 50, False), (100, 49, True), (0, 0, False), (0, 1, True)]
)
def test_sizes_may_rule_out_a_score(old: int, new: int, ruled_out: bool) -> None:
    assert sizes_rule_out(old, new, MAX_SCORE // 2) is ruled_out
    assert sizes_rule_out(new, old, MAX_SCORE // 2) is ruled_out
