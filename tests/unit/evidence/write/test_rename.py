"""Which deletion and which creation are one file that moved (gitdiffcore(7))."""

from __future__ import annotations

from git_zdev.evidence.rules.filespec import REGULAR, SYMLINK, FilePair, FileSpec, absent, unmerged
from git_zdev.evidence.write.rename import detect_renames
from git_zdev.evidence.write.similarity import MAX_SCORE


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
