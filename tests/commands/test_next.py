"""``git zdev next``: the selection and the gate before it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.support.cli import changes, refused, result, succeed, tree_state, zdev
from tests.support.plan import (
    CONFIG,
    FILES,
    SOURCE_PATH,
    area_text,
    commit_payments,
    task_text,
    write_empty_area,
    write_plan,
)
from tests.support.repo import GitRepo

if TYPE_CHECKING:
    from collections.abc import Callable


def write_ready_area(repo: GitRepo, tag: str, **values: str) -> None:
    """A valid area with one ready task; ``values`` are the further keys of ``area.toml``."""
    write_empty_area(repo.path, tag, **values)
    write_plan(repo.path, {f"{tag}/tasks/001-step-1.md": task_text(1, tag=tag)})
    succeed("tasks", "index", tag, cwd=repo.path)


def isolated(repo: GitRepo) -> str:
    """The area ``pay`` on its own checked-out branch, finalized; gives the base's commit."""
    commit_payments(repo)
    base = repo.rev("HEAD")
    repo.git("switch", "-q", "-c", "pay")
    write_ready_area(repo, "pay", branch="pay", lifecycle="open", base_commit=base)
    repo.git("add", "--all")
    repo.commit("Plan pay")
    return base


def test_an_open_area(repo: GitRepo) -> None:
    commit_payments(repo)
    document = result("next", "payments", cwd=repo.path)
    assert list(document) == [
        "advisory", "area", "branch", "branch_matches", "branch_status", "lifecycle", "mode",
        "queue", "schema_version", "task",
    ]  # fmt: skip
    assert document["task"]["id"] == "payments-002"
    assert (document["branch"], document["branch_matches"]) == ("main", True)
    assert (document["mode"], document["queue"], document["advisory"]) == ("trunk", "ready", None)


@pytest.mark.parametrize(
    ("traits", "selected"),
    [
        ({4: "afk = true\n"}, "payments-004"),
        ({4: 'priority = "high"\n'}, "payments-004"),
        ({2: 'priority = "low"\n'}, "payments-004"),
        ({2: 'priority = "high"\n', 4: 'afk = true\npriority = "low"\n'}, "payments-004"),
        ({2: 'priority = "normal"\n', 4: 'complexity = "routine"\n'}, "payments-002"),
    ],
)
def test_unattended_work_first_then_priority_then_id(
    repo: GitRepo, traits: dict[int, str], selected: str
) -> None:
    commit_payments(repo)
    write_plan(
        repo.path,
        {
            "payments/tasks/002-settle-the-retry-boundary.md": task_text(
                2, key="settle-retry", extra=traits.get(2, "")
            ),
            "payments/tasks/004-tidy-the-logs.md": task_text(
                4, key="tidy-logs", extra=traits.get(4, "")
            ),
        },
    )
    assert result("next", "payments", cwd=repo.path)["task"]["id"] == selected


def test_the_default_area(repo: GitRepo) -> None:
    commit_payments(repo)
    refused("no-default-area", "next", cwd=repo.path)
    repo.write(".zdev/config.toml", f'{CONFIG}default_area = "payments"\n')
    assert result("next", cwd=repo.path)["area"] == "payments"


def test_a_closed_area_needs_no_branch(repo: GitRepo) -> None:
    commit_payments(repo)
    write_empty_area(repo.path, "old", branch="gone", lifecycle="closed")
    repo.git("checkout", "-q", "--detach")
    assert result("next", "old", cwd=repo.path) == {
        "area": "old",
        "lifecycle": "closed",
        "queue": "empty",
        "schema_version": 1,
        "task": None,
    }
    assert succeed("next", "old", cwd=repo.path).text == "The area old is closed.\n"


def test_a_queue_without_work_has_no_task(repo: GitRepo) -> None:
    commit_payments(repo)
    write_empty_area(repo.path, "fresh", mode="trunk", lifecycle="open")
    document = result("next", "fresh", cwd=repo.path)
    assert (document["queue"], document["task"]) == ("empty", None)
    assert succeed("next", "fresh", cwd=repo.path).text == "The area fresh has no tasks yet.\n"


def test_what_a_ready_task_came_after_does_not_block_it(repo: GitRepo) -> None:
    commit_payments(repo)
    assert "\nAfter:  payments-001\n" in succeed("next", "payments", cwd=repo.path).text
    words = ("task", "show", "payments", "payments-003")
    assert "\nBlocked by: payments-002\n" in succeed(*words, cwd=repo.path).text


def test_a_stale_branch_passes_with_the_advisory(repo: GitRepo) -> None:
    isolated(repo)
    repo.git("switch", "-q", "main")
    repo.commit("Main goes on")
    repo.git("switch", "-q", "pay")
    advisory = "Advisory: run `git zdev area rebase pay` when you need current base changes"
    document = result("next", "pay", cwd=repo.path)
    assert document["advisory"] == advisory
    assert document["branch_status"]["task_work"]["stale_advisory"] is True
    run = succeed("next", "pay", cwd=repo.path)
    assert run.error_text == f"{advisory}\n"
    assert advisory not in run.text


def start_rebase(repo: GitRepo) -> None:
    (repo.path / ".git/rebase-merge").mkdir()


def merge_main(repo: GitRepo) -> None:
    repo.git("switch", "-q", "main")
    repo.commit("Main goes on", b__txt="two\n")
    repo.git("switch", "-q", "pay")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "main")
    repo.git("switch", "-q", "main")
    repo.commit("Main goes further")
    repo.git("switch", "-q", "pay")


def rebase_by_hand(repo: GitRepo) -> None:
    repo.git("switch", "-q", "main")
    repo.commit("Main goes on")
    repo.git("switch", "-q", "pay")
    repo.git("rebase", "-q", "main")


def anchor(commit: str) -> Callable[[GitRepo], object]:
    def write(repo: GitRepo) -> None:
        toml = area_text("pay", branch="pay", lifecycle="open", base_commit=commit)
        repo.write(".zdev/pay/area.toml", toml)

    return write


def unbind(repo: GitRepo) -> None:
    repo.write(".zdev/config.toml", CONFIG.replace('trunk = "main"\n', ""))


def without_anchor(repo: GitRepo) -> None:
    repo.write(".zdev/pay/area.toml", area_text("pay", branch="pay", lifecycle="open"))


def other_anchor(repo: GitRepo) -> None:
    repo.git("switch", "-q", "main")
    tip = repo.commit("Main goes on")
    repo.git("switch", "-q", "pay")
    anchor(tip)(repo)


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (start_rebase, "git-operation-in-progress"),
        (lambda repo: repo.git("checkout", "-q", "--detach"), "detached-head"),
        (lambda repo: repo.git("switch", "-q", "-c", "topic"), "wrong-branch"),
        (lambda repo: repo.git("branch", "-m", "pay", "renamed"), "area-branch-missing"),
        (lambda repo: repo.git("branch", "-m", "main", "renamed"), "effective-base-missing"),
        (unbind, "project-trunk-unbound"),
        (without_anchor, "base-anchor-unbound"),
        (anchor("0" * 40), "base-anchor-missing"),
        (other_anchor, "base-anchor-not-contained"),
        (merge_main, "merge-history"),
        (rebase_by_hand, "base-anchor-needs-finalization"),
    ],
)
def test_the_gate_refuses(repo: GitRepo, spoil: Callable[[GitRepo], object], code: str) -> None:
    isolated(repo)
    spoil(repo)
    error = refused(code, "next", "pay", cwd=repo.path)
    status = error["details"]["branch_status"]
    assert code in status["diagnostics"]
    assert status["task_work"]["safe"] is False


def test_any_takes_the_matching_branch_first(repo: GitRepo) -> None:
    isolated(repo)
    document = result("next", "--any", cwd=repo.path)
    assert (document["selection"], document["reason"]) == ("ready", None)
    assert (document["area"], document["task"]["id"]) == ("pay", "pay-001")
    assert (document["skipped"], document["closed_areas"]) == ([], [])
    repo.git("switch", "-q", "main")
    write_plan(repo.path, {"aaa/area.toml": area_text("aaa", branch="aaa", lifecycle="open")})
    write_ready_area(repo, "aaa", branch="aaa", lifecycle="open")
    assert result("next", "--any", cwd=repo.path)["area"] == "payments"


def test_any_skips_what_has_no_work_and_names_closed_areas(repo: GitRepo) -> None:
    commit_payments(repo)
    write_empty_area(repo.path, "aaa", mode="trunk", lifecycle="open")
    write_empty_area(repo.path, "old", branch="old", lifecycle="closed")
    document = result("next", "--any", cwd=repo.path)
    assert document["area"] == "payments"
    assert document["skipped"] == [{"area": "aaa", "reason": "empty"}]
    assert document["closed_areas"] == ["old"]
    assert list(document) == sorted(document)


def test_any_with_work_that_cannot_be_done_here_is_unsafe(repo: GitRepo) -> None:
    commit_payments(repo)
    repo.git("switch", "-q", "-c", "topic")
    document = result("next", "--any", cwd=repo.path)
    assert document == {
        "closed_areas": [],
        "reason": "no area with ready tasks can be worked on here: payments",
        "schema_version": 1,
        "selection": "unsafe",
        "skipped": [{"area": "payments", "reason": "wrong-branch"}],
        "task": None,
    }
    assert succeed("next", "--any", cwd=repo.path).text == (
        "No area with ready tasks can be worked on here.\n"
        "payments: the branch topic is checked out, but payments works on main. "
        "Run `git switch main`.\n"
    )


def test_any_without_work(repo: GitRepo) -> None:
    files = {name: data for name, data in FILES.items() if "/tasks/" not in name}
    write_plan(repo.path, files)
    repo.git("add", "--all")
    repo.commit("Plan")
    document = result("next", "--any", cwd=repo.path)
    assert (document["selection"], document["task"]) == ("none", None)
    assert document["reason"] == "no open area has a ready task"
    assert succeed("next", "--any", cwd=repo.path).text == (
        "No open area has a ready task.\npayments: there are no tasks yet\n"
    )


def test_any_takes_no_area(repo: GitRepo) -> None:
    commit_payments(repo)
    assert zdev("next", "payments", "--any", cwd=repo.path).status == 2


def test_it_needs_a_repository(repo: GitRepo) -> None:
    write_plan(repo.path, FILES)
    (repo.path / ".git").rename(repo.path / "git-no-more")
    refused("not-a-repository", "next", "payments", cwd=repo.path)
    refused("not-a-repository", "next", "--any", cwd=repo.path)


def test_invalid_records_are_refused(repo: GitRepo) -> None:
    commit_payments(repo)
    repo.write(SOURCE_PATH, "no task\n")
    refused("invalid-records", "next", "payments", cwd=repo.path)


def test_it_writes_nothing(repo: GitRepo) -> None:
    isolated(repo)
    before = tree_state(repo.path)
    result("next", "pay", cwd=repo.path)
    result("next", "--any", cwd=repo.path)
    assert changes(before, tree_state(repo.path)) == []


def test_a_linked_work_tree_has_its_own_branch(repo: GitRepo) -> None:
    isolated(repo)
    repo.git("worktree", "add", "-q", "../linked", "main")
    linked = repo.path.parent / "linked"
    assert result("next", "--any", cwd=linked)["area"] == "payments"
    refused("unknown-area", "next", "pay", cwd=linked)


def test_a_clone_without_the_base_is_mended_as_the_refusal_says(repo: GitRepo) -> None:
    """A clone has only the branch that is checked out; the base is one of the remote's."""
    isolated(repo)
    repo.git("clone", "-q", ".", "../clone")
    clone = GitRepo(repo.path.parent / "clone")
    error = refused("effective-base-missing", "next", "pay", cwd=clone.path)
    remedy = re.search(r"`git (branch main origin/main)`", error["error"])
    assert remedy is not None
    clone.git(*remedy[1].split())
    assert result("next", "pay", cwd=clone.path)["area"] == "pay"


def test_on_a_branch_without_the_plan_another_branch_is_named(repo: GitRepo) -> None:
    isolated(repo)
    repo.git("switch", "-q", "--orphan", "bare")
    error = refused("not-initialized", "next", "pay", cwd=repo.path)
    assert "switch to that branch" in error["error"]
