"""How far a rebase came, from Git's notes, HEAD and the branch."""

from __future__ import annotations

from typing import Any

import pytest

from git_zdev.branch.stage import stage_of
from git_zdev.git.model import RebaseState
from tests.support.repo import FakeRefs

HISTORY: dict[str, tuple[str, ...]] = {
    "base": (), "newer": ("base",), "old": ("base",), "copy": ("newer",), "new": ("copy",),
}  # fmt: skip
KNOWN: dict[str, Any] = {"branch": "work", "onto": "newer", "original": "old"}
NOTHING: dict[str, Any] = {"branch": None, "onto": None, "original": None, "whole": False}
LOST: dict[str, Any] = {"whole": False, "resumable": False}

STAGES = [
    # Git's notes, the branch's tip, HEAD's branch or commit, the stage
    ("at a conflict", KNOWN, "old", "copy", "stopped"),
    ("before the first commit", KNOWN, "old", "newer", "stopped"),
    ("a commit is on no list", {**KNOWN, "resumable": False}, "old", "copy", "interrupted"),
    ("before the checkout", KNOWN, "old", "work", "interrupted"),
    ("HEAD was taken elsewhere", KNOWN, "old", "base", "interrupted"),
    ("the branch has moved", KNOWN, "new", "new", "finished"),
    ("HEAD is on it", KNOWN, "new", "work", "finished"),
    ("the notes were being removed", NOTHING, "new", "work", "finished"),
    ("the notes were being written", NOTHING, "old", "work", "interrupted"),
    ("recorded, before", {**KNOWN, **LOST}, "old", "work", "interrupted"),
    ("recorded, in between", {**KNOWN, **LOST}, "old", "copy", "interrupted"),
    ("recorded, afterwards", {**KNOWN, **LOST}, "new", "work", "finished"),
    ("nothing known, HEAD elsewhere", NOTHING, "old", "copy", "broken"),
    ("nothing known, another branch", NOTHING, "old", "main", "broken"),
    ("another branch", {**KNOWN, "branch": "other"}, "old", "copy", None),
    ("another branch, not whole", {**KNOWN, **LOST, "branch": "other"}, "old", "copy", "broken"),
    ("onto something else", {**KNOWN, "onto": "old"}, "old", "copy", None),
    ("onto what is not there", {**KNOWN, "onto": "gone"}, "old", "copy", None),
    ("committed on since", KNOWN, "base", "work", None),
    ("HEAD elsewhere, the branch moved", KNOWN, "new", "base", None),
]


@pytest.mark.parametrize(
    ("notes", "tip", "head", "stage"),
    [case[1:] for case in STAGES],
    ids=[case[0] for case in STAGES],
)
def test_the_stage(notes: dict[str, Any], tip: str, head: str, stage: str | None) -> None:
    branches = {"main": "newer", "work": tip}
    on_branch = head in branches
    refs = FakeRefs(
        parents=HISTORY,
        branches=branches,
        checked_out=head if on_branch else None,
        at=None if on_branch else head,
    )
    assert stage_of(RebaseState(**notes), refs, "work", "newer") == stage


def test_without_a_rebase_there_is_none() -> None:
    refs = FakeRefs(parents=HISTORY, branches={"work": "old"})
    assert stage_of(None, refs, "work", "newer") is None


def test_without_a_branch_or_a_base_it_is_nobodys() -> None:
    refs = FakeRefs(parents=HISTORY, branches={"work": "old"}, checked_out=None, at="copy")
    for branch, base_tip in (("work", None), ("gone", "newer"), (None, "newer")):
        assert stage_of(RebaseState(**KNOWN), refs, branch, base_tip) is None
