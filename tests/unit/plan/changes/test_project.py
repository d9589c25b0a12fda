"""The project's record planned as values: its creation, its settings, and where the trunk moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.ground.changeset import FileChange, Place
from git_zdev.ground.errors import InvalidInput, ZdevError
from git_zdev.ground.paths import TOP, PlanRoot
from git_zdev.plan.changes import project as planning
from git_zdev.plan.changes.area import areas_by_tag
from git_zdev.plan.records.model import Project
from git_zdev.plan.records.store import PlannedSource
from tests.support.plan import CONFIG, IN_MEMORY, area_text
from tests.support.repo import FakeRefs

if TYPE_CHECKING:
    from git_zdev.plan.changes.project import Initialized, Setting
    from git_zdev.plan.records.store import RecordSource

CONFIG_PATH = ".zdev/config.toml"
EMPTY = PlannedSource(IN_MEMORY, {CONFIG_PATH: None, ".zdev/.gitattributes": None})
"""A work tree without a project."""

REFS = FakeRefs(
    parents={"a": (), "b": ("a",), "c": ("a",)},
    branches={"main": "a", "ahead": "b", "beside": "c"},
    hidden=frozenset(),
)


def init(source: RecordSource = EMPTY, **over: Any) -> Initialized:
    given: dict[str, Any] = {"name": "checkout", "policy": "project", "trunk": "main"}
    given |= {"root": TOP, "excludes": None}
    return planning.plan_init(source, **given | over)


def setting(key: str, value: str | None, source: RecordSource = IN_MEMORY, **over: Any) -> Setting:
    given: dict[str, Any] = {"areas": areas_by_tag(source), "refs": REFS}
    return planning.plan_setting(source, key, value, **given | over)


def test_a_new_project_is_its_attributes_and_its_record() -> None:
    assert init().change.changes == (
        FileChange(".zdev/.gitattributes", None, b"* text eol=lf\n"),
        FileChange(CONFIG_PATH, None, CONFIG.encode()),
    )


def test_a_detached_head_leaves_the_trunk_unbound() -> None:
    assert (
        init(trunk=None).change.changes[-1].new == CONFIG.replace('trunk = "main"\n', "").encode()
    )


def test_a_project_that_is_there_stays_as_it_is() -> None:
    assert init(IN_MEMORY).change.changes == ()
    with pytest.raises(ZdevError) as caught:
        init(IN_MEMORY, policy="personal")
    assert caught.value.code == "record-policy-differs"


@pytest.mark.parametrize(
    ("excludes", "written"),
    [
        (None, b"/.zdev/\n"),
        (b"", b"/.zdev/\n"),
        (b"*.o", b"*.o\n/.zdev/\n"),
        (b"*.o\n", b"*.o\n/.zdev/\n"),
        (b"/.zdev/\n", None),
        (b"/.zdev\r\n", None),
        (b"# /.zdev/\n", b"# /.zdev/\n/.zdev/\n"),
    ],
)
def test_a_personal_record_is_excluded_once(excludes: bytes | None, written: bytes | None) -> None:
    excluded = [
        change
        for change in init(policy="personal", excludes=excludes).change.changes
        if change.place == Place.COMMON_DIR
    ]
    expected = [FileChange("info/exclude", excludes, written, Place.COMMON_DIR)]
    assert excluded == (expected if written else [])


def test_the_pattern_means_the_folder_literally() -> None:
    assert planning.exclude_pattern(PlanRoot("a/b*[c]?\\")) == "/a/b\\*\\[c]\\?\\\\/.zdev/"


def test_settings_come_in_writing_order_and_only_where_set() -> None:
    project = Project(name="checkout", record="project", trunk="main", default_area="payments")
    assert list(planning.settings(project).items()) == [
        ("project.name", "checkout"),
        ("project.record", "project"),
        ("project.default_area", "payments"),
        ("project.trunk", "main"),
    ]
    with pytest.raises(ZdevError) as caught:
        planning.require_setting(project, "project.guidance")
    assert caught.value.code == "unset-config-key"


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("project.colour", "red", "unknown-config-key"),
        ("user.name", "Ada", "unknown-config-key"),
        ("project.name", "other", "read-only-config-key"),
        ("project.default_area", "nowhere", "unknown-area"),
        ("project.trunk", "a..b", "invalid-project"),
        ("project.guidance", "two\nlines", "invalid-project"),
    ],
)
def test_settings_that_are_refused(key: str, value: str, code: str) -> None:
    with pytest.raises(ZdevError) as caught:
        setting(key, value)
    assert caught.value.code == code


def test_a_setting_is_written_where_it_belongs() -> None:
    (change,) = setting("project.default_area", "payments").change.changes
    expected = CONFIG.replace("trunk =", 'default_area = "payments"\ntrunk =')
    assert (change.path, change.old, change.new) == (
        CONFIG_PATH,
        CONFIG.encode(),
        expected.encode(),
    )
    assert setting("project.trunk", "main").change.changes == ()


def test_the_trunk_of_trunk_areas_moves_to_where_its_commits_are() -> None:
    move = setting("project.trunk", "ahead").move
    assert move is not None
    assert (move.affected, move.previous) == (("payments",), "main")
    assert (move.old_tip, move.new_tip, move.old_is_ancestor) == ("a", "b", True)
    assert not move.override


@pytest.mark.parametrize("branch", ["beside", "missing"])
def test_commits_of_trunk_areas_are_not_left_behind_unasked(branch: str) -> None:
    refs = FakeRefs(REFS.parents, {**REFS.branches, "main": "b"})
    with pytest.raises(ZdevError) as caught:
        setting("project.trunk", branch, refs=refs)
    assert caught.value.code == "trunk-diverges"
    move = setting("project.trunk", branch, refs=refs, allow_divergent=True).move
    assert move is not None
    assert move.override


def test_a_shallow_history_proves_nothing() -> None:
    refs = FakeRefs(REFS.parents, REFS.branches, hidden=frozenset({"b"}))
    with pytest.raises(ZdevError) as caught:
        setting("project.trunk", "ahead", refs=refs)
    assert "cannot be shown to contain" in caught.value.message


def test_the_trunk_of_trunk_areas_is_neither_taken_away_nor_somebodys_branch() -> None:
    with pytest.raises(ZdevError) as caught:
        setting("project.trunk", None)
    assert caught.value.code == "trunk-in-use"
    other = area_text("other", branch="ahead", lifecycle="open")
    owned = PlannedSource(IN_MEMORY, {".zdev/other/area.toml": other.encode()})
    with pytest.raises(ZdevError) as caught:
        setting("project.trunk", "ahead", owned)
    assert caught.value.code == "branch-owned"


def test_without_trunk_areas_the_trunk_moves_freely() -> None:
    isolated = area_text("payments", branch="payments", lifecycle="open")
    source = PlannedSource(IN_MEMORY, {".zdev/payments/area.toml": isolated.encode()})
    planned = setting("project.trunk", None, source)
    assert planned.move is None
    assert planned.project.trunk is None


def test_a_setting_that_breaks_the_plan_is_refused() -> None:
    broken = PlannedSource(IN_MEMORY, {CONFIG_PATH: b"nonsense\n"})
    with pytest.raises(InvalidInput) as caught:
        planning.plan_setting(broken, "project.guidance", "auto", areas={}, refs=REFS)
    assert caught.value.code == "invalid-records"
