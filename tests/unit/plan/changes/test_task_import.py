"""The import of a bundle and its commit, planned as values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.evidence.survey import ChangedPaths
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.paths import PlanRoot
from git_zdev.plan.areas import load_area
from git_zdev.plan.changes.task_import import Tracked, plan_import, plan_import_commit
from git_zdev.plan.records.model import Bundle, Draft
from tests.support.plan import FILES, IN_MEMORY, INDEX_PATH

if TYPE_CHECKING:
    from git_zdev.plan.changes.task_import import Import

RECORDS = load_area(IN_MEMORY, "payments")
NEW = ".zdev/payments/tasks/005-retry-later.md"
BRIEF = ".zdev/payments/brief.md"
API = ".zdev/payments/slices/api.md"
FOUNDATION = (
    ".zdev/.gitattributes",
    ".zdev/config.toml",
    ".zdev/payments/area.toml",
    BRIEF,
)
ALL = frozenset(f".zdev/{name}" for name in FILES)


def bundle(**over: Any) -> Bundle:
    given: dict[str, Any] = {"key": "retry-later", "title": "Retry later", "outcome": "It retries."}
    return Bundle("payments", (Draft(**given | {"done_when": ("It retries.",)} | over),))


def tracked(in_head: frozenset[str] = ALL, folder: str = "", **changed: str) -> Tracked:
    """What Git knows; ``changed`` are paths by kind, each in the folder of the plan."""
    lead = f"{folder}/" if folder else ""
    kinds = ("staged", "added_later", "unmerged", "unstaged", "untracked")
    lists = {
        kind: tuple(f"{lead}{path}".encode() for path in changed.get(kind, "").split())
        for kind in kinds
    }
    return Tracked(
        PlanRoot(folder), {f"{lead}{path}".encode() for path in in_head}, ChangedPaths(**lists)
    )


def commit(known: Tracked, given: Bundle | None = None) -> Import:
    return plan_import_commit(
        RECORDS,
        given or bundle(),
        source=IN_MEMORY,
        tracked=known,
        message=lambda subject: f"{subject}\n\nZdev-Change-Id: Z0\n",
    )


def paths(planned: Import) -> tuple[str, ...]:
    assert planned.change.commit is not None
    return planned.change.commit.paths


def test_an_import_is_the_new_tasks_and_the_index() -> None:
    planned = plan_import(RECORDS, bundle(blocked_by=("payments-002",)))
    task, index = planned.change.changes
    assert (task.path, task.old) == (NEW, None)
    assert b'blocked_by = ["payments-002"]' in (task.new or b"")
    assert index.path == INDEX_PATH
    assert b"- Total: 5\n" in (index.new or b"")
    assert (planned.tasks, planned.ready) == (("payments-005",), ("payments-002", "payments-004"))
    assert planned.change.commit is None


@pytest.mark.parametrize("folder", ["", "inner"])
def test_the_first_commit_takes_what_the_tasks_stand_on(folder: str) -> None:
    lead = f"{folder}/" if folder else ""
    planned = commit(tracked(frozenset(), folder), bundle(slice="api"))
    expected = (*FOUNDATION, API, NEW, INDEX_PATH)
    assert paths(planned) == tuple(f"{lead}{path}" for path in expected)
    assert tuple(change.path for change in planned.change.changes) == expected
    assert planned.change.commit is not None
    assert planned.change.commit.message == "Add tasks to payments\n\nZdev-Change-Id: Z0\n"


def test_later_commits_take_the_tasks_alone() -> None:
    assert paths(commit(tracked())) == (NEW, INDEX_PATH)
    assert paths(commit(tracked(), bundle(slice="api"))) == (NEW, INDEX_PATH)
    assert paths(commit(tracked(ALL - {API}), bundle(slice="api"))) == (API, NEW, INDEX_PATH)


def test_a_brief_that_was_edited_goes_along() -> None:
    assert paths(commit(tracked(unstaged=BRIEF))) == (BRIEF, NEW, INDEX_PATH)


def test_other_work_is_nobodys_business() -> None:
    known = tracked(staged="src/a .zdev/other/area.toml", unstaged="src/b", untracked="src/c")
    assert paths(commit(known)) == (NEW, INDEX_PATH)


@pytest.mark.parametrize(
    "changed",
    [
        {"staged": ".zdev/payments/tasks/001-measure-the-retries.md"},
        {"unstaged": ".zdev/payments/area.toml"},
        {"untracked": ".zdev/payments/notes.md"},
        {"unmerged": INDEX_PATH},
        {"staged": BRIEF, "unstaged": BRIEF},
    ],
    ids=["staged", "unstaged", "untracked", "unmerged", "brief half staged"],
)
def test_other_changes_of_the_area_are_refused(changed: dict[str, str]) -> None:
    with pytest.raises(ZdevError) as caught:
        commit(tracked(**changed))
    (path,) = set(changed.values())
    assert (caught.value.code, caught.value.details) == ("area-has-changes", {"paths": [path]})


def test_an_area_that_is_committed_in_part_is_refused() -> None:
    with pytest.raises(ZdevError) as caught:
        commit(tracked(ALL - {BRIEF, INDEX_PATH}))
    assert caught.value.code == "area-partly-tracked"
    assert caught.value.details == {"paths": [BRIEF, INDEX_PATH]}
