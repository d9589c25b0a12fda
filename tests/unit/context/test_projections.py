"""The projections, key for key, from records written by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import pytest

from git_zdev.context import projections as context
from git_zdev.evidence.collecting import Evidence
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import replace
from git_zdev.plan.areas import AreaRecords, load_area, load_project
from git_zdev.plan.records.store import FileSource
from tests.support.plan import FILES, HEAD, task_text, write_plan

if TYPE_CHECKING:
    from pathlib import Path

    from git_zdev.branch.safety import BranchStatus

SLICED = task_text(
    2,
    key="settle-retry",
    title="Settle the retry boundary",
    blocked_by=["payments-001"],
    extra='complexity = "advanced"\nafk = true\npriority = "high"\nslice = "api"\n',
)


class Branch:
    """What the projections ask of a branch's status."""

    branch = "main"
    branch_matches = True

    def __init__(self, *, stale: bool = False, safe: bool = True) -> None:
        self.work = {
            "git_operation": None,
            "safe": safe,
            "stale_advisory": stale,
            "structurally_safe": safe,
        }

    @property
    def advisory(self) -> str | None:
        return "Rebase payments" if self.work["stale_advisory"] else None

    def as_document(self) -> dict[str, Any]:
        return {"branch": "main", "task_work": self.work}


def branch(*, stale: bool = False, safe: bool = True) -> BranchStatus:
    return cast("BranchStatus", Branch(stale=stale, safe=safe))


UNTRACKED = {"new": {"kind": "file", "hash": HEAD}}


FOUND = Evidence(
    head=HEAD, git_status="?? new\n", git_diff_cached="", git_diff="", git_untracked=UNTRACKED
)
"""Git evidence of a clean work tree with one untracked file."""


@pytest.fixture
def records(tmp_path: Path) -> AreaRecords:
    """The hand-written area ``payments`` with one sliced task, ``payments-002``."""
    name = "payments/tasks/002-settle-the-retry-boundary.md"
    write_plan(tmp_path, {**FILES, name: SLICED})
    return load_area(FileSource(tmp_path), "payments")


@pytest.fixture
def closed(tmp_path: Path) -> AreaRecords:
    """A closed area whose only task is done."""
    files = {
        "config.toml": FILES["config.toml"],
        "payments/area.toml": cast("str", FILES["payments/area.toml"]).replace("open", "closed"),
        "payments/brief.md": FILES["payments/brief.md"],
        "payments/tasks/001-step-1.md": task_text(1, status="done"),
    }
    write_plan(tmp_path / "closed", files)
    return load_area(FileSource(tmp_path / "closed"), "payments")


GOAL_TASK = {
    "id": "payments-002",
    "key": "settle-retry",
    "title": "Settle the retry boundary",
    "complexity": "advanced",
    "path": ".zdev/payments/tasks/002-settle-the-retry-boundary.md",
    "outcome": "The step is taken.",
    "context": "There were earlier steps.",
    "boundaries": "- Leave the API alone.\n- Leave the database alone.",
    "done_when": "- [ ] The step is taken.\n- [ ] It is shown.",
    "validation": "- Run the tests.",
    "blocked_by": ["payments-001"],
    "slice": {
        "key": "api",
        "title": "The API",
        "path": ".zdev/payments/slices/api.md",
        "objective": "Serve.",
        "boundaries": "- Keep the wire format.",
    },
}


def text(document: dict[str, Any]) -> str:
    """JSON, so that a comparison also tells the order of keys."""
    return json.dumps(document, indent=1)


def test_goal_has_its_keys_in_order(records: AreaRecords) -> None:
    goal = context.goal(records, records.graph.default())
    native = goal.pop("native_goal")
    assert text(goal) == text(
        {
            "schema_version": 1,
            "area": {
                "tag": "payments",
                "title": "Payments",
                "objective": "Pay reliably.",
                "path": ".zdev/payments",
            },
            "lifecycle": "open",
            "queue": "ready",
            "counts": {"total": 4, "open": 3, "ready": 2, "blocked": 1, "done": 1},
            "task": GOAL_TASK,
        }
    )
    for named in ("payments-002", GOAL_TASK["path"], ".zdev/payments/brief.md", "slices/api.md"):
        assert named in native
    assert "\n" not in native


def test_a_goal_leaves_out_what_the_task_does_not_say(tmp_path: Path) -> None:
    bare = task_text(4, key="tidy-logs", title="Tidy the logs")
    head, _, rest = bare.partition("## Context")
    bare = head + rest[rest.index("## Done when") :]
    files = {**FILES, "payments/tasks/004-tidy-the-logs.md": bare}
    write_plan(tmp_path, files)
    records = load_area(FileSource(tmp_path), "payments")
    task = context.goal(records, records.find("payments-004"))["task"]
    assert list(task) == [
        "id", "key", "title", "complexity", "path", "outcome", "done_when", "validation",
        "blocked_by",
    ]  # fmt: skip
    assert (task["complexity"], task["blocked_by"]) == ("standard", [])


def test_a_goal_without_a_task_has_no_native_goal(closed: AreaRecords) -> None:
    goal = context.goal(closed, None)
    assert list(goal) == ["schema_version", "area", "lifecycle", "queue", "counts", "task"]
    assert (goal["lifecycle"], goal["queue"], goal["task"]) == ("closed", "exhausted", None)


def test_status_has_its_keys_in_order(records: AreaRecords, tmp_path: Path) -> None:
    project = load_project(FileSource(tmp_path))
    status = context.status(project, records, branch(), records.graph.default())
    assert text(status) == text(
        {
            "advisory": None,
            "area": {
                "base_commit": None,
                "branch": "main",
                "lifecycle": "open",
                "mode": "trunk",
                "objective": "Pay reliably.",
                "schema_version": 1,
                "tag": "payments",
                "title": "Payments",
            },
            "branch_status": Branch().as_document(),
            "counts": {"blocked": 1, "done": 1, "ready": 2, "total": 4},
            "lifecycle": "open",
            "next": "payments-002",
            "next_complexity": "advanced",
            "project": "checkout",
            "queue": "ready",
            "schema_version": 1,
            "slices": [
                {
                    "key": "api",
                    "title": "The API",
                    "path": ".zdev/payments/slices/api.md",
                    "ready": 1,
                    "blocked": 0,
                    "done": 0,
                }
            ],
            "trunk": "main",
        }
    )


def test_a_row_of_the_overview(records: AreaRecords) -> None:
    assert text(context.overview_row(records, branch())) == text(
        {
            "tag": "payments",
            "title": "Payments",
            "mode": "trunk",
            "lifecycle": "open",
            "queue": "ready",
            "next": "payments-002",
            "next_complexity": "advanced",
            "total": 4,
            "ready": 2,
            "blocked": 1,
            "done": 1,
            "branch_status": Branch().as_document(),
        }
    )


VIEW = {
    "afk": True,
    "blocked_by": ["payments-001"],
    "complexity": "advanced",
    "id": "payments-002",
    "path": ".zdev/payments/tasks/002-settle-the-retry-boundary.md",
    "priority": "high",
    "slice": "api",
    "slice_brief": ".zdev/payments/slices/api.md",
    "state": "ready",
    "status": "open",
    "title": "Settle the retry boundary",
}


def test_a_view_has_effective_values(records: AreaRecords) -> None:
    assert text(context.task_view(records, records.find("payments-002"))) == text(VIEW)
    bare = context.task_view(records, records.find("payments-003"))
    assert (bare["afk"], bare["complexity"], bare["priority"]) == (False, "standard", "normal")
    assert (bare["slice"], bare["slice_brief"], bare["state"]) == (None, None, "blocked")


def test_selections(records: AreaRecords, closed: AreaRecords) -> None:
    assert text(context.selection(records, branch(stale=True))) == text(
        {
            "advisory": "Rebase payments",
            "area": "payments",
            "branch": "main",
            "branch_matches": True,
            "branch_status": Branch(stale=True).as_document(),
            "lifecycle": "open",
            "mode": "trunk",
            "queue": "ready",
            "schema_version": 1,
            "task": VIEW,
        }
    )
    assert text(context.closed_selection(closed)) == text(
        {
            "area": "payments",
            "lifecycle": "closed",
            "queue": "exhausted",
            "schema_version": 1,
            "task": None,
        }
    )


def test_an_open_context_has_both_projections_and_the_evidence(
    records: AreaRecords, tmp_path: Path
) -> None:
    task = records.graph.default()
    goal = context.goal(records, task)
    status = context.status(load_project(FileSource(tmp_path)), records, branch(), task)
    document = context.open_context(goal, status, FOUND)
    assert list(document) == [
        "area", "git_diff", "git_diff_cached", "git_status", "git_untracked", "goal", "head",
        "lifecycle", "queue", "schema_version", "stale_advisory", "status", "task_id",
    ]  # fmt: skip
    assert (document["goal"], document["status"]) == (goal, status)
    assert (document["head"], document["task_id"]) == (HEAD, "payments-002")
    assert document["git_untracked"] == UNTRACKED


def test_a_closed_context_is_its_goal(closed: AreaRecords) -> None:
    document = context.closed_context(closed)
    assert document == {
        "area": "payments",
        "goal": context.goal(closed, None),
        "lifecycle": "closed",
        "queue": "exhausted",
        "schema_version": 1,
        "task_id": None,
    }


@pytest.mark.parametrize(
    ("selected", "safe"), [("payments-004", True), (None, True), ("payments-002", False)]
)
def test_projections_that_disagree_are_an_error_with_both(
    records: AreaRecords, tmp_path: Path, selected: str | None, safe: bool
) -> None:
    project = load_project(FileSource(tmp_path))
    goal = context.goal(records, records.find("payments-002"))
    task = selected and records.find(selected)
    status = context.status(project, records, branch(safe=safe), task or None)
    with pytest.raises(ZdevError) as caught:
        context.open_context(goal, status, FOUND)
    assert caught.value.code == "work-context-disagreement"
    assert caught.value.details == {"goal": goal, "status": status}


def test_there_is_no_context_before_the_first_commit(records: AreaRecords, tmp_path: Path) -> None:
    task = records.graph.default()
    status = context.status(load_project(FileSource(tmp_path)), records, branch(), task)
    with pytest.raises(ZdevError) as caught:
        context.open_context(context.goal(records, task), status, replace(FOUND, head=None))
    assert caught.value.code == "unborn-head"


def test_routing_leaves_out_what_a_context_has_not(records: AreaRecords, tmp_path: Path) -> None:
    task = records.graph.default()
    status = context.status(load_project(FileSource(tmp_path)), records, branch(), task)
    document = context.open_context(context.goal(records, task), status, FOUND)
    assert context.routing(document) == {
        "area": "payments",
        "complexity": "advanced",
        "head": HEAD,
        "lifecycle": "open",
        "queue": "ready",
        "stale_advisory": False,
        "task_id": "payments-002",
        "task_path": GOAL_TASK["path"],
    }


def test_routing_of_a_closed_context(closed: AreaRecords) -> None:
    assert context.routing(context.closed_context(closed)) == {
        "area": "payments",
        "lifecycle": "closed",
        "queue": "exhausted",
        "task_id": None,
    }


def test_the_body_of_a_task_is_its_text_below_the_front_matter(records: AreaRecords) -> None:
    body = context.task_body(records.find("payments-002"))
    assert body == SLICED.split("+++\n")[2]
