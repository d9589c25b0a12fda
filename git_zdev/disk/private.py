"""Administrative folders below the Git directory: private to their owner, reached without links."""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from git_zdev.disk.atomic import Disk, Folder, Spot


def open_private(disk: Disk, root: str, *names: str) -> Folder | None:
    """Open ``root`` and then one folder after the other below it.

    Args:
        disk: The file system.
        root: Absolute path of a trusted directory, followed like any path.
        names: Folder names; none of them may be a link.

    Returns:
        The last folder, for the caller to close; None when one is missing.

    Raises:
        ZdevError: ``unsafe-path`` for a link or another kind of file under one of the names.
        OSError: When a folder cannot be opened.
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
    """Remove a file or a link, or a folder with all that is in it; a missing one is well.

    Links are removed and never followed. Folders may be nested to any depth: an inner one is moved
    up before it is emptied, so that neither the stack nor the open files grow.

    Raises:
        ZdevError: ``unsafe-path`` when something takes the place of a folder meanwhile.
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
