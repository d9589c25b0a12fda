"""Every diagnostic and verdict of branch safety, on tables and on real repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.branch.gate import require_task_work_safe
from git_zdev.branch.refusals import reasons
from git_zdev.branch.safety import assess
from git_zdev.git.model import RebaseState
from git_zdev.git.read.operation import Operation
from git_zdev.ground import values
from git_zdev.ground.errors import ZdevError
from git_zdev.plan.bases import EffectiveBase, anchor_for, effective_base
from git_zdev.plan.records.model import Area, Project
from tests.support.repo import FakeRefs, GitRepo, git, opened

if TYPE_CHECKING:
    from pathlib import Path

    from git_zdev.branch.safety import BranchStatus

HISTORY: dict[str, tuple[str, ...]] = {
    "root": (), "base": ("root",), "newer": ("base",),
    "one": ("base",), "two": ("one",), "merged": ("two", "newer"), "island": (),
}  # fmt: skip
PROJECT = Project(name="demo", record="project", trunk="main")
AREA = Area("pay", "Pay", "Pay", branch="work", base_commit="base")
TRUNK_AREA = Area("ops", "Ops", "Ops", mode="trunk")


def refs(**changes: Any) -> FakeRefs:
    given: dict[str, Any] = {"branches": {"main": "base", "work": "two"}, **changes}
    return FakeRefs(parents=HISTORY, **given)


def rebasing(**changes: str) -> FakeRefs:
    """In the middle of the rebase of ``pay`` onto the tip of ``main``."""
    state = RebaseState(**{"branch": "work", "onto": "newer", "original": "two", **changes})
    return refs(
        branches=branches("newer"),
        checked_out=None,
        at="newer",
        under_way=Operation.REBASE,
        rebasing=state,
    )


def status(area: Area = AREA, source: FakeRefs | None = None, **project: Any) -> BranchStatus:
    up = Area("up", "Up", "Up", branch="gone")
    areas = {"pay": AREA, "ops": TRUNK_AREA, "up": up, area.tag: area}
    config = values.replace(PROJECT, **project)
    return assess(area, areas, config, refs() if source is None else source)


def area(**changes: Any) -> Area:
    return values.replace(AREA, **changes)


def branches(main: str | None = "base", work: str | None = "two", **more: str) -> dict[str, str]:
    named = {"main": main, "work": work, **more}
    return {name: commit for name, commit in named.items() if commit}


def test_a_fresh_area_on_its_branch_is_safe() -> None:
    assert status().as_document() == {
        "anchor_valid": True,
        "base_commit": "base",
        "branch": "work",
        "branch_matches": True,
        "checked_out_branch": "work",
        "diagnostics": ["fresh"],
        "effective_base": {"area": None, "branch": "main", "kind": "trunk"},
        "finalized": True,
        "fresh": True,
        "linear_history": True,
        "mode": "isolated",
        "parent_area": None,
        "task_work": {
            "git_operation": None,
            "safe": True,
            "stale_advisory": False,
            "structurally_safe": True,
        },
    }


def test_documents_have_sorted_keys() -> None:
    document = status().as_document()
    for part in (document, document["effective_base"], document["task_work"]):
        assert list(part) == sorted(part)


ISOLATED = [
    # name, area, refs, project, diagnostics, sound, matches
    ("stale", area(), refs(branches=branches("newer")), {}, ["stale"], True, True),
    ("needs finalization", area(base_commit="root"), refs(), {},
     ["base-anchor-needs-finalization"], False, True),
    ("anchor above the base's tip", area(base_commit="one"), refs(), {},
     ["base-anchor-needs-finalization"], False, True),
    ("wrong branch", area(), refs(checked_out="main"), {}, ["wrong-branch", "fresh"], True, False),
    ("detached", area(), refs(checked_out=None), {}, ["detached-head", "fresh"], True, None),
    ("rebasing", area(), refs(under_way=Operation.REBASE, checked_out=None), {},
     ["git-operation-in-progress", "detached-head", "fresh"], False, None),
    ("merging", area(), refs(under_way=Operation.MERGE), {},
     ["git-operation-in-progress", "fresh"], False, True),
    ("unreadable", area(), refs(broken=True), {}, ["git-state-unavailable"], False, None),
    ("unreadable and unbound", area(base_commit=None), refs(broken=True), {"trunk": None},
     ["git-state-unavailable", "project-trunk-unbound", "base-anchor-unbound"], False, None),
    ("no trunk", area(), refs(), {"trunk": None}, ["project-trunk-unbound"], False, True),
    ("no parent", area(parent="gone"), refs(), {}, ["parent-area-missing"], False, True),
    ("unbound parent", area(parent="ops"), refs(), {"trunk": None},
     ["effective-base-unbound"], False, True),
    ("no anchor", area(base_commit=None), refs(), {},
     ["base-anchor-unbound", "base-anchor-needs-finalization"], False, True),
    ("lost anchor", area(base_commit="lost"), refs(), {},
     ["base-anchor-missing", "base-anchor-needs-finalization"], False, True),
    ("anchor elsewhere", area(base_commit="newer"), refs(branches=branches("newer")), {},
     ["base-anchor-not-contained", "stale"], False, True),
    ("merged", area(), refs(branches=branches("newer", "merged")), {},
     ["merge-history", "base-anchor-needs-finalization"], False, True),
    ("merged and elsewhere", area(base_commit="island"), refs(branches=branches("newer", "merged")),
     {}, ["base-anchor-not-contained", "merge-history", "base-anchor-needs-finalization"], False,
     True),
    ("no base branch", area(), refs(branches=branches(None)), {},
     ["effective-base-missing"], False, True),
    ("no area branch", area(), refs(branches=branches(work=None)), {},
     ["area-branch-missing"], False, True),
    ("neither", area(), refs(branches={}, checked_out="main"), {},
     ["wrong-branch", "effective-base-missing", "area-branch-missing"], False, False),
    ("neither, lost anchor", area(base_commit="lost"), refs(branches={}), {},
     ["base-anchor-missing", "effective-base-missing", "area-branch-missing"], False, True),
    ("hidden history", area(), refs(hidden=frozenset({"one"})), {},
     ["history-unavailable", "ancestry-unavailable"], False, True),
    ("hidden base", area(base_commit="one"), refs(branches=branches("newer"),
     hidden=frozenset({"one"})), {}, ["ancestry-unavailable"], False, True),
    ("same branch", area(branch="main", base_commit=None), refs(checked_out="main"), {},
     ["fresh"], True, True),
    ("same branch elsewhere", area(branch="main", base_commit="root"), refs(), {},
     ["wrong-branch", "fresh"], True, False),
    ("same branch, missing", area(branch="main"), refs(branches={}, checked_out="main"), {},
     ["effective-base-missing", "area-branch-missing"], False, True),
    ("same branch, merging", area(branch="main"), refs(checked_out="main",
     under_way=Operation.MERGE), {}, ["git-operation-in-progress", "fresh"], False, True),
]  # fmt: skip


@pytest.mark.parametrize(
    ("subject", "source", "project", "diagnostics", "sound", "matches"),
    [row[1:] for row in ISOLATED],
    ids=[row[0] for row in ISOLATED],
)
def test_isolated_areas(
    subject: Area,
    source: FakeRefs,
    project: dict[str, Any],
    diagnostics: list[str],
    sound: bool,
    matches: bool | None,
) -> None:
    found = status(subject, source, **project)
    assert list(found.diagnostics) == diagnostics
    assert found.structurally_safe is sound
    assert found.branch_matches is matches
    assert found.safe is (sound and matches is True)
    assert found.stale_advisory is (found.safe and diagnostics == ["stale"])


@pytest.mark.parametrize(
    ("subject", "source", "expected"),
    [
        # anchor_valid, linear_history, fresh, finalized
        (area(), refs(), (True, True, True, True)),
        (area(base_commit=None), refs(), (None, None, True, False)),
        (area(base_commit="lost"), refs(), (None, None, True, False)),
        (area(base_commit="newer"), refs(branches=branches("newer")), (False, True, False, False)),
        (area(), refs(branches=branches(work=None)), (None, None, None, None)),
        (area(), refs(branches=branches(main=None)), (True, True, None, None)),
        (area(), refs(branches=branches("newer", "merged")), (True, False, True, False)),
        (area(base_commit="newer"), refs(branches=branches("newer", "merged")),
         (True, False, True, True)),
        (area(), refs(hidden=frozenset({"one"})), (None, None, None, None)),
        (area(), refs(broken=True), (None, None, None, None)),
    ],
)  # fmt: skip
def test_three_valued_facts(subject: Area, source: FakeRefs, expected: tuple[Any, ...]) -> None:
    found = status(subject, source)
    facts = (found.anchor_valid, found.linear_history, found.fresh, found.finalized)
    assert facts == expected


@pytest.mark.parametrize(
    ("source", "trunk", "diagnostics", "sound", "fresh"),
    [
        (refs(checked_out="main"), "main", [], True, True),
        (refs(), "main", ["wrong-branch"], True, True),
        (refs(checked_out=None), "main", ["detached-head"], True, True),
        (refs(checked_out="main"), "other", ["wrong-branch", "trunk-branch-missing"], False, None),
        (refs(checked_out="main"), None, ["wrong-branch", "project-trunk-unbound"], False, None),
        (refs(checked_out="main", under_way=Operation.BISECT), "main",
         ["git-operation-in-progress"], False, True),
        (refs(broken=True), "main", ["git-state-unavailable"], False, None),
        (refs(checked_out="main", hidden=frozenset({"base"})), "main", [], True, True),
    ],
)  # fmt: skip
def test_trunk_areas(
    source: FakeRefs, trunk: str | None, diagnostics: list[str], sound: bool, fresh: bool | None
) -> None:
    found = status(TRUNK_AREA, source, trunk=trunk)
    assert list(found.diagnostics) == diagnostics
    assert (found.structurally_safe, found.fresh, found.branch) == (sound, fresh, trunk)
    assert found.effective_base == EffectiveBase("trunk", None, trunk)
    facts = (found.anchor_valid, found.linear_history, found.finalized, found.stale_advisory)
    assert facts == (None, None, None, False)


def test_no_repository_at_all() -> None:
    found = assess(AREA, {"pay": AREA}, PROJECT, None)
    assert found.diagnostics == ("git-state-unavailable",)
    assert not found.safe


def test_the_base_is_the_parents_branch_or_the_trunk() -> None:
    child = area(tag="child", parent="pay", branch="child")
    areas = {"pay": AREA, "child": child, "ops": TRUNK_AREA}
    assert effective_base(child, areas, PROJECT) == EffectiveBase("area", "pay", "work")
    assert effective_base(AREA, areas, PROJECT) == EffectiveBase("trunk", None, "main")
    on_trunk = area(parent="ops")
    assert effective_base(on_trunk, areas, PROJECT) == EffectiveBase("area", "ops", "main")
    found = assess(child, areas, PROJECT, refs(branches=branches(child="two"), checked_out="child"))
    assert found.parent_area == "pay"
    assert found.effective_base.as_document() == {"area": "pay", "branch": "work", "kind": "area"}


def test_the_advisory_is_given_for_stale_branches_only() -> None:
    stale = status(AREA, refs(branches=branches("newer")))
    assert stale.advisory == (
        "Advisory: run `git zdev area rebase pay` when you need current base changes"
    )
    assert status().advisory is None
    assert status(AREA, refs(branches=branches("newer"), checked_out="main")).advisory is None


# The gate


@pytest.mark.parametrize(
    ("subject", "source", "project", "code", "words"),
    [
        (area(), refs(under_way=Operation.SEQUENCER, checked_out=None), {},
         "git-operation-in-progress", "sequenced Git operation. `git status` says how"),
        (area(), refs(under_way=Operation.MERGE), {}, "git-operation-in-progress",
         "`git merge --abort`"),
        (area(), refs(under_way=Operation.BISECT, checked_out=None), {},
         "git-operation-in-progress", "End it with `git bisect reset`"),
        (area(), rebasing(), {}, "git-operation-in-progress",
         "area rebase pay --continue`, or undo it with `git zdev area rebase pay --abort`"),
        (area(), rebasing(branch="other"), {}, "git-operation-in-progress",
         "Finish it with `git rebase --continue`"),
        (area(), rebasing(onto="island"), {}, "git-operation-in-progress",
         "Finish it with `git rebase --continue`"),
        (area(), rebasing(original="one"), {}, "git-operation-in-progress",
         "Finish it with `git rebase --continue`"),
        (area(), refs(checked_out=None), {}, "detached-head", "git switch work"),
        (area(), refs(checked_out="main"), {}, "wrong-branch", "the branch main is checked out"),
        (area(), refs(checked_out="main", elsewhere={"work": "/away"}), {}, "wrong-branch",
         "Change to /away, the work tree that has work checked out"),
        (area(), refs(checked_out=None, elsewhere={"work": "/away"}), {}, "detached-head",
         "Change to /away, the work tree that has work checked out"),
        (area(), refs(), {"trunk": None}, "project-trunk-unbound", "git zdev config trunk"),
        (area(parent="gone"), refs(), {}, "parent-area-missing", "parent area gone of pay"),
        (area(parent="ops"), refs(), {"trunk": None}, "effective-base-unbound", "ops"),
        (area(), refs(branches=branches(work=None), checked_out="main"), {},
         "area-branch-missing", "git switch -c work"),
        (area(), refs(branches=branches(main=None)), {},
         "effective-base-missing", "base branch main of pay does not exist"),
        (area(), refs(branches=branches(main=None)), {}, "effective-base-missing",
         "or name another trunk with `git zdev config trunk <branch>`"),
        (area(parent="up"), refs(), {}, "effective-base-missing",
         "or bind its area to another with `git zdev area bind up <branch>`"),
        (TRUNK_AREA, refs(branches={}, checked_out="main"), {}, "trunk-branch-missing",
         "the trunk branch main has no commits yet. Make its first commit with `git commit`"),
        (area(), refs(branches={}, checked_out="main"), {}, "area-branch-missing",
         "Make the first commit on main, then run `git switch -c work`"),
        (area(), refs(branches=branches(work=None)), {}, "area-branch-missing",
         "the branch work of pay has no commits yet. Make its first commit"),
        (area(), refs(branches=branches(None, None), checked_out="new"), {"trunk": "main"},
         "area-branch-missing", "Make the first commit on new"),
        (TRUNK_AREA, refs(branches={}, checked_out="new"), {}, "trunk-branch-missing",
         "Make the first commit on it (`git switch -c main`, then `git commit`)"),
        (area(base_commit=None), refs(), {}, "base-anchor-unbound", "git zdev area bind pay work"),
        (area(base_commit="lost"), refs(), {}, "base-anchor-missing", "base commit lost"),
        (area(base_commit="newer"), refs(branches=branches("newer")), {},
         "base-anchor-not-contained", "does not contain"),
        (area(), refs(branches=branches("newer", "merged")), {}, "merge-history", "git rebase"),
        (area(base_commit="root"), refs(), {},
         "base-anchor-needs-finalization", "git zdev area rebase pay"),
        (area(), refs(hidden=frozenset({"one"})), {}, "history-unavailable", "--unshallow"),
        (area(base_commit="one"), refs(branches=branches("newer"), hidden=frozenset({"one"})), {},
         "ancestry-unavailable", "--unshallow"),
        (area(), refs(broken=True), {}, "git-state-unavailable", "git status"),
        (TRUNK_AREA, refs(), {"trunk": None}, "project-trunk-unbound", "ops starts from"),
        (TRUNK_AREA, refs(), {"trunk": "other"}, "trunk-branch-missing", "other does not exist"),
        (TRUNK_AREA, refs(), {}, "wrong-branch", "git switch main"),
    ],
)  # fmt: skip
def test_the_gate_says_what_to_do(
    subject: Area, source: FakeRefs, project: dict[str, Any], code: str, words: str
) -> None:
    found = status(subject, source, **project)
    with pytest.raises(ZdevError) as caught:
        require_task_work_safe(found)
    assert caught.value.code == code
    assert words in str(caught.value)
    assert "None" not in str(caught.value)
    assert caught.value.hint
    assert caught.value.details == {"branch_status": found.as_document()}


def test_an_operation_is_the_only_reason_while_it_is_under_way() -> None:
    assert [name for name, _, _ in reasons(status(AREA, rebasing()))] == [
        "git-operation-in-progress"
    ]


def test_an_anchor_that_is_not_there_is_not_called_old() -> None:
    found = status(area(base_commit=None))
    assert "base-anchor-needs-finalization" in found.diagnostics
    assert [name for name, _, _ in reasons(found)] == ["base-anchor-unbound"]


def test_no_anchor_is_asked_for_before_there_is_a_base() -> None:
    found = status(area(base_commit=None), refs(branches={}, checked_out="main"))
    assert [name for name, _, _ in reasons(found)] == [
        *("area-branch-missing", "effective-base-missing", "wrong-branch")
    ]


def test_the_gate_passes_safe_and_stale_branches() -> None:
    require_task_work_safe(status())
    require_task_work_safe(status(AREA, refs(branches=branches("newer"))))
    require_task_work_safe(status(TRUNK_AREA, refs(checked_out="main")))


@pytest.mark.parametrize("row", ISOLATED, ids=[row[0] for row in ISOLATED])
def test_the_gate_refuses_all_that_is_not_safe(row: tuple[Any, ...]) -> None:
    found = status(row[1], row[2], **row[3])
    if found.safe:
        require_task_work_safe(found)
    else:
        with pytest.raises(ZdevError):
            require_task_work_safe(found)


# The anchor


@pytest.mark.parametrize(
    ("source", "branch", "base", "anchor"),
    [
        (refs(), "work", "main", "base"),
        (refs(), "new", "main", "base"),
        (refs(branches=branches("newer")), "work", "main", "base"),
        (refs(branches=branches("newer", "merged")), "work", "main", "newer"),
        (refs(), "main", "main", "base"),
        (refs(branches={}), "work", "main", None),
        (refs(), "work", None, None),
    ],
)
def test_anchors(source: FakeRefs, branch: str, base: str | None, anchor: str | None) -> None:
    assert anchor_for(source, branch, EffectiveBase("trunk", None, base)) == anchor


def test_an_anchor_needs_a_common_commit() -> None:
    source = refs(branches=branches(main="island"))
    with pytest.raises(ZdevError, match="no commit in common") as caught:
        anchor_for(source, "work", EffectiveBase("trunk", None, "main"))
    assert caught.value.code == "unrelated-history"


# Real repositories


def real(repo: GitRepo | Path, subject: Area, *others: Area) -> BranchStatus:
    path = repo.path if isinstance(repo, GitRepo) else repo
    areas = {each.tag: each for each in (subject, *others)}
    return assess(subject, areas, PROJECT, opened(path))


def isolated(anchor: str | None, branch: str = "work", **more: Any) -> Area:
    return Area("pay", "Pay", "Pay", branch=branch, base_commit=anchor, **more)


def test_the_life_of_an_area(repo: GitRepo) -> None:
    assert real(repo, isolated(None)).diagnostics == (
        "wrong-branch", "base-anchor-unbound", "effective-base-missing", "area-branch-missing",
    )  # fmt: skip
    base = repo.commit()
    repo.git("checkout", "-q", "-b", "work")
    assert real(repo, isolated(base)).safe
    repo.commit()
    assert real(repo, isolated(base)).diagnostics == ("fresh",)
    repo.git("checkout", "-q", "main")
    newer = repo.commit()
    assert real(repo, isolated(base)).diagnostics == ("wrong-branch", "stale")
    repo.git("checkout", "-q", "work")
    assert real(repo, isolated(base)).stale_advisory
    repo.git("rebase", "-q", "main")
    assert real(repo, isolated(base)).diagnostics == ("base-anchor-needs-finalization",)
    assert real(repo, isolated(newer)).safe
    repo.git("checkout", "-q", "--detach")
    assert real(repo, isolated(newer)).diagnostics == ("detached-head", "fresh")


def test_a_merged_base_is_merge_history(repo: GitRepo) -> None:
    base = repo.commit()
    repo.git("checkout", "-q", "-b", "work")
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.commit()
    repo.git("checkout", "-q", "work")
    repo.git("merge", "-q", "--no-edit", "main")
    assert real(repo, isolated(base)).diagnostics == (
        "merge-history", "base-anchor-needs-finalization",
    )  # fmt: skip


def test_a_parented_area_is_measured_against_its_parent(repo: GitRepo) -> None:
    base = repo.commit()
    repo.git("checkout", "-q", "-b", "parent")
    tip = repo.commit()
    repo.git("checkout", "-q", "-b", "work")
    parent = Area("up", "Up", "Up", branch="parent", base_commit=base)
    assert real(repo, isolated(tip, parent="up"), parent).safe
    repo.git("checkout", "-q", "parent")
    repo.commit()
    repo.git("checkout", "-q", "work")
    assert real(repo, isolated(tip, parent="up"), parent).stale_advisory


def test_a_trunk_area_and_an_unborn_trunk(repo: GitRepo) -> None:
    assert real(repo, TRUNK_AREA).diagnostics == ("trunk-branch-missing",)
    assert real(repo, TRUNK_AREA).checked_out_branch == "main"
    repo.commit()
    assert real(repo, TRUNK_AREA).safe


def test_linked_work_trees_have_their_own_verdict(repo: GitRepo, tmp_path: Path) -> None:
    base = repo.commit()
    repo.git("worktree", "add", "-q", "-b", "work", str(tmp_path / "linked"))
    assert real(tmp_path / "linked", isolated(base)).safe
    assert real(repo, isolated(base)).diagnostics == ("wrong-branch", "fresh")
    git("bisect", "start", cwd=tmp_path / "linked")
    linked = real(tmp_path / "linked", isolated(base))
    assert linked.diagnostics == ("git-operation-in-progress", "fresh")
    assert linked.git_operation == "bisect"


def test_a_conflicting_rebase_is_no_time_for_tasks(repo: GitRepo) -> None:
    base = repo.commit(a="base")
    repo.git("checkout", "-q", "-b", "work")
    repo.commit(a="work")
    repo.git("checkout", "-q", "main")
    repo.commit(a="main")
    repo.git("checkout", "-q", "work")
    repo.git("rebase", "main", check=False)
    found = real(repo, isolated(base))
    assert found.diagnostics == ("git-operation-in-progress", "detached-head", "stale")
    assert found.git_operation == "rebase"


def test_a_shallow_clone_does_not_guess(repo: GitRepo, tmp_path: Path) -> None:
    base = repo.commit()
    for _ in range(4):
        repo.commit()
    repo.git("branch", "work")
    repo.git("checkout", "-q", "work")
    repo.commit()
    path = tmp_path / "clone"
    url = f"file://{repo.path}"
    git("clone", "-q", "--depth=2", "--no-single-branch", url, str(path), cwd=tmp_path)
    git("branch", "-q", "main", "origin/main", cwd=path)
    tip = repo.rev("main")
    assert real(path, isolated(base)).diagnostics == (
        "base-anchor-missing", "base-anchor-needs-finalization",
    )  # fmt: skip
    assert real(path, isolated(tip)).safe
    git("fetch", "-q", "--depth=1", "origin", "work", "main", cwd=path)
    hidden = real(path, isolated(tip))
    assert hidden.diagnostics == ("history-unavailable", "ancestry-unavailable")
    assert (hidden.anchor_valid, hidden.linear_history, hidden.fresh) == (None, None, None)


def test_a_broken_head_is_git_state_unavailable(repo: GitRepo) -> None:
    base = repo.commit()
    (repo.path / ".git" / "refs" / "heads" / "work").write_text("garbage\n")
    assert real(repo, isolated(base)).diagnostics == ("git-state-unavailable",)
