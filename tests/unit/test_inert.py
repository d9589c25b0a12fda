"""Text that can do nothing to a terminal."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_zdev.inert import HOSTILE as HOSTILE_PATTERN
from git_zdev.inert import escape, escape_json

HOSTILE = {
    "\x00": "\\x00",
    "\x07": "\\x07",
    "\x0b": "\\x0b",
    "\r": "\\x0d",
    "\x1b": "\\x1b",
    "\x7f": "\\x7f",
    "\x80": "\\x80",
    "\x9b": "\\x9b",
    "\u061c": "\\u061c",
    "\u200b": "\\u200b",
    "\u200f": "\\u200f",
    "\u2028": "\\u2028",
    "\u202e": "\\u202e",
    "\u2066": "\\u2066",
    "\ufeff": "\\ufeff",
    "\udc80": "\\udc80",
}


@pytest.mark.parametrize(("character", "shown"), HOSTILE.items(), ids=map(ascii, HOSTILE))
def test_hostile_characters_are_shown(character: str, shown: str) -> None:
    assert escape(f"a{character}b") == f"a{shown}b"


@pytest.mark.parametrize("text", ["", "a\tb\nc", "é漢🙂", "\\x1b", "\u00a0", "e\u0301"])
def test_other_text_stays(text: str) -> None:
    assert escape(text) == text


def test_what_is_hostile_is_never_printable() -> None:
    characters = {chr(code) for code in range(0x110000)} - {"\t", "\n"}
    hostile = re.findall(HOSTILE_PATTERN, "".join(sorted(characters)))
    assert len(hostile) > 2000  # controls, formats, surrogates
    assert not any(character.isprintable() for character in hostile)


@given(st.text(st.characters(codec=None)))
def test_json_stays_the_same_value_and_becomes_encodable(text: str) -> None:
    escaped = escape_json(json.dumps(text, ensure_ascii=False))
    assert json.loads(escaped) == text
    escaped.encode()
    assert escape(escaped) == escaped
