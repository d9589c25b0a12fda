"""The untracked paths that are not ignored, and the untracked map: what each of them is.

The paths are listed here, by Git's rules. libgit2 would leave some out: its idea of ignored is not
Git's, and it never shows a name that some file system takes for ``.git``.

The map has the id of ``git hash-object --no-filters`` for a regular file, the target for a symbolic
link, and its own evidence for a nested repository. Nothing is written to the object database.

To read a file, directories are opened one component at a time and no symbolic link is followed. So
a path that is replaced by a link never leads out of the work tree, and no path is too long for the
system. ``git.read.worktree`` makes sure that each id belongs to one state of one file.
"""

from __future__ import annotations

import os
import stat
from _bisect import bisect_left

from git_zdev.disk.reading import Walk
from git_zdev.evidence.strings import held, is_utf8, key
from git_zdev.git.model import GITLINK
from git_zdev.git.read.discovery import holds_repository
from git_zdev.git.read.objects import hasher
from git_zdev.git.read.worktree import Naming, StillFile, changed
from git_zdev.ground.errors import InvalidInput, Problem, ZdevError
from git_zdev.ground.paths import LENGTH_LIMIT
from git_zdev.ground.progress import UNSEEN
from git_zdev.ground.text import printable
from git_zdev.ground.threads import side_by_side

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from git_zdev.evidence.ignore import Ignores
    from git_zdev.git.read.worktree import WorkTree
    from git_zdev.ground.progress import Progress, Stage

    Entry = dict[str, Any]
    Nested = Callable[[bytes], Entry]

_LARGE = 1 << 18
"""Size in bytes from which hashing takes longer than the interpreter, so that threads help."""


def untracked_map(
    work_tree: str,
    paths: Iterable[bytes],
    nested: Nested,
    progress: Progress = UNSEEN,
    *,
    as_bytes: bool = False,
) -> dict[str, Entry]:
    """Describe untracked paths.

    Args:
        work_tree: Absolute path of the work tree's root.
        paths: Paths relative to it, ``/`` separated, as the status shows them; a nested
            repository ends with a slash.
        nested: Returns the entry of the nested repository at such a path.
        progress: Receives how far the work is.
        as_bytes: Whether names and targets that are not UTF-8 are held as bytes.

    Returns:
        Path (see :func:`git_zdev.evidence.strings.key`) to entry, in byte order of the paths:
        ``{"kind": "file", "hash"}``, ``{"kind": "symlink", "target"}`` or what ``nested`` returns.

    Raises:
        InvalidInput: Paths or link targets are not valid UTF-8; all of them are named.
        ZdevError: A file cannot be read, or it changed or vanished meanwhile.
    """
    ordered = sorted(paths)
    if not as_bytes:
        _require_utf8(ordered)
    plain = [path for path in ordered if not path.endswith(b"/")]
    files = _describe_files(work_tree, plain, progress, as_bytes=as_bytes)
    return {key(path): files[path] if path in files else nested(path) for path in ordered}


def _require_utf8(paths: Sequence[bytes]) -> None:
    problems = [
        Problem("untracked-path-not-utf8", "the name is not UTF-8", printable(path))
        for path in paths
        if not is_utf8(path)
    ]
    if problems:
        raise InvalidInput(
            "untracked-path-not-utf8",
            f"untracked paths whose names are not UTF-8: {_places(problems)}",
            problems,
            "Rename them, add them to the index, or ignore them; `--bytes` captures them all the "
            "same",
        )


def _require_utf8_targets(links: Sequence[tuple[bytes, bytes]]) -> None:
    problems = [
        Problem("symlink-target-not-utf8", f"the target {printable(target)} is not UTF-8", shown)
        for shown, target in ((printable(path), target) for path, target in links)
        if not is_utf8(target)
    ]
    if problems:
        raise InvalidInput(
            "symlink-target-not-utf8",
            f"untracked symbolic links whose targets are not UTF-8: {_places(problems)}",
            problems,
            "Point them elsewhere, add them to the index, or ignore them; `--bytes` captures them "
            "all the same",
        )


def _places(problems: Sequence[Problem]) -> str:
    return ", ".join(problem.place for problem in problems)


def _describe_files(
    work_tree: str, paths: Sequence[bytes], progress: Progress, *, as_bytes: bool
) -> dict[bytes, Entry]:
    """Describe files and links; paths are sorted, so that each directory is opened once."""
    entries: dict[bytes, Entry] = {}
    links: list[tuple[bytes, bytes]] = []
    large: dict[bytes, int] = {}
    looking = progress.stage("Looking at untracked files", len(paths))
    with _Parents(os.fsencode(work_tree)) as parents, looking:
        for path in looking.counted(paths):
            with Naming(path):
                parent, name = parents.split(path)
                found = os.stat(name, dir_fd=parent, follow_symlinks=False)
                if stat.S_ISLNK(found.st_mode):
                    links.append((path, os.readlink(name, dir_fd=parent)))
                elif found.st_size >= _LARGE:
                    large[path] = found.st_size
                else:
                    entries[path] = _file(_blob_id(path, name, parent, found))
    if not as_bytes:
        _require_utf8_targets(links)
    entries.update((path, {"kind": "symlink", "target": held(target)}) for path, target in links)
    entries.update(
        (path, _file(blob)) for path, blob in _hash_large(work_tree, large, progress).items()
    )
    return entries


def _file(blob: str) -> Entry:
    return {"kind": "file", "hash": blob}


def _hash_large(work_tree: str, sizes: Mapping[bytes, int], progress: Progress) -> dict[bytes, str]:
    """Blob ids of large files, hashed in threads: reading and hashing release the interpreter."""
    waiting = sorted(sizes, reverse=True)
    stage = progress.stage("Hashing large untracked files", sum(sizes.values()), in_bytes=True)
    hashed: dict[bytes, str] = {}
    failures: list[ZdevError] = []

    def work() -> None:
        with _Parents(os.fsencode(work_tree)) as parents:
            while waiting and not failures:
                try:
                    path = waiting.pop()
                except IndexError:
                    return
                try:
                    with Naming(path):
                        parent, name = parents.split(path)
                        found = os.stat(name, dir_fd=parent, follow_symlinks=False)
                        hashed[path] = _blob_id(path, name, parent, found, stage)
                except ZdevError as error:
                    failures.append(error)

    with stage:
        if sizes:
            side_by_side(*[work] * min(len(sizes), os.cpu_count() or 1))
    if failures:
        raise failures[0]
    return hashed


def _blob_id(
    path: bytes, name: bytes, parent: int, found: os.stat_result, stage: Stage | None = None
) -> str:
    """The blob id of a regular file's unfiltered bytes in one state; ``stage`` counts the bytes."""
    with StillFile(path, name, found, parent) as file:
        hashing = hasher(file.state.st_size)
        for block in file.blocks():
            hashing.update(block)
            if stage is not None:
                stage.done += len(block)
    return hashing.hexdigest()


class _Parents(Walk):
    """The directory of the current path, kept open between neighbours."""

    def split(self, path: bytes) -> tuple[int, bytes]:
        """The opened directory of ``path`` and its last component."""
        directory, _, name = path.rpartition(b"/")
        return self.open(directory), name


class Listing:
    """The untracked paths of a work tree that are not ignored, as ``git ls-files --others`` lists.

    As in Git, a folder with a tracked path is listed whatever the rules say. Any other folder is
    listed if it is neither ignored nor a repository.

    The names in a folder with tracked paths are compared with the index as a whole, because asking
    for the type of each would take longer than all the rest. So a tracked path that is a folder now
    is not noticed there; :meth:`look_into` takes care of those.

    Attributes:
        paths: The paths, in no order, perhaps twice; a nested repository ends in a slash.
        attribute_folders: The folders that hold an untracked ``.gitattributes`` file, ignored or
            not, each with a trailing slash.
    """

    def __init__(self, tree: WorkTree, ignores: Ignores) -> None:
        """Prepare to list what is in ``tree``, by the rules of ``ignores``."""
        self.paths: list[bytes] = []
        self.attribute_folders: list[bytes] = []
        self._tree = tree
        self._index = tree.index
        self._ignores = ignores
        self._key: Callable[[bytes], bytes] = bytes.lower if tree.ignores_case else bytes
        self._sorted = tree.index.paths
        self._tracked: frozenset[bytes] = frozenset()
        if tree.ignores_case:
            self._sorted = sorted(map(bytes.lower, tree.index.paths))
            self._tracked = frozenset(self._sorted)
        special = tree.index.special_entries()
        self._gitlinks = {self._key(entry.path) for entry in special if entry.mode == GITLINK}
        self._long = Walk(tree.root)

    def run(self) -> None:
        """List.

        Raises:
            ZdevError: ``unreadable-file``, ``file-changed-while-read``.
        """
        with self._long:
            if self._tree.ignores_case:
                self._below(b"")
            else:
                waiting = [(b"", 0, len(self._sorted))]
                while waiting:
                    waiting += self._tracked_folder(*waiting.pop())
                special = (*self._index.special_entries(), *self._index.hidden_entries())
                self.look_into({entry.path for entry in special})

    def look_into(self, changed: Iterable[bytes]) -> None:
        """List the contents of those tracked paths that are folders now; errors as above."""
        if self._tree.ignores_case:
            return
        for path in changed:
            if not self._index.tracks(path):  # a folder that libgit2 could not open
                continue
            if self._tree.is_real_folder(path + b"/") and self._is_listed(path):
                self._below(path + b"/")

    def _tracked_folder(self, folder: bytes, first: int, end: int) -> list[tuple[bytes, int, int]]:
        """List a folder with tracked paths, which are the entries from ``first`` up to ``end``.

        Returns:
            The folders in it that have tracked paths as well, to be listed in the same way.
        """
        paths, start = self._sorted, len(folder)
        left: list[tuple[bytes, int, int]] = []
        opened = self._opened(folder)
        with Naming(folder or b"."):
            listed: list[Any] = os.listdir(opened)
        names = set(listed if isinstance(opened, bytes) else map(os.fsencode, listed))
        names.discard(b".git")
        if b"\0".join(paths[first:end]).count(b"/") == (end - first) * folder.count(b"/"):
            names.difference_update([path[start:] for path in paths[first:end]])
            first = end
        while first < end:
            path = paths[first]
            slash = path.find(b"/", start)
            if slash < 0:
                names.discard(path[start:])
                first += 1
                continue
            below, inside = path[:slash], first
            first = bisect_left(paths, below + b"0", first, end)  # the byte after the slash
            if below[start:] in names and self._is_folder(below):
                names.discard(below[start:])
                left.append((below + b"/", inside, first))
        for name in names:
            self._untracked(folder + name, start)
        return left

    def _is_folder(self, path: bytes) -> bool:
        found = self._tree.lstat(path)
        return found is not None and stat.S_ISDIR(found.st_mode)

    def _untracked(self, path: bytes, start: int) -> None:
        found = self._tree.lstat(path)
        if found is None:
            raise changed(path)
        if stat.S_ISDIR(found.st_mode):
            if self._is_listed(path):
                self._below(path + b"/")
        elif stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode):
            self._file(path, start)

    def _below(self, folder: bytes) -> None:
        """List everything below a folder; only a name in other letter case can be tracked there."""
        waiting = [folder]
        while waiting:
            waiting += self._subfolders(waiting.pop())

    def _subfolders(self, folder: bytes) -> list[bytes]:
        """List the files in a folder, and return the folders in it that must be listed as well."""
        found: list[bytes] = []
        tracked, folded, start = self._tracked, self._key, len(folder)
        with Naming(folder or b"."), os.scandir(self._opened(folder)) as entries:
            for entry in entries:
                name = os.fsencode(entry.name)
                path = folder + name
                if entry.is_dir(follow_symlinks=False):
                    if folded(name) != b".git" and self._is_listed(path):
                        found.append(path + b"/")
                elif folded(path) not in tracked and (
                    entry.is_file(follow_symlinks=False) or entry.is_symlink()
                ):
                    self._file(path, start)
        return found

    def _opened(self, folder: bytes) -> bytes | int:
        """The path by which the system lists a folder, or a descriptor if the path is too long."""
        name = self._tree.name(folder)
        return name if len(name) <= LENGTH_LIMIT else self._long.open(folder[:-1])

    def _is_listed(self, path: bytes) -> bool:
        """Whether a folder must be listed; a repository is an untracked path itself."""
        below = self._key(path) + b"/"
        at = bisect_left(self._sorted, below)
        if at < len(self._sorted) and self._sorted[at].startswith(below):
            return True
        if self._key(path) in self._gitlinks or self._ignores.is_ignored(path + b"/"):
            return False
        if not holds_repository(os.fsdecode(self._tree.name(path))):
            return True
        if not self._index.tracks(path):  # otherwise it is the tracked path with another type
            self.paths.append(path + b"/")
        return False

    def _file(self, path: bytes, start: int) -> None:
        """Record an untracked file or link; its name begins at ``start``."""
        name = path[start:]
        if self._key(name) == b".git":
            return
        if name == b".gitattributes":
            self.attribute_folders.append(path[:start])
        if not self._ignores.is_ignored(path):
            self.paths.append(path)
