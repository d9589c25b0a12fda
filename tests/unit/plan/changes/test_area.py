"""Areas planned as values: their files, anchors, owners, parents and lifecycles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.ground.errors import InvalidInput, ZdevError
from git_zdev.ground.values import replace
from git_zdev.plan.areas import load_area
from git_zdev.plan.changes.area import (
    areas_by_tag,
    plan_bind,
    plan_create,
    plan_lifecycle,
    plan_parent,
)
from git_zdev.plan.records.model import Area, Project
from git_zdev.plan.records.store import PlannedSource
from tests.support.plan import BRIEF, IN_MEMORY, area_text, index_text
from tests.support.repo import FakeRefs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from git_zdev.plan.changes.area import Planned
    from git_zdev.plan.records.store import RecordSource

PROJECT = Project(name="checkout", record="project", trunk="main")
REFS = FakeRefs(
    parents={"a" * 40: (), "b" * 40: ("a" * 40,), "c" * 40: ("a" * 40,), "d" * 40: ()},
    branches={"main": "b" * 40, "behind": "a" * 40, "beside": "c" * 40, "foreign": "d" * 40},
)
"""``main`` stands on ``a``, as ``beside`` does; ``foreign`` has nothing in common with them."""

NEW = Area(tag="billing", title="Payments", objective="Pay reliably.", branch="billing")


def source(**areas: str) -> RecordSource:
    """The payments plan and further areas."""
    files = {f".zdev/{tag}/area.toml": text.encode() for tag, text in areas.items()}
    return PlannedSource(IN_MEMORY, files)


def create(area: Area = NEW, records: RecordSource = IN_MEMORY, **over: Any) -> Planned:
    given: dict[str, Any] = {"project": PROJECT, "refs": REFS, **over}
    return plan_create(area, areas=areas_by_tag(records), source=records, **given)


def bind(area: Area, branch: str | None, records: RecordSource, **over: Any) -> Planned:
    given: dict[str, Any] = {"project": PROJECT, "refs": REFS, **over}
    return plan_bind(area, branch, areas=areas_by_tag(records), source=records, **given)


def contents(planned: Planned) -> Mapping[str, bytes | None]:
    return {change.path: change.new for change in planned.change.changes}


def code(error: pytest.ExceptionInfo[ZdevError]) -> str:
    return error.value.code


def test_a_new_area_is_three_files() -> None:
    planned = create()
    assert contents(planned) == {
        ".zdev/billing/area.toml": area_text(
            "billing", branch="billing", lifecycle="open", base_commit="b" * 40
        ).encode(),
        ".zdev/billing/brief.md": BRIEF.encode(),
        ".zdev/billing/TASKS.md": index_text([], tag="billing", counts=(0, 0, 0, 0)).encode(),
    }
    assert all(change.old is None for change in planned.change.changes)
    assert planned.branch == "billing"


@pytest.mark.parametrize(
    ("branch", "anchor"),
    [("main-2", "b" * 40), ("behind", "a" * 40), ("beside", "a" * 40)],
    ids=["no branch yet", "behind", "beside"],
)
def test_the_anchor_is_where_the_branch_left_its_base(branch: str, anchor: str) -> None:
    assert create(replace(NEW, branch=branch)).area.base_commit == anchor


def test_a_branch_with_another_history_has_no_anchor() -> None:
    with pytest.raises(ZdevError) as caught:
        create(replace(NEW, branch="foreign"))
    assert code(caught) == "unrelated-history"


def test_a_trunk_area_has_neither_branch_nor_anchor() -> None:
    planned = create(replace(NEW, mode="trunk", branch=None))
    assert (planned.branch, planned.area.base_commit) == ("main", None)
    assert b'mode = "trunk"' in (contents(planned)[".zdev/billing/area.toml"] or b"")


def test_what_is_there_already_is_refused() -> None:
    for tag, expected in (("payments", "area-exists"), ("notes", "path-exists")):
        records = PlannedSource(IN_MEMORY, {".zdev/notes/ideas.md": b"x\n"})
        with pytest.raises(ZdevError) as caught:
            create(replace(NEW, tag=tag), records)
        assert code(caught) == expected


def test_every_value_that_cannot_be_written_is_told() -> None:
    with pytest.raises(InvalidInput) as caught:
        create(replace(NEW, tag="Bad", title="", objective="a\nb", branch="a..b"))
    assert [problem.code for problem in caught.value.problems] == [
        "invalid-segment",
        "invalid-line",
        "invalid-line",
        "invalid-branch",
    ]
    assert "4 problems" in caught.value.message


def test_a_branch_has_one_owner_and_the_trunk_is_shared() -> None:
    records = source(other=area_text("other", branch="topic", lifecycle="open"))
    for area in (replace(NEW, branch="topic"), replace(NEW, branch="main")):
        with pytest.raises(ZdevError) as caught:
            create(area, records)
        assert code(caught) == "branch-owned"
    assert create(replace(NEW, mode="trunk", branch=None), records).branch == "main"


def test_without_a_trunk_there_is_no_trunk_area() -> None:
    with pytest.raises(ZdevError) as caught:
        create(replace(NEW, mode="trunk", branch=None), project=replace(PROJECT, trunk=None))
    assert code(caught) == "project-trunk-unbound"


OTHER = area_text("other", branch="topic", lifecycle="open", base_commit="a" * 40)


def test_binding_changes_branch_and_anchor_alone() -> None:
    records = source(other=f"# mine\n{OTHER}")
    planned = bind(areas_by_tag(records)["other"], "beside-2", records)
    assert contents(planned) == {
        ".zdev/other/area.toml": f"# mine\n{OTHER}".replace("topic", "beside-2")
        .replace("a" * 40, "b" * 40)
        .encode()
    }


def test_binding_to_what_is_bound_writes_nothing() -> None:
    records = source(other=OTHER.replace("topic", "behind"))
    assert bind(areas_by_tag(records)["other"], "behind", records).change.changes == ()


def test_a_good_anchor_is_kept_when_no_other_can_be_found() -> None:
    records = source(other=OTHER)
    refs = FakeRefs(parents={"a" * 40: ()}, branches={"topic": "a" * 40})
    with pytest.raises(ZdevError) as caught:
        bind(areas_by_tag(records)["other"], "topic", records, refs=refs)
    assert code(caught) == "effective-base-missing"


def test_an_area_with_a_parent_cannot_go_to_the_trunk() -> None:
    records = source(
        base=area_text("base", branch="base", lifecycle="open"),
        other=area_text("other", branch="topic", lifecycle="open", parent="base"),
    )
    with pytest.raises(ZdevError) as caught:
        bind(areas_by_tag(records)["other"], None, records)
    assert code(caught) == "area-has-parent"


CHAIN = {
    tag: area_text(tag, branch=tag, lifecycle="open", **({"parent": above} if above else {}))
    for tag, above in (("one", ""), ("two", "one"), ("three", "two"))
}


def parent(tag: str, above: str | None, records: RecordSource) -> Planned:
    areas = areas_by_tag(records)
    return plan_parent(areas[tag], above, areas=areas, source=records)


def test_a_parent_is_recorded_and_taken_away() -> None:
    records = source(**CHAIN)
    assert contents(parent("three", "one", records)) == {
        ".zdev/three/area.toml": CHAIN["three"].replace('"two"', '"one"').encode()
    }
    assert contents(parent("three", None, records)) == {
        ".zdev/three/area.toml": CHAIN["three"].replace('parent = "two"\n', "").encode()
    }


def test_parents_make_no_cycle() -> None:
    with pytest.raises(ZdevError) as caught:
        parent("one", "three", source(**CHAIN))
    assert code(caught) == "parent-cycle"
    assert "one → three → two → one" in caught.value.message


@pytest.mark.parametrize(
    ("tag", "above", "expected"),
    [("payments", "one", "trunk-area-parent"), ("one", "nowhere", "unknown-area")],
)
def test_parents_that_cannot_be(tag: str, above: str, expected: str) -> None:
    with pytest.raises(ZdevError) as caught:
        parent(tag, above, source(**CHAIN))
    assert code(caught) == expected


def test_an_area_closes_when_its_tasks_are_done() -> None:
    records = load_area(IN_MEMORY, "payments")
    with pytest.raises(ZdevError) as caught:
        plan_lifecycle(records.area, "closed", tasks=records.tasks, source=IN_MEMORY)
    assert code(caught) == "area-has-open-tasks"
    assert caught.value.details == {"open_tasks": ["payments-002", "payments-003", "payments-004"]}
    planned = plan_lifecycle(records.area, "closed", tasks=(), source=IN_MEMORY)
    (new,) = contents(planned).values()
    assert (new or b"").endswith(b'lifecycle = "closed"\n')
    again = plan_lifecycle(records.area, "open", tasks=records.tasks, source=IN_MEMORY)
    assert again.change.changes == ()
