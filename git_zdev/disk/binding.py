"""The binding of a file below a Git directory to the repository in which it was written.

A *secret* of 32 random bytes is in ``zdev/secret`` below the work tree's own Git directory, which
no clone copies. A *seal* is the HMAC-SHA256 (RFC 2104) of some bytes under the secret. A valid seal
proves that this program wrote the bytes, in this Git directory or in one that this is a copy of.
The *binding* tells which of the two: it holds path, device and inode of the folders in use.
"""

from __future__ import annotations

import os
import stat

from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.disk.atomic import Disk, Folder

SECRET = "secret"  # noqa: S105 — the name of its file
SECRET_BYTES = 32


def hmac_sha256(key: bytes, data: bytes) -> str:
    """The HMAC-SHA256 of some bytes in hexadecimal."""
    import hmac

    return hmac.digest(key, data, "sha256").hex()


def known_secret(disk: Disk, home: Folder) -> bytes | None:
    """The secret in the ``zdev`` folder; None if it is missing or has another length.

    Raises:
        ZdevError: ``unsafe-path`` or ``file-too-large`` for something that cannot be a secret.
    """
    found = disk.read(home.at(SECRET), 2 * SECRET_BYTES)
    return found.data if found is not None and len(found.data) == SECRET_BYTES else None


def secret_of(disk: Disk, home: Folder) -> bytes:
    """The secret, created if it is missing. The caller holds the state lock.

    A secret of another length was cut off by a kill or a loss of power before it sealed anything.
    Only its owner can read the secret, unless others can write in the folder: they could replace it
    anyway, and a repository shared by a group would work for only one of them.

    Raises:
        ZdevError: As for :func:`known_secret`.
        OSError: The secret cannot be written.
    """
    known = known_secret(disk, home)
    if known is not None:
        return known
    spot = home.at(SECRET)
    if disk.stat(spot) is not None:
        disk.remove(spot)
    made = os.urandom(SECRET_BYTES)
    writers = os.fstat(home.descriptor).st_mode & 0o022
    disk.create(spot, made, 0o600 | writers << 1)
    disk.sync_folder(home)
    return made


@dataclass(frozen=True, slots=True)
class Anchor:
    """A folder as it was found.

    Attributes:
        path: Its absolute path.
        device: Number of its device, valid until the machine restarts.
        inode: Its inode number.
    """

    path: str
    device: int
    inode: int

    @classmethod
    def of(cls, path: str) -> Anchor:
        """The folder at a path.

        Raises:
            OSError: It does not exist or cannot be reached.
        """
        found = os.stat(path)
        if not stat.S_ISDIR(found.st_mode):
            raise NotADirectoryError(20, "Not a directory", path)
        return cls(path, found.st_dev, found.st_ino)

    def fits(self, other: Anchor, *, same_boot: bool) -> bool:
        """Whether the numbers are those of the same folder.

        A restart renumbers devices, so their numbers mean nothing in another boot.
        """
        return self.inode == other.inode and (not same_boot or self.device == other.device)


@dataclass(frozen=True, slots=True)
class Binding:
    """The folders that a publication worked on.

    Attributes:
        boot: Id of the machine's boot; empty if the system has none.
        work_tree: The work tree.
        git_dir: Its own Git directory.
        common_dir: The Git directory that it shares with other work trees.
    """

    boot: str
    work_tree: Anchor
    git_dir: Anchor
    common_dir: Anchor

    @classmethod
    def of(cls, work_tree: str, git_dir: str, common_dir: str) -> Binding:
        """The binding to folders as they are now.

        Raises:
            OSError: A folder cannot be reached.
        """
        from git_zdev.disk.processes import boot_id

        return cls(boot_id(), *map(Anchor.of, (work_tree, git_dir, common_dir)))

    def fits(self, here: Binding, *, moved: bool) -> bool:
        """Whether the folders are those of ``here``.

        A folder is the same if path and numbers match. With another path it is the same only if no
        folder is at the old one, and its numbers match in one boot or else the caller vouches for
        it (``moved``). The caller also vouches for a device that was mounted again, which gets
        another number. Another inode under the same path is another folder.

        Args:
            here: The folders as they are.
            moved: Whether the caller vouches for folders that could be copies.
        """
        same_boot = self.boot != "" and self.boot == here.boot
        return all(
            _is_same(noted, found, same_boot=same_boot, moved=moved)
            for noted, found in self._pairs(here)
        )

    def was_replaced(self, here: Binding) -> bool:
        """Whether one of the paths now leads to another folder."""
        return any(
            noted.path == found.path and noted.inode != found.inode
            for noted, found in self._pairs(here)
        )

    def _pairs(self, here: Binding) -> tuple[tuple[Anchor, Anchor], ...]:
        return (
            (self.work_tree, here.work_tree),
            (self.git_dir, here.git_dir),
            (self.common_dir, here.common_dir),
        )


def _is_same(noted: Anchor, found: Anchor, *, same_boot: bool, moved: bool) -> bool:
    if noted.path == found.path:
        return noted.fits(found, same_boot=same_boot and not moved)
    try:
        current = Anchor.of(noted.path)
    except (FileNotFoundError, NotADirectoryError):
        return moved or (same_boot and noted.fits(found, same_boot=True))
    except OSError:
        return False  # something is there, but cannot be inspected
    return current.fits(found, same_boot=True)
