"""How far the rebase of a branch came, and which way leads out of it.

Git leaves its notes in place when it stops at a conflict, and also when it is killed. After a kill
they may show less than was done, or more; ``git rebase --continue`` would then leave a commit out,
or ``git rebase --abort`` would refuse. Only the positions of HEAD and the branch are certain.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from git_zdev.git.model import RebaseState
    from git_zdev.git.port import Refs

    Stage = Literal["stopped", "interrupted", "finished", "broken"]
    """``stopped``: it can go on or be undone. ``interrupted``: it can only be undone, or its notes
    be dropped where nothing was done. ``finished``: the branch has moved, and what is left is to
    put HEAD on it and to drop the notes. ``broken``: of another branch perhaps, and its notes are
    not whole."""


def stage_of(
    state: RebaseState | None, refs: Refs, branch: str | None, base_tip: str | None
) -> Stage | None:
    """How far the rebase of a branch onto a commit of its base came.

    Args:
        state: The rebase in progress.
        refs: HEAD, branches and ancestry.
        branch: The branch.
        base_tip: The tip of its base.

    Returns:
        None without a rebase, and for the whole notes of one of another branch, from another tip
        or onto another base.
    """
    if state is None:
        return None
    tip = None if branch is None else refs.branch_tip(branch)
    if tip is not None and base_tip is not None:
        found = _own_stage(state, refs, branch, tip, base_tip)
        if found is not None:
            return found
    return None if state.whole else "broken"


def _own_stage(
    state: RebaseState, refs: Refs, branch: str | None, tip: str, base_tip: str
) -> Stage | None:
    head = refs.head()
    if state.onto is None or state.original is None:
        if head.branch != branch:
            return None
        return "finished" if refs.is_ancestor(base_tip, tip) is True else "interrupted"
    if state.branch != branch or not _contains(refs, base_tip, state.onto):
        return None
    if tip == state.original:
        is_on_its_way = head.branch is None and _contains(refs, head.commit, state.onto)
        can_go_on = state.whole and state.resumable and is_on_its_way
        return "stopped" if can_go_on else "interrupted"
    stands_there = head.branch == branch or (head.branch is None and head.commit == tip)
    return "finished" if stands_there and _contains(refs, tip, state.onto) else None


def _contains(refs: Refs, commit: str | None, other: str) -> bool:
    """Whether a commit contains another one that the repository may lack."""
    known = commit is not None and refs.has_commit(other)
    return known and commit is not None and refs.is_ancestor(other, commit) is True
