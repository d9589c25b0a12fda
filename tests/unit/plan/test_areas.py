"""Whole areas: what belongs together must fit together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from git_zdev.ground.errors import InvalidInput, ZdevError
from git_zdev.plan import areas
from git_zdev.plan.check import check
from git_zdev.plan.records.model import Project
from git_zdev.plan.records.store import FileSource
from tests.support.plan import AREA, BRIEF, CONFIG, SLICE, index_text, task_text, write_area
from tests.support.plan import write_plan as write
from tests.support.repo import Seen

if TYPE_CHECKING:
    from pathlib import Path

PAYMENTS = AREA.format(tag="payments")


def found(root: Path, tag: str | None = None) -> list[tuple[str, str | None]]:
    return [(problem.code, problem.place) for problem in check(FileSource(root), tag)]


def test_an_area_is_read_as_a_whole(tmp_path: Path) -> None:
    write_area(tmp_path, tasks=3)
    write(tmp_path, {"payments/slices/api.md": SLICE.format(tag="payments", key="api")})
    records = areas.load_area(FileSource(tmp_path), "payments")
    assert records.area.branch == "payments"
    assert records.brief.objective == "Pay reliably."
    assert list(records.slices) == ["api"]
    assert [task.id for task in records.tasks] == ["payments-001", "payments-002", "payments-003"]
    assert records.graph.queue == "ready"
    assert records.next_number() == 4
    assert records.find("payments-002").key == "step-2"
    assert sorted(records.files) == [
        ".zdev/payments/TASKS.md",
        ".zdev/payments/area.toml",
        ".zdev/payments/brief.md",
        ".zdev/payments/slices/api.md",
    ]
    assert records.files[".zdev/payments/area.toml"] == PAYMENTS.encode()
    assert records.index_path == ".zdev/payments/TASKS.md"
    with pytest.raises(ZdevError) as caught:
        records.find("payments-009")
    assert caught.value.code == "unknown-task"


def test_an_area_without_tasks_and_slices_is_valid(tmp_path: Path) -> None:
    write_area(tmp_path)
    assert areas.load_area(FileSource(tmp_path), "payments").next_number() == 1
    assert found(tmp_path) == []


def test_a_check_tells_how_many_tasks_it_has_read(tmp_path: Path) -> None:
    write_area(tmp_path, tasks=3)
    seen = Seen()
    assert check(FileSource(tmp_path), progress=seen) == []
    assert seen.stages == [("Reading the tasks of payments", 3, 3)]


def test_the_project_is_required(tmp_path: Path) -> None:
    source = FileSource(tmp_path)
    for load in (areas.load_project, areas.load_areas):
        with pytest.raises(ZdevError) as caught:
            load(source)
        assert caught.value.code == "not-initialized"
    with pytest.raises(ZdevError) as caught:
        areas.load_area(source, "payments")
    assert caught.value.code == "not-initialized"
    assert found(tmp_path) == [("not-initialized", ".zdev/config.toml")]
    write_area(tmp_path)
    assert areas.load_project(FileSource(tmp_path)) == Project("checkout", "project", trunk="main")


@pytest.mark.parametrize("tag", ["orders", "../payments", "", "Payments", "_payments"])
def test_an_unknown_area_names_those_that_are_there(tmp_path: Path, tag: str) -> None:
    write_area(tmp_path)
    write(tmp_path, {"zeta/area.toml": AREA.format(tag="zeta"), "_payments/area.toml": "x"})
    with pytest.raises(ZdevError) as caught:
        areas.load_area(FileSource(tmp_path), tag)
    assert caught.value.code == "unknown-area"
    assert caught.value.hint == "The areas are: payments, zeta"
    with pytest.raises(ZdevError) as caught:
        check(FileSource(tmp_path), tag)
    assert caught.value.code == "unknown-area"


def test_only_folders_with_area_toml_are_areas(tmp_path: Path) -> None:
    write_area(tmp_path)
    write(
        tmp_path,
        {
            "notes/readme.md": "x",
            "_templates/area.toml": "broken",
            "readme.md": "x",
            ".gitattributes": "* text eol=lf\n",
            "payments/README.md": "x",
            "payments/assets/logo.svg": "x",
            "payments/tasks/.gitkeep": "",
            "payments/tasks/notes.txt": "",
        },
    )
    assert found(tmp_path) == []
    assert [area.tag for area in areas.load_areas(FileSource(tmp_path))] == ["payments"]
    assert areas.area_tags(FileSource(tmp_path)) == ["payments"]


def other(tag: str, **changes: str) -> str:
    text = AREA.format(tag=tag)
    for key, value in changes.items():
        if key == "mode":
            text = text.replace(f'branch = "{tag}"\n', f'mode = "{value}"\n')
        elif f"\n{key} = " in text:
            text = text.replace(f'{key} = "{tag}"', f'{key} = "{value}"')
        else:
            text += f'{key} = "{value}"\n'
    return text


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"b/area.toml": other("b", branch="payments")},
         [("shared-branch", ".zdev/payments/area.toml:5")]),
        ({"b/area.toml": other("b", mode="trunk"), "c/area.toml": other("c", mode="trunk")}, []),
        ({"b/area.toml": other("b", mode="trunk"), "c/area.toml": other("c", branch="main")},
         [("shared-branch", ".zdev/c/area.toml:5")]),
        ({"c/area.toml": other("c", branch="main")}, []),
        ({"b/area.toml": other("b", parent="payments")}, []),
        ({"b/area.toml": other("b", parent="zeta")}, [("unknown-parent", ".zdev/b/area.toml:7")]),
        ({"b/area.toml": other("b", parent="b")}, [("parent-cycle", ".zdev/b/area.toml:7")]),
        ({"b/area.toml": other("b", parent="c"), "c/area.toml": other("c", parent="d"),
          "d/area.toml": other("d", parent="c")}, [("parent-cycle", ".zdev/c/area.toml:7")]),
        ({"config.toml": CONFIG + 'default_area = "b"\n'},
         [("unknown-default-area", ".zdev/config.toml:7")]),
        ({"config.toml": CONFIG + 'default_area = "payments"\n'}, []),
        ({"b/area.toml": "", "config.toml": CONFIG + 'default_area = "b"\n'},
         [("missing-key", ".zdev/b/area.toml:1")] * 5),
        ({"B/area.toml": other("B")}, [("invalid-segment", ".zdev/B")]),
        ({"config.toml": "x"}, [("invalid-toml", ".zdev/config.toml:1")]),
    ],
)  # fmt: skip
def test_relations_between_areas(
    tmp_path: Path, files: dict[str, str | bytes], expected: list[tuple[str, str]]
) -> None:
    write_area(tmp_path)
    write(tmp_path, files)
    problems = check(FileSource(tmp_path), "payments")
    assert [(problem.code, problem.place) for problem in problems] == expected
    if expected:
        with pytest.raises(InvalidInput) as caught:
            areas.load_areas(FileSource(tmp_path))
        assert caught.value.problems == tuple(problems)
    else:
        assert areas.load_areas(FileSource(tmp_path))


TASKS = ".zdev/payments/tasks"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"payments/tasks/README.md": "x"}, [("stray-file", f"{TASKS}/README.md")]),
        ({"payments/tasks/1-x.MD": "x"}, [("stray-file", f"{TASKS}/1-x.MD")]),
        ({"payments/tasks/old/001-x.md": "x"}, [("stray-file", f"{TASKS}/old")]),
        ({"payments/slices/Api.md": "x"}, [("stray-file", ".zdev/payments/slices/Api.md")]),
        ({"payments/tasks/003-x.md": task_text(3)}, [("stale-index", ".zdev/payments/TASKS.md:5")]),
        ({"payments/tasks/003-x.md": task_text(1)}, [("name-mismatch", f"{TASKS}/003-x.md:3")]),
        ({"payments/tasks/001-x.md": task_text(1, key="x")},
         [("duplicate-id", f"{TASKS}/001-x.md:3")]),
        ({"payments/tasks/003-x.md": task_text(3, key="step-1")},
         [("duplicate-task-key", f"{TASKS}/003-x.md:4")]),
        ({"payments/tasks/003-x.md": task_text(3, extra='slice = "api"\n')},
         [("unknown-slice", f"{TASKS}/003-x.md:7")]),
        ({"payments/tasks/003-x.md": task_text(3, blocked_by=["payments-007"])},
         [("missing-blocker", f"{TASKS}/003-x.md:7")]),
        ({"payments/tasks/001-step-1.md": task_text(1, blocked_by=["payments-002"])},
         [("dependency-cycle", f"{TASKS}/001-step-1.md:7")]),
        ({"payments/tasks/001-step-1.md": b""},
         [("missing-front-matter", f"{TASKS}/001-step-1.md:1")]),
        ({"payments/area.toml": PAYMENTS.replace('"open"', '"closed"')},
         [("open-task-in-closed-area", f"{TASKS}/001-step-1.md:6"),
          ("open-task-in-closed-area", f"{TASKS}/002-step-2.md:6")]),
        ({"payments/brief.md": "# x\n"}, [("missing-section", ".zdev/payments/brief.md:1")] * 2),
        ({"payments/TASKS.md": ""}, [("stale-index", ".zdev/payments/TASKS.md:1")]),
        ({"payments/slices/api.md": b"\xff", "payments/tasks/003-x.md":
          task_text(3, extra='slice = "api"\n', blocked_by=["payments-004"]),
          "payments/tasks/004-y.md": b"\xff"},
         [("invalid-utf8", ".zdev/payments/slices/api.md:1"),
          ("invalid-utf8", f"{TASKS}/004-y.md:1")]),
    ],
)  # fmt: skip
def test_what_is_wrong_inside_an_area(
    tmp_path: Path, files: dict[str, str | bytes], expected: list[tuple[str, str]]
) -> None:
    write_area(tmp_path, tasks=2)
    write(tmp_path, files)
    assert found(tmp_path) == expected
    if expected[0][0] != "stale-index":
        with pytest.raises(InvalidInput) as caught:
            areas.load_area(FileSource(tmp_path), "payments")
        told = [(problem.code, problem.place) for problem in caught.value.problems]
        assert told == expected
    else:
        assert areas.load_area(FileSource(tmp_path), "payments")


@pytest.mark.parametrize("name", ["brief.md", "TASKS.md"])
def test_files_of_an_area_that_are_missing(tmp_path: Path, name: str) -> None:
    write_area(tmp_path, tasks=1)
    (tmp_path / ".zdev/payments" / name).unlink()
    code = {"brief.md": "missing-brief", "TASKS.md": "missing-index"}[name]
    assert found(tmp_path) == [(code, f".zdev/payments/{name}")]


def test_an_index_with_crlf_is_right_and_a_mixed_one_is_not(tmp_path: Path) -> None:
    write_area(tmp_path, tasks=1)
    path = tmp_path / ".zdev/payments/TASKS.md"
    written = path.read_bytes()
    path.write_bytes(written.replace(b"\n", b"\r\n"))
    assert found(tmp_path) == []
    path.write_bytes(written.replace(b"\n", b"\r\n", 1))
    assert found(tmp_path) == [("stale-index", ".zdev/payments/TASKS.md:1")]


def test_the_index_shows_states_slices_and_blockers(tmp_path: Path) -> None:
    write_area(tmp_path)
    write(
        tmp_path,
        {
            "payments/tasks/001-one.md": task_text(1, title="First title", status="done"),
            "payments/tasks/002-two.md": task_text(2, title="A \\ b"),
            "payments/tasks/003-three.md": task_text(
                3, title="A | in a title", blocked_by=["payments-001", "payments-002"]
            ),
            "payments/TASKS.md": index_text(
                [
                    "| [payments-001](tasks/001-one.md) | First title | done | — |",
                    "| [payments-002](tasks/002-two.md) | A \\ b | ready | — |",
                    (
                        "| [payments-003](tasks/003-three.md) | A \\| in a title | blocked "
                        "| payments-001, payments-002 |"
                    ),
                ],
                counts=(3, 1, 1, 1),
            ),
        },
    )
    assert found(tmp_path) == []


def test_everything_is_told_in_one_check(tmp_path: Path) -> None:
    write_area(tmp_path, tasks=1)
    write(
        tmp_path,
        {
            "config.toml": CONFIG.replace('"project"', '"shared"'),
            "b/area.toml": other("b").replace('"b"\ntitle', '"c"\ntitle'),
            "b/brief.md": BRIEF.replace("Existing", "Some"),
            "payments/tasks/001-step-1.md": task_text(1).replace("- Run", "Run"),
        },
    )
    assert found(tmp_path) == [
        ("invalid-value", ".zdev/config.toml:5"),
        ("name-mismatch", ".zdev/b/area.toml:2"),
        ("missing-testing-decision", ".zdev/b/brief.md:7"),
        ("not-a-bullet", f"{TASKS}/001-step-1.md:31"),
    ]
    assert found(tmp_path, "payments") == [
        ("invalid-value", ".zdev/config.toml:5"),
        ("name-mismatch", ".zdev/b/area.toml:2"),
        ("not-a-bullet", f"{TASKS}/001-step-1.md:31"),
    ]


@pytest.mark.parametrize("place", ["payments", "payments/tasks", "payments/brief.md"])
def test_a_symlink_is_told_once_and_where_it_stands(tmp_path: Path, place: str) -> None:
    write_area(tmp_path, tasks=2)
    (tmp_path / ".zdev" / place).rename(tmp_path / "real")
    (tmp_path / ".zdev" / place).symlink_to(tmp_path / "real")
    assert found(tmp_path) == [("symlink-in-records", f".zdev/{place}")]
    with pytest.raises(InvalidInput):
        areas.load_area(FileSource(tmp_path), "payments")


def test_symlinks_beside_the_areas_are_nobodys_business(tmp_path: Path) -> None:
    write_area(tmp_path)
    (tmp_path / "notes.md").write_bytes(b"x")
    (tmp_path / ".zdev/notes.md").symlink_to("../notes.md")
    (tmp_path / ".zdev/_old").symlink_to("payments")
    assert found(tmp_path) == []
    (tmp_path / ".zdev/other").symlink_to("payments")
    assert found(tmp_path) == [("symlink-in-records", ".zdev/other")]


@pytest.mark.parametrize("name", ["tasks", "slices"])
def test_a_file_in_place_of_a_folder(tmp_path: Path, name: str) -> None:
    write_area(tmp_path)
    write(tmp_path, {f"payments/{name}": "x"})
    assert found(tmp_path) == [("not-a-folder", f".zdev/payments/{name}")]


def test_a_symlinked_record_tree_is_refused(tmp_path: Path) -> None:
    write_area(tmp_path, tasks=1)
    (tmp_path / ".zdev").rename(tmp_path / "real")
    (tmp_path / ".zdev").symlink_to("real")
    with pytest.raises(ZdevError) as caught:
        areas.load_project(FileSource(tmp_path))
    assert caught.value.code == "symlink-in-records"
    assert found(tmp_path) == [("symlink-in-records", ".zdev")]


def test_names_that_are_no_utf8_are_shown_escaped(tmp_path: Path) -> None:
    write_area(tmp_path, tasks=1)
    folder = bytes(tmp_path / ".zdev/payments/tasks")
    with open(folder + b"/\xff.md", "wb"):
        pass
    assert found(tmp_path) == [("stray-file", f"{TASKS}/\\udcff.md")]
