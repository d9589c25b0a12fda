"""Which paths a plan may name, and the folders above one.

What Git takes for ``.git`` is in ``derive/test_path_rules``.
"""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_zdev.ground.paths import checked_path, folder_above, unknown_folders
from git_zdev.ground.text import shell_word


@pytest.mark.parametrize("path", ["a", ".zdev/a.md", "a b/c", "..a/b..", "\udcff", "...", "a\\b"])
def test_a_relative_path_is_taken(path: str) -> None:
    assert checked_path(path) == path


@pytest.mark.parametrize(
    "path", ["", "/", "/a", "a/", "a//b", ".", "..", "./a", "a/.", "../a", "a/../b", "a\0b"]
)
def test_any_other_is_not(path: str) -> None:
    with pytest.raises(ValueError, match="not a path of a plan"):
        checked_path(path)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_a_word_is_read_by_a_shell_as_it_was(text: str) -> None:
    assert shlex.split(shell_word(text)) == [text]


def test_a_plain_word_stands_as_it_is() -> None:
    assert shell_word("--git-dir=/srv/a_b/.git") == "--git-dir=/srv/a_b/.git"
    assert shell_word("it's") == "'it'\\''s'"


@pytest.mark.parametrize(("folder", "above"), [(b"a/b/", b"a/"), (b"a/", b""), (b"", b"")])
def test_the_folder_above(folder: bytes, above: bytes) -> None:
    assert folder_above(folder) == above


@pytest.mark.parametrize(
    ("known", "unknown"),
    [
        ({b"a/b/c/"}, []),
        ({b"a/"}, [b"a/b/", b"a/b/c/"]),
        ({b"", b"a/b/"}, [b"a/b/c/"]),
        ({b""}, [b"a/", b"a/b/", b"a/b/c/"]),
        (set(), [b"", b"a/", b"a/b/", b"a/b/c/"]),
    ],
)
def test_the_folders_that_are_not_known(known: set[bytes], unknown: list[bytes]) -> None:
    assert unknown_folders(b"a/b/c/", known) == unknown
