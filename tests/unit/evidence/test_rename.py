"""Which deletion and which creation are one file that moved (gitdiffcore(7))."""

from __future__ import annotations

import pytest

from git_zdev.evidence.filespec import FilePair, FileSpec, absent, unmerged
from git_zdev.evidence.rename import (
    MAX_SCORE,
    Meter,
    chunk_number,
    chunks,
    detect_renames,
    sizes_rule_out,
)
from git_zdev.git.model import REGULAR, SYMLINK


class Given:
    """Contents by path; the id is the content itself."""

    def __init__(self, **contents: bytes) -> None:
        self.read: list[bytes] = []
        self._contents = {path.replace("__", "/").encode(): data for path, data in contents.items()}

    def id(self, spec: FileSpec) -> str:
        return self._contents[spec.path].hex()

    def data(self, spec: FileSpec) -> bytes:
        self.read.append(spec.path)
        return self._contents[spec.path]

    def size(self, spec: FileSpec) -> int:
        return len(self._contents[spec.path])

    def look_at(self, spec: FileSpec) -> None:
        pass

    def is_binary(self, spec: FileSpec) -> bool:
        return b"\0" in self._contents[spec.path]


def gone(path: str, mode: int = REGULAR) -> FilePair:
    return FilePair(FileSpec(path.encode(), mode, "old"), absent(path.encode()))


def come(path: str, mode: int = REGULAR) -> FilePair:
    return FilePair(absent(path.encode()), FileSpec(path.encode(), mode, "new"))


def found(pairs: list[FilePair], contents: Given) -> list[tuple[str, str, int]]:
    return [
        (pair.old.path.decode(), pair.new.path.decode(), pair.score * 100 // MAX_SCORE)
        for pair in detect_renames(pairs, contents)
        if pair.is_rename
    ]


def lines(*names: str) -> bytes:
    """Lines of ten bytes each."""
    return b"".join(name.ljust(9).encode() + b"\n" for name in names)


def test_a_rename_stands_where_its_creation_stood() -> None:
    pairs = [gone("a"), come("b"), unmerged(b"c"), gone("d")]
    result = detect_renames(pairs, Given(a=b"x", b=b"x", d=b"y"))
    assert [pair.letter for pair in result] == [b"R", b"U", b"D"]
    assert (result[0].old.path, result[0].new.path, result[0].score) == (b"a", b"b", MAX_SCORE)


def test_identical_content_prefers_the_same_base_name() -> None:
    given = Given(a__x=b"same", b__y=b"same", c__y=b"same")
    assert found([gone("a/x"), gone("b/y"), come("c/y")], given) == [("b/y", "c/y", 100)]
    assert given.read == []


def test_each_source_moves_once() -> None:
    given = Given(a=b"same", b=b"same", c=b"same")
    assert found([gone("a"), come("b"), come("c")], given) == [("a", "b", 100)]


def test_links_move_only_unchanged_and_as_links() -> None:
    given = Given(a=b"target", b=b"target", c=b"target")
    assert found([gone("a", SYMLINK), come("b")], given) == []
    assert found([gone("a", SYMLINK), come("c", SYMLINK)], given) == [("a", "c", 100)]


def test_a_unique_base_name_needs_three_quarters() -> None:
    old = lines("1", "2", "3", "4")
    near, far = lines("1", "2", "3", "x"), lines("1", "2", "y", "z")
    # The namesake wins, although the other file is more similar.
    given = Given(a__f=old, b__f=near, b__g=lines("1", "2", "3", "4", "5"))
    assert found([gone("a/f"), come("b/f"), come("b/g")], given) == [("a/f", "b/f", 75)]
    given = Given(a__f=old, b__f=far, b__g=near)
    assert found([gone("a/f"), come("b/f"), come("b/g")], given) == [("a/f", "b/g", 75)]


def test_half_is_enough_and_less_is_not() -> None:
    given = Given(a=lines("1", "2", "3", "4"), b=lines("1", "2", "x", "y"))
    assert found([gone("a"), come("b")], given) == [("a", "b", 50)]
    given = Given(a=lines("1", "2", "3", "4"), b=lines("1", "w", "x", "y"))
    assert found([gone("a"), come("b")], given) == []


def test_the_most_similar_pair_comes_first() -> None:
    given = Given(
        a=lines("1", "2", "3", "4"),
        b=lines("1", "2", "3", "x"),
        c=lines("1", "2", "3", "4", "5"),
    )
    assert found([gone("a"), come("b"), come("c")], given) == [("a", "c", 80)]


def test_no_more_than_a_million_pairs_are_compared() -> None:
    contents = {f"o{n:04}": lines("1", "2", f"{n}") for n in range(1001)}
    contents |= {f"p{n:04}": lines("1", "2", f"{n}", "new") for n in range(1000)}
    pairs = [gone(name) if name[0] == "o" else come(name) for name in sorted(contents)]
    given = Given(**contents)
    assert found(pairs, given) == []
    assert given.read == []


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
