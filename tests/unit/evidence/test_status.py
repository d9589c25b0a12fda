"""Lines of the short status (git-status(1), "Short Format")."""

from __future__ import annotations

import pytest

from git_zdev.evidence.filespec import FilePair, FileSpec, absent, unmerged
from git_zdev.evidence.status import quote, quote_for_status, short_status
from git_zdev.git.model import EXECUTABLE, GITLINK, REGULAR, SYMLINK, tracked_mode


def spec(path: bytes, mode: int = REGULAR) -> FileSpec:
    return FileSpec(path, mode, "1" * 40)


def changed(path: bytes) -> FilePair:
    return FilePair(spec(path), FileSpec(path, REGULAR, "2" * 40))


def test_left_and_right_column_meet_on_one_line() -> None:
    staged = [changed(b"a"), FilePair(absent(b"b"), spec(b"b")), FilePair(spec(b"c"), absent(b"c"))]
    unstaged = [changed(b"a"), FilePair(spec(b"b"), absent(b"b")), changed(b"d")]
    assert short_status(staged, unstaged, {}, []) == b"MM a\nAD b\nD  c\n M d\n"


def test_a_rename_stands_at_its_new_name_in_path_order() -> None:
    renamed = FilePair(spec(b"z old"), spec(b"b"), 60000)
    assert short_status([renamed, changed(b"c")], [changed(b"a")], {}, []) == (
        b' M a\nR  "z old" -> b\nM  c\n'
    )


def test_untracked_paths_come_last() -> None:
    assert short_status([], [changed(b"z")], {}, [b"new/", b"a b"]) == (
        b' M z\n?? "a b"\n?? new/\n'
    )


@pytest.mark.parametrize(
    ("stages", "letters"),
    [
        ({1}, b"DD"),
        ({2}, b"AU"),
        ({3}, b"UA"),
        ({1, 2}, b"UD"),
        ({1, 3}, b"DU"),
        ({2, 3}, b"AA"),
        ({1, 2, 3}, b"UU"),
    ],
)
def test_an_unmerged_path_shows_its_stages(stages: set[int], letters: bytes) -> None:
    pairs = [unmerged(b"f"), changed(b"f")]
    assert short_status([unmerged(b"f")], pairs, {b"f": frozenset(stages)}, []) == letters + b" f\n"


@pytest.mark.parametrize(
    ("old", "new", "letter"),
    [(REGULAR, EXECUTABLE, b"M"), (REGULAR, SYMLINK, b"T"), (GITLINK, REGULAR, b"T")],
)
def test_a_change_of_type_has_its_own_letter(old: int, new: int, letter: bytes) -> None:
    assert FilePair(spec(b"f", old), spec(b"f", new)).letter == letter


@pytest.mark.parametrize(
    ("seen", "recorded"),
    [
        (0o100600, REGULAR),
        (0o100611, REGULAR),
        (0o100700, EXECUTABLE),
        (0o120777, SYMLINK),
        (0o040755, GITLINK),
    ],
)
def test_modes_as_the_index_records_them(seen: int, recorded: int) -> None:
    assert tracked_mode(seen) == recorded


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
