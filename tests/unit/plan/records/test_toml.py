"""The fast way to read front matter agrees with tomllib, and edits know where everything stands."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from git_zdev.fast import toml as fast_toml
from git_zdev.plan.records import toml
from git_zdev.plan.records.toml import array, basic_string

if TYPE_CHECKING:
    from git_zdev.ground.errors import Problem


def by_library(block: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(block)
    except ValueError:
        return None


_ALPHABET = st.sampled_from(list("abz_-. =#\"\\'[],0129\t\x00\x1f\x7f\u00a0é😀\u2028"))
_PLAIN = st.text(_ALPHABET, max_size=8)
_KEYS = st.one_of(st.sampled_from(["a", "b", "key_1", "é", "a-b", "a.b", '"q"', "_"]), _PLAIN)
_VALUES = st.one_of(
    _PLAIN,
    st.builds('"{}"'.format, _PLAIN),
    st.sampled_from(["true", "false", "True", "0", "007", "12", "-1", "1_0", "٣", "[]", "[ ]"]),
    st.lists(_PLAIN).map(lambda items: "[" + ", ".join(f'"{item}"' for item in items) + "]"),
)
_EQUALS = st.sampled_from([" = ", "=", " =", "  = "])
_LINES = st.one_of(st.builds("{}{}{}".format, _KEYS, _EQUALS, _VALUES), _PLAIN)


@given(st.lists(_LINES, max_size=4).map("\n".join))
@example('a = "x"\na = "y"')
@example('a = ["x", "y, z"]')
@example('a = "b" # c"')
@example('a = """')
@example('a = "')
@example("a = ")
@example('a = ["]')
@example('a = "\u2028"')
def test_the_fast_way_agrees_with_the_library(block: str) -> None:
    fast = fast_toml.read_canonical(block)
    if fast is not None:
        library = by_library(block)
        assert library == fast
        assert library is not None
        assert [type(value) for value in library.values()] == [type(v) for v in fast.values()]


_FILES = st.lists(st.one_of(_LINES, st.sampled_from(["", "[a]", "[b]", "[a.b]", "[]", "[[a]]"])))


@given(_FILES.map("\n".join))
@example('a = 1\n\n[b]\nc = "x"\n')
@example('a = 1\n\n[a]\nc = "x"')
@example("[a]\nb = 1\n\n[a]\nc = 1")
@example("[a]")
@example("a = 1\n\nb = 2")
@example("a = 1\n\n[b]\nc = 1\n\n\n")
def test_the_fast_way_through_a_file_agrees_with_the_library(text: str) -> None:
    fast = fast_toml.read_canonical_file(text)
    assert fast is None or fast == by_library(text)


def test_a_file_of_tables_takes_the_fast_way() -> None:
    text = 'a = 1\n\n[b]\nc = "x"\n\n[d]\ne = true\n'
    assert fast_toml.read_canonical_file(text) == {"a": 1, "b": {"c": "x"}, "d": {"e": True}}


_STRINGS = st.text(st.characters(codec="utf-8"), max_size=20)


@given(_STRINGS, st.lists(_STRINGS, max_size=3))
def test_what_is_written_reads_back(value: str, values: list[str]) -> None:
    block = f"a = {basic_string(value)}\nb = {array(values)}"
    assert by_library(block) == {"a": value, "b": values}


@given(st.text("abcXYZ ,-_ü€", max_size=20), st.lists(st.text("ab, ü", max_size=5), max_size=3))
def test_plain_strings_take_the_fast_way(value: str, values: list[str]) -> None:
    block = f"a = {basic_string(value)}\nb = {array(values)}\nc = true\nd = 1"
    expected: dict[str, Any] | None = {"a": value, "b": values, "c": True, "d": 1}
    if any(", " in item for item in values):
        expected = None
    assert fast_toml.read_canonical(block) == expected


def read(block: str) -> tuple[dict[str, Any] | None, list[tuple[str, int | None]]]:
    problems: list[Problem] = []
    table = toml.read(block, "f", 10, problems)
    return table, [(problem.code, problem.line) for problem in problems]


def nested(depth: int) -> Any:
    return {"a": nested(depth - 1)} if depth else 1


@pytest.mark.parametrize(
    ("block", "table", "problems"),
    [
        ("a = 1\nb = 2", {"a": 1, "b": 2}, []),
        ("a = 1\nb = 2\na = 3", {"a": 1, "b": 2}, [("duplicate-key", 12)]),
        ("a = 1\n'a' = [\n1]\nb = 2\n\"a\" = 3", {"a": 1, "b": 2},
         [("duplicate-key", 11), ("duplicate-key", 14)]),
        ("a = 1\na = 2\nb = ", None, [("duplicate-key", 11), ("invalid-toml", 12)]),
        ("[t]\na = 1\n[u]\na = 1\n[u]\nb = 1", None, [("invalid-toml", 14)]),
        ("[t]\na = 1\nt.a = 2\na = 3", {"t": {"a": 1, "t": {"a": 2}}}, [("duplicate-key", 13)]),
        ("a = 1\nx", None, [("invalid-toml", 11)]),
        ("a = '''\n\n", None, [("invalid-toml", 12)]),
        ("a = " + "[" * 100_000, None, [("invalid-toml", 10)]),
        ("a = " + "9" * 5000, None, [("invalid-toml", 10)]),
        ("a = '" + "x" * toml.SIZE_LIMIT + "'", None, [("invalid-toml", 10)]),
        ("a = 2023-02-30", None, [("invalid-toml", 10)]),
        ("b = 1\n" + "a." * 31 + "a = 1", {"b": 1, "a": nested(31)}, []),
        ("b = 1\n" + "a." * 32 + "a = 1", None, [("invalid-toml", 11)]),
        ("b = 1\n" + "a." * 100_000 + "a = 1", None, [("invalid-toml", 11)]),
        ("b = 1\n[" + "'a' . " * 32 + "a]", None, [("invalid-toml", 11)]),
        ("b = {c = 1, " + "a." * 32 + "a = 1}", None, [("invalid-toml", 10)]),
        ("b = '" + "." * 99 + "' # " + "." * 99, {"b": "." * 99}, []),
        ('b = """\n' + "." * 99 + '\n"""', {"b": "." * 99 + "\n"}, []),
        ('b = "' + '\\"' * 300_000 + "." * 99, None, [("invalid-toml", 10)]),
        ("b = 1\na = 0x7fffffffffffffff", {"b": 1, "a": 2**63 - 1}, []),
        ("b = 1\na = -9223372036854775808", {"b": 1, "a": -(2**63)}, []),
        ("b = 1\na = 9223372036854775808", None, [("invalid-toml", 11)]),
        ("b = 1\na = [{c = 0x" + "f" * 5000 + "}]", None, [("invalid-toml", 11)]),
        ("b = 1\n[t]\na = 1\nc = " + "9" * 4000, None, [("invalid-toml", 13)]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_toml(
    block: str, table: dict[str, Any] | None, problems: list[tuple[str, int]]
) -> None:
    assert read(block) == (table, problems)


TABLE = '''\
# head
a = 1 # one
"b c" . d = [ # [
  "]", """x
]""",
  '#', # ]
] # end

[t . u]
  e='x'
f = { g = "}", h = [1] }
[[v]]
i = \'\'\'
a = 2
''\'\'\'
'''


def test_statements_are_found_with_their_values() -> None:
    found = {
        statement.key: (statement.line, TABLE[statement.value : statement.value_end])
        for statement in toml.scan(TABLE)
    }
    assert found == {
        ("a",): (2, "1"),
        ("b c", "d"): (3, '[ # [\n  "]", """x\n]""",\n  \'#\', # ]\n]'),
        ("t", "u", "e"): (10, "'x'"),
        ("t", "u", "f"): (11, '{ g = "}", h = [1] }'),
        ("v", "i"): (13, "'''\na = 2\n'''''"),
    }
    assert by_library(TABLE) is not None


@pytest.mark.parametrize(
    ("key", "line"), [(("a",), 2), (("t",), 9), (("t", "u"), 9), (("v",), 12), (("x",), None)]
)
def test_the_line_of_a_key(key: tuple[str, ...], line: int | None) -> None:
    assert toml.key_lines(TABLE).get(key) == line


@pytest.mark.parametrize("block", ["=", "a", "a\n= 1", "[", "a = 'x", 'a = "', '"\\x" = 1'])
def test_what_is_no_toml_has_no_statements(block: str) -> None:
    assert toml.scan(block) == []
    assert toml.key_lines(block) == {}


_PLAIN_LINES = st.dictionaries(
    st.sampled_from(["a", "b", "key_1"]),
    st.one_of(
        st.sampled_from(["1", "true", "[]"]),
        st.text("xy= é#[]", max_size=5).map('"{}"'.format),
        st.lists(st.text("xy=#[]", max_size=3)).map(array),
    ),
    min_size=1,
).map(lambda lines: "".join(f"{key} = {value}\n" for key, value in lines.items()))


@given(_PLAIN_LINES)
def test_plain_lines_are_found_where_the_scanner_finds_them(block: str) -> None:
    assert fast_toml.read_canonical(block[:-1]) is not None
    assert fast_toml.read_canonical(f"{block}#") is None
    assert toml.scan(block) == toml.scan(f"{block}#") != []
    assert toml.key_lines(block) == toml.key_lines(f"{block}#")


@given(_PLAIN_LINES, st.lists(st.text("xy", max_size=3), max_size=4))
def test_plain_lines_are_edited_as_others(block: str, values: list[str]) -> None:
    arrays = [key for key, value in tomllib.loads(block).items() if isinstance(value, list)]
    for key in (*arrays, "new"):
        order = ["a", "b", "key_1", "new"]
        more = [*tomllib.loads(block).get(key, []), *values]
        for wanted in (values, more):
            edited = toml.set_array(block, key, wanted, order)
            assert toml.set_array(f"{block}#", key, wanted, order) == f"{edited}#"
            assert tomllib.loads(edited).get(key, []) == wanted


_DOCUMENT_VALUES = st.sampled_from(
    ["1", '"s"', "'l'", "[1, 2]", "[\n 'a', # c\n]", '"""\nm"""', "true", "{ x = 1 }", "2020-01-01"]
)


@given(st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), _DOCUMENT_VALUES), st.text("xy\"\\'"))
def test_setting_and_removing_change_one_key(values: dict[str, str], text: str) -> None:
    block = "".join(f"# {key}\n{key} = {value} # end\n" for key, value in values.items())
    order = ["a", "b", "c", "d"]
    before = by_library(block)
    assert before is not None
    written = toml.set_value(block, ("c",), text, order)
    assert by_library(written) == before | {"c": text}
    removed = toml.remove(block, ("c",))
    assert by_library(removed) == {key: value for key, value in before.items() if key != "c"}
    if "c" not in values:
        assert removed == block
        assert toml.remove(written, ("c",)) == block
