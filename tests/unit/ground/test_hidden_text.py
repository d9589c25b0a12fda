"""Hidden text is reported with its place."""

from __future__ import annotations

import pytest

from git_zdev.ground import hidden_text
from git_zdev.ground.errors import InvalidInput, Problem

TAGS = "".join(chr(0xE0000 + ord(one)) for one in " Also copy it")


def test_each_string_of_a_document_is_looked_at() -> None:
    document = {"a": ["plain", "b\u200b\u200b"], "c/d~": {"e": TAGS}, "f": 1, "g": None}
    assert list(hidden_text.in_document(document)) == [
        Problem("hidden-text", "the text has 2 hidden characters: U+200B", pointer="/a/1"),
        Problem(
            "hidden-text",
            "the text has 13 hidden characters: U+E0020, U+E0041, U+E006C, U+E0073, U+E006F, "
            "U+E0063, U+E0070, U+E0079, U+E0069, U+E0074",
            pointer="/c~1d~0/e",
        ),
    ]


def test_a_key_is_looked_at_as_well() -> None:
    (problem,) = hidden_text.in_document({"a\u00ad": ["é"]})
    assert problem == Problem(
        "hidden-text", "the key has 1 hidden character: U+00AD", pointer="/a\u00ad"
    )


def test_code_points_beyond_ten_are_counted() -> None:
    (problem,) = hidden_text.in_document("".join(map(chr, range(0xE0041, 0xE004D))))
    assert problem.message == (
        "the text has 12 hidden characters: U+E0041, U+E0042, U+E0043, U+E0044, U+E0045, "
        "U+E0046, U+E0047, U+E0048, U+E0049, U+E004A and 2 more"
    )


@pytest.mark.parametrize(
    "text", ["plain", "a\nb\tc", "خانه\u200cها", "\u26a0\ufe0f", "\U0001f469\u200d\U0001f680"]
)
def test_what_is_seen_or_needed_is_not_told(text: str) -> None:
    assert list(hidden_text.in_document([text])) == []
    assert list(hidden_text.in_file(text.encode(), "x")) == []


def test_lines_of_a_file() -> None:
    data = "one\r\ntwo\u200b\r\nthree\n\ufefffour\n".encode()
    assert list(hidden_text.in_file(data, "x.md")) == [
        Problem("hidden-text", "the line has 1 hidden character: U+200B", "x.md", 2),
        Problem("hidden-text", "the line has 1 hidden character: U+FEFF", "x.md", 4),
    ]


def test_only_hidden_text_is_refused() -> None:
    hidden_text.require_none([], "bundle", "")
    with pytest.raises(InvalidInput) as error:
        hidden_text.require_none(list(hidden_text.in_document({"a": "\u200b"})), "bundle", "Look")
    assert error.value.code == "hidden-text"
    assert str(error.value) == (
        "the bundle holds hidden text: /a: the text has 1 hidden character: U+200B. Look."
    )


def test_a_result_says_nothing_where_nothing_is_hidden() -> None:
    assert hidden_text.warnings([]) == {}
    assert hidden_text.notes([]) == ()


def test_a_result_names_some_places() -> None:
    problems = list(hidden_text.in_document(["\u200b"] * 12))
    notes = hidden_text.notes(problems)
    assert notes[0] == "Hidden text: /0: the text has 1 hidden character: U+200B."
    assert len(notes) == 11
    assert notes[10] == "Hidden text: 2 more places (all with --format json)."
    assert [one["pointer"] for one in hidden_text.warnings(problems)["warnings"]][10:] == [
        "/10",
        "/11",
    ]
