"""Task bundles: strict reading with every problem told, and planning of a whole import."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_zdev.ground import schema
from git_zdev.ground.errors import InvalidInput, ZdevError
from git_zdev.plan import bundle
from git_zdev.plan.areas import load_area
from git_zdev.plan.records.index_file import render_index
from git_zdev.plan.records.model import Bundle, Draft
from git_zdev.plan.records.store import FileSource, PlannedSource
from tests.support.plan import AREA, SLICE, index_text, task_text, write_area, write_plan

if TYPE_CHECKING:
    from pathlib import Path

    from git_zdev.plan.areas import AreaRecords


def draft(**changes: Any) -> dict[str, Any]:
    valid = {"key": "one", "title": "One", "outcome": "It is.", "done_when": ["It is done."]}
    return valid | changes


def document(*drafts: Any, **changes: Any) -> bytes:
    value = {"schema_version": 1, "area": "payments", "tasks": list(drafts)} | changes
    return json.dumps(value).encode()


def told(data: bytes, area: str = "payments") -> list[tuple[str, str | None]]:
    with pytest.raises(InvalidInput) as caught:
        bundle.parse_bundle(data, area)
    assert caught.value.code == "invalid-bundle"
    return [(problem.code, problem.pointer) for problem in caught.value.problems]


def records_of(root: Path, *, tasks: int = 2) -> AreaRecords:
    write_area(root, tasks=tasks)
    write_plan(root, {"payments/slices/api.md": SLICE.format(tag="payments", key="api")})
    return load_area(FileSource(root), "payments")


def test_a_full_draft_is_read_as_authored() -> None:
    full = draft(
        complexity="routine",
        afk=False,
        priority="normal",
        slice="api",
        blocked_by=["two", "payments-001"],
        context="Lines.\n\n#### not at a heading",
        boundaries=["Stay."],
        validation=[],
    )
    read = bundle.parse_bundle(document(full, draft(key="two")), "payments")
    assert read == Bundle(
        "payments",
        (
            Draft(
                key="one",
                title="One",
                outcome="It is.",
                done_when=("It is done.",),
                complexity="routine",
                afk=False,
                priority="normal",
                slice="api",
                blocked_by=("two", "payments-001"),
                context="Lines.\n\n#### not at a heading",
                boundaries=("Stay.",),
                validation=(),
            ),
            Draft(key="two", title="One", outcome="It is.", done_when=("It is done.",)),
        ),
    )


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (document(), [("empty-list", "/tasks")]),
        (document(draft(), schema_version=2), [("unsupported-version", "/schema_version")]),
        (document(draft(), schema_version=1.0), [("wrong-type", "/schema_version")]),
        (document(draft(), schema_version=True), [("wrong-type", "/schema_version")]),
        (document(draft(), area="Pay"), [("invalid-segment", "/area")]),
        (document(draft(), area="other"), [("area-mismatch", "/area")]),
        (document(draft(), extra=1), [("unknown-key", "/extra")]),
        (document(draft(), tasks={}), [("wrong-type", "/tasks")]),
        (document(draft(), **{"a/b~c": 1}), [("unknown-key", "/a~1b~0c")]),
        (b'{"schema_version":1}', [("missing-key", "")] * 2),
        (document(3, None, []), [("wrong-type", f"/tasks/{place}") for place in range(3)]),
        (document({}), [("missing-key", "/tasks/0")] * 4),
        (document(draft(key="A b")), [("invalid-segment", "/tasks/0/key")]),
        (document(draft(key="a" * 81)), [("invalid-segment", "/tasks/0/key")]),
        (document(draft(title=3)), [("wrong-type", "/tasks/0/title")]),
        (document(draft(title=None)), [("wrong-type", "/tasks/0/title")]),
        (document(draft(title="")), [("invalid-line", "/tasks/0/title")]),
        (document(draft(title="\u2003")), [("invalid-line", "/tasks/0/title")]),
        (document(draft(title="a\u0085b")), [("invalid-line", "/tasks/0/title")]),
        (document(draft(complexity="hard")), [("invalid-value", "/tasks/0/complexity")]),
        (document(draft(afk="yes")), [("wrong-type", "/tasks/0/afk")]),
        (document(draft(afk=1)), [("wrong-type", "/tasks/0/afk")]),
        (document(draft(priority="High")), [("invalid-value", "/tasks/0/priority")]),
        (document(draft(slice="../x")), [("invalid-segment", "/tasks/0/slice")]),
        (document(draft(blocked_by=["a b"])), [("invalid-reference", "/tasks/0/blocked_by/0")]),
        (document(draft(blocked_by="a")), [("wrong-type", "/tasks/0/blocked_by")]),
        (document(draft(done_when=[])), [("empty-list", "/tasks/0/done_when")]),
        (
            document(draft(done_when=[], title="", validation=["a\nb"])),
            [
                ("empty-list", "/tasks/0/done_when"),
                ("invalid-line", "/tasks/0/title"),
                ("invalid-line", "/tasks/0/validation/0"),
            ],
        ),
        (document(draft(done_when=["a", 1])), [("wrong-type", "/tasks/0/done_when/1")]),
        (document(draft(context="")), [("invalid-line", "/tasks/0/context")]),
        (document(draft(context="x\n## Result\n\ny")), [("invalid-draft", "/tasks/0/context")]),
        (document(draft(unknown=1, key=2)), [
            ("wrong-type", "/tasks/0/key"), ("unknown-key", "/tasks/0/unknown")]),
        (document(draft(), draft()), [("duplicate-task-key", "/tasks/1/key")]),
    ],
)  # fmt: skip
def test_every_problem_has_its_code_and_pointer(
    data: bytes, expected: list[tuple[str, str]]
) -> None:
    assert told(data) == expected


def test_problems_of_the_envelope_and_of_every_draft_are_told_together() -> None:
    data = document(draft(title=" "), draft(key="two", afk=3), draft(key="one"), schema_version=3)
    assert told(data) == [
        ("unsupported-version", "/schema_version"),
        ("invalid-line", "/tasks/0/title"),
        ("wrong-type", "/tasks/1/afk"),
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xef\xbb\xbf" + document(draft()), "byte order mark"),
        (b'{"area":"\xff"}', "UTF-8"),
        (document(draft()) + b"{}", "more text follows"),
        (b"[]", "object"),
        (b"", "line 1"),
        (b'{"area":"a","area":"b"}', "twice"),
        (b'{"tasks":[{"key":"a","key":"b"}]}', "twice"),
        (b'{"schema_version":NaN}', "NaN"),
        (b'{"area":"\\ud800"}', "surrogate"),
        (b'{"schema_version":' + b"9" * 5000 + b"}", "digits"),
        (b"[" * 100_000, "nested"),
        (b'{"a":' * 100_000, "nested"),
        (b'{"area":"' + b"x" * 10_000_000 + b'"}', "limit"),
    ],
)
def test_hostile_input_is_a_clear_error(data: bytes, words: str) -> None:
    with pytest.raises(InvalidInput, match=words) as caught:
        bundle.parse_bundle(data, "payments")
    assert caught.value.code == "invalid-bundle"


def test_a_bundle_full_of_mistakes_is_not_read_to_its_end() -> None:
    problems = told(document(*[7] * 5000))
    assert len(problems) == 1001
    assert problems[-1] == ("too-many-problems", "/tasks/1000")


def test_an_import_gets_ids_paths_and_the_new_index(tmp_path: Path) -> None:
    records = records_of(tmp_path)
    read = bundle.parse_bundle(
        document(
            draft(key="b", title="B | b", blocked_by=["a"], slice="api"),
            draft(key="a", title="A"),
        ),
        "payments",
    )
    plan = bundle.plan_import(records, read)
    assert [(task.id, task.path, task.blocked_by) for task in plan.tasks] == [
        ("payments-003", ".zdev/payments/tasks/003-b-b.md", ("payments-004",)),
        ("payments-004", ".zdev/payments/tasks/004-a.md", ()),
    ]
    assert plan.ready == ("payments-001", "payments-004")
    assert plan.index.decode().split("\n")[-6:] == [
        "| --- | --- | --- | --- | --- |",
        "| [payments-001](tasks/001-step-1.md) | Step 1 | — | ready | — |",
        "| [payments-002](tasks/002-step-2.md) | Step 2 | — | blocked | payments-001 |",
        "| [payments-003](tasks/003-b-b.md) | B \\| b | api | blocked | payments-004 |",
        "| [payments-004](tasks/004-a.md) | A | — | ready | — |",
        "",
    ]


def test_what_an_import_plans_is_what_a_reader_then_finds(tmp_path: Path) -> None:
    records = records_of(tmp_path)
    plan = bundle.plan_import(records, bundle.parse_bundle(document(draft()), "payments"))
    files: dict[str, bytes | None] = {task.path: task.source for task in plan.tasks}
    after = load_area(PlannedSource(FileSource(tmp_path), files), "payments")
    assert after.tasks == plan.records.tasks
    assert render_index("payments", after.tasks, after.graph.states) == plan.index


def test_the_index_keeps_its_line_ends(tmp_path: Path) -> None:
    write_area(tmp_path, tasks=1)
    path = tmp_path / ".zdev/payments/TASKS.md"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    records = load_area(FileSource(tmp_path), "payments")
    index = bundle.plan_import(records, bundle.parse_bundle(document(draft()), "payments")).index
    assert index.count(b"\r\n") == index.count(b"\n") == 13


def test_ids_go_on_behind_the_highest(tmp_path: Path) -> None:
    write_area(tmp_path)
    write_plan(
        tmp_path,
        {
            "payments/tasks/999-old.md": task_text(999),
            "payments/tasks/007-older.md": task_text(7),
        },
    )
    records = load_area(FileSource(tmp_path), "payments")
    plan = bundle.plan_import(records, bundle.parse_bundle(document(draft()), "payments"))
    assert plan.tasks[0].id == "payments-1000"
    assert plan.tasks[0].path == ".zdev/payments/tasks/1000-one.md"


@pytest.mark.parametrize(
    ("drafts", "expected"),
    [
        ([draft(key="step-1")], [("duplicate-task-key", "/tasks/0/key")]),
        ([draft(slice="web")], [("unknown-slice", "/tasks/0/slice")]),
        ([draft(blocked_by=["one"])], [("self-blocker", "/tasks/0/blocked_by/0")]),
        ([draft(blocked_by=["payments-009"])], [("missing-blocker", "/tasks/0/blocked_by/0")]),
        ([draft(blocked_by=["step-1"])], [("missing-blocker", "/tasks/0/blocked_by/0")]),
        (
            [draft(blocked_by=["payments-001", "payments-001"])],
            [("repeated-blocker", "/tasks/0/blocked_by/1")],
        ),
        (
            [draft(key="payments-001"), draft(blocked_by=["payments-001"])],
            [("ambiguous-blocker", "/tasks/1/blocked_by/0")],
        ),
        (
            [draft(key="a", blocked_by=["b"]), draft(key="b", blocked_by=["a"])],
            [("dependency-cycle", "/tasks/0/blocked_by")],
        ),
        (
            [draft(key="step-2", slice="web"), draft(key="b", blocked_by=["c"])],
            [
                ("duplicate-task-key", "/tasks/0/key"),
                ("unknown-slice", "/tasks/0/slice"),
                ("missing-blocker", "/tasks/1/blocked_by/0"),
            ],
        ),
    ],
)
def test_what_does_not_fit_the_area_is_told(
    tmp_path: Path, drafts: list[dict[str, Any]], expected: list[tuple[str, str]]
) -> None:
    records = records_of(tmp_path)
    with pytest.raises(InvalidInput) as caught:
        bundle.plan_import(records, bundle.parse_bundle(document(*drafts), "payments"))
    assert [(problem.code, problem.pointer) for problem in caught.value.problems] == expected


def test_a_key_in_place_of_an_id_is_told_the_id(tmp_path: Path) -> None:
    records = records_of(tmp_path)
    with pytest.raises(InvalidInput, match="name the task by its id, payments-001"):
        bundle.plan_import(
            records, bundle.parse_bundle(document(draft(blocked_by=["step-1"])), "payments")
        )


def test_a_closed_area_takes_no_tasks(tmp_path: Path) -> None:
    write_area(tmp_path)
    closed = AREA.format(tag="payments").replace('"open"', '"closed"')
    write_plan(tmp_path, {"payments/area.toml": closed})
    records = load_area(FileSource(tmp_path), "payments")
    with pytest.raises(ZdevError) as caught:
        bundle.plan_import(records, bundle.parse_bundle(document(draft()), "payments"))
    assert caught.value.code == "area-closed"


def test_canonical_bytes_keep_the_schema_order_and_leave_out_what_is_absent() -> None:
    shuffled = {
        "validation": ["Prüfen."],
        "done_when": ["x"],
        "outcome": "o",
        "blocked_by": ["two"],
        "afk": True,
        "title": "T",
        "key": "one",
    }
    read = bundle.parse_bundle(
        json.dumps({"tasks": [shuffled], "area": "payments", "schema_version": 1}).encode(),
        "payments",
    )
    assert (
        bundle.canonical_bundle_bytes(read)
        == (
            '{"schema_version":1,"area":"payments","tasks":[{"key":"one","title":"T","afk":true,'
            '"blocked_by":["two"],"outcome":"o","done_when":["x"],"validation":["Prüfen."]}]}'
        ).encode()
    )


def test_an_authored_empty_list_is_not_an_absent_one() -> None:
    authored = draft(blocked_by=[], boundaries=[], validation=[])
    read = bundle.parse_bundle(document(authored), "payments")
    assert bundle.canonical_bundle_bytes(read) == (
        b'{"schema_version":1,"area":"payments","tasks":[{"key":"one","title":"One",'
        b'"blocked_by":[],"outcome":"It is.","boundaries":[],"done_when":["It is done."],'
        b'"validation":[]}]}'
    )


def test_no_task_gets_a_number_of_more_than_eighteen_digits(tmp_path: Path) -> None:
    last = 10**18 - 2
    write_area(tmp_path)
    write_plan(tmp_path, {f"payments/tasks/{last}-step.md": task_text(last)})
    records = load_area(FileSource(tmp_path), "payments")
    one = bundle.parse_bundle(document(draft()), "payments")
    (added,) = bundle.plan_import(records, one).tasks
    assert added.id == f"payments-{10**18 - 1}"
    two = bundle.parse_bundle(document(draft(), draft(key="two")), "payments")
    with pytest.raises(ZdevError) as caught:
        bundle.plan_import(records, two)
    assert caught.value.code == "task-numbers-exhausted"
    assert f"payments-{last}" in caught.value.message


_WORDS = st.sampled_from(["one", "", " x", "x\ny", "a\x07", "high", "routine", "payments-001", "Ü"])
_VALUES = st.one_of(
    _WORDS, st.booleans(), st.none(), st.integers(), st.lists(st.one_of(_WORDS, st.none()))
)
_TEXT_ONLY = {"invalid-draft", "forged-allocation", "invalid-line", "duplicate-task-key"}


@given(
    st.lists(
        st.builds(
            lambda changes, dropped: {
                key: value for key, value in draft(**changes).items() if key != dropped
            },
            st.dictionaries(
                st.sampled_from([field.name for field in bundle.DRAFT_FIELDS] + ["other"]),
                _VALUES,
                max_size=3,
            ),
            st.sampled_from(["", "", "key", "title", "done_when"]),
        ),
        max_size=2,
    )
)
def test_reader_and_schema_agree(drafts: list[dict[str, Any]]) -> None:
    """What the schema refuses, the reader refuses; what only the reader refuses are its texts."""
    value = {"schema_version": 1, "area": "payments", "tasks": drafts}
    refused = schema.problems("task-bundle", value, code="x")
    codes: set[str] = set()
    try:
        bundle.parse_bundle(json.dumps(value).encode(), "payments")
    except InvalidInput as error:
        codes = {problem.code for problem in error.problems}
    assert bool(codes) >= bool(refused)
    assert refused or codes <= _TEXT_ONLY


def test_an_index_without_slices_has_four_columns(tmp_path: Path) -> None:
    write_area(tmp_path, tasks=2)
    records = load_area(FileSource(tmp_path), "payments")
    plan = bundle.plan_with(records, ())
    assert plan.index.decode() == index_text(
        [
            "| [payments-001](tasks/001-step-1.md) | Step 1 | ready | — |",
            "| [payments-002](tasks/002-step-2.md) | Step 2 | blocked | payments-001 |",
        ],
        counts=(2, 1, 1, 0),
    )
