"""``git zdev status`` of one area and of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.cli import changes, refused, result, succeed, tree_state
from tests.support.plan import CONFIG, FILES, commit_payments, write_empty_area, write_plan

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repo import GitRepo

TEXT = """\
Payments  payments
Pay reliably.
Branch: main (safe to work on)
Tasks:  4 (2 ready, 1 blocked, 1 done)
Next:   payments-002 (standard)

Slice  Title    Ready  Blocked  Done
api    The API  0      0        0
"""


def test_one_area(repo: GitRepo) -> None:
    commit_payments(repo)
    document = result("status", "payments", cwd=repo.path)
    assert list(document) == [
        "advisory", "area", "branch_status", "counts", "lifecycle", "next", "next_complexity",
        "project", "queue", "schema_version", "slices", "trunk",
    ]  # fmt: skip
    assert document["area"] == {
        "base_commit": None,
        "branch": "main",
        "lifecycle": "open",
        "mode": "trunk",
        "objective": "Pay reliably.",
        "schema_version": 1,
        "tag": "payments",
        "title": "Payments",
    }
    assert document["counts"] == {"blocked": 1, "done": 1, "ready": 2, "total": 4}
    assert (document["next"], document["next_complexity"]) == ("payments-002", "standard")
    assert (document["project"], document["trunk"]) == ("checkout", "main")
    assert document["slices"] == [
        {
            "key": "api",
            "title": "The API",
            "path": ".zdev/payments/slices/api.md",
            "ready": 0,
            "blocked": 0,
            "done": 0,
        }
    ]


def test_the_text(repo: GitRepo) -> None:
    commit_payments(repo)
    assert succeed("status", "payments", cwd=repo.path).text == TEXT


def test_an_area_with_a_parent_names_it(repo: GitRepo) -> None:
    commit_payments(repo)
    tip = repo.rev("HEAD")
    repo.git("branch", "base")
    write_empty_area(repo.path, "base", branch="base", base_commit=tip)
    write_empty_area(repo.path, "top", branch="top", parent="base", base_commit=tip)
    repo.git("switch", "-q", "-c", "top")
    document = result("status", "top", cwd=repo.path)
    assert document["area"]["parent"] == "base"
    assert document["area"]["base_commit"] == tip
    assert document["branch_status"]["effective_base"] == {
        "area": "base",
        "branch": "base",
        "kind": "area",
    }
    assert list(document["area"]) == sorted(document["area"])


def test_it_tells_what_is_wrong_instead_of_refusing(repo: GitRepo) -> None:
    commit_payments(repo)
    repo.git("checkout", "-q", "--detach")
    document = result("status", "payments", cwd=repo.path)
    assert document["branch_status"]["diagnostics"] == ["detached-head"]
    assert document["branch_status"]["checked_out_branch"] is None
    text = succeed("status", "payments", cwd=repo.path).text
    assert "Branch: main (not checked out)\n" in text
    assert text.endswith(
        "\nwarning: HEAD is detached, but payments works on the branch main. "
        "Run `git switch main`.\n"
    )


def test_every_reason_comes_with_what_to_do(repo: GitRepo) -> None:
    commit_payments(repo)
    write_empty_area(repo.path, "other", branch="other", base_commit="1" * 40)
    text = succeed("status", "other", cwd=repo.path).text
    assert "Branch: other (wrong branch, base anchor missing, area branch missing)\n" in text
    assert text.partition("\n\n")[2] == (
        "warning: the branch other of other does not exist. "
        "Run `git switch -c other`, or bind another with `git zdev area bind other <branch>`.\n"
        "warning: the recorded base commit 111111111111 of other is not in this repository. "
        "Fetch it, or record another with `git zdev area bind other other`.\n"
    )
    overview = succeed("status", cwd=repo.path).text
    assert overview.endswith("\n`git zdev status <area>` says what an area's branch needs.\n")


def test_a_branch_in_another_work_tree_is_worked_on_there(repo: GitRepo) -> None:
    commit_payments(repo)
    repo.git("worktree", "add", "-q", "-b", "side", "../linked")
    text = succeed("status", "payments", cwd=repo.path.parent / "linked").text
    assert text.endswith(
        "\nwarning: the branch side is checked out, but payments works on main. "
        f"Change to {repo.path}, the work tree that has main checked out.\n"
    )


def test_before_the_first_commit_it_is_the_first_commit_that_lacks(repo: GitRepo) -> None:
    write_plan(repo.path, FILES)
    assert succeed("status", "payments", cwd=repo.path).text.endswith(
        "\n\nwarning: the trunk branch main has no commits yet. Make its first commit with "
        "`git commit`, or name another trunk with `git zdev config trunk <branch>`.\n"
    )


def test_a_closed_area_needs_nothing(repo: GitRepo) -> None:
    commit_payments(repo)
    write_empty_area(repo.path, "old", branch="old", lifecycle="closed")
    assert succeed("status", "old", cwd=repo.path).text.endswith(
        "\nBranch: old\nTasks:  0 (0 ready, 0 blocked, 0 done)\n"
        "Next:   nothing, the area is closed\n"
    )
    assert succeed("status", cwd=repo.path).text == (
        "Area      Title     Next          Branch  Work\n"
        "old       Payments  closed        old     —\n"
        "payments  Payments  payments-002  main    safe\n"
    )


def test_every_area_in_tag_order(repo: GitRepo) -> None:
    commit_payments(repo)
    write_empty_area(repo.path, "old", branch="old", lifecycle="closed")
    document = result("status", cwd=repo.path)
    assert list(document) == ["areas", "checked_out_branch", "project", "schema_version", "trunk"]
    assert document["checked_out_branch"] == "main"
    assert [area["tag"] for area in document["areas"]] == ["old", "payments"]
    assert list(document["areas"][1]) == [
        "tag", "title", "mode", "lifecycle", "queue", "next", "next_complexity", "total", "ready",
        "blocked", "done", "branch_status",
    ]  # fmt: skip
    lines = succeed("status", cwd=repo.path).text.splitlines()
    assert lines[1].split()[:4] == ["old", "Payments", "closed", "old"]
    assert lines[2] == "payments  Payments  payments-002  main    safe"


def test_the_default_area(repo: GitRepo) -> None:
    commit_payments(repo)
    repo.write(".zdev/config.toml", f'{CONFIG}default_area = "payments"\n')
    assert result("status", cwd=repo.path)["area"]["tag"] == "payments"


def test_without_areas(planned: GitRepo) -> None:
    assert result("status", cwd=planned.path)["areas"] == []
    assert "no areas yet" in succeed("status", cwd=planned.path).text


def test_without_a_repository_the_branch_is_unknown(tmp_path: Path) -> None:
    write_plan(tmp_path, FILES)
    status = result("status", "payments", cwd=tmp_path)["branch_status"]
    assert status["diagnostics"] == ["git-state-unavailable"]
    assert status["task_work"]["safe"] is False
    assert result("status", cwd=tmp_path)["checked_out_branch"] is None


def test_the_unborn_branch_has_its_name(repo: GitRepo) -> None:
    write_plan(repo.path, FILES)
    status = result("status", "payments", cwd=repo.path)["branch_status"]
    assert (status["checked_out_branch"], status["branch_matches"]) == ("main", True)
    assert status["diagnostics"] == ["trunk-branch-missing"]


def test_an_unknown_area(repo: GitRepo) -> None:
    commit_payments(repo)
    refused("unknown-area", "status", "other", cwd=repo.path)


def test_it_writes_nothing(repo: GitRepo) -> None:
    commit_payments(repo)
    before = tree_state(repo.path)
    result("status", cwd=repo.path)
    result("status", "payments", cwd=repo.path)
    assert changes(before, tree_state(repo.path)) == []
