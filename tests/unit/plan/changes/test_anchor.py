"""The anchor that a rebase moved, planned as values."""

from __future__ import annotations

import pytest

from git_zdev.ground.changeset import CommitPlan, FileChange
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.paths import TOP, PlanRoot
from git_zdev.plan.changes.area import areas_by_tag, plan_anchor, require_tracked
from git_zdev.plan.records.store import PlannedSource
from tests.support.plan import IN_MEMORY, area_text
from tests.support.repo import FakeTree

OLD, NEW = "a" * 40, "b" * 40
PATH = ".zdev/own/area.toml"
BEFORE = area_text("own", branch="own", lifecycle="open", base_commit=OLD).encode()
AFTER = BEFORE.replace(OLD.encode(), NEW.encode())
SOURCE = PlannedSource(IN_MEMORY, {PATH: BEFORE})
AREA = areas_by_tag(SOURCE)["own"]
CHANGE = FileChange(PATH, BEFORE, AFTER)


def test_the_anchor_alone_changes() -> None:
    change = plan_anchor(AREA, NEW, source=SOURCE)
    assert (change.changes, change.commit) == ((CHANGE,), None)
    assert plan_anchor(AREA, OLD, source=SOURCE).changes == ()


@pytest.mark.parametrize("folder", ["", "inner"])
def test_the_commit_holds_the_record_alone(folder: str) -> None:
    name = f"{folder}/{PATH}" if folder else PATH
    repository = FakeTree.clean({name: BEFORE, "other": b"x\n"})
    change = plan_anchor(AREA, NEW, source=SOURCE, commit=(repository, PlanRoot(folder)))
    assert change.changes == (CHANGE,)
    assert change.commit == CommitPlan("Record the base commit of own\n", (name,))


def test_an_anchor_that_is_recorded_needs_no_commit() -> None:
    repository = FakeTree.clean({PATH: BEFORE})
    change = plan_anchor(AREA, OLD, source=SOURCE, commit=(repository, TOP))
    assert (change.changes, change.commit) == ((), None)


@pytest.mark.parametrize(
    "repository",
    [
        FakeTree({PATH: BEFORE}, {PATH: AFTER}),
        FakeTree({PATH: AFTER}, {PATH: AFTER}),
        FakeTree({PATH: BEFORE}, {}),
        FakeTree({}, {}),
    ],
    ids=["staged", "edited", "unstaged", "unknown"],
)
def test_other_changes_of_the_record_are_not_swept_in(repository: FakeTree) -> None:
    with pytest.raises(ZdevError) as caught:
        plan_anchor(AREA, NEW, source=SOURCE, commit=(repository, TOP))
    assert (caught.value.code, caught.value.details) == ("records-changed", {"paths": [PATH]})


def test_only_a_tracked_record_is_committed() -> None:
    require_tracked(AREA, TOP, FakeTree.clean({PATH: BEFORE}))
    for folder in ("", "inner"):
        with pytest.raises(ZdevError) as caught:
            require_tracked(AREA, PlanRoot(folder), FakeTree.clean({f"{PATH}.old": BEFORE}))
        assert caught.value.code == "record-not-tracked"
