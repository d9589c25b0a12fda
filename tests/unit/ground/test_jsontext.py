"""JSON from outside: what is refused, and where the problems are said to be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_zdev.fast import json as fast_json
from git_zdev.ground import jsontext
from git_zdev.ground.errors import InvalidInput
from git_zdev.ground.inert import escape_json
from tests.support.cli import PACKAGE_PARENT, PYTHON


def problems(data: bytes, **limits: int) -> list[tuple[str | None, str]]:
    with pytest.raises(InvalidInput) as refused:
        jsontext.decode_object(data, code="bad", what="input", **limits)
    assert {problem.code for problem in refused.value.problems} == {"bad"}
    return [(problem.pointer, problem.message) for problem in refused.value.problems]


def test_distinct_keys() -> None:
    assert jsontext.loads('{"a": {"b": 1}}', object_pairs_hook=jsontext.distinct) == {"a": {"b": 1}}
    with pytest.raises(ValueError, match="a key appears twice in one object"):
        jsontext.loads('{"a": {"b": 1, "b": 1}}', object_pairs_hook=jsontext.distinct)


def test_duplicate_keys_are_told_with_their_places() -> None:
    data = b'{"a": {"b/c": 1, "b/c": 2}, "d": [{}, {"e": 1, "e": 1, "e": 1}], "d~": 1, "d~": 2}'
    twice = "the key appears twice in one object"
    assert problems(data) == [("/a/b~1c", twice), ("/d/1/e", twice), ("/d~0", twice)]


def test_a_duplicate_in_a_replaced_value_is_told_without_a_place() -> None:
    assert problems(b'{"a": {"b": 1, "b": 2}, "a": NaN, "a": 3}') == [
        ("/a", "the key appears twice in one object"),
        (None, 'the key "b" appears twice in one object'),
        (None, "NaN is not a JSON number"),
    ]


def test_numbers_and_strings_that_json_does_not_have() -> None:
    assert problems(b'{"a": [NaN, 1, -Infinity], "b": "\\udc00", "\\ud800": Infinity}') == [
        ("/a/0", "NaN is not a JSON number"),
        ("/a/2", "-Infinity is not a JSON number"),
        ("/b", "the string holds a lone surrogate"),
        ("/\ud800", "the key holds a lone surrogate"),
        ("/\ud800", "Infinity is not a JSON number"),
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xef\xbb\xbf{}", "it starts with a byte order mark"),
        (b'{\n"a": "\xff"}', "byte 8 on line 2 is not valid UTF-8"),
        (b"[]", "it is not a single JSON object"),
        (b"{} {}", "line 1 column 4: more text follows the value"),
        (b'{"a": [[[]]]}', "it is nested deeper than 3 levels"),
        (b'{"a": "' + b"x" * 100 + b'"}', "the input has 109 bytes, more than the limit of 100"),
        (b'{"a": "\x00"}', "line 1 column 8: Invalid control character at"),
    ],
)
def test_unreadable_input_is_told_at_once(data: bytes, words: str) -> None:
    assert [message for _, message in problems(data, size_limit=100, depth_limit=3)] == [words]


def test_brackets_in_strings_are_no_nesting() -> None:
    data = b'{"a": "[[[[{{{{\\"[[[["}'
    value = jsontext.decode_object(data, code="bad", what="input", depth_limit=1)
    assert value == {"a": '[[[[{{{{"[[[['}


def test_a_lone_surrogate_can_be_printed() -> None:
    assert jsontext.encode({"a": "\ud800\u202e\U0001f600"}) == (
        b'{\n  "a": "\\ud800\\u202e\xf0\x9f\x98\x80"\n}\n'
    )


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES, st.booleans())
def test_output_is_what_the_standard_library_indents(value: Any, sort_keys: bool) -> None:
    data = jsontext.encode(value, sort_keys=sort_keys)
    assert json.loads(data) == value
    plain = json.dumps(value, indent=2, ensure_ascii=False, sort_keys=sort_keys)
    assert data.decode() == escape_json(plain) + "\n"


def test_a_tuple_is_an_array() -> None:
    value = {"a": (1, (), ("x", []))}
    assert jsontext.encode(value).decode() == json.dumps(value, indent=2) + "\n"
    assert jsontext.encode_compact(value) == b'{"a":[1,[],["x",[]]]}'


@given(VALUES)
def test_compact_output_is_what_the_standard_library_writes(value: Any) -> None:
    expected = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert jsontext.encode_compact(value).decode() == expected


def test_hiding_characters_are_escaped_in_keys_and_values() -> None:
    data = jsontext.encode({"k\u202e": "v\x7f\u2028", "é": "—"})
    assert data == b'{\n  "k\\u202e": "v\\u007f\\u2028",\n  "\xc3\xa9": "\xe2\x80\x94"\n}\n'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1: "x"}])
def test_what_is_no_json_is_refused(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        jsontext.encode(value)


def outcome(read: Any, text: str) -> str:
    """What a reader gives or raises; as text, since NaN is not equal to itself."""
    try:
        return repr(read(text, object_pairs_hook=tuple))
    except (ValueError, RecursionError) as error:
        return f"{type(error).__name__}: {error}"


@given(
    VALUES.map(json.dumps) | st.sampled_from(["[NaN, -Infinity]", "1e999", "9" * 5000, "[" * 99]),
    st.text(' \t\n\r\x0c"\\\\[]{},:-.0eEtn\ufeff', max_size=3),
    st.integers(0, 50),
)
def test_reading_is_what_the_standard_library_reads(text: str, more: str, place: int) -> None:
    text = text[:place] + more + text[place:]
    assert outcome(jsontext.loads, text) == outcome(json.loads, text)


def test_a_scanner_that_asks_for_something_else_is_passed_by(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def scanner(decoder: Any) -> Any:
        return decoder.memory

    monkeypatch.setattr(fast_json, "make_scanner", scanner)
    assert jsontext.loads(' {"a": [1, null]} ') == {"a": [1, None]}


def test_neither_the_standard_module_nor_its_functions_of_c_are_needed() -> None:
    value = {"a": ['\x1b\u202eé"', "", [], {}, None, True, False, -1], "b": {"c": 0}}
    expected = jsontext.encode(value)
    for missing in ([], ["json"], ["_json"]):
        script = (
            f"import sys; sys.modules.update(dict.fromkeys({missing}))\n"
            "from git_zdev.ground import jsontext\n"
            f"data = jsontext.encode({value})\n"
            f"assert jsontext.loads(data.decode()) == {value}\n"
            "sys.stdout.buffer.write(data)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=PACKAGE_PARENT, capture_output=True, check=True
        )
        assert done.stdout == expected


def test_what_is_no_json_is_told_where_nobody_has_imported_json() -> None:
    """The scanner of C takes its errors from ``json.decoder``, and fails oddly without it."""
    texts = ["{ 1", '{"a" 1}', '{"a":1,}', "[1,", "[1 2]", "nul", '"abc', '{"a":', "", "{} x"]
    script = (
        "import sys\n"
        "from git_zdev.ground import jsontext\n"
        "before = set(sys.modules)\n"
        f"for text in {texts!r}:\n"
        "    for name in set(sys.modules) - before:\n"
        "        del sys.modules[name]\n"
        "    try:\n"
        "        jsontext.loads(text)\n"
        "    except ValueError as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **PYTHON},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    told = []
    for text in texts:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - json's own
            json.loads(text)
        told.append(str(caught.value))
    assert done.stdout.splitlines() == told
