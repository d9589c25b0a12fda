"""What one run works on, opened when it is first asked for.

A session holds the surroundings that the command line gave (current directory, environment,
``--root``) so that nothing below has to look at the process. Records can be read without a
repository; whatever needs Git opens it here, once.
"""

from __future__ import annotations

import os

from git_zdev.errors import ZdevError
from git_zdev.progress import UNSEEN
from git_zdev.values import cached_property, dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from git_zdev.changeset import ChangeSet
    from git_zdev.git.config import GitConfig
    from git_zdev.git.model import Location
    from git_zdev.git.process import InstalledGit
    from git_zdev.git.repository import LibGit2Repository
    from git_zdev.progress import Progress
    from git_zdev.publication import PublishResult, Transaction, Watched
    from git_zdev.records.store import FileSource, IndexSource
    from git_zdev.storage.atomic import Disk
    from git_zdev.storage.rebase_record import RebaseRecord


@dataclass(frozen=True)
class Surroundings:
    """What the process gives a run.

    Attributes:
        directory: Absolute current directory.
        environment: The environment's variables.
        root: The value of ``--root``, None for discovery.
        read_stdin: Reads the whole of standard input.
        progress: Where work that may last says how far it is.
    """

    directory: str
    environment: Mapping[str, str]
    root: str | None
    read_stdin: Callable[[], bytes]
    progress: Progress = UNSEEN


JOURNAL = "zdev/journal"
"""Where an interrupted publication leaves its journal in the Git directory."""


class Session:
    """One run: its plan root, records and repository.

    Attributes:
        surroundings: What the process gives it.
        notes: What a person should see of it however it ends.
    """

    def __init__(self, surroundings: Surroundings) -> None:
        self.surroundings = surroundings
        self.notes: list[str] = []

    @cached_property
    def root(self) -> str:
        """Absolute path of the folder that holds ``.zdev``, or will hold it."""
        from git_zdev.git import discovery

        around = self.surroundings
        return discovery.plan_root(
            around.directory, around.environment, around.root, lambda: self.location
        )

    @cached_property
    def location(self) -> Location:
        """Where the repository's parts are.

        Raises:
            ZdevError: ``not-a-repository``, ``bare-repository`` or what else discovery says.
        """
        from git_zdev.git import discovery

        around = self.surroundings
        return discovery.discover(around.directory, around.environment, around.root)

    @cached_property
    def folder(self) -> str:
        """The plan root relative to the work tree, ``/`` separated; empty where they are one."""
        relative = os.path.relpath(self.root, os.path.realpath(self.location.work_tree))
        return "" if relative == os.curdir else relative

    def demand_root_inside(self) -> None:
        """Refuse to write a plan that the repository does not hold.

        Raises:
            ZdevError: ``root-outside-work-tree``.
        """
        if self.folder == os.pardir or self.folder.startswith(f"{os.pardir}/"):
            raise ZdevError(
                "root-outside-work-tree",
                f"{self.root} is not inside the work tree {self.location.work_tree}",
                "Name a folder of the work tree with --root",
            )

    @cached_property
    def repository(self) -> LibGit2Repository:
        """The repository, opened for reading through libgit2."""
        from git_zdev.git.repository import open_repository

        repository = open_repository(self.location, self.surroundings.environment)
        repository.progress = self.surroundings.progress
        return repository

    @cached_property
    def settings(self) -> GitConfig | None:
        """The configuration for matters of taste; None where it cannot be read."""
        from git_zdev.git.config import read_config

        try:
            try:
                location = self.location
            except ZdevError:
                location = None  # outside of every repository the user's own settings count
            return read_config(location, self.surroundings.environment)
        except (ZdevError, OSError):
            return None

    @cached_property
    def git(self) -> InstalledGit:
        """The installed Git, for what must act as the user's Git."""
        from git_zdev.git.process import InstalledGit

        return InstalledGit(self.location, self.surroundings.environment)

    @cached_property
    def disk(self) -> Disk:
        """The file system, for what is written."""
        from git_zdev.storage.atomic import Disk

        return Disk()

    @cached_property
    def rebase_record(self) -> RebaseRecord:
        """What is written down of the managed rebase in this work tree."""
        from git_zdev.storage.rebase_record import RebaseRecord

        return RebaseRecord(self.disk, self.location.git_dir)

    @cached_property
    def records(self) -> FileSource:
        """The record files of the work tree, for commands that only read.

        They can be read without a repository. Where there is no plan either, it is the repository
        that is missing first.

        Raises:
            ZdevError: ``interrupted-publication``, ``git-operation-in-progress`` while a rebase
                keeps the plan out of the work tree, or why there is no repository.
        """
        from git_zdev.git.discovery import PLAN_FILE
        from git_zdev.records.store import FileSource

        try:
            git_dir = self.location.git_dir
        except ZdevError:
            if not os.path.lexists(f"{self.root}/{PLAN_FILE}"):
                raise
        else:
            self._refuse_interrupted(git_dir)
            if not os.path.lexists(f"{self.root}/{PLAN_FILE}"):
                self._refuse_rebasing()
        return FileSource(self.root)

    @cached_property
    def staged_records(self) -> IndexSource:
        """The record files as they stand in the index.

        Raises:
            ZdevError: ``interrupted-publication``, or why the repository cannot be read.
        """
        from git_zdev.git.ownership import require_trust
        from git_zdev.git.repository_format import require_readable_format
        from git_zdev.records.staged import StagedFiles
        from git_zdev.records.store import IndexSource

        require_trust(self.location, self.surroundings.environment)
        require_readable_format(self.location)
        self._refuse_interrupted(self.location.git_dir)
        prefix = f"{self.folder}/" if self.folder else ""
        index = StagedFiles(self.location, lambda: self.repository)
        return IndexSource(index, os.fsencode(prefix))

    def _refuse_interrupted(self, git_dir: str) -> None:
        """Refuse to read what a command left half written."""
        if os.path.lexists(f"{git_dir}/{JOURNAL}"):
            from git_zdev.publication import refuse_interrupted

            refuse_interrupted(git_dir)

    def _refuse_rebasing(self) -> None:
        """Refuse to call a plan missing that is there again when the rebase in progress ends."""
        from git_zdev.git.rebasing import rebase_state

        state = rebase_state(self.location)
        if state is None or state.original is None or state.branch is None:
            return
        from git_zdev.areas import load_areas, load_project
        from git_zdev.branch_refusals import refusal
        from git_zdev.branch_safety import assess
        from git_zdev.records.committed import committed_source

        prefix = os.fsencode(f"{self.folder}/" if self.folder else "")
        try:
            source = committed_source(self.repository, state.original, prefix)
            project, areas = load_project(source), {area.tag: area for area in load_areas(source)}
        except ZdevError:
            return
        for area in areas.values():
            if area.branch == state.branch:
                raise refusal(assess(area, areas, project, self.repository))

    def writing(self) -> AbstractContextManager[Writing]:
        """Hold the state lock of the work tree; what an interrupted command left is settled first.

        Raises:
            ZdevError: ``state-locked``, ``inside-git-hook``, ``foreign-index``, or why the
                repository cannot be opened or written.
        """
        from contextlib import contextmanager  # commands that only read have no use for it

        return contextmanager(self._written)()

    def sharing(self) -> AbstractContextManager[object]:
        """Hold the lock of the main work tree besides that of this one.

        Who writes what all work trees share does it behind :meth:`writing`.

        Raises:
            ZdevError: ``state-locked``, or why the lock cannot be taken.
        """
        from contextlib import nullcontext

        own, shared = self.location.git_dir, self.location.common_dir
        if os.path.realpath(own) == os.path.realpath(shared):
            return nullcontext()
        from git_zdev.publication.hold import lock_timeout
        from git_zdev.storage.lock import StateLock

        return StateLock(shared, lambda: lock_timeout(self.repository), self.repository.progress)

    def _written(self) -> Iterator[Writing]:
        from git_zdev.publication import Watched, transaction
        from git_zdev.records.store import FileSource

        self.demand_root_inside()
        environment = self.surroundings.environment
        with transaction(
            self.repository, self.root, environment, git=self.git, disk=self.disk
        ) as held:
            self.notes += held.recovered.told()
            yield Writing(held, self.root, Watched(FileSource(self.root)))


@dataclass(frozen=True)
class Writing:
    """The hold of a writing command.

    Attributes:
        transaction: The publication's hold.
        root: Absolute path of the plan root.
        source: The record files, every answer remembered: a plan made from them is published only
            while they still say the same.
    """

    transaction: Transaction
    root: str
    source: Watched

    def again(self) -> Writing:
        """The same hold after the command itself made Git change the files and HEAD."""
        from git_zdev.publication import Watched
        from git_zdev.records.store import FileSource

        self.transaction.accept_head()
        return Writing(self.transaction, self.root, Watched(FileSource(self.root)))

    def publish(
        self,
        change: ChangeSet,
        *gates: Callable[[], object],
        last: Sequence[Callable[[], object]] = (),
    ) -> PublishResult:
        """Make a plan visible as a whole, or nothing of it.

        Args:
            change: The plan.
            gates: What must hold at the moment of writing; each raises what it refuses with.
            last: Those of them that cost too much to be asked before that moment as well.
        """
        return self.transaction.publish(change, (self.source.verify, *gates), last=last)
