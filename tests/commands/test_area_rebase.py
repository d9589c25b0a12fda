"""``git zdev area rebase`` on real repositories, with Git's own rebase."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.cli import changes, refused, result, succeed, tree_state, zdev
from tests.support.faults import TOML, advance, anchor, make_area
from tests.support.plan import CONFIG, write_empty_area, write_plan

if TYPE_CHECKING:
    from tests.support.repo import GitRepo


@pytest.fixture
def personal(planned: GitRepo) -> GitRepo:
    return make_area(planned, "personal")


@pytest.fixture
def tracked(planned: GitRepo) -> GitRepo:
    return make_area(planned, "project")


def rebase(repo: GitRepo, *words: str) -> dict[str, Any]:
    return result("area rebase", "payments", *words, cwd=repo.path)


def expected(status: str, base_commit: str, *, fresh: bool = True) -> dict[str, Any]:
    return {
        "area": "payments",
        "base_commit": base_commit,
        "branch": "payments",
        "effective_base": {"area": None, "branch": "main", "kind": "trunk"},
        "fresh": fresh,
        "schema_version": 1,
        "status": status,
    }


def test_a_stale_branch_is_rebased_and_its_anchor_recorded(personal: GitRepo) -> None:
    tip = advance(personal)
    assert rebase(personal) == expected("rebased", tip)
    assert anchor(personal) == tip
    assert personal.rev("payments~1") == tip
    assert personal.git("log", "-1", "--format=%s") == "Work"
    assert rebase(personal) == expected("unchanged", tip)


def test_a_fresh_branch_changes_nothing(personal: GitRepo) -> None:
    before = tree_state(personal.path)
    assert rebase(personal) == expected("unchanged", personal.rev("main"))
    assert changes(before, tree_state(personal.path)) == []


def test_a_branch_that_was_rebased_by_hand_gets_its_anchor(personal: GitRepo) -> None:
    tip = advance(personal)
    personal.git("rebase", "-q", "main")
    assert rebase(personal) == expected("updated", tip)
    assert anchor(personal) == tip


def test_a_tracked_record_stays_to_be_committed(tracked: GitRepo) -> None:
    tip = advance(tracked)
    assert rebase(tracked) == expected("rebased", tip)
    assert tracked.git("status", "--porcelain") == f" M {TOML}"


def test_commit_commits_the_anchor_alone(tracked: GitRepo) -> None:
    tip = advance(tracked)
    made = rebase(tracked, "--commit")
    assert made == expected("rebased", tip) | {
        "commit": tracked.rev("payments"),
        "paths": [TOML],
    }
    assert tracked.git("show", "--format=%B", "--name-only", "HEAD") == (
        f"Record the base commit of payments\n\n\n{TOML}"
    )
    assert tracked.git("status", "--porcelain") == ""
    assert rebase(tracked, "--commit") == expected("unchanged", tip)


def test_commit_of_an_update_leaves_other_work_alone(tracked: GitRepo) -> None:
    tip = advance(tracked)
    tracked.git("rebase", "-q", "main")
    tracked.write("work.txt", "more\n")
    tracked.write("new.txt", "new\n")
    tracked.git("add", "new.txt")
    assert rebase(tracked, "--commit")["status"] == "updated"
    assert tracked.git("status", "--porcelain") == "A  new.txt\n M work.txt"
    assert anchor(tracked) == tip


def test_commit_takes_no_other_change_of_the_record(tracked: GitRepo) -> None:
    advance(tracked)
    tracked.git("rebase", "-q", "main")
    path = tracked.path / TOML
    path.write_text(f"# mine\n{path.read_text()}")
    error = refused("records-changed", "area", "rebase", "payments", "--commit", cwd=tracked.path)
    assert error["details"] == {"paths": [TOML]}


def test_commit_of_a_personal_record(personal: GitRepo) -> None:
    advance(personal)
    refused("personal-record", "area", "rebase", "payments", "--commit", cwd=personal.path)


def test_commit_of_a_record_that_is_not_tracked(tracked: GitRepo) -> None:
    advance(tracked)
    tracked.git("rm", "-q", "--cached", "-r", ".zdev")
    tracked.commit("Untrack")
    refused("record-not-tracked", "area", "rebase", "payments", "--commit", cwd=tracked.path)


def conflict(repo: GitRepo) -> str:
    """Stop a managed rebase at a conflict in ``work.txt``; gives the base's tip."""
    tip = advance(repo, work__txt="main's\n")
    run = zdev("area", "rebase", "payments", cwd=repo.path)
    assert (run.status, run.stdout) == (1, b"")
    assert "git zdev area rebase payments --continue" in run.error_text
    assert "git rebase --continue" in run.error_text
    return tip


@pytest.mark.parametrize("record", ["personal", "project"])
def test_a_conflict_and_on(record: str, planned: GitRepo) -> None:
    repo = make_area(planned, record)
    old, before = anchor(repo), repo.rev("payments")
    tip = conflict(repo)
    assert repo.rev("payments") == before
    assert anchor(repo) == old
    repo.write("work.txt", "both\n")
    repo.git("add", "work.txt")
    assert rebase(repo, "--continue") == expected("rebased", tip)
    assert anchor(repo) == tip
    assert repo.git("show", "payments:work.txt") == "both"


@pytest.mark.parametrize("record", ["personal", "project"])
def test_a_conflict_and_back(record: str, planned: GitRepo) -> None:
    repo = make_area(planned, record)
    old, before = anchor(repo), repo.rev("payments")
    conflict(repo)
    assert rebase(repo, "--abort") == expected("aborted", old, fresh=False)
    assert (repo.rev("payments"), anchor(repo)) == (before, old)
    assert repo.git("status", "--porcelain") == ""
    assert not (repo.path / ".git/rebase-merge").exists()


def test_a_conflict_before_the_record_is_there(planned: GitRepo) -> None:
    planned.git("switch", "-q", "-c", "payments")
    planned.commit("Work", work__txt="work\n")
    fork = planned.rev("main")
    write_empty_area(
        planned.path, "payments", branch="payments", lifecycle="open", base_commit=fork
    )
    planned.git("add", ".zdev")
    planned.commit("Plan")
    tip = conflict(planned)
    assert not (planned.path / TOML).exists()
    planned.write("work.txt", "both\n")
    planned.git("add", "work.txt")
    assert rebase(planned, "--continue") == expected("rebased", tip)
    assert anchor(planned) == tip


@pytest.mark.parametrize(("option", "status"), [("--continue", "rebased"), ("--abort", "aborted")])
def test_a_conflict_before_the_plan_of_a_folder_is_there(
    planned: GitRepo, option: str, status: str
) -> None:
    """Discovery cannot find the plan then: it would take the one of the folder above."""
    inner = planned.path / "inner"
    inner.mkdir()
    planned.git("switch", "-q", "-c", "payments")
    planned.commit("Work", work__txt="work\n")
    fork = planned.rev("main")
    write_plan(inner, {"config.toml": CONFIG})
    write_empty_area(inner, "payments", branch="payments", lifecycle="open", base_commit=fork)
    planned.git("add", "inner")
    planned.commit("Plan")
    before = planned.rev("payments")
    tip = advance(planned, work__txt="main's\n")
    assert zdev("area", "rebase", "payments", cwd=inner).status == 1
    inner.mkdir(exist_ok=True)
    assert not (inner / TOML).exists()
    planned.write("work.txt", "both\n")
    planned.git("add", "work.txt")
    done = result("area rebase", "payments", option, cwd=inner)
    anchored, fresh = (tip, True) if status == "rebased" else (fork, False)
    assert done == expected(status, anchored, fresh=fresh)
    assert f'base_commit = "{anchored}"' in (inner / TOML).read_text()
    assert status == "rebased" or planned.rev("payments") == before


@pytest.mark.parametrize(("option", "status"), [("--continue", "rebased"), ("--abort", "aborted")])
def test_the_record_counts_as_the_branch_had_it(tracked: GitRepo, option: str, status: str) -> None:
    """The conflict comes before the commit that records the newer anchor."""
    older, recorded = anchor(tracked), advance(tracked)
    rebase(tracked, "--commit")
    tip = conflict(tracked)
    assert anchor(tracked) == older
    tracked.write("work.txt", "both\n")
    tracked.git("add", "work.txt")
    anchored, fresh = (tip, True) if status == "rebased" else (recorded, False)
    assert rebase(tracked, option) == expected(status, anchored, fresh=fresh)
    assert anchor(tracked) == anchored


def test_in_between_only_what_ends_the_rebase_is_told(personal: GitRepo) -> None:
    conflict(personal)
    text = succeed("status", "payments", cwd=personal.path).text
    assert "\nBranch: payments (rebase in progress)\n" in text
    warnings = text.partition("\n\n")[2]
    assert warnings == (
        "warning: a Git operation is in progress in this work tree: rebase. Finish it with "
        "`git zdev area rebase payments --continue`, or undo it with "
        "`git zdev area rebase payments --abort`.\n"
    )


def test_what_git_says_of_a_conflict_stays_as_it_is(personal: GitRepo) -> None:
    advance(personal, work__txt="main\n")
    run = zdev("area", "rebase", "payments", cwd=personal.path)
    first, *said, remedy = run.error_text.splitlines()
    assert first == "error: the rebase of payments is not done: `git rebase` failed:"
    assert "  CONFLICT (add/add): Merge conflict in work.txt" in said
    assert all(line.startswith("  ") for line in said)
    assert remedy.startswith("Resolve and `git add` what conflicts, then run")


def test_a_conflict_finished_with_git(personal: GitRepo) -> None:
    tip = conflict(personal)
    personal.write("work.txt", "both\n")
    personal.git("add", "work.txt")
    personal.git("rebase", "--continue", env={"GIT_EDITOR": "true"})
    assert rebase(personal) == expected("updated", tip)


def test_an_unresolved_conflict_stays_one(personal: GitRepo) -> None:
    conflict(personal)
    run = zdev("area", "rebase", "payments", "--continue", "--format=json", cwd=personal.path)
    assert (run.status, run.stdout) == (1, b"")
    assert b'"rebase-conflict"' in run.stderr


@pytest.mark.parametrize("option", ["--continue", "--abort"])
def test_no_rebase_in_progress(option: str, personal: GitRepo) -> None:
    refused("no-rebase-in-progress", "area", "rebase", "payments", option, cwd=personal.path)


@pytest.mark.parametrize("option", ["--continue", "--abort"])
def test_a_rebase_of_something_else(option: str, personal: GitRepo) -> None:
    personal.git("switch", "-q", "-c", "other")
    advance(personal, work__txt="main's\n")
    personal.git("rebase", "-q", "main", check=False)
    assert (personal.path / ".git/rebase-merge").is_dir()
    refused("foreign-rebase", "area", "rebase", "payments", option, cwd=personal.path)


def test_work_that_is_not_committed(personal: GitRepo) -> None:
    advance(personal)
    personal.write("work.txt", "more\n")
    before = personal.rev("payments")
    run = zdev("area", "rebase", "payments", cwd=personal.path)
    assert (run.status, run.stdout, personal.rev("payments")) == (1, b"", before)
    assert (personal.path / "work.txt").read_text() == "more\n"


def test_another_branch(personal: GitRepo) -> None:
    personal.git("switch", "-q", "main")
    error = refused("wrong-branch", "area", "rebase", "payments", cwd=personal.path)
    assert error["details"]["branch_status"]["checked_out_branch"] == "main"


def test_a_parents_branch_is_the_base(personal: GitRepo) -> None:
    personal.git("branch", "base", "main")
    write_empty_area(personal.path, "base", branch="base")
    result("area parent", "payments", "base", cwd=personal.path)
    personal.git("switch", "-q", "base")
    tip = personal.commit("Base goes on", base__txt="base\n")
    personal.git("switch", "-q", "payments")
    assert rebase(personal) == expected("rebased", tip) | {
        "effective_base": {"area": "base", "branch": "base", "kind": "area"}
    }


def test_a_trunk_area(planned: GitRepo) -> None:
    write_empty_area(planned.path, "general", mode="trunk")
    refused("trunk-area-rebase", "area", "rebase", "general", cwd=planned.path)


def test_an_unknown_area(personal: GitRepo) -> None:
    refused("unknown-area", "area", "rebase", "other", cwd=personal.path)


@pytest.mark.parametrize("words", [["--abort", "--continue"], ["--abort", "--commit"]])
def test_wrong_usage(words: list[str], personal: GitRepo) -> None:
    refused("usage", "area", "rebase", "payments", *words, cwd=personal.path, status=2)


def test_the_words(personal: GitRepo) -> None:
    tip = advance(personal)
    run = zdev("area", "rebase", "payments", cwd=personal.path)
    assert run.text == f"Rebased payments onto main.\nAnchor: {tip}\n"
    again = zdev("area", "rebase", "payments", cwd=personal.path)
    assert again.text == f"payments contains main already; nothing changed.\nAnchor: {tip}\n"


def test_the_words_of_a_commit(tracked: GitRepo) -> None:
    tip = advance(tracked)
    run = zdev("area", "rebase", "payments", "--commit", cwd=tracked.path)
    commit = tracked.rev("payments")
    assert run.text == f"Rebased payments onto main.\nAnchor: {tip}\nCommit: {commit}\n"
