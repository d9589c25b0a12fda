"""The hold of every writing command on its work tree: the state lock and the open folders."""

from __future__ import annotations

import contextlib

from git_zdev.disk.atomic import Disk, storage_error
from git_zdev.disk.journal import FOLDER, digest, open_home
from git_zdev.disk.lock import DEFAULT_TIMEOUT, StateLock
from git_zdev.disk.reading import identity_of
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import dataclass, field
from git_zdev.publish.one_file import STRANGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from git_zdev.disk.atomic import Content, Folder, Spot
    from git_zdev.git.port import Publisher, Repository


@dataclass(frozen=True, slots=True)
class Hold:
    """A work tree whose state lock is held.

    Attributes:
        repository: The repository.
        git: The installed Git.
        disk: The file system.
        git_dir: The work tree's own Git directory.
        home: The ``zdev`` folder in it.
        hashes: SHA-256 of the index files read so far, by file identity.
    """

    repository: Repository
    git: Publisher
    disk: Disk
    git_dir: Folder
    home: Folder
    hashes: dict[tuple[int, ...], str] = field(default_factory=dict)

    def hash_of(self, content: Content) -> str:
        """SHA-256 of an index that was read."""
        return self.hashes.get(content.identity) or self.hashes.setdefault(
            content.identity, digest(content.data)
        )

    def index_hash(self, spot: Spot) -> str | None:
        """The ``content_hash`` of an index, which is read again only if it changed."""
        found = self.disk.stat(spot)
        known = None if found is None else self.hashes.get(identity_of(found))
        if known is not None:
            return known
        try:
            content = self.disk.read(spot)
        except ZdevError:
            return STRANGE
        return None if content is None else self.hash_of(content)


@contextlib.contextmanager
def held(
    repository: Repository,
    environment: Mapping[str, str],
    git: Publisher | None,
    disk: Disk | None,
    *,
    reading: bool = False,
) -> Iterator[Hold]:
    """Take the state lock.

    Args:
        repository: The repository.
        environment: The process's environment.
        git: The installed Git; None for the one on PATH.
        disk: The file system; None for the real one.
        reading: Whether nothing may be written. Lock file and ``zdev`` folder must then exist.

    Raises:
        ZdevError: ``state-locked``, ``not-writable``.
    """
    disk = disk or Disk()
    location = repository.location
    with contextlib.ExitStack() as stack:
        lock = StateLock(
            location.git_dir,
            lambda: lock_timeout(repository),
            repository.progress,
            reading=reading,
        )
        stack.enter_context(lock)
        try:
            git_dir = stack.enter_context(disk.open_root(location.git_dir))
            spot = git_dir.at(FOLDER)
            home = stack.enter_context(
                disk.open_folder(spot) if reading else open_home(disk, git_dir)
            )
        except OSError as error:
            raise storage_error(error) from error
        yield Hold(repository, git or _installed(repository, environment), disk, git_dir, home)


def lock_timeout(repository: Repository) -> int:
    """``zdev.lockTimeout`` in seconds."""
    return repository.config.get_int("zdev.lockTimeout", default=DEFAULT_TIMEOUT)


def _installed(repository: Repository, environment: Mapping[str, str]) -> Publisher:
    from git_zdev.git.process import InstalledGit

    return InstalledGit(repository.location, environment)
