"""Paths below a few roots, resolved once through folders that stay open.

A path is opened one component at a time and never through a symbolic link. The folder that was
checked is the one that is used later, even if it is replaced by a link in between.
"""

from __future__ import annotations

import errno
import os
import stat

from git_zdev.disk.reading import Closing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from git_zdev.disk.atomic import Disk, Folder, Spot


class OpenFolders(Closing):
    """Folders below named roots; leaving the context closes them.

    Args:
        disk: The file system.
        roots: The absolute path of each root by name; symbolic links in these are followed.
    """

    def __init__(self, disk: Disk, roots: Mapping[str, str]) -> None:
        self._disk = disk
        self._roots = roots
        self._open: dict[tuple[str, str], Folder] = {}
        self._held: list[Folder] = []

    def close(self) -> None:
        """Close all folders, including forgotten ones."""
        while self._held:
            self._held.pop().close()

    def folder(self, root: str, path: str = "") -> Folder | None:
        """The folder at a ``/`` separated path; None if it is missing.

        Raises:
            ZdevError: ``unsafe-path`` for a symbolic link or a file in place of a folder.
        """
        found = self._open.get((root, path))
        if found is None:
            found = self._open_now(root, path)
            if found is not None:
                self._open[root, path] = found
                self._held.append(found)
        return found

    def _open_now(self, root: str, path: str) -> Folder | None:
        if not path:
            return self._disk.open_root(self._roots[root])
        above, _, name = path.rpartition("/")
        parent = self.folder(root, above)
        if parent is None:
            return None
        try:
            return self._disk.open_folder(parent.at(name))
        except FileNotFoundError:
            return None

    def look_again(self) -> None:
        """Forget all open folders, because their paths may lead elsewhere by now."""
        self.close()
        self._open.clear()

    def spot(self, root: str, path: str) -> Spot | None:
        """The spot of a file; None if its folder is missing."""
        above, _, name = path.rpartition("/")
        folder = self.folder(root, above)
        return None if folder is None else folder.at(name)

    def missing(self, root: str, path: str) -> list[str]:
        """The folders above ``path`` that do not exist, outermost first."""
        above = path.rpartition("/")[0]
        found: list[str] = []
        while above and self.folder(root, above) is None:
            found.insert(0, above)
            above = above.rpartition("/")[0]
        return found

    def device(self, root: str, path: str) -> int:
        """The device of the innermost folder above ``path`` that exists."""
        above = path.rpartition("/")[0]
        folder = self.folder(root, above)
        while folder is None:
            above = above.rpartition("/")[0]
            folder = self.folder(root, above)
        return folder.device

    def make(self, root: str, path: str) -> None:
        """Create one folder whose parent exists, and open it."""
        spot = self.spot(root, path)
        if spot is None:
            raise FileNotFoundError(2, "No such directory", f"{self._roots[root]}/{path}")
        self._disk.make_folder(spot)
        self._disk.sync_folder(spot.folder)
        self.folder(root, path)

    def forget(self, root: str, path: str) -> None:
        """Forget the folder at ``path``, which was removed."""
        self._open.pop((root, path), None)


def open_private(disk: Disk, root: str, *names: str) -> Folder | None:
    """Open ``root``, then each named folder inside of the one before.

    Args:
        disk: The file system.
        root: Absolute path of a trusted directory; links in it are followed.
        names: Folder names; none of them may be a link.

    Returns:
        The last folder, which the caller closes; None if one is missing.

    Raises:
        ZdevError: ``unsafe-path`` for a link or another kind of file under one of the names.
        OSError: A folder cannot be opened.
    """
    folder = disk.open_root(_checked(root, names))
    for name in names:
        with folder:
            try:
                folder = disk.open_folder(folder.at(name))
            except FileNotFoundError:
                return None
    return folder


def create_private(disk: Disk, root: str, *names: str) -> Folder:
    """Open folders as :func:`open_private` does, and create missing ones with mode 0700."""
    folder = disk.open_root(_checked(root, names))
    for name in names:
        with folder:
            spot = folder.at(name)
            if disk.make_folder(spot, 0o700):
                disk.sync_folder(folder)
            folder = disk.open_folder(spot)
    return folder


def _checked(root: str, names: Sequence[str]) -> str:
    """Return the root; a name with more than one component is a bug of the caller."""
    if any("/" in name or name in ("", ".", "..") for name in names):
        raise ValueError(f"not the names of folders: {names!r}")
    return root


def remove_all(disk: Disk, spot: Spot) -> None:
    """Remove a file, a link, or a folder with its content, if it exists.

    Links are removed and never followed. Folders can be nested to any depth: an inner one is moved
    up before it is emptied, so that neither the stack nor the number of open files grows.

    Raises:
        ZdevError: ``unsafe-path`` if something replaces a folder in the meantime.
        OSError: Something cannot be removed.
    """
    if _unlinked(disk, spot):
        return
    with disk.open_folder(spot) as top:
        waiting = disk.names(top)
        while waiting:
            inner = top.at(waiting.pop())
            if not _unlinked(disk, inner):
                waiting += _moved_up(disk, inner)
                disk.remove_folder(inner)
    disk.remove_folder(spot)


def _moved_up(disk: Disk, spot: Spot) -> list[str]:
    """Empty a folder: remove its files, move its folders up, and return their new names."""
    moved = []
    with disk.open_folder(spot) as folder:
        for name in disk.names(folder):
            if not _unlinked(disk, folder.at(name)):
                moved.append(f".removed-{os.urandom(16).hex()}")
                disk.rename(folder.at(name), spot.folder.at(moved[-1]))
    return moved


def _unlinked(disk: Disk, spot: Spot) -> bool:
    """Remove a file or a link; return False for a folder."""
    try:
        disk.remove(spot)
    except FileNotFoundError:
        pass
    except OSError as error:
        if error.errno in {errno.EISDIR, errno.EPERM}:  # on Linux, and by POSIX
            found = disk.stat(spot)
            if found is not None and stat.S_ISDIR(found.st_mode):
                return False
        raise
    return True
