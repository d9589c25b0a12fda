"""Text that can do nothing to a terminal and hide nothing from a reader."""

from __future__ import annotations

import json
import re
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from git_zdev.ground.inert import escape, escape_json, unseen

SHOWN = {
    "\x00": "\\x00",
    "\x07": "\\x07",
    "\x0b": "\\x0b",
    "\r": "\\x0d",
    "\x1b": "\\x1b",
    "\x7f": "\\x7f",
    "\x80": "\\x80",
    "\x9b": "\\x9b",
    "\u00ad": "\\xad",
    "\u034f": "\\u034f",
    "\u061c": "\\u061c",
    "\u06dd": "\\u06dd",
    "\u115f": "\\u115f",
    "\u1160": "\\u1160",
    "\u17b4": "\\u17b4",
    "\u180b": "\\u180b",
    "\u180e": "\\u180e",
    "\u180f": "\\u180f",
    "\u200b": "\\u200b",
    "\u200c": "\\u200c",
    "\u200d": "\\u200d",
    "\u200f": "\\u200f",
    "\u2028": "\\u2028",
    "\u202e": "\\u202e",
    "\u2060": "\\u2060",
    "\u2065": "\\u2065",
    "\u2066": "\\u2066",
    "\u2800": "\\u2800",
    "\u3164": "\\u3164",
    "\udc80": "\\udc80",
    "\ue0b0": "\\ue0b0",
    "\ufe00": "\\ufe00",
    "\ufe0f": "\\ufe0f",
    "\ufeff": "\\ufeff",
    "\uffa0": "\\uffa0",
    "\ufff0": "\\ufff0",
    "\ufffb": "\\ufffb",
    "\uffff": "\\uffff",
    "\U0001bca0": "\\U0001bca0",
    "\U0001d173": "\\U0001d173",
    "\U000e0001": "\\U000e0001",
    "\U000e0041": "\\U000e0041",
    "\U000e01ef": "\\U000e01ef",
    "\U000e0fff": "\\U000e0fff",
    "\U0010fffd": "\\U0010fffd",
}

IGNORABLE = [
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5)),
    *((0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164)),
    *((0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8)),
    *((0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
]
"""Default_Ignorable_Code_Point as DerivedCoreProperties.txt has it."""

ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
PRIDE = "\U0001f3f3\ufe0f\u200d\U0001f308"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
ASTRONAUT = "\U0001f469\U0001f3fd\u200d\U0001f680"


@pytest.mark.parametrize(("character", "shown"), SHOWN.items(), ids=map(ascii, SHOWN))
def test_what_is_unseen_is_shown_by_number(character: str, shown: str) -> None:
    assert escape(f"a{character}b") == f"a{shown}b"
    assert escape(f"é{character}b") == f"é{shown}b"
    assert unseen(f"a{character}b{character}") == [character, character]


@pytest.mark.parametrize(
    "text",
    ["", "a\tb\nc", "é漢🙂", "\\x1b", "\u00a0", "\u3000", "e\u0301", "Z\u0335a", "🇩🇪", "👍🏽"],
    ids=ascii,
)
def test_other_text_stays(text: str) -> None:
    assert escape(text) == text
    assert unseen(text) == []


def is_unseen(character: str) -> bool:
    """By what the running Python's Unicode says, and by hand."""
    return (
        unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
        and character not in "\t\n"
    ) or any(first <= ord(character) <= last for first, last in IGNORABLE)


def test_nothing_unseen_is_missing_and_nothing_else_is_shown_by_number() -> None:
    everything = "".join(map(chr, range(0x110000)))
    later = {*map(chr, range(0x13439, 0x13440))}  # assigned in Unicode 15.0
    first_plane = {"\u2800", "\ufffe", "\uffff", *map(chr, range(0xFDD0, 0xFDF0))}
    private = {"\U000ffffe", "\U000fffff", "\U0010fffe", "\U0010ffff"}
    expected = {*filter(is_unseen, everything), *first_plane, *private, *later}
    assert set(unseen(everything)) == expected
    assert all(
        escape(one) == one for one in everything if one.isprintable() and one not in expected
    )
    assert all(escape(one) != one for one in expected if one.isprintable())


@pytest.mark.parametrize(("first", "last"), IGNORABLE)
def test_the_edges_of_what_is_ignorable(first: int, last: int) -> None:
    for code in (first, last):
        assert unseen(chr(code)) == [chr(code)]


@pytest.mark.parametrize("size", [99_998, 100_000, 200_000])
@pytest.mark.parametrize("character", ["\u200b", "\ufe0f", "\U000e0041", "\U000e0100", "\ufff0"])
def test_one_character_is_found_in_a_long_text(size: int, character: str) -> None:
    for filling in ("é", "漢", "\U0001f1e9"):
        text = filling * size
        assert escape(text) == text
        assert escape(f"{text}{character}") == text + SHOWN.get(character, r"\U000e0100")


KEPT = {
    "Persian plural": "خانه\u200cها",
    "Persian verb": "می\u200cشود",
    "Persian with a vowel point": "بِ\u200cه",
    "Hindi conjunct not formed": "क्\u200cष",
    "Hindi half form": "क्\u200dष",
    "Malayalam chillu at the end": "നന്\u200d",
    "Bengali ya-phalaa": "র\u200d্য",
    "Sinhala": "ශ්\u200dරී",
    "family": FAMILY,
    "with skin": ASTRONAUT,
    "kiss": "\U0001f469\u200d\u2764\ufe0f\u200d\U0001f48b\u200d\U0001f468",
    "rainbow flag": PRIDE,
    "pirate flag": "\U0001f3f4\u200d\u2620\ufe0f",
    "eye in a bubble": "\U0001f441\ufe0f\u200d\U0001f5e8\ufe0f",
    "warning": "\u26a0\ufe0f mind the gap",
    "as text": "\u260e\ufe0e",
    "keycaps": "1\ufe0f\u20e3#\ufe0f\u20e3*\ufe0f\u20e3",
    "England": ENGLAND,
    "Scotland": "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "Wales": "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",
    "all at once": f"{FAMILY}{ENGLAND}{PRIDE}",
}


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_what_does_its_work_between_others_stays(text: str) -> None:
    assert escape(text) == text
    assert unseen(text) == []


MISPLACED = {
    "between Latin letters": ("Auf\u200clage", r"Auf\u200clage"),
    "joiner between Latin letters": ("a\u200db", r"a\u200db"),
    "twice": ("می\u200c\u200cشود", r"می\u200c\u200cشود"),
    "at the end of a word": ("می\u200c ", r"می\u200c "),
    "before Latin": ("می\u200cx", r"می\u200cx"),
    "joiner in Persian": ("می\u200dشود", r"می\u200dشود"),
    "no virama": ("क\u200cष", r"क\u200cष"),
    "twice behind a virama": ("क्\u200d\u200dष", "क्\u200d\\u200dष"),
    "virama without a letter": ("a्\u200d", r"a्\u200d"),
    "joiner behind an emoji": ("\U0001f469\u200d.", "\U0001f469\\u200d."),
    "joiner before an emoji": ("\u200d\U0001f469", "\\u200d\U0001f469"),
    "two joiners": ("\U0001f469\u200d\u200d\U0001f469", "\U0001f469\\u200d\\u200d\U0001f469"),
    "selector behind a letter": ("a\ufe0f", r"a\ufe0f"),
    "selector behind a digit": ("1\ufe0f2", r"1\ufe0f2"),
    "two selectors": ("\u26a0\ufe0f\ufe0f", "\u26a0\ufe0f\\ufe0f"),
    "another selector": ("\u26a0\ufe01", "\u26a0\\ufe01"),
    "selector behind a flag": ("\U0001f1e9\ufe0f", "\U0001f1e9\\ufe0f"),
    "another flag": (
        "\U0001f3f4\U000e0067\U000e0062\U000e0078\U000e007f",
        "\U0001f3f4\\U000e0067\\U000e0062\\U000e0078\\U000e007f",
    ),
    "tags without the end": (
        ENGLAND[:-1],
        ENGLAND[0] + "".join(rf"\U{ord(c):08x}" for c in ENGLAND[1:-1]),
    ),
    "tags without a flag": (ENGLAND[1:], "".join(rf"\U{ord(c):08x}" for c in ENGLAND[1:])),
}


@pytest.mark.parametrize(("text", "shown"), MISPLACED.values(), ids=MISPLACED)
def test_what_has_no_work_where_it_stands_is_shown(text: str, shown: str) -> None:
    assert escape(text) == shown


def test_a_sentence_in_tag_characters_is_shown() -> None:
    said = "The typo is gone."
    hidden = "".join(chr(0xE0000 + ord(one)) for one in " Also")
    shown = r"\U000e0020\U000e0041\U000e006c\U000e0073\U000e006f"
    assert escape(said + hidden) == said + shown
    assert unseen(said + hidden) == list(hidden)


BUILDING = st.lists(
    st.one_of(
        st.sampled_from([*SHOWN, *KEPT.values(), *(text for text, _ in MISPLACED.values())]),
        st.sampled_from("\u200c\u200d\ufe0e\ufe0fम्ی\u26a0\U0001f469\U0001f3fd1\u20e3\\"),
        st.characters(codec=None),
    )
).map("".join)


@given(BUILDING)
def test_nothing_unseen_is_left_but_in_its_place(text: str) -> None:
    shown = escape(text)
    assert unseen(shown) == []
    assert escape(shown) == shown
    for place, one in enumerate(shown):
        if not is_unseen(one):
            continue
        before, after = shown[place - 1 : place], shown[place + 1 : place + 2]
        if one == "\u200c":
            assert unicodedata.category(before)[0] in "LM"
        elif one == "\u200d":
            assert before == "\ufe0f" or unicodedata.category(before) in {
                "Lo",
                "Mn",
                "So",
                "Sk",
                "Po",
            }
        elif one in "\ufe0e\ufe0f":
            assert after == "\u20e3" or unicodedata.category(before) in {
                "So",
                "Sm",
                "Po",
                "Cn",
                "Ll",
            }
        else:
            assert "\U000e0020" <= one <= "\U000e007f"
            assert ENGLAND[0] in shown[max(0, place - 6) : place]


@given(BUILDING)
def test_what_is_seen_stays_as_it_is_and_in_its_order(text: str) -> None:
    hidden = unseen(text)
    pieces = re.split(r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}", escape(text))
    if "\\" not in text:
        assert len(pieces) == len(hidden) + 1
        assert "".join(a + b for a, b in zip(pieces, [*hidden, ""], strict=True)) == text


@given(BUILDING)
def test_json_stays_the_same_value_and_shows_everything(text: str) -> None:
    assume(not re.search("[\ud800-\udbff][\udc00-\udfff]", text))
    escaped = escape_json(json.dumps(text, ensure_ascii=False))
    assert json.loads(escaped) == text
    escaped.encode()
    assert not any(map(is_unseen, escaped))


def test_json_writes_what_lies_beyond_the_first_plane_as_surrogates() -> None:
    assert escape_json('"\U000e0041\U0010ffff\ufe0f"') == r'"\udb40\udc41\udbff\udfff\ufe0f"'
    assert escape_json(f'"{FAMILY}"') == '"' + FAMILY.replace("\u200d", r"\u200d") + '"'
