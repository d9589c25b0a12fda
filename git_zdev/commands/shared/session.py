"""What one run works on, opened on first use.

A session holds the surroundings that the command line gave (current directory, environment,
``--root``) so that no layer below depends on the process. Records can be read without a
repository; everything that needs Git opens it here, once. :func:`answer` runs a command on a
session, and again on a new one if a publication began or ended meanwhile.
"""

from __future__ import annotations

import os

from git_zdev.ground.errors import Moved, ZdevError
from git_zdev.ground.progress import UNSEEN
from git_zdev.ground.values import cached_property, dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import TypeVar

    from git_zdev.commands.shared.look import Look
    from git_zdev.disk.atomic import Disk
    from git_zdev.disk.lock import StateLock
    from git_zdev.disk.rebase_record import RebaseRecord
    from git_zdev.git.config.config import GitConfig
    from git_zdev.git.model import Location
    from git_zdev.git.process import InstalledGit
    from git_zdev.git.read.repository import LibGit2Repository
    from git_zdev.ground.changeset import ChangeSet
    from git_zdev.ground.paths import PlanRoot
    from git_zdev.ground.progress import Progress
    from git_zdev.plan.records.store import RecordSource
    from git_zdev.plan.records.tracked import IndexSource
    from git_zdev.publish.attempt import PublishResult
    from git_zdev.publish.transaction import Transaction
    from git_zdev.publish.watch import Watched

    Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Surroundings:
    """The process's part of a run.

    Attributes:
        directory: Absolute current directory.
        environment: The environment's variables.
        root: The value of ``--root``; None to discover it.
        read_stdin: Reads the whole of standard input.
        progress: Shows how far long work has come.
        inputs: What was read from the files that the command line names and from standard input.
        notes: What the user should see however the run ends.
    """

    directory: str
    environment: Mapping[str, str]
    root: str | None
    read_stdin: Callable[[], bytes]
    progress: Progress = UNSEEN
    inputs: dict[str, bytes] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


LOCK_TIMEOUT = "zdev.lockTimeout"

_FEWEST_TRIES = 20
_FIRST_PAUSE, _LONGEST_PAUSE = 0.002, 0.05


def answer(surroundings: Surroundings, run: Callable[[Session], Answer]) -> tuple[Session, Answer]:
    """Run a command until everything it read belongs together.

    A command that writes runs once: nobody else changes what it reads. Other commands begin again
    with a new session while publications begin or end, for as long as ``zdev.lockTimeout`` allows.

    Args:
        surroundings: The process's part.
        run: The command. Before it does more than read, it calls :meth:`Session.end_look`.

    Returns:
        The session of the run that counts, and its result.

    Raises:
        ZdevError: The command's refusal, or ``state-drifted`` if every attempt met a publication.
    """
    import time

    tries, pause = 0, _FIRST_PAUSE
    began = time.monotonic()
    while True:
        session = Session(surroundings)
        try:
            return session, _steady(session, run)
        except Moved:
            tries += 1
            if tries >= _FEWEST_TRIES and time.monotonic() - began > session.patience():
                raise _restless() from None
        time.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)


def _steady(session: Session, run: Callable[[Session], Answer]) -> Answer:
    """The result or the refusal of a run, if its look held."""
    try:
        result = run(session)
    except Moved:
        raise
    except Exception:
        session.end_look()
        raise
    session.end_look()
    return result


def _restless() -> ZdevError:
    return ZdevError(
        "state-drifted",
        "other commands wrote in this work tree all the time while it was read",
        "Run the command again when they are done",
    )


class Session:
    """One run: its plan root, records and repository.

    Attributes:
        surroundings: The process's part of it.
    """

    def __init__(self, surroundings: Surroundings) -> None:
        self.surroundings = surroundings
        self._writes = False

    @cached_property
    def root(self) -> str:
        """Absolute path of the folder that holds ``.zdev``, or will hold it."""
        from git_zdev.git.read import discovery

        around = self.surroundings
        return discovery.plan_root(
            around.directory, around.environment, around.root, lambda: self.location, self._stood
        )

    def _stood(self, path: str) -> bool:
        """Whether a file of a plan exists, as the current look sees it if there is one."""
        look: Look | None = self.__dict__.get("look")
        try:
            publication = None if look is None else look.publication
        except ZdevError:  # reported when the records are read
            publication = None
        return publication.stood(path) if publication else os.path.lexists(path)

    @cached_property
    def look(self) -> Look:
        """The current look of this run.

        Raises:
            ZdevError: As for :attr:`location`.
        """
        from git_zdev.commands.shared.look import Look

        around = self.surroundings
        return Look(self.location, around.environment, self.patience, around.progress)

    def end_look(self) -> None:
        """Accept what was read so far; later reads are a new look.

        Raises:
            Moved: What was read may not belong together: a publication began or ended meanwhile.
        """
        look = self.__dict__.pop("look", None)
        for name in ("records", "staged_records", "refs", "evidence"):
            self.__dict__.pop(name, None)
        if look is not None and not self._writes:
            look.end()

    def patience(self) -> float:
        """How many seconds a reader waits for a writer: ``zdev.lockTimeout``, but not forever.

        The writer may be waiting for a hook that waits for this reader.
        """
        from git_zdev.disk.lock import DEFAULT_TIMEOUT

        settings = self.settings
        given = None if settings is None else settings.get_int(LOCK_TIMEOUT, default=-1)
        return DEFAULT_TIMEOUT if given is None or given < 0 else given

    @cached_property
    def location(self) -> Location:
        """Where the repository's parts are.

        Raises:
            ZdevError: ``not-a-repository``, ``bare-repository`` or another error of discovery.
        """
        from git_zdev.git.read import discovery

        around = self.surroundings
        return discovery.discover(around.directory, around.environment, around.root)

    @cached_property
    def plan_root(self) -> PlanRoot:
        """Where the plan is in the work tree; outside of it if ``--root`` says so."""
        from git_zdev.ground.paths import PlanRoot

        relative = os.path.relpath(self.root, os.path.realpath(self.location.work_tree))
        return PlanRoot("" if relative == os.curdir else relative)

    def require_root_inside(self) -> None:
        """Refuse to write a plan outside of the work tree.

        Raises:
            ZdevError: ``root-outside-work-tree``.
        """
        if self.plan_root.prefix.startswith(f"{os.pardir}/"):
            raise ZdevError(
                "root-outside-work-tree",
                f"{self.root} is not inside the work tree {self.location.work_tree}",
                "Name a folder of the work tree with --root",
            )

    @cached_property
    def repository(self) -> LibGit2Repository:
        """The repository, opened for reading through libgit2."""
        from git_zdev.git.read.repository import open_repository

        repository = open_repository(self.location, self.surroundings.environment)
        repository.progress = self.surroundings.progress
        return repository

    @cached_property
    def settings(self) -> GitConfig | None:
        """The configuration, for preferences only; None if it cannot be read."""
        from git_zdev.git.config.config import read_config

        try:
            try:
                location = self.location
            except ZdevError:
                location = None  # without a repository, the user's own settings apply
            return read_config(location, self.surroundings.environment)
        except (ZdevError, OSError):
            return None

    @cached_property
    def git(self) -> InstalledGit:
        """The installed Git, for actions that must behave as the user's Git does."""
        from git_zdev.git.process import InstalledGit

        return InstalledGit(self.location, self.surroundings.environment)

    @cached_property
    def disk(self) -> Disk:
        """The file system, for writing."""
        from git_zdev.disk.atomic import Disk

        return Disk()

    @cached_property
    def rebase_record(self) -> RebaseRecord:
        """The record of the managed rebase in this work tree."""
        from git_zdev.disk.rebase_record import RebaseRecord

        return RebaseRecord(self.disk, self.location.git_dir)

    @cached_property
    def records(self) -> RecordSource:
        """The record files of the work tree, for commands that only read.

        They can be read without a repository. If there is no plan either, the error says that the
        repository is missing.

        Raises:
            ZdevError: ``interrupted-publication``, ``git-operation-in-progress`` while a rebase
                keeps the plan out of the work tree, or why there is no repository.
            Moved: As for :meth:`end_look`.
        """
        from git_zdev.git.read.discovery import PLAN_FILE
        from git_zdev.plan.records.store import FileSource

        try:
            look = self.look
        except ZdevError:
            if not os.path.lexists(f"{self.root}/{PLAN_FILE}"):
                raise
            return FileSource(self.root)
        found = look.records(self.root)
        if not os.path.lexists(f"{self.root}/{PLAN_FILE}"):
            self._require_no_rebase()
        return found

    @cached_property
    def staged_records(self) -> IndexSource:
        """The record files as the index has them.

        Raises:
            ZdevError: ``interrupted-publication``, or why the repository cannot be read.
            Moved: As for :meth:`end_look`.
        """
        from git_zdev.git.read.ownership import require_trust
        from git_zdev.git.read.repository_format import require_readable_format
        from git_zdev.plan.records.tracked import IndexSource, StagedFiles

        require_trust(self.location, self.surroundings.environment)
        require_readable_format(self.location)
        self.look.require_index()
        index = StagedFiles(self.location, lambda: self.repository)
        return IndexSource(index, self.plan_root)

    @cached_property
    def refs(self) -> LibGit2Repository:
        """The repository, for HEAD and branches that belong to :attr:`records`.

        Raises:
            ZdevError: ``state-locked`` after a wait for a publication, or why the repository
                cannot be read.
            Moved: As for :meth:`end_look`.
        """
        self.look.require_refs(self.repository)
        return self.repository

    @cached_property
    def evidence(self) -> LibGit2Repository:
        """The repository, for an index and a work tree that belong to :attr:`records`.

        Raises:
            ZdevError: As for :attr:`refs`.
            Moved: As for :meth:`end_look`.
        """
        self.look.require_work_tree()
        return self.repository

    def _require_no_rebase(self) -> None:
        """Refuse to report a missing plan if the end of the rebase in progress brings it back."""
        from git_zdev.git.rebasing import rebase_state

        state = rebase_state(self.location)
        if state is None or state.original is None or state.branch is None:
            return
        from git_zdev.branch.refusals import refusal
        from git_zdev.branch.safety import assess
        from git_zdev.plan.areas import load_areas, load_project
        from git_zdev.plan.records.tracked import committed_source

        try:
            source = committed_source(self.repository, state.original, self.plan_root)
            project, areas = load_project(source), {area.tag: area for area in load_areas(source)}
        except ZdevError:
            return
        for area in areas.values():
            if area.branch == state.branch:
                raise refusal(assess(area, areas, project, self.repository))

    def lock(self) -> StateLock:
        """The state lock alone, for data in the Git directory that is not a record."""
        from git_zdev.disk.lock import StateLock
        from git_zdev.publish.hold import lock_timeout

        git_dir = self.location.git_dir
        return StateLock(git_dir, lambda: lock_timeout(self.repository), self.surroundings.progress)

    def writing(self) -> AbstractContextManager[Writing]:
        """Hold the work tree's state lock, after recovering an interrupted command.

        Raises:
            ZdevError: ``state-locked``, ``inside-git-hook``, ``foreign-index``, or why the
                repository cannot be opened or written.
        """
        from contextlib import contextmanager  # commands that only read do not need it

        return contextmanager(self._written)()

    def sharing(self) -> AbstractContextManager[object]:
        """Hold the lock of the main work tree too.

        Data that all work trees share is written under :meth:`writing`.

        Raises:
            ZdevError: ``state-locked``, or why the lock cannot be taken.
        """
        from contextlib import nullcontext

        own, shared = self.location.git_dir, self.location.common_dir
        if os.path.realpath(own) == os.path.realpath(shared):
            return nullcontext()
        from git_zdev.disk.lock import StateLock
        from git_zdev.publish.hold import lock_timeout

        return StateLock(shared, lambda: lock_timeout(self.repository), self.repository.progress)

    def _written(self) -> Iterator[Writing]:
        from git_zdev.plan.records.store import FileSource
        from git_zdev.publish.transaction import transaction
        from git_zdev.publish.watch import Watched

        self.require_root_inside()
        self._writes = True
        environment = self.surroundings.environment
        with transaction(
            self.repository, self.root, environment, git=self.git, disk=self.disk
        ) as held:
            self.surroundings.notes.extend(held.recovered.report())
            yield Writing(held, self.root, Watched(FileSource(self.root)))


@dataclass(frozen=True)
class Writing:
    """What a writing command holds.

    Attributes:
        transaction: The publication's hold.
        root: Absolute path of the plan root.
        source: The record files, which remember every answer: a plan made from them is published
            only if they still give the same answers.
    """

    transaction: Transaction
    root: str
    source: Watched

    def again(self) -> Writing:
        """The same hold, after the command itself let Git change the files and HEAD."""
        from git_zdev.plan.records.store import FileSource
        from git_zdev.publish.watch import Watched

        self.transaction.accept_head()
        return Writing(self.transaction, self.root, Watched(FileSource(self.root)))

    def publish(
        self,
        change: ChangeSet,
        *gates: Callable[[], object],
        last: Sequence[Callable[[], object]] = (),
    ) -> PublishResult:
        """Publish a plan, as a whole or not at all.

        Args:
            change: The plan.
            gates: Checks at the moment of writing; each raises its refusal.
            last: Gates that are too expensive to be checked before that moment as well.
        """
        return self.transaction.publish(change, (self.source.verify, *gates), last=last)
