"""The managed rebase: bring an area's branch onto its base, then record the new anchor.

Git itself rebases, so conflicts, hooks and signing are Git's own, and ``git rebase --continue`` is
always an equally good way on. What this module adds is the question whether a rebase is this
area's, and the anchor to record once it succeeded. Recording is left to the caller, because it is
a publication.
"""

from __future__ import annotations

from git_zdev.branch_refusals import refusal
from git_zdev.branch_safety import assess
from git_zdev.errors import ZdevError
from git_zdev.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal

    from git_zdev.branch_safety import BranchStatus, EffectiveBase
    from git_zdev.git.model import RebaseState
    from git_zdev.git.port import Rebaser, Refs
    from git_zdev.records.model import Area, Project


@dataclass(frozen=True, slots=True)
class RebaseOutcome:
    """What a managed rebase came to.

    Attributes:
        status: ``unchanged``; ``updated``, the anchor alone is to be recorded; ``rebased``;
            ``aborted``.
        area: The area's tag.
        branch: Its branch.
        effective_base: What it was brought onto.
        base_commit: The anchor that holds now; to be recorded where ``moves_anchor``.
        moves_anchor: Whether it differs from the recorded one.
        fresh: Whether the branch contains the base's tip now.
    """

    status: Literal["unchanged", "updated", "rebased", "aborted"]
    area: str
    branch: str
    effective_base: EffectiveBase
    base_commit: str | None
    moves_anchor: bool
    fresh: bool | None

    def as_document(self) -> dict[str, Any]:
        """The result of ``area rebase``, keys sorted, without ``schema_version``."""
        return {
            "area": self.area,
            "base_commit": self.base_commit,
            "branch": self.branch,
            "effective_base": self.effective_base.as_document(),
            "fresh": self.fresh,
            "status": self.status,
        }


class AreaRebase:
    """The managed rebase of one area in the current work tree."""

    def __init__(
        self,
        area: Area,
        areas: Mapping[str, Area],
        project: Project,
        *,
        refs: Refs,
        git: Rebaser,
    ) -> None:
        if area.mode == "trunk" or area.branch is None:
            raise ZdevError(
                "trunk-area-rebase",
                f"{area.tag} works on the trunk itself, which has no base to be rebased onto",
                "Nothing is needed; trunk areas are never stale",
            )
        self._area = area
        self._branch = area.branch
        self._refs = refs
        self._git = git
        self._assess: Callable[[], BranchStatus] = lambda: assess(area, areas, project, refs)

    def start(self) -> RebaseOutcome:
        """Bring the branch onto its base's tip.

        Raises:
            ZdevError: A finding of branch safety that a rebase does not mend; ``rebase-conflict``,
                with Git's state left in place; ``git-failed`` with what Git said, for a work tree
                that is not clean among other things.
        """
        status = self._assess()
        base_tip = self._require_rebasable(status)
        if status.fresh:
            moves = self._area.base_commit != base_tip and not self._is_own_base(status)
            return self._outcome("updated" if moves else "unchanged", status, base_tip, moves=moves)
        anchor = self._area.base_commit
        if anchor is None:
            raise refusal(status)
        self._run(lambda: self._git.rebase(base_tip, anchor))
        return self._outcome("rebased", self._assess(), base_tip, moves=True)

    def proceed(self) -> RebaseOutcome:
        """Go on with this area's rebase after conflicts were resolved.

        Raises:
            ZdevError: ``no-rebase-in-progress``; ``foreign-rebase``; ``rebase-conflict`` for a
                further conflict or one that is not resolved.
        """
        onto = self._require_own_rebase().onto
        self._run(self._git.continue_rebase)
        return self._outcome("rebased", self._assess(), onto, moves=onto != self._area.base_commit)

    def abort(self) -> RebaseOutcome:
        """Give this area's rebase up; the record stays as it is.

        Raises:
            ZdevError: ``no-rebase-in-progress``; ``foreign-rebase``; ``git-failed``.
        """
        self._require_own_rebase()
        self._git.abort_rebase()
        return self._outcome("aborted", self._assess(), self._area.base_commit, moves=False)

    def _require_rebasable(self, status: BranchStatus) -> str:
        """The base's tip, where nothing but the anchor or staleness stands in the way."""
        base = status.effective_base.branch
        base_tip = None if base is None else self._refs.branch_tip(base)
        tip = self._refs.branch_tip(self._branch)
        mends = _MENDED
        if status.fresh and base_tip and tip and self._refs.has_merges(base_tip, tip) is False:
            mends = mends | _ANCHOR_FINDINGS  # the anchor will be the base's tip, whatever it was
        if base_tip is None or any(name not in mends for name in status.diagnostics):
            raise refusal(status, but=mends)
        return base_tip

    def _require_own_rebase(self) -> RebaseState:
        """The rebase in progress, where it is this area's.

        It must rebase the area's branch, from the tip that the branch still has and that contains
        the recorded anchor, onto a commit of the base's branch.
        """
        state = self._refs.rebase_state()
        if state is None:
            raise ZdevError(
                "no-rebase-in-progress",
                "no rebase is in progress in this work tree",
                f"Start one with `git zdev area rebase {self._area.tag}`",
            )
        for agrees, what in self._agreements(state):
            if not agrees:
                raise ZdevError(
                    "foreign-rebase",
                    f"the rebase in progress is not the one of {self._area.tag}: {what}",
                    "Finish it with `git rebase --continue` or `git rebase --abort`",
                )
        return state

    def _agreements(self, state: RebaseState) -> list[tuple[bool | None, str]]:
        base = self._assess().effective_base.branch
        base_tip = None if base is None else self._refs.branch_tip(base)
        anchor = self._area.base_commit
        refs = self._refs
        return [
            (state.branch == self._branch, f"it rebases {state.branch or 'a detached HEAD'}"),
            (
                refs.branch_tip(self._branch) == state.original,
                f"it started from {state.original[:12]}, which is not the tip of {self._branch}",
            ),
            (
                anchor is not None and refs.is_ancestor(anchor, state.original),
                "the branch does not contain the recorded base commit",
            ),
            (
                base_tip is not None and refs.is_ancestor(state.onto, base_tip),
                f"it goes onto {state.onto[:12]}, which is no commit of {base}",
            ),
        ]

    def _run(self, act: Callable[[], None]) -> None:
        """Let Git rebase; tell a conflict from other failures."""
        try:
            act()
        except ZdevError as error:
            if self._refs.rebase_state() is None:
                raise
            tag = self._area.tag
            raise ZdevError(
                "rebase-conflict",
                f"the rebase of {self._branch} is not done: {error.message}",
                "Resolve and `git add` what conflicts, then run "
                f"`git zdev area rebase {tag} --continue`, or `git rebase --continue` and then "
                f"`git zdev area rebase {tag}`. To give up, run "
                f"`git zdev area rebase {tag} --abort` or `git rebase --abort`",
                details=error.details,
                said=error.said,
            ) from error

    def _is_own_base(self, status: BranchStatus) -> bool:
        return status.effective_base.branch == self._branch

    def _outcome(
        self,
        word: Literal["unchanged", "updated", "rebased", "aborted"],
        status: BranchStatus,
        anchor: str | None,
        *,
        moves: bool,
    ) -> RebaseOutcome:
        return RebaseOutcome(
            status=word,
            area=self._area.tag,
            branch=self._branch,
            effective_base=status.effective_base,
            base_commit=anchor if moves else self._area.base_commit,
            moves_anchor=moves,
            fresh=status.fresh,
        )


_MENDED = frozenset({"fresh", "stale", "base-anchor-needs-finalization"})
"""Findings that are no reason against a rebase."""

_ANCHOR_FINDINGS = frozenset(
    {
        "base-anchor-unbound",
        "base-anchor-missing",
        "base-anchor-not-contained",
        "merge-history",
        "history-unavailable",
    }
)
"""Findings about the recorded anchor, which do not matter once a newer one is recorded."""
