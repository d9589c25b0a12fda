"""The managed rebase, with real rebases by the installed Git."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from git_zdev.branch.rebase import AreaRebase
from git_zdev.disk.atomic import Disk
from git_zdev.disk.rebase_record import RebaseRecord
from git_zdev.git.process import InstalledGit
from git_zdev.git.read.discovery import discover
from git_zdev.git.read.repository import open_repository
from git_zdev.ground import values
from git_zdev.ground.errors import ZdevError
from git_zdev.plan.records.model import Area, Project

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

PROJECT = Project(name="demo", record="project", trunk="main")


def rebase_of(repo: GitRepo, anchor: str | None, **changes: str | None) -> AreaRebase:
    area = Area("pay", "Pay", "Pay", branch="work", base_commit=anchor)
    area = values.replace(area, **changes)  # type: ignore[arg-type]
    location = discover(str(repo.path), os.environ)
    return AreaRebase(
        area,
        {"pay": area},
        PROJECT,
        refs=open_repository(location, os.environ),
        git=InstalledGit(location, os.environ),
        record=RebaseRecord(Disk(), location.git_dir),
    )


def refused(repo: GitRepo, anchor: str | None, **changes: str | None) -> ZdevError:
    before = repo.git("for-each-ref"), repo.git("status", "--porcelain")
    with pytest.raises(ZdevError) as caught:
        rebase_of(repo, anchor, **changes).start()
    assert (repo.git("for-each-ref"), repo.git("status", "--porcelain")) == before
    return caught.value


@pytest.fixture
def base(repo: GitRepo) -> str:
    """``work`` has one commit of its own above ``main``, and is checked out."""
    commit = repo.commit("base", a="base\n")
    repo.git("checkout", "-q", "-b", "work")
    repo.commit("work", w="work\n")
    return commit


def advance(repo: GitRepo, name: str = "m", content: str = "main\n") -> str:
    """One commit more on ``main``; ``work`` is checked out again."""
    repo.git("checkout", "-q", "main")
    commit = repo.commit("main", **{name: content})
    repo.git("checkout", "-q", "work")
    return commit


def test_nothing_to_do(repo: GitRepo, base: str) -> None:
    outcome = rebase_of(repo, base).start()
    assert outcome.as_document() == {
        "area": "pay",
        "base_commit": base,
        "branch": "work",
        "effective_base": {"area": None, "branch": "main", "kind": "trunk"},
        "fresh": True,
        "status": "unchanged",
    }
    assert not outcome.moves_anchor


def test_a_stale_branch_is_rebased(repo: GitRepo, base: str) -> None:
    newer = advance(repo)
    outcome = rebase_of(repo, base).start()
    assert (outcome.status, outcome.base_commit, outcome.fresh) == ("rebased", newer, True)
    assert outcome.moves_anchor
    assert repo.rev("work~1") == newer
    assert repo.git("symbolic-ref", "HEAD") == "refs/heads/work"


def test_only_the_areas_own_commits_are_replayed(repo: GitRepo, base: str) -> None:
    """After the base was rewritten, the commits before the anchor are not taken along."""
    repo.git("checkout", "-q", "main")
    old = repo.commit("old main", m="old\n")
    repo.git("checkout", "-q", "work")
    repo.git("rebase", "-q", "main")
    repo.git("checkout", "-q", "main")
    repo.git("reset", "-q", "--hard", base)
    new = repo.commit("new main", n="new\n")
    repo.git("checkout", "-q", "work")
    assert rebase_of(repo, old).start().base_commit == new
    assert repo.git("log", "--format=%s", "work") == "work\nnew main\nbase"


def test_other_branches_stay(repo: GitRepo, base: str) -> None:
    repo.git("config", "rebase.updateRefs", "true")
    repo.git("branch", "other")
    tip = repo.rev("other")
    repo.commit("more", x="x\n")
    advance(repo)
    rebase_of(repo, base).start()
    assert repo.rev("other") == tip


def test_a_fresh_branch_only_records_its_anchor(repo: GitRepo, base: str) -> None:
    newer = advance(repo)
    repo.git("rebase", "-q", "main")
    tip = repo.rev("work")
    for anchor in (base, None, "0" * 40):
        outcome = rebase_of(repo, anchor).start()
        assert (outcome.status, outcome.base_commit, outcome.fresh) == ("updated", newer, True)
        assert outcome.moves_anchor
    assert repo.rev("work") == tip


def test_merges_of_the_base_itself_do_not_matter(repo: GitRepo, base: str) -> None:
    repo.git("checkout", "-q", "-b", "side", "main")
    repo.commit("side", s="side\n")
    repo.git("checkout", "-q", "main")
    repo.commit("main", m="main\n")
    repo.git("merge", "-q", "--no-edit", "side")
    merge = repo.rev("main")
    repo.git("checkout", "-q", "work")
    assert rebase_of(repo, base).start().status == "rebased"
    assert rebase_of(repo, base).start().status == "updated"
    assert rebase_of(repo, merge).start().status == "unchanged"


def test_a_merged_base_is_refused(repo: GitRepo, base: str) -> None:
    advance(repo)
    repo.git("merge", "-q", "--no-edit", "main")
    assert refused(repo, base).code == "merge-history"


@pytest.mark.parametrize(
    ("prepare", "code"),
    [
        (("checkout", "-q", "main"), "wrong-branch"),
        (("checkout", "-q", "--detach"), "detached-head"),
        (("bisect", "start"), "git-operation-in-progress"),
    ],
)
def test_the_branch_must_be_ready(
    repo: GitRepo, base: str, prepare: tuple[str, ...], code: str
) -> None:
    advance(repo)
    repo.git(*prepare)
    assert refused(repo, base).code == code


@pytest.mark.parametrize(
    ("anchor", "code"),
    [(None, "base-anchor-unbound"), ("0" * 40, "base-anchor-missing")],
)
def test_a_stale_branch_needs_its_anchor(
    repo: GitRepo, base: str, anchor: str | None, code: str
) -> None:
    advance(repo)
    assert refused(repo, anchor).code == code


def test_the_base_must_exist(repo: GitRepo, base: str) -> None:
    assert refused(repo, base, parent="gone").code == "parent-area-missing"
    repo.git("branch", "-q", "-D", "main")
    assert refused(repo, base).code == "effective-base-missing"


def test_a_dirty_work_tree_is_gits_to_refuse(repo: GitRepo, base: str) -> None:
    advance(repo)
    repo.git("config", "rebase.autoStash", "true")
    repo.write("w", "changed\n")
    error = refused(repo, base)
    assert error.code == "git-failed"
    assert "unstaged changes" in error.said


def test_trunk_areas_have_nothing_to_rebase(repo: GitRepo, base: str) -> None:
    with pytest.raises(ZdevError, match="trunk itself"):
        rebase_of(repo, None, mode="trunk", branch=None)


def test_an_area_on_its_own_base_has_nothing_to_rebase(repo: GitRepo, base: str) -> None:
    repo.git("checkout", "-q", "main")
    outcome = rebase_of(repo, None, branch="main").start()
    assert (outcome.status, outcome.moves_anchor) == ("unchanged", False)


# Conflicts


@pytest.fixture
def stopped(repo: GitRepo, base: str) -> str:
    """The rebase of ``work`` has stopped with a conflict in ``a``; gives the base's tip."""
    repo.commit("work on a", a="work\n")
    newer = advance(repo, "a", "main\n")
    with pytest.raises(ZdevError) as caught:
        rebase_of(repo, base).start()
    assert caught.value.code == "rebase-conflict"
    for words in ("git zdev area rebase pay --continue", "git rebase --abort"):
        assert words in caught.value.hint
    assert "Merge conflict in a\n" in caught.value.said
    assert "hint:" not in caught.value.said
    assert "\r" not in caught.value.said
    return newer


def resolve(repo: GitRepo) -> None:
    repo.write("a", "both\n")
    repo.git("add", "a")


def test_a_resolved_conflict_goes_on(repo: GitRepo, base: str, stopped: str) -> None:
    resolve(repo)
    outcome = rebase_of(repo, base).proceed()
    assert (outcome.status, outcome.base_commit, outcome.fresh) == ("rebased", stopped, True)
    assert repo.git("log", "--format=%s", "work") == "work on a\nwork\nmain\nbase"


def test_an_unresolved_conflict_stops_again(repo: GitRepo, base: str, stopped: str) -> None:
    with pytest.raises(ZdevError) as caught:
        rebase_of(repo, base).proceed()
    assert caught.value.code == "rebase-conflict"


def test_gits_own_way_on_is_as_good(repo: GitRepo, base: str, stopped: str) -> None:
    resolve(repo)
    repo.git("rebase", "--continue", env={"GIT_EDITOR": "true"})
    outcome = rebase_of(repo, base).start()
    assert (outcome.status, outcome.base_commit) == ("updated", stopped)


def test_the_base_may_move_on_meanwhile(repo: GitRepo, base: str, stopped: str) -> None:
    tree = repo.rev("main^{tree}")
    newest = repo.git("commit-tree", tree, "-p", "main", "-m", "newest")
    repo.git("update-ref", "refs/heads/main", newest)
    resolve(repo)
    outcome = rebase_of(repo, base).proceed()
    assert (outcome.base_commit, outcome.fresh) == (stopped, False)


def test_giving_up_restores_the_branch(repo: GitRepo, base: str, stopped: str) -> None:
    outcome = rebase_of(repo, base).abort()
    assert (outcome.status, outcome.base_commit, outcome.moves_anchor) == ("aborted", base, False)
    assert outcome.fresh is False
    assert repo.git("log", "-1", "--format=%s") == "work on a"
    assert repo.git("symbolic-ref", "HEAD") == "refs/heads/work"


@pytest.mark.parametrize("verb", ["proceed", "abort"])
def test_without_a_rebase_there_is_nothing_to_go_on_with(
    repo: GitRepo, base: str, verb: str
) -> None:
    with pytest.raises(ZdevError) as caught:
        getattr(rebase_of(repo, base), verb)()
    assert caught.value.code == "no-rebase-in-progress"


@pytest.mark.parametrize("verb", ["proceed", "abort"])
@pytest.mark.parametrize("backend", ["--merge", "--apply"])
def test_another_rebase_is_left_alone(repo: GitRepo, base: str, verb: str, backend: str) -> None:
    repo.commit("work on a", a="work\n")
    repo.git("branch", "other")
    advance(repo, "a", "main\n")
    repo.git("checkout", "-q", "other")
    repo.git("rebase", backend, "main", check=False)
    with pytest.raises(ZdevError, match="it rebases other") as caught:
        getattr(rebase_of(repo, base), verb)()
    assert caught.value.code == "foreign-rebase"
    assert (repo.path / ".git" / f"rebase-{backend[2:]}").is_dir()


def test_a_rebase_onto_something_else_is_left_alone(repo: GitRepo, base: str) -> None:
    repo.commit("work on a", a="work\n")
    repo.git("checkout", "-q", "-b", "elsewhere", "main")
    repo.commit("elsewhere", a="elsewhere\n")
    repo.git("checkout", "-q", "work")
    repo.git("rebase", "elsewhere", check=False)
    with pytest.raises(ZdevError, match="not a commit of main"):
        rebase_of(repo, base).proceed()


def test_a_rebase_by_hand_onto_the_base_is_the_areas_own(repo: GitRepo, base: str) -> None:
    repo.commit("work on a", a="work\n")
    newer = advance(repo, "a", "main\n")
    repo.git("rebase", "--apply", "main", check=False)
    resolve(repo)
    assert rebase_of(repo, base).proceed().base_commit == newer
