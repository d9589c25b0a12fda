"""One publication, from its plan to success or rollback."""

from __future__ import annotations

import os
import signal

from git_zdev.disk import journal as journals
from git_zdev.disk.binding import Binding
from git_zdev.disk.journal import CommitEntry, Entry, Plan, digest
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.paths import checked_path
from git_zdev.ground.values import dataclass
from git_zdev.plan.change_id import change_id_of, told_of
from git_zdev.publish import gates
from git_zdev.publish.one_file import drifted
from git_zdev.publish.underway import EXCLUDE, Underway, index_identity, rewritten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from git_zdev.disk.atomic import Content
    from git_zdev.disk.folders import OpenFolders
    from git_zdev.disk.journal import Journal
    from git_zdev.git.model import Head
    from git_zdev.ground.changeset import ChangeSet, CommitPlan, FileChange
    from git_zdev.publish.commit import Commit
    from git_zdev.publish.hold import Hold
    from git_zdev.publish.interrupts import Interrupts

    Gate = Callable[[], object]


@dataclass(frozen=True, slots=True)
class PublishResult:
    """What has become visible.

    Attributes:
        commit: The new commit's id; None if only files changed.
        paths: The changed files, relative to their place; with a commit, the managed paths relative
            to the work tree; in the plan's order.
        notes: Sentences for the user, such as what else a hook has staged.
        said: What Git and its hooks printed.
        change_id: The commit's change id; None if it has none.
    """

    commit: str | None = None
    paths: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    said: str = ""
    change_id: str | None = None

    @property
    def report(self) -> tuple[str, ...]:
        """The notes, then line by line the output of Git and its hooks, for the user."""
        return (*self.notes, *filter(None, self.said.splitlines()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One publication; :meth:`run` is its course.

    Attributes:
        hold: The work tree.
        change: The plan.
        gates: The command's own gates, checked before the journal and again under the index lock.
        last: Gates too expensive to be checked twice: under the index lock only.
        head: Where HEAD pointed when the command began to plan.
        index: The index file's identity at that time.
        plan_root: Absolute path of the folder that holds ``.zdev``.
        folders: The open folders of the places.
        interrupts: The signals that arrived.
    """

    hold: Hold
    change: ChangeSet
    gates: Sequence[Gate]
    last: Sequence[Gate]
    head: Head
    index: tuple[int, ...] | None
    plan_root: str
    folders: OpenFolders
    interrupts: Interrupts

    def run(self) -> PublishResult:
        """Publish.

        Raises:
            ZdevError: Nothing has changed, or the error names what could not be rolled back.
            OSError: The same.
        """
        found = self._pass_gates(self.gates)
        moving = [
            (change, content)
            for change, content in zip(self.change.changes, found, strict=True)
            if change.old != change.new
        ]
        plan = self._plan([change for change, _ in moving])
        if not plan.entries and plan.commit is None:
            return PublishResult()
        journal = self._begin(plan, moving)
        with journal.folder:
            underway = Underway(self.hold, journal, self.folders)
            try:
                result = self._publish(underway)
                underway.finish()
            except BaseException as error:
                instead = underway.undo_after(error)
                if instead is not None:
                    raise instead from error
                raise
        return result

    def _publish(self, underway: Underway) -> PublishResult:
        pause = self.interrupts.raise_pending
        commit = underway.commit
        if commit is not None:
            commit.lock(pause)
        self._pass_gates((*self.gates, *self.last, self._require_plain_entries))
        underway.files.put(pause)
        pause()
        if commit is not None and self.change.commit is not None:
            return self._commit(underway, commit, self.change.commit)
        return PublishResult(paths=tuple(entry.path for entry in underway.journal.plan.entries))

    def _commit(self, underway: Underway, commit: Commit, plan: CommitPlan) -> PublishResult:
        commit.stage(whole_index=plan.whole_index)
        for change in self.change.changes:
            self._standing(change, change.new)
        status = commit.run(self.interrupts)
        found = commit.search.look()
        if found is None:
            self.interrupts.raise_pending()
            raise self._no_commit(status, commit.said())
        if not found.as_planned:
            raise commit.altered(found.commit)
        notes = self._restore(underway, commit, found.commit)
        notes += commit.finish()
        asked = change_id_of(plan.message)
        carried = change_id_of(self.hold.repository.read_commit(found.commit).message)
        if asked is not None:
            notes += told_of(asked, carried)
        return PublishResult(found.commit, plan.paths, tuple(notes), commit.said(), carried)

    def _restore(self, underway: Underway, commit: Commit, made: str) -> list[str]:
        """Restore our bytes where a hook wrote others after staging; return notes about them.

        If a hook has checked out another commit, its files are left.
        """
        head = self.hold.repository.head()
        if (head.branch, head.commit) != (self.head.branch, made) or not commit.ran_hooks():
            return []
        if underway.files.complete():
            return []
        self.folders.look_again()
        planned = {change.path: change.new for change in self.change.changes}
        restored = underway.files.restore(planned, underway.shelf)
        kept, left = underway.shelf.kept, underway.files.changed()
        if restored and not left:
            commit.stage_again()
        notes = [f"Note: {rewritten(kept)}. {EXCLUDE}"] if kept else []
        if left:
            notes.append(f"Note: the work tree has other files than the commit: {', '.join(left)}")
        return notes

    def _no_commit(self, status: int, said: str) -> ZdevError:
        """The error that says why there is no commit of ours."""
        from git_zdev.git.process import without_advice

        hint = "Remove the cause, then run the command again"
        if self.hold.repository.head() != self.head:
            what = "HEAD was moved meanwhile, by a hook or another process, and stays there"
            hint = (
                "The index and the files are as before, and may lack what HEAD has now: "
                "look at it with `git log -p`, then run the command again"
            )
        elif status == 0:
            what = "a hook took the new commit off the branch again"
        elif status < 0:
            what = f"`git commit` was ended by {signal.Signals(-status).name}"
        else:
            what = "`git commit` refused"
        return ZdevError(
            "commit-failed",
            what,
            hint,
            details={"status": status, "said": said},
            said=without_advice(said),
        )

    def _pass_gates(self, own: Iterable[Gate]) -> list[Content | None]:
        """Check that everything is still as the plan expects; return the existing files."""
        self.interrupts.raise_pending()
        self._require_head()  # before the gates, whose refusal would blame the command
        for gate in own:
            gate()
        self.folders.look_again()
        if self.change.commit is not None:
            if index_identity(self.hold.repository.location) != self.index:
                raise drifted("the index")
            gates.require_no_operation(self.hold.repository)
        self._require_head()
        return [self._standing(change, change.old) for change in self.change.changes]

    def _require_plain_entries(self) -> None:
        if self.change.commit is not None:
            gates.require_fit_index(self.hold.repository, self.change.commit.paths)

    def _require_head(self) -> None:
        if self.hold.repository.head() != self.head:
            raise drifted("HEAD", "moved meanwhile")

    def _standing(self, change: FileChange, expected: bytes | None) -> Content | None:
        """The current file, which must be as expected."""
        spot = self.folders.spot(change.place, checked_path(change.path))
        found = None if spot is None else self.hold.disk.read(spot)
        if (None if found is None else found.data) != expected:
            raise drifted(change.path)
        return found

    def _plan(self, moving: Sequence[FileChange]) -> Plan:
        """The plan in the journal's form."""
        location = self.hold.repository.location
        folders: dict[tuple[str, str], None] = {}
        for change in moving:
            place = change.place
            folders |= {(place, path): None for path in self.folders.missing(place, change.path)}
        return Plan(
            identity=os.urandom(16).hex(),
            command=self.change.command,
            binding=Binding.of(location.work_tree, location.git_dir, location.common_dir),
            root=os.path.relpath(*map(os.path.realpath, (self.plan_root, location.work_tree))),
            entries=tuple(self._entry(change) for change in moving),
            folders=tuple(folders),
            commit=None if self.change.commit is None else self._commit_entry(self.change.commit),
            head=self.head.commit,
            stamp=self.index,
        )

    def _commit_entry(self, plan: CommitPlan) -> CommitEntry:
        standing = self.hold.disk.read(self.hold.git_dir.at("index"))
        return CommitEntry(
            branch=self.head.branch,
            parent=self.head.commit,
            subject=plan.message.partition("\n")[0],
            paths=plan.paths,
            index=None if standing is None else self.hold.hash_of(standing),
        )

    def _entry(self, change: FileChange) -> Entry:
        place = change.place
        return Entry(
            place=place,
            path=change.path,
            old=None if change.old is None else digest(change.old),
            new=None if change.new is None else digest(change.new),
            near=self.folders.device(place, change.path) != self.hold.home.device,
        )

    def _begin(self, plan: Plan, moving: Sequence[tuple[FileChange, Content | None]]) -> Journal:
        """Write the journal under another name, then make it effective."""
        files: dict[str, tuple[bytes, int | None]] = {
            f"{number}.new": (change.new, None if content is None else content.mode)
            for number, (change, content) in enumerate(moving)
            if change.new is not None
        }
        if self.change.commit is not None:
            files["lock"] = (plan.identity.encode(), None)
            files["message"] = (self.change.commit.message.encode(), None)
        return journals.begin(self.hold.disk, self.hold.home, plan, files)
