"""One writing command's hold on a work tree: lock, read, plan, publish once."""

from __future__ import annotations

import contextlib

from git_zdev.disk.atomic import storage_error
from git_zdev.disk.folders import OpenFolders
from git_zdev.disk.processes import git_commands_above
from git_zdev.publish.attempt import Attempt
from git_zdev.publish.gates import require_outside_git
from git_zdev.publish.hold import held
from git_zdev.publish.interrupts import deferred
from git_zdev.publish.recovery import settle
from git_zdev.publish.underway import index_identity, roots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from git_zdev.disk.atomic import Disk
    from git_zdev.git.port import Publisher, Repository
    from git_zdev.ground.changeset import ChangeSet
    from git_zdev.publish.attempt import Gate, PublishResult
    from git_zdev.publish.hold import Hold
    from git_zdev.publish.recovery import Recovery


@contextlib.contextmanager
def transaction(
    repository: Repository,
    plan_root: str,
    environment: Mapping[str, str],
    *,
    git: Publisher | None = None,
    disk: Disk | None = None,
) -> Iterator[Transaction]:
    """Hold the state lock, after recovering an interrupted publication.

    Args:
        repository: The repository; nothing is written without one.
        plan_root: Absolute path of the folder that holds, or will hold, ``.zdev``.
        environment: The process's environment.
        git: The installed Git; None for the one on PATH.
        disk: The file system; tests pass one that fails.

    Yields:
        The hold. Read the records inside of it, plan, then :meth:`Transaction.publish`.

    Raises:
        ZdevError: ``inside-git-hook``, ``foreign-index``, ``state-locked``, ``not-writable``, or
            recovery's refusal.
    """
    require_outside_git(environment, list(git_commands_above()), repository.config)
    with held(repository, environment, git, disk) as hold:
        yield Transaction(hold, plan_root, settle(hold))


class Transaction:
    """The hold that :func:`transaction` yields.

    Attributes:
        head: Where HEAD pointed when the lock was taken.
        recovered: The recovery of an interrupted command.
    """

    def __init__(self, hold: Hold, plan_root: str, recovered: Recovery) -> None:
        self.recovered = recovered
        self._hold = hold
        self._plan_root = plan_root
        self._published = False
        self.accept_head()

    def accept_head(self) -> None:
        """Accept the current HEAD and index, after the command itself has moved them."""
        self.head = self._hold.repository.head()
        self._index = index_identity(self._hold.repository.location)

    def publish(
        self, change: ChangeSet, gates: Sequence[Gate] = (), *, last: Sequence[Gate] = ()
    ) -> PublishResult:
        """Make a planned change visible as a whole, or leave everything as it was.

        Args:
            change: The plan. A change with equal old and new bytes is a file that must not change.
            gates: Called before anything is written and again when nobody else can write; they
                raise the command's refusals.
            last: Gates too expensive to be checked twice. They are called after the others when
                nobody else can write, just before anything becomes visible.

        Raises:
            ZdevError: ``state-drifted``, ``interrupted``, or why it could not be done.
        """
        if self._published:
            raise RuntimeError("a transaction publishes once")
        self._published = True
        places = roots(self._hold.repository.location, self._plan_root)
        with deferred() as interrupts, OpenFolders(self._hold.disk, places) as folders:
            attempt = Attempt(
                hold=self._hold,
                change=change,
                gates=gates,
                last=last,
                head=self.head,
                index=self._index,
                plan_root=self._plan_root,
                folders=folders,
                interrupts=interrupts,
            )
            try:
                result = attempt.run()
            except OSError as error:
                raise storage_error(error) from error
            interrupts.raise_late("the command was complete by then, nothing is lost")
        return result
