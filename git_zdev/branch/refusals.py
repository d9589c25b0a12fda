"""The refusals of a branch that is not safe for task work, one text for each finding."""

from __future__ import annotations

from git_zdev.ground.errors import ZdevError
from git_zdev.plan.bases import how_to_begin, missing_base, what_it_lacks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from git_zdev.branch.safety import BranchStatus
    from git_zdev.branch.stage import Stage

_REBASE = "Run `git zdev area rebase {area}`"
_SHALLOW = "In a shallow clone, `git fetch --unshallow` shows the rest"
_REFUSALS = {
    "git-state-unavailable": (
        "the state of Git cannot be read",
        "Run `git status` in the work tree to see why",
    ),
    "git-operation-in-progress": (
        "a Git operation is in progress in this work tree: {operation}",
        "{end_operation}",
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
        "the trunk branch {branch} {lacking}",
        "{begin_branch}",
    ),
    "area-branch-missing": (
        "the branch {branch} of {area} {lacking}",
        "{begin_branch}, or bind another with `git zdev area bind {area} <branch>`",
    ),
    "effective-base-missing": (
        "the base branch {base} of {area} {base_lacking}",
        "{begin_base}",
    ),
    "detached-head": (
        "HEAD is detached, but {area} works on the branch {branch}",
        "{go_to_branch}",
    ),
    "wrong-branch": (
        "the branch {here} is checked out, but {area} works on {branch}",
        "{go_to_branch}",
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
"""Code, message and remedy of each finding, in the order in which to deal with them."""

_ENDINGS = {
    "rebase": "Finish it with `git rebase --continue`, or undo it with `git rebase --abort`",
    "am": "Finish it with `git am --continue`, or undo it with `git am --abort`",
    "merge": "Finish it with `git merge --continue`, or undo it with `git merge --abort`",
    "cherry-pick": (
        "Finish it with `git cherry-pick --continue`, or undo it with `git cherry-pick --abort`"
    ),
    "revert": "Finish it with `git revert --continue`, or undo it with `git revert --abort`",
    "bisect": "End it with `git bisect reset`",
}
"""How to end each Git operation; `git status` says it for any other."""

_REBASE_ENDINGS = {
    "stopped": "Finish it with `{command} --continue`, or undo it with `{command} --abort`",
    "interrupted": (
        "Git was ended in the middle of it: undo it with `{command} --abort`, then start again "
        "with `{command}`"
    ),
    "finished": (
        "The branch is rebased, only Git's notes of it are left: `{command} --continue` drops "
        "them and records the base commit"
    ),
    "broken": (
        "Git's notes of it are not whole: `git rebase --quit` drops them and leaves HEAD, the "
        "index and the files as they are"
    ),
}
"""How to end a rebase, by how far it came."""


def refusal(status: BranchStatus, *, but: Container[str] = ()) -> ZdevError:
    """The error for a branch that is not safe.

    Args:
        status: A status with at least one finding that is a reason to refuse.
        but: Findings that do not count here.

    Returns:
        An error with the code of the finding that decides, ``branch_status`` in the details, and
        what to do about it.
    """
    code, message, hint = next(one for one in reasons(status) if one[0] not in but)
    return ZdevError(code, message, hint, details={"branch_status": status.as_document()})


def reasons(status: BranchStatus) -> list[tuple[str, str, str]]:
    """Why a branch is not safe: each finding's name, what it says, and what to do about it.

    They are in the order in which to deal with them. A Git operation in progress is reported alone:
    HEAD, branches and work tree are as the operation needs them, and change back when it ends. A
    base commit can only be recorded if there is a base branch, and without one none is outdated.
    """
    found = [name for name in _REFUSALS if name in status.diagnostics]
    if "git-operation-in-progress" in found:
        found = ["git-operation-in-progress"]
    if "effective-base-missing" in found:
        found = [name for name in found if name != "base-anchor-unbound"]
    if "base-anchor-unbound" in found:
        found = [name for name in found if name != "base-anchor-needs-finalization"]
    words = _words(status)
    return [(name, *(text.format(**words) for text in _REFUSALS[name])) for name in found]  # type: ignore[misc]


def rebase_ending(stage: Stage, area: str) -> str:
    """The way out of an area's rebase, by how far it came."""
    return _REBASE_ENDINGS[stage].format(command=f"git zdev area rebase {area}")


def _words(status: BranchStatus) -> dict[str, str | None]:
    """The values for the names in the texts."""
    base, branch, unborn = status.effective_base, status.branch, status.unborn
    return {
        "area": status.area,
        "branch": branch,
        "base": base.branch,
        "parent": status.parent_area,
        "here": status.checked_out_branch,
        "operation": status.git_operation,
        "anchor": (status.base_commit or "")[:12],
        "end_operation": _end_operation(status),
        "go_to_branch": _go_to_branch(status),
        "lacking": what_it_lacks(branch, unborn),
        "begin_branch": _begin_branch(status),
        "base_lacking": what_it_lacks(base.branch, unborn),
        "begin_base": missing_base(base.kind, base.area, base.branch, unborn),
    }


def _begin_branch(status: BranchStatus) -> str:
    branch, unborn = status.branch, status.unborn
    if status.mode == "trunk":
        return missing_base("trunk", None, branch, unborn)
    if unborn is None:
        return f"Run `git switch -c {branch}`"
    if branch == unborn:
        return how_to_begin(branch, unborn)
    return f"Make the first commit on {unborn}, then run `git switch -c {branch}`"


def _go_to_branch(status: BranchStatus) -> str:
    if status.other_work_tree is None:
        return f"Run `git switch {status.branch}`"
    return f"Change to {status.other_work_tree}, the work tree that has {status.branch} checked out"


def _end_operation(status: BranchStatus) -> str:
    if status.rebase is not None:
        return rebase_ending(status.rebase, status.area)
    return _ENDINGS.get(status.git_operation or "", "`git status` says how to finish or undo it")
