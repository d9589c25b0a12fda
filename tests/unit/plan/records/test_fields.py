"""The small words of the format."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_zdev.ground import schema
from git_zdev.ground.text import quoted
from git_zdev.plan.records import codec
from git_zdev.plan.records import fields as names
from tests.support.plan import task_text
from tests.unit.plan.records.test_codec import read_area, read_project, read_task


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Plan the shifts", "plan-the-shifts"),
        ("  --Retry: (twice)!  ", "retry-twice"),
        ("Überprüfung der Größe", "berpr-fung-der-gr-e"),
        ("日本語", "task"),
        ("!", "task"),
        ("K\u212a", "k"),
        ("a" * 59 + " b", "a" * 59),
        ("a" * 60 + "b", "a" * 60),
        ("a_b.c/d", "a-b-c-d"),
    ],
)
def test_slugs(title: str, slug: str) -> None:
    assert names.slug(title) == slug
    assert names.task_file_name(7, title) == f"007-{slug}.md"


@given(st.integers(0, 10**17), st.text(min_size=1))
def test_the_name_of_a_task_file_gives_its_number_back(number: int, title: str) -> None:
    name = names.task_file_name(number, title)
    assert names.file_number(name) == number
    assert len(name) <= 18 + 1 + 60 + 3
    assert names.task_number("a-1", names.task_id("a-1", number)) == number


@pytest.mark.parametrize(
    ("identity", "number"),
    [
        ("pay-001", 1),
        ("pay-1000", 1000),
        ("pay-7", 7),
        ("pay-", None),
        ("pay-x", None),
        ("pay-1-2", None),
        ("pays-1", None),
        ("pay-٣", None),
        ("pay-+1", None),
        ("pay-" + "1" * 19, None),
    ],
)
def test_task_ids(identity: str, number: int | None) -> None:
    assert names.task_number("pay", identity) == number


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        ("a", True),
        ("é 😀 \u00a0 \u200b", True),
        ("\ue000", True),
        ("", False),
        (" \u2003", False),
        ("a\tb", False),
        ("a\x00", False),
        ("a\x7f", False),
        ("a\x80", False),
        ("a\x9f", False),
        ("a\nb", False),
        ("a\u2028b", True),
    ],
)
def test_lines(value: str, valid: bool) -> None:
    assert names.is_line(value) is valid


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a", '"a"'),
        ("a\nb\x1b[1m", '"a\\x0ab\\x1b[1m"'),
        ("x" * 101, f'"{"x" * 100}…"'),
        (True, "true"),
        (3, "3"),
    ],
)
def test_values_in_messages_stand_on_one_line(value: object, shown: str) -> None:
    assert quoted(value) == shown


_BRANCHES = st.text(st.sampled_from(list("ab/.-@{~^:?*[\\ \x00\x7flock.HEAD\n")), max_size=8)


@given(_BRANCHES)
def test_schema_and_reader_agree_about_branches(name: str) -> None:
    document = {
        "schema_version": 1,
        "tag": "a",
        "title": "t",
        "objective": "o",
        "branch": name,
    }
    valid = schema.problems("area", document, code="x") == []
    assert valid is names.is_branch_name(name)


_WORDS = ["a", "", " a", "trunk", "isolated", "open", "main", "A b", "project", "a" * 40, "a\\nb"]
_TEXTS = st.sampled_from(["1", "true", "[]", *(f'"{word}"' for word in _WORDS)])


@given(
    st.dictionaries(
        st.sampled_from([field.name for field in codec.AREA_FIELDS[2:]] + ["other"]), _TEXTS
    )
)
def test_schema_and_reader_agree_about_areas(changes: dict[str, str]) -> None:
    table = {"title": '"t"', "objective": '"o"', "branch": '"b"'} | changes
    lines = {"schema_version": "1", "tag": '"payments"', **table}
    source = "".join(f"{key} = {value}\n" for key, value in lines.items())
    agree("area", source, read_area(source)[0] is not None)


@given(
    st.dictionaries(
        st.sampled_from([field.name for field in codec.PROJECT_FIELDS] + ["other"]), _TEXTS
    )
)
def test_schema_and_reader_agree_about_projects(changes: dict[str, str]) -> None:
    lines = {"name": '"n"', "record": '"project"'} | changes
    source = "schema_version = 1\n[project]\n"
    source += "".join(f"{key} = {value}\n" for key, value in lines.items())
    agree("project", source, read_project(source)[0] is not None)


@given(
    st.dictionaries(
        st.sampled_from([field.name for field in codec.TASK_FIELDS[1:]] + ["other"]), _TEXTS
    )
)
def test_schema_and_reader_agree_about_the_front_matter_of_tasks(changes: dict[str, str]) -> None:
    lines = {
        "schema_version": "1",
        "id": '"payments-001"',
        "key": '"k"',
        "area": '"payments"',
        "status": '"open"',
    } | changes
    block = "".join(f"{key} = {value}\n" for key, value in lines.items())
    head, _, body = task_text(1).partition("\n+++\n")
    assert head
    _, problems = read_task(f"+++\n{block}+++\n{body}")
    identity = {"name-mismatch"}
    agree("task", block, not {problem.code for problem in problems} - identity)


def agree(name: str, source: str, accepted: bool) -> None:
    import tomllib

    assert (schema.problems(name, tomllib.loads(source), code="x") == []) is accepted
