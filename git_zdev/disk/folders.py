"""Paths below a few roots, resolved once through folders that stay open.

A path is opened one component at a time and never through a symbolic link. What was checked is
what is used later, even when somebody swaps a folder for a link in between.
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
        roots: Name of a root to its absolute path, whose own symbolic links are followed.
    """

    def __init__(self, disk: Disk, roots: Mapping[str, str]) -> None:
        self._disk = disk
        self._roots = roots
        self._open: dict[tuple[str, str], Folder] = {}
        self._held: list[Folder] = []

    def close(self) -> None:
        """Close all of them, forgotten ones too."""
        while self._held:
            self._held.pop().close()

    def folder(self, root: str, path: str = "") -> Folder | None:
        """The folder at a ``/`` separated path; None if it is missing.

        Raises:
            ZdevError: ``unsafe-path`` for a symbolic link or a file where a folder belongs.
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
        """Forget what was opened: the paths may lead elsewhere by now."""
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
        """No longer answer with the folder that was at ``path``; it was removed."""
        self._open.pop((root, path), None)


def open_private(disk: Disk, root: str, *names: str) -> Folder | None:
    """Open ``root`` and then one folder after the other below it.

    Args:
        disk: The file system.
        root: Absolute path of a trusted directory, followed like any path.
        names: Folder names; none of them may be a link.

    Returns:
        The last folder, for the caller to close; None if one is missing.

    Raises:
        ZdevError: ``unsafe-path`` for a link or another kind of file under one of the names.
        OSError: If a folder cannot be opened.
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
    """Open folders as :func:`open_private` does, making the missing ones with mode 0700."""
    folder = disk.open_root(_checked(root, names))
    for name in names:
        with folder:
            spot = folder.at(name)
            if disk.make_folder(spot, 0o700):
                disk.sync_folder(folder)
            folder = disk.open_folder(spot)
    return folder


def _checked(root: str, names: Sequence[str]) -> str:
    """The root; a name that is more than one component is a bug of the caller."""
    if any("/" in name or name in ("", ".", "..") for name in names):
        raise ValueError(f"not the names of folders: {names!r}")
    return root


def remove_all(disk: Disk, spot: Spot) -> None:
    """Remove a file or a link, or a folder with all that is in it; a missing one is fine.

    Links are removed and never followed. Folders may be nested to any depth: an inner one is moved
    up before it is emptied, so that neither the stack nor the open files grow.

    Raises:
        ZdevError: ``unsafe-path`` when something takes the place of a folder in the meantime.
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
    """Empty a folder: its files are removed, its folders moved up; the names that those have."""
    moved = []
    with disk.open_folder(spot) as folder:
        for name in disk.names(folder):
            if not _unlinked(disk, folder.at(name)):
                moved.append(f".removed-{os.urandom(16).hex()}")
                disk.rename(folder.at(name), spot.folder.at(moved[-1]))
    return moved


def _unlinked(disk: Disk, spot: Spot) -> bool:
    """Remove a file or a link; False for a folder."""
    try:
        disk.remove(spot)
    except FileNotFoundError:
        pass
    except OSError as error:
        if error.errno in {errno.EISDIR, errno.EPERM}:  # Linux, and what POSIX says
            found = disk.stat(spot)
            if found is not None and stat.S_ISDIR(found.st_mode):
                return False
        raise
    return True
