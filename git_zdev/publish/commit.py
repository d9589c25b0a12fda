"""The commit of a publication: index.lock, private copies of the index, a gated `git commit`.

The current index file is never written. As the last step it is exchanged as a whole for a copy in
which the managed files are staged; until then ``index.lock`` keeps every other Git out.
"""

from __future__ import annotations

import os
import time

from git_zdev.disk.atomic import NO_LINKS, storage_error
from git_zdev.disk.journal import HOOKS, INDEX_LOCK, holds_lock, release_lock, take_lock
from git_zdev.disk.processes import ProcessIdentity
from git_zdev.disk.reading import identity_of
from git_zdev.git.commit_hooks import GUARD, scripts
from git_zdev.git.model import CommitFiles
from git_zdev.git.read.files import wrong_kind
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import asdict, dataclass
from git_zdev.publish.one_file import drifted
from git_zdev.publish.sighting import MADE, Search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from git_zdev.disk.atomic import Content, Spot
    from git_zdev.disk.journal import CommitEntry, Journal
    from git_zdev.git.model import RefMove
    from git_zdev.publish.hold import Hold
    from git_zdev.publish.interrupts import Interrupts
    from git_zdev.publish.sighting import Sighting

LOCK_PATIENCE = 2.0
"""Seconds to wait for another process's ``index.lock``."""

_PAUSE = 0.01
_NO_COMMIT = "0" * 40


@dataclass(frozen=True, slots=True)
class Commit:
    """The commit of one journal.

    Attributes:
        hold: The work tree.
        journal: The journal.
        entry: The commit's entry in the journal.
    """

    hold: Hold
    journal: Journal
    entry: CommitEntry

    @property
    def search(self) -> Search:
        """The search for the commit."""
        return Search(self.hold.repository, self.hold.disk, self.journal, self.entry)

    # The index lock

    def lock(self, pause: Callable[[], None]) -> None:
        """Take ``index.lock``; wait a moment if another process holds it.

        Raises:
            ZdevError: ``index-locked``.
        """
        deadline = time.monotonic() + LOCK_PATIENCE
        while not take_lock(self.hold.disk, self.hold.git_dir, self.journal):
            if holds_lock(self.hold.disk, self.hold.git_dir, self.journal.plan.identity):
                return
            pause()
            if time.monotonic() > deadline:
                raise _locked(self._lock.path)
            time.sleep(_PAUSE)

    def unlock(self) -> None:
        """Release ``index.lock`` if it is ours."""
        release_lock(self.hold.disk, self.hold.git_dir, self.journal.plan.identity)

    # Staging and committing

    def stage(self, *, whole_index: bool) -> str:
        """Make the next index and the one to commit.

        Returns:
            Id of the planned tree.

        Raises:
            ZdevError: ``state-drifted``, ``nothing-to-commit``, ``git-failed``.
        """
        current = self.hold.disk.read(self._index)
        if (None if current is None else self.hold.hash_of(current)) != self.entry.index:
            raise drifted("the index")
        self._copy(current, self._next)
        whole_index = whole_index or self._holds_nothing_else()
        self.hold.git.stage(self._next.path, self.entry.paths)
        self._copy(self.hold.disk.read(self._next), self._basis)
        if not whole_index:
            self.hold.git.reset_index(self._basis.path, self.entry.parent)
            self.hold.git.stage(self._basis.path, self.entry.paths)
        tree = self.hold.git.write_tree(self._basis.path)
        parent = self.entry.parent
        if parent is not None and self.hold.repository.read_commit(parent).tree == tree:
            raise ZdevError("nothing-to-commit", "the commit would change nothing")
        self._note_staged(tree)
        return tree

    def _holds_nothing_else(self) -> bool:
        """Whether nothing else is staged: the whole index is HEAD's tree plus the managed files.

        Git answers this from the tree ids cached in the index, without reading its entries.
        """
        parent = self.entry.parent
        return parent is not None and not self.hold.git.differs(self._next.path, parent)

    def _copy(self, content: Content | None, spot: Spot) -> None:
        """Copy an index with its time, by which Git judges whether an entry is racy.

        Nothing is forced to the disk: Git rewrites one copy, and the other does not matter after a
        loss of power.
        """
        if content is not None:
            self.hold.disk.create(spot, content.data, content.mode, forced=False)
            self.hold.disk.set_times(spot, content.mtime_ns)

    def _note_staged(self, tree: str) -> None:
        if self.journal.is_piecewise:
            self.hold.disk.sync(self._next)
        index = self.hold.index_hash(self._next)
        basis = self._basis_identity()
        self.journal.note("staged", {"tree": tree, "index": index, "basis": basis})

    def _basis_identity(self) -> list[int]:
        """The identity of the index for the commit, which changes if anybody writes it."""
        found = self.hold.disk.stat(self._basis)
        return [] if found is None else list(identity_of(found))

    def run(self, interrupts: Interrupts, gates: Sequence[Callable[[], object]] = ()) -> int:
        """Run ``git commit`` to its end and return its exit status.

        It begins only when its pid is on the disk, so that recovery never misses a commit of ours.
        Before the branch moves it asks: its commit must be the planned one, on the planned parent.

        Args:
            interrupts: The signals that arrived.
            gates: Checked at the last moment at which the commit is not visible yet.

        Raises:
            ZdevError: Why the branch was not allowed to move.
        """
        child = self.hold.git.start_commit(
            self._basis.path, self._command_files(), self.journal.plan.identity
        )
        interrupts.child = child.pid
        refused: list[ZdevError] = []

        def agree(moves: Sequence[RefMove]) -> bool:
            try:
                interrupts.raise_pending()
                self._approve(moves, gates)
            except ZdevError as error:
                refused.append(error)
            except OSError as error:
                refused.append(storage_error(error))
            return not refused

        try:
            self.journal.note("child", asdict(ProcessIdentity.of(child.pid)))
            self.journal.flush()
            interrupts.raise_pending()
            child.release()
        finally:
            status = child.wait(agree)
            interrupts.child = None
        if refused:
            raise refused[0]
        return status

    def _command_files(self) -> CommitFiles:
        """The files for ``git commit``; writes its hooks first.

        On a file system that does not allow execution, Git would skip these hooks, but the user's
        own can be elsewhere. Git then runs those itself, and its commit is only judged afterwards.
        """
        disk, spot = self.hold.disk, self.journal.at(HOOKS)
        repository = self.hold.repository
        disk.make_folder(spot, 0o700)
        with disk.open_folder(spot) as folder:
            for name, script in scripts(repository.location, repository.config).items():
                disk.create(folder.at(name), script, 0o700, forced=False)
        runs = os.access(f"{spot.path}/{GUARD}", os.X_OK)
        return CommitFiles(
            message=self.journal.at("message").path,
            said=self.journal.at("said").path,
            summary=self.journal.at("summary").path,
            hooks=spot.path if runs else None,
        )

    def _approve(self, moves: Sequence[RefMove], gates: Sequence[Callable[[], object]]) -> None:
        """Let refs move, unless one is the branch and its new commit is not as planned.

        Git holds the lock of each ref and has compared its old value.

        Raises:
            ZdevError: ``state-drifted``, ``hook-altered-commit``, or a gate's refusal.
        """
        refs = {move.ref for move in moves}
        if refs.isdisjoint({"HEAD", self.search.ref}) or self.journal.noted(MADE) is not None:
            return
        if {move.old for move in moves} != {self.entry.parent or _NO_COMMIT}:
            raise drifted("HEAD", "moved meanwhile")
        made = moves[0].new
        node = self.hold.repository.read_commit(made)
        if not self.search.is_planned(node) or refs - {"HEAD"} - {self.search.ref}:
            raise self.altered(made)
        for gate in gates:
            gate()
        self.journal.note(MADE, {"commit": made})

    def ran_hooks(self) -> bool:
        """Whether ``git commit`` was released and had hooks of the user to run."""
        if self.search.child() is None:
            return False
        try:
            with self.hold.disk.open_folder(self.journal.at(HOOKS)) as folder:
                return self.hold.disk.names(folder) != [GUARD]
        except FileNotFoundError:
            return False  # the journal was removed, and with it the old files

    def stage_again(self) -> None:
        """Stage the managed files again, because equal files have replaced them since."""
        staged = self.journal.noted("staged")
        if staged is not None:
            self.hold.git.stage(self._next.path, self.entry.paths)
            self._note_staged(staged["tree"])

    def said(self) -> str:
        """What Git and its hooks printed."""
        found = self.hold.disk.read(self.journal.at("said"))
        return "" if found is None else found.data.decode("utf-8", "replace")

    def altered(self, commit: str) -> ZdevError:
        """The error for a commit of ours that is not the planned one."""
        return ZdevError(
            "hook-altered-commit",
            f"a hook or another process changed the content or the branch of commit {commit}",
            "Make the hook leave staged content and HEAD alone, or commit its changes first",
            details={"commit": commit, "said": self.said()},
        )

    # The end

    def finish(self) -> list[str]:
        """Make the index fit the commit; can be repeated.

        Returns:
            Sentences for the user.
        """
        notes = self._take_over()
        if self.entry.index is None:
            if self.hold.disk.stat(self._next) is not None:
                self.hold.disk.rename(self._next, self._index)  # index.lock keeps others out
        elif not self._index_is_out():
            if self.hold.index_hash(self._index) != self.entry.index:
                return [*notes, "The index was changed meanwhile and stays as it is"]
            if not self.hold.disk.swap(self._next, self._index):
                self._keep_former()
                self.hold.disk.rename(self._next, self._index)
        self.hold.disk.sync_everything(self.hold.home)
        return notes

    def _keep_former(self) -> None:
        """Give the current index a second name, or copy it with its time."""
        if self.hold.index_hash(self._former) == self.entry.index:
            return
        if self.hold.disk.stat(self._former) is not None:
            self.hold.disk.remove(self._former)  # left by a killed writer
        try:
            self.hold.disk.link(self._index, self._former)
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            self._copy(self.hold.disk.read(self._index), self._former)

    def _take_over(self) -> list[str]:
        """Add files that a hook staged after the commit to the next index."""
        staged = self.journal.noted("staged")
        if staged is None or self._index_is_out() or self.hold.disk.stat(self._next) is None:
            return []
        if self._basis_identity() == staged["basis"]:
            return []
        self._free_copies()
        if self.hold.git.write_tree(self._basis.path) == staged["tree"]:
            return []
        paths = self.hold.git.transfer(self._basis.path, staged["tree"], self._next.path)
        self._note_staged(staged["tree"])
        self.journal.flush()
        return [f"A hook staged besides: {', '.join(paths)}"]

    def _free_copies(self) -> None:
        """Remove a killed Git's locks on our copies, which nobody else uses."""
        for copy in (self._next, self._basis):
            lock = self.journal.at(f"{copy.name}.lock")
            if self.hold.disk.stat(lock) is not None:
                self.hold.disk.remove(lock)

    def take_back(self) -> Sighting | None:
        """Roll back index and branch from any state.

        Returns:
            Our commit, if it was found; else None. An altered commit on which others build is not
            taken back.

        Raises:
            ZdevError: ``commit-stands`` if others build on the commit as planned.
        """
        self._bring_index_back()
        found = self.search.look()
        if found is None or (not found.on_top and not found.as_planned):
            return found
        if not found.on_top:
            raise ZdevError(
                "commit-stands",
                f"commit {found.commit} cannot be taken back, {found.ref} has moved on from it",
                "Look at the branch; `git zdev recover` then finishes what can be finished",
                details={"commit": found.commit},
            )
        reason = f"zdev: take back {self.journal.plan.command}"
        self.hold.git.move_ref(found.ref, self._before(found.commit), found.commit, reason)
        return found

    def _before(self, commit: str) -> str | None:
        """The commit of a branch before ours.

        This is our commit's parent, which others may have committed meanwhile; but commits that a
        hook removed together with ours come back.
        """
        parents = self.hold.repository.read_commit(commit).parents
        below, planned = parents[0] if parents else None, self.entry.parent
        if below == planned or self.journal.noted(MADE) is None:
            return below
        if below is None or planned is None:
            return planned
        return below if self.hold.repository.is_ancestor(planned, below) else planned

    def index_is_ours(self) -> bool:
        """Whether the index is the one that :meth:`finish` leaves."""
        staged = self.journal.noted("staged")
        return staged is not None and self.hold.index_hash(self._index) == staged["index"]

    def _bring_index_back(self) -> None:
        """Roll back :meth:`finish`, unless the index has been changed since."""
        staged = self.journal.noted("staged")
        if staged is None or self.hold.index_hash(self._index) != staged["index"]:
            return
        if self.entry.index is None:
            if self.hold.disk.stat(self._next) is None:
                self.hold.disk.rename(self._index, self._next)
        elif self.hold.index_hash(self._next) == self.entry.index:
            self.hold.disk.swap(self._next, self._index)
        elif self.hold.index_hash(self._former) == self.entry.index:
            self.hold.disk.rename(self._former, self._index)

    def _index_is_out(self) -> bool:
        """Whether the previous index has been exchanged."""
        return self.hold.index_hash(self._next) in {None, self.entry.index}

    def foreign_locks(self) -> list[str]:
        """Locks on HEAD and the branch, possibly left by a killed Git; only the user can judge."""
        location = self.hold.repository.location
        paths = [location.git_path("HEAD.lock")]
        if self.entry.branch is not None:
            paths.append(f"{location.common_dir}/{self.search.ref}.lock")
        return [path for path in paths if os.path.lexists(path)]

    @property
    def _lock(self) -> Spot:
        return self.hold.git_dir.at(INDEX_LOCK)

    @property
    def _index(self) -> Spot:
        return self.hold.git_dir.at("index")

    @property
    def _next(self) -> Spot:
        return self.journal.at("index")

    @property
    def _basis(self) -> Spot:
        return self.journal.at("commit-index")

    @property
    def _former(self) -> Spot:
        return self.journal.at("former-index")


def _locked(path: str) -> ZdevError:
    wrong = wrong_kind(path)
    if wrong is not None:
        return ZdevError(
            "index-locked",
            f"{path} keeps every Git from writing the index, and {wrong}",
            "Remove it when no command of git-zdev runs here; Git makes no such lock",
        )
    return ZdevError(
        "index-locked",
        f"another Git process holds {path}",
        "Wait until it is done; remove the file only when no Git process runs here",
    )
