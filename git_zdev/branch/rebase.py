"""The managed rebase: bring an area's branch onto its base, then record the new anchor.

Git itself rebases, so conflicts, hooks and signing are Git's own, and at a conflict ``git rebase
--continue`` is an equally good way to go on. This module decides whether a rebase belongs to this
area, leads out of one in which Git was killed, and returns the anchor to record after a success.
The caller records it, because that is a publication.

Git moves the branch last. Until then ``git rebase --abort`` undoes everything, and before its notes
are complete, or after they begin to vanish, there is nothing to undo. So at every moment one of
three ways leads out (``stage``): Git's abort, Git's quit, or Git's last steps, which put HEAD on
the branch and drop the notes. Locks of a killed Git are named and never removed, because they look
like those of a live process.
"""

from __future__ import annotations

import os
import stat

from git_zdev.branch.refusals import rebase_ending, refusal
from git_zdev.branch.safety import assess
from git_zdev.branch.stage import stage_of
from git_zdev.git.read import files
from git_zdev.git.read.objects import blob_id
from git_zdev.git.rebasing import left_locks, started_rebase
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Literal

    from git_zdev.branch.safety import BranchStatus
    from git_zdev.branch.stage import Stage
    from git_zdev.disk.rebase_record import RebaseRecord
    from git_zdev.git.model import RebaseState, TreeEntry
    from git_zdev.git.port import Rebaser, Repository
    from git_zdev.plan.bases import EffectiveBase
    from git_zdev.plan.records.model import Area, Project

    Started = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class RebaseOutcome:
    """The outcome of a managed rebase.

    Attributes:
        status: ``unchanged``; ``updated`` if only the anchor must be recorded; ``rebased``;
            ``aborted``.
        area: The area's tag.
        branch: Its branch.
        effective_base: What it was brought onto.
        base_commit: The anchor from now on; it must be recorded if ``moves_anchor``.
        moves_anchor: Whether it differs from the recorded one.
        fresh: Whether the branch contains the base's tip now.
        old_tip: The tip before Git rebased the branch, if it is known.
        new_tip: The tip since then.
        removed: Files that a killed Git had written, and that were removed.
        locks: Absolute paths of locks that a killed Git may have left.
    """

    status: Literal["unchanged", "updated", "rebased", "aborted"]
    area: str
    branch: str
    effective_base: EffectiveBase
    base_commit: str | None
    moves_anchor: bool
    fresh: bool | None
    old_tip: str | None = None
    new_tip: str | None = None
    removed: tuple[str, ...] = ()
    locks: tuple[str, ...] = ()

    def as_document(self) -> dict[str, Any]:
        """The result of ``area rebase``, keys sorted, without ``schema_version``."""
        return {
            **({"locks": list(self.locks)} if self.locks else {}),
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
        refs: Repository,
        git: Rebaser,
        record: RebaseRecord,
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
        self._record = record
        self._command = f"git zdev area rebase {area.tag}"
        self._assess: Callable[[], BranchStatus] = lambda: assess(area, areas, project, refs)

    def start(self) -> RebaseOutcome:
        """Bring the branch onto its base's tip.

        Raises:
            ZdevError: A finding of branch safety that a rebase does not fix, such as a rebase in
                progress; ``rebase-running``; ``rebase-conflict`` or ``rebase-interrupted``, with
                Git's state left in place; ``git-failed`` with what Git said, for example about a
                work tree that is not clean.
        """
        self._require_not_running()
        status = self._assess()
        state = self._refs.rebase_state()
        if state is not None:
            raise self._in_progress(status, state)
        self._record.remove()
        base_tip = self._require_rebasable(status)
        if status.fresh:
            moves = self._area.base_commit != base_tip and not self._is_own_base(status)
            return self._outcome("updated" if moves else "unchanged", status, base_tip, moves=moves)
        anchor = self._area.base_commit
        old_tip = self._refs.branch_tip(self._branch)
        if anchor is None or old_tip is None:
            raise refusal(status)

        def rebase(started: Started) -> None:
            self._git.rebase(base_tip, anchor, started)

        self._run("start", rebase, base_tip, old_tip)
        return self._rebased(base_tip, old_tip)

    def proceed(self) -> RebaseOutcome:
        """Go on with this area's rebase after conflicts were resolved, or end one that is done.

        Raises:
            ZdevError: ``no-rebase-in-progress``; ``foreign-rebase``; ``rebase-running``;
                ``git-locked``; ``rebase-conflict`` for a further conflict or one that is not
                resolved; ``rebase-interrupted`` where Git would lose a commit.
        """
        state, stage = self._require_own_rebase("--continue")
        onto, old_tip = state.onto or self._base_tip(), state.original
        if stage == "finished":
            self._guarded(self._end)
        elif stage == "stopped" and onto is not None and old_tip is not None:
            self._run("continue", self._git.continue_rebase, onto, old_tip)
        else:
            raise ZdevError(
                "rebase-interrupted",
                f"the rebase of {self._branch} was interrupted, and Git would not go on with "
                "all of its commits",
                rebase_ending("interrupted", self._area.tag),
            )
        return self._rebased(onto, old_tip)

    def abort(self) -> RebaseOutcome:
        """Abort this area's rebase; the record stays as it is.

        Raises:
            ZdevError: ``no-rebase-in-progress``; ``foreign-rebase``; ``rebase-running``;
                ``git-locked``; ``rebase-finished``; ``git-failed``; ``rebase-interrupted``.
        """
        state, stage = self._require_own_rebase("--abort")
        removed = self._sweep(state) if stage == "interrupted" else ()
        if state.whole and state.onto is not None and state.original is not None:
            self._run("abort", self._git.abort_rebase, state.onto, state.original)
        elif stage == "finished":
            raise ZdevError(
                "rebase-finished",
                f"the rebase of {self._branch} is done, and Git no longer knows how to undo it",
                rebase_ending(stage, self._area.tag),
            )
        else:
            self._guarded(self._drop)
        self._record.remove()
        status = self._assess()
        return self._outcome(
            "aborted", status, self._area.base_commit, moves=False, removed=removed
        )

    def _end(self) -> None:
        """Take the last steps of a rebase whose branch has already moved."""
        if self._refs.head().branch != self._branch:
            self._git.attach_head(self._branch)
        self._git.quit_rebase()

    def _drop(self) -> None:
        """Drop incomplete notes; the branch has not moved."""
        self._git.quit_rebase()
        if self._refs.head().branch != self._branch:
            self._git.switch_back(self._branch)

    def _sweep(self, state: RebaseState) -> tuple[str, ...]:
        """Remove files that a killed Git had checked out without updating the index.

        They would keep Git from going back, and from rebasing again. A file is removed only if its
        content is in the repository: as the beginning of what one of the commits has under this
        name, or as an object, as the result of a merge is.
        """
        if state.onto is None or state.original is None:
            return ()
        top = os.fsencode(self._refs.location.work_tree)
        tracked = {entry.path for entry in self._refs.entries()}
        trees = [self._refs.tree_entries(commit) for commit in (state.original, state.onto)]
        left = [
            path
            for path in sorted(trees[0].keys() | trees[1].keys())
            if path not in tracked
            and self._is_kept(top + b"/" + path, [tree[path] for tree in trees if path in tree])
        ]
        if left:
            from contextlib import suppress

            with suppress(ZdevError):  # Git reports then what is in its way
                self._git.clean([os.fsdecode(path) for path in left])
        return tuple(
            path.decode("utf-8", "backslashreplace")
            for path in left
            if not os.path.lexists(top + b"/" + path)
        )

    def _is_kept(self, path: bytes, entries: Sequence[TreeEntry]) -> bool:
        """Whether the content of the file is in the repository."""
        name = os.fsdecode(path)
        try:
            kind = os.lstat(name).st_mode
            if stat.S_ISLNK(kind):
                content = os.readlink(path)
            elif stat.S_ISREG(kind):
                content = files.read(name)
            else:
                return False
        except OSError:
            return False
        blobs = [self._blob(entry.blob) for entry in entries]
        if any(blob is not None and blob.startswith(content) for blob in blobs):
            return True
        return self._blob(blob_id(content)) is not None

    def _blob(self, name: str) -> bytes | None:
        try:
            return self._refs.read_blob(name)
        except ZdevError:
            return None

    def _require_rebasable(self, status: BranchStatus) -> str:
        """The base's tip; refuse if anything but the anchor or staleness is in the way."""
        base_tip = self._base_tip()
        tip = self._refs.branch_tip(self._branch)
        mends = _MENDED
        if status.fresh and base_tip and tip and self._refs.has_merges(base_tip, tip) is False:
            mends = (
                mends | _ANCHOR_FINDINGS
            )  # the anchor will be the base's tip, whatever it is now
        if base_tip is None or any(name not in mends for name in status.diagnostics):
            raise refusal(status, but=mends)
        return base_tip

    def _base_tip(self) -> str | None:
        base = self._assess().effective_base.branch
        return None if base is None else self._refs.branch_tip(base)

    def _require_not_running(self) -> None:
        """Refuse to work while a Git that outlived its command is running."""
        started = started_rebase(self._refs.location)
        if started is not None and started.process.alive() is True:
            raise ZdevError(
                "rebase-running",
                f"the rebase of {started.branch} still runs: process {started.process.pid}",
                f"Wait until it is done, then run `{self._command}`",
                details={"process": started.process.pid},
            )

    def _stage(self, state: RebaseState | None) -> Stage | None:
        return stage_of(state, self._refs, self._branch, self._base_tip())

    def _in_progress(self, status: BranchStatus, state: RebaseState) -> ZdevError:
        """The refusal to start while a rebase is in progress, with the way out."""
        error = refusal(status)
        stage = self._stage(state)
        hint = error.hint if stage is None else rebase_ending(stage, self._area.tag)
        return self._with_locks(ZdevError(error.code, error.message, hint, details=error.details))

    def _with_locks(self, error: ZdevError) -> ZdevError:
        """The error, which also names the locks that keep Git from going on."""
        locks = left_locks(self._refs.location, self._branch)
        if locks:
            error.hint = f"Remove {' and '.join(locks)} once no Git runs here. {error.hint}"
            error.details["locks"] = locks
        return error

    def _require_own_rebase(self, option: str) -> tuple[RebaseState, Stage]:
        """The rebase in progress and how far it came; refuse one that is not this area's.

        It must rebase the area's branch, from the tip that the branch still has, or had before Git
        was done, and that contains the recorded anchor, onto a commit of the base's branch.
        """
        self._require_not_running()
        state = self._refs.rebase_state()
        if state is None:
            raise ZdevError(
                "no-rebase-in-progress",
                "no rebase is in progress in this work tree",
                f"Start one with `{self._command}`",
            )
        stage = self._stage(state)
        reason = self._disagreement(state, stage)
        if stage is None or reason is not None:
            raise ZdevError(
                "foreign-rebase",
                f"the rebase in progress is not the one of {self._area.tag}: {reason}",
                rebase_ending("broken", self._area.tag)
                if stage == "broken"
                else "Finish it with `git rebase --continue` or `git rebase --abort`",
            )
        self._require_unlocked(f"{self._command} {option}")
        return state, stage

    def _require_unlocked(self, command: str) -> None:
        """Refuse to let Git end a rebase if locks would keep it from finishing."""
        locks = left_locks(self._refs.location, self._branch)
        if locks:
            raise ZdevError(
                "git-locked",
                f"a Git process is running here, or a killed one left {' and '.join(locks)}",
                f"Remove what remains once no Git runs here, then run `{command}`",
                details={"locks": locks},
            )

    def _disagreement(self, state: RebaseState, stage: Stage | None) -> str | None:
        """Why a rebase is not this area's; None if it is."""
        if state.original is None or state.onto is None:
            return "which branch it rebases is not known" if stage == "broken" else None
        if state.branch != self._branch:
            return f"it rebases {state.branch or 'a detached HEAD'}"
        anchor = self._area.base_commit
        if anchor is None or not self._contains(state.original, anchor):
            return "the branch does not contain the recorded base commit"
        base_tip = self._base_tip()
        if base_tip is None or not self._contains(base_tip, state.onto):
            base = self._assess().effective_base.branch
            return f"it goes onto {state.onto[:12]}, which is not a commit of {base}"
        if stage is None:
            return f"it started from {state.original[:12]}, which is not the tip of {self._branch}"
        return None

    def _contains(self, commit: str, other: str) -> bool:
        has_both = self._refs.has_commit(commit) and self._refs.has_commit(other)
        return has_both and self._refs.is_ancestor(other, commit) is True

    def _run(self, action: str, act: Callable[[Started], None], onto: str, old_tip: str) -> None:
        """Let Git rebase, on record."""

        def started(pid: int) -> None:
            self._record.write(action, self._branch, onto, old_tip, pid)

        self._guarded(lambda: act(started))

    def _guarded(self, act: Callable[[], None]) -> None:
        """Run Git; distinguish a conflict from other failures, each with its way out."""
        try:
            act()
        except ZdevError as error:
            raise self._after(error) from error
        except KeyboardInterrupt as interrupt:
            if self._refs.rebase_state() is None:
                raise
            raise self._interrupted() from interrupt
        finally:
            if self._refs.rebase_state() is None:
                self._record.remove()

    def _interrupted(self) -> ZdevError:
        """The error after Ctrl-C, which reaches Git as well."""
        from signal import SIGINT

        details = {"said": "", "status": -int(SIGINT)}
        error = self._after(ZdevError("git-failed", "it was interrupted", details=details))
        error.code, error.status = "interrupted", _BY_SIGNAL + SIGINT
        return error

    def _after(self, error: ZdevError) -> ZdevError:
        """The error for a failure of Git, judged by the state that it left."""
        if error.code != "git-failed":
            return error
        was_killed = error.details.get("status", 0) < 0
        state = self._refs.rebase_state()
        code, message = error.code, error.message
        left = was_killed or left_locks(self._refs.location, self._branch)
        hint = f"Run `{self._command}` again" if left else error.hint
        if state is not None:
            stage = self._stage(state)
            code = "rebase-interrupted"
            message = f"the rebase of {self._branch} is not done: {message}"
            hint = "Finish it with `git rebase --continue` or `git rebase --abort`"
            if stage == "stopped" and not was_killed:
                code, hint = "rebase-conflict", _RESOLVING.format(command=self._command)
            elif stage is not None:
                hint = rebase_ending(stage, self._area.tag)
                if not left:
                    hint = f"Settle what Git complains about. {hint}"
        return self._with_locks(
            ZdevError(code, message, hint, details=error.details, said=error.said)
        )

    def _rebased(self, onto: str | None, old_tip: str | None) -> RebaseOutcome:
        """The outcome of a rebase that Git reports as done.

        Raises:
            ZdevError: ``git-failed`` if the branch is not on its target.
        """
        self._record.remove()
        new_tip = self._refs.branch_tip(self._branch)
        if onto is None or new_tip is None or not self._contains(new_tip, onto):
            raise ZdevError(
                "git-failed",
                f"`git rebase` was done, but {self._branch} does not contain {onto}",
                f"Look at the branch (`git log {self._branch}`), then run `{self._command}`",
                details={"said": ""},
            )
        moves = onto != self._area.base_commit
        return self._outcome(
            "rebased", self._assess(), onto, moves=moves, old_tip=old_tip, new_tip=new_tip
        )

    def _is_own_base(self, status: BranchStatus) -> bool:
        return status.effective_base.branch == self._branch

    def _outcome(
        self,
        word: Literal["unchanged", "updated", "rebased", "aborted"],
        status: BranchStatus,
        anchor: str | None,
        *,
        moves: bool,
        old_tip: str | None = None,
        new_tip: str | None = None,
        removed: tuple[str, ...] = (),
    ) -> RebaseOutcome:
        return RebaseOutcome(
            status=word,
            area=self._area.tag,
            branch=self._branch,
            effective_base=status.effective_base,
            base_commit=anchor if moves else self._area.base_commit,
            moves_anchor=moves,
            fresh=status.fresh,
            old_tip=old_tip,
            new_tip=new_tip,
            removed=removed,
            locks=tuple(left_locks(self._refs.location, self._branch)),
        )


_RESOLVING = (
    "Resolve and `git add` what conflicts, then run `{command} --continue`, or `git rebase "
    "--continue` and then `{command}`. To give up, run `{command} --abort` or `git rebase --abort`"
)


_BY_SIGNAL = 128
"""What a shell adds to the number of the signal that ended a process."""

_MENDED = frozenset({"fresh", "stale", "base-anchor-needs-finalization"})
"""Findings that do not prevent a rebase."""

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
