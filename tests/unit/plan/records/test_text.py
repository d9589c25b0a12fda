"""Line ends and encodings of record files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from git_zdev.plan.records import text

if TYPE_CHECKING:
    from git_zdev.ground.errors import Problem


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r\ufeff")), st.booleans())
def test_decoding_undoes_encoding(value: str, crlf: bool) -> None:
    problems: list[Problem] = []
    data = text.encode(value, crlf=crlf)
    assert text.decode(data, "f", problems) == text.Text(value, crlf=crlf and "\n" in value)
    assert problems == []


@given(st.lists(st.sampled_from(["a", "\n", "\r\n", "\r", "é"]), max_size=8).map("".join))
def test_only_one_kind_of_line_end_is_read(value: str) -> None:
    problems: list[Problem] = []
    decoded = text.decode(value.encode(), "f", problems)
    bare = value.replace("\r\n", "")
    pure = "\r" not in value or ("\r" not in bare and "\n" not in bare)
    assert (decoded is not None) is pure
    assert [problem.code for problem in problems] == ([] if pure else ["mixed-line-ends"])
    if decoded is not None:
        assert text.encode(decoded.text, crlf=decoded.crlf) == value.encode()


def test_other_separators_of_unicode_are_no_line_ends() -> None:
    value = "a\x0b\x0c\x1c\x85\u2028\u2029b"
    assert text.decode(value.encode(), "f", []) == text.Text(value, crlf=False)
