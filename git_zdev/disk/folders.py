"""Paths below a few roots, resolved once through folders that stay open.

A path is opened one component at a time and never through a symbolic link. What was checked is
what is used later, even when somebody swaps a folder for a link in between.
"""

from __future__ import annotations

import contextlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from git_zdev.disk.atomic import Disk, Folder, Spot


class OpenFolders(contextlib.ExitStack):
    """Folders below named roots; leaving the context closes them.

    Args:
        disk: The file system.
        roots: Name of a root to its absolute path, whose own symbolic links are followed.
    """

    def __init__(self, disk: Disk, roots: Mapping[str, str]) -> None:
        super().__init__()
        self._disk = disk
        self._roots = roots
        self._open: dict[tuple[str, str], Folder] = {}

    def folder(self, root: str, path: str = "") -> Folder | None:
        """The folder at a ``/`` separated path; None when it is missing.

        Raises:
            ZdevError: ``unsafe-path`` for a symbolic link or a file where a folder belongs.
        """
        found = self._open.get((root, path))
        if found is None:
            found = self._open_now(root, path)
            if found is not None:
                self._open[root, path] = self.enter_context(found)
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
        """The spot of a file; None when its folder is missing."""
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
        """No longer answer with the folder that stood at ``path``; it was removed."""
        self._open.pop((root, path), None)
