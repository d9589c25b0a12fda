"""What is said when a branch is not safe for task work, one text for each deciding finding."""

from __future__ import annotations

_REBASE = "Run `git zdev area rebase {area}`"
_SHALLOW = "In a shallow clone, `git fetch --unshallow` shows the rest"
_CREATE_TRUNK = (
    "Create it (in a clone: `git branch {branch} origin/{branch}`) or bind another with "
    "`git zdev config trunk <branch>`"
)
REFUSALS = {
    "git-state-unavailable": (
        "the state of Git cannot be read",
        "Run `git status` in the work tree to see why",
    ),
    "git-operation-in-progress": (
        "a Git operation is in progress in this work tree: {operation}",
        "Finish or abort it first, `git status` says how",
    ),
    "parent-area-missing": (
        "the parent area {parent} of {area} does not exist",
        "Name another with `git zdev area parent {area} <parent>`, or use --remove",
    ),
    "project-trunk-unbound": (
        "the project has no trunk, which is what {area} starts from",
        "Bind one with `git zdev config trunk <branch>`",
    ),
    "effective-base-unbound": (
        "the parent area {parent} has no branch, because the project has no trunk",
        "Bind one with `git zdev config trunk <branch>`",
    ),
    "trunk-branch-missing": (
        "the trunk branch {branch} does not exist",
        _CREATE_TRUNK,
    ),
    "area-branch-missing": (
        "the branch {branch} of {area} does not exist",
        "Run `git switch -c {branch}`, or bind another with `git zdev area bind {area} <branch>`",
    ),
    "effective-base-missing": (
        "the base branch {base} of {area} does not exist",
        "Create it (in a clone: `git branch {base} origin/{base}`) or bind another trunk or parent",
    ),
    "detached-head": (
        "HEAD is detached, but {area} works on the branch {branch}",
        "Run `git switch {branch}`",
    ),
    "wrong-branch": (
        "the branch {here} is checked out, but {area} works on {branch}",
        "Run `git switch {branch}`",
    ),
    "base-anchor-unbound": (
        "{area} has no recorded base commit",
        "Record one with `git zdev area bind {area} {branch}`",
    ),
    "base-anchor-missing": (
        "the recorded base commit {anchor} of {area} is not in this repository",
        "Fetch it, or record another with `git zdev area bind {area} {branch}`",
    ),
    "base-anchor-not-contained": (
        "the branch {branch} does not contain the recorded base commit {anchor} of {area}",
        "Record the right one with `git zdev area bind {area} {branch}`",
    ),
    "merge-history": (
        "the branch {branch} has merge commits above the base commit {anchor} of {area}",
        "Run `git zdev area rebase {area}` if {base} brought them, else `git rebase {base}`",
    ),
    "history-unavailable": (
        "the history of {branch} above the base commit {anchor} cannot be seen whole",
        _SHALLOW,
    ),
    "base-anchor-needs-finalization": (
        "the branch {branch} contains {base}, but {area} still records an older base commit",
        _REBASE + ", which records it",
    ),
    "ancestry-unavailable": (
        "whether the branch {branch} contains {base} cannot be seen",
        _SHALLOW,
    ),
}
"""Code, message and remedy, the finding that is to be dealt with first standing first."""
