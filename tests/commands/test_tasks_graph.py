"""``git zdev tasks graph`` as text, JSON and DOT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.cli import refused, result, succeed
from tests.support.plan import FILES, commit_payments, task_text, write_area, write_plan

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

TREE = """\
payments-001  done  Measure the retries
└── payments-002  ready  Settle the retry boundary
    └── payments-003  blocked  Document the retries
payments-004  ready  Tidy the logs
"""

DOT = """\
digraph "payments" {
  rankdir=LR;
  node [shape=box];
  "payments-001" [label="payments-001\\nMeasure the retries", style=filled, fillcolor=gray90];
  "payments-002" [label="payments-002\\nSettle the retry boundary", style=filled, fillcolor=palegreen];
  "payments-003" [label="payments-003\\nDocument the retries", style=filled, fillcolor=khaki];
  "payments-004" [label="payments-004\\nTidy the logs", style=filled, fillcolor=palegreen];
  "payments-001" -> "payments-002";
  "payments-002" -> "payments-003";
}
"""  # noqa: E501 - as Graphviz gets it


def test_a_tree_of_what_waits_for_what(repo: GitRepo) -> None:
    commit_payments(repo)
    assert succeed("tasks", "graph", "payments", cwd=repo.path).text == TREE


def test_dot(repo: GitRepo) -> None:
    commit_payments(repo)
    assert succeed("tasks", "graph", "payments", "--format=dot", cwd=repo.path).text == DOT


def test_json_lists_tasks_and_edges(repo: GitRepo) -> None:
    commit_payments(repo)
    document = result("tasks graph", "payments", cwd=repo.path)
    assert document["edges"] == [
        {"blocked": "payments-002", "blocker": "payments-001"},
        {"blocked": "payments-003", "blocker": "payments-002"},
    ]
    assert document["tasks"][2] == {
        "id": "payments-003",
        "state": "blocked",
        "title": "Document the retries",
    }


def test_a_task_with_several_blockers_stands_below_the_last(repo: GitRepo) -> None:
    text = task_text(
        3,
        key="document-retries",
        title="Document the retries",
        blocked_by=["payments-004", "payments-002"],
    )
    write_plan(repo.path, {**FILES, "payments/tasks/003-document-the-retries.md": text})
    assert succeed("tasks", "graph", "payments", cwd=repo.path).text == (
        "payments-001  done  Measure the retries\n"
        "└── payments-002  ready  Settle the retry boundary\n"
        "payments-004  ready  Tidy the logs\n"
        "└── payments-003  blocked  Document the retries  (also waits for payments-002)\n"
    )


def test_a_chain_that_no_tree_can_show_is_a_list(repo: GitRepo) -> None:
    write_area(repo.path, tasks=1200)
    lines = succeed("tasks", "graph", "payments", cwd=repo.path).text.splitlines()
    assert len(lines) == 1201
    assert lines[0].split() == ["Id", "State", "Task", "Waits", "for"]
    assert lines[1200].split() == ["payments-1200", "blocked", "Step", "1200", "payments-1199"]


def test_dot_cannot_be_steered_by_a_title(repo: GitRepo) -> None:
    title = 'End"]; evil \\ \u202eback'
    text = task_text(4, key="tidy-logs", title=title)
    write_plan(repo.path, {**FILES, "payments/tasks/004-tidy-the-logs.md": text})
    shown = succeed("tasks", "graph", "payments", "--format=dot", cwd=repo.path).text
    assert r'label="payments-004\nEnd\"]; evil \\ \\u202eback"' in shown


def test_an_area_without_tasks(repo: GitRepo) -> None:
    write_area(repo.path)
    run = succeed("tasks", "graph", "payments", cwd=repo.path)
    assert run.text == "The area payments has no tasks yet.\n"
    assert result("tasks graph", "payments", cwd=repo.path)["tasks"] == []


def test_a_cycle_is_refused_with_its_tasks(repo: GitRepo) -> None:
    commit_payments(repo)
    text = task_text(
        2, key="settle-retry", title="Settle the retry boundary", blocked_by=["payments-003"]
    )
    write_plan(repo.path, {"payments/tasks/002-settle-the-retry-boundary.md": text})
    error = refused("invalid-records", "tasks", "graph", "payments", cwd=repo.path)
    (problem,) = error["details"]["problems"]
    assert problem["code"] == "dependency-cycle"
    assert "payments-002" in problem["message"]
    assert "payments-003" in problem["message"]
