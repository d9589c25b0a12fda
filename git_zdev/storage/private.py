"""Administrative folders below the Git directory: private to their owner, reached without links."""

from __future__ import annotations

import errno

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from git_zdev.storage.atomic import Disk, Folder, Spot


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
    """Remove a file or a link, or a folder with what is in it; a missing one is well."""
    try:
        disk.remove(spot)
    except FileNotFoundError:
        pass
    except OSError as error:
        if error.errno not in {errno.EISDIR, errno.EPERM}:  # Linux, and what POSIX says
            raise
        with disk.open_folder(spot) as folder:
            for name in disk.names(folder):
                remove_all(disk, folder.at(name))
        disk.remove_folder(spot)
