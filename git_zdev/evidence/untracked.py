"""The untracked paths that are not ignored, and the untracked map: what each of them is.

libgit2's walk gives nearly all of the paths (``git ls-files --others`` lists them). Where its idea
of ignored differs from Git's, or it takes any folder with a ``.git`` inside for a repository,
folders are listed again here, by Git's rules.

A regular file is in the map with the id that ``git hash-object --no-filters`` gives it, a
symbolic link with its target, a nested repository with its own evidence. Nothing is written to the
object database.

Directories are opened one component at a time and no symbolic link is followed on the way, so a
path that is swapped for a link never leads out of the work tree, and no path is too long for the
system. That each id belongs to one state of one file is the concern of ``git.read.worktree``.
"""

from __future__ import annotations

import os
import stat

from git_zdev.disk.reading import Walk
from git_zdev.git.model import GITLINK
from git_zdev.git.read.discovery import holds_repository
from git_zdev.git.read.objects import hasher
from git_zdev.git.read.worktree import Naming, StillFile
from git_zdev.ground.errors import InvalidInput, Problem, ZdevError
from git_zdev.ground.progress import UNSEEN
from git_zdev.ground.text import printable
from git_zdev.ground.threads import side_by_side

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from git_zdev.evidence.ignore import Ignores
    from git_zdev.git.read.index import Index
    from git_zdev.git.read.worktree import WorkTree
    from git_zdev.ground.progress import Progress, Stage

    Entry = dict[str, Any]
    Nested = Callable[[bytes], Entry]

_LARGE = 1 << 18
"""Size in bytes from which hashing outweighs the interpreter, so that threads pay."""


def untracked_map(
    work_tree: str, paths: Iterable[bytes], nested: Nested, progress: Progress = UNSEEN
) -> dict[str, Entry]:
    """Describe untracked paths.

    Args:
        work_tree: Absolute path of the work tree's root.
        paths: Paths relative to it, ``/`` separated, as the status shows them; a nested
            repository ends with a slash.
        nested: Gives the entry of the nested repository at such a path.
        progress: Told how far the work is.

    Returns:
        Path to entry, in byte order of the paths: ``{"kind": "file", "hash"}``,
        ``{"kind": "symlink", "target"}`` or what ``nested`` returns.

    Raises:
        InvalidInput: Paths or link targets are not valid UTF-8; all of them are named.
        ZdevError: A file cannot be read, or it changed or vanished meanwhile.
    """
    ordered = sorted(paths)
    _require_utf8(ordered)
    plain = [path for path in ordered if not path.endswith(b"/")]
    files = _describe_files(work_tree, plain, progress)
    return {path.decode(): files[path] if path in files else nested(path) for path in ordered}


def _require_utf8(paths: Sequence[bytes]) -> None:
    problems = [
        Problem("untracked-path-not-utf8", "the name is not UTF-8", printable(path))
        for path in paths
        if not _is_utf8(path)
    ]
    if problems:
        raise InvalidInput(
            "untracked-path-not-utf8",
            f"untracked paths whose names are not UTF-8: {_places(problems)}",
            problems,
            "Rename them, add them to the index, or ignore them",
        )


def _require_utf8_targets(links: Sequence[tuple[bytes, bytes]]) -> None:
    problems = [
        Problem("symlink-target-not-utf8", f"the target {printable(target)} is not UTF-8", shown)
        for shown, target in ((path.decode(), target) for path, target in links)
        if not _is_utf8(target)
    ]
    if problems:
        raise InvalidInput(
            "symlink-target-not-utf8",
            f"untracked symbolic links whose targets are not UTF-8: {_places(problems)}",
            problems,
            "Point them elsewhere, add them to the index, or ignore them",
        )


def _is_utf8(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def _places(problems: Sequence[Problem]) -> str:
    return ", ".join(problem.place for problem in problems)


def _describe_files(
    work_tree: str, paths: Sequence[bytes], progress: Progress
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
    _require_utf8_targets(links)
    entries.update((path, {"kind": "symlink", "target": target.decode()}) for path, target in links)
    entries.update(
        (path, _file(blob)) for path, blob in _hash_large(work_tree, large, progress).items()
    )
    return entries


def _file(blob: str) -> Entry:
    return {"kind": "file", "hash": blob}


def _hash_large(work_tree: str, sizes: Mapping[bytes, int], progress: Progress) -> dict[bytes, str]:
    """Blob ids of large files, hashed side by side: reading and hashing release the interpreter."""
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
    """The blob id of a regular file's unfiltered bytes, all of one state; ``stage`` counts them."""
    with StillFile(path, name, found, parent) as file:
        hashing = hasher(file.state.st_size)
        for block in file.blocks():
            hashing.update(block)
            if stage is not None:
                stage.done += len(block)
    return hashing.hexdigest()


class _Parents(Walk):
    """The directory of the path in hand, kept open between neighbours."""

    def split(self, path: bytes) -> tuple[int, bytes]:
        """The opened directory of ``path`` and its last component."""
        directory, _, name = path.rpartition(b"/")
        return self.open(directory), name


def untracked_paths(
    tree: WorkTree, ignores: Ignores, untracked: Iterable[bytes], ignored: Iterable[bytes]
) -> list[bytes]:
    """The untracked paths in byte order; a nested repository ends in a slash.

    Args:
        tree: The work tree.
        ignores: Its ignore rules.
        untracked: What libgit2 takes for untracked.
        ignored: What libgit2 takes for ignored, a whole folder with a trailing slash.
    """
    listing = _Listing(tree, ignores)
    found: set[bytes] = set()
    for path in (*untracked, *ignored):
        if not ignores.is_ignored(path):
            found.update(listing.folder_entry(path) if path.endswith(b"/") else (path,))
    if ignores.take_back:
        for folder in tree.index.folders():
            if ignores.may_differ(folder) and tree.is_real_folder(folder):
                found.update(listing.inside(folder))
    if found and tree.ignores_case and not tree.folds_case:
        found.difference_update(_namesakes(tree.index, found))
    return sorted(found)


def _namesakes(index: Index, paths: Iterable[bytes]) -> list[bytes]:
    """The paths that are tracked but for letter case; a repository where a submodule is."""
    tracked: set[bytes] = set()
    for entry in index.entries():
        tracked.add(entry.path.lower())
        if entry.mode == GITLINK:
            tracked.add(entry.path.lower() + b"/")
    return [path for path in paths if path.lower() in tracked]


class _Listing:
    """Lists folders of the work tree."""

    def __init__(self, tree: WorkTree, ignores: Ignores) -> None:
        self._tree = tree
        self._index = tree.index
        self._ignores = ignores

    def folder_entry(self, folder: bytes) -> Iterator[bytes]:
        """An untracked folder: itself when it is a repository, else what it holds.

        A repository at a tracked path stands for that path, even in conflict; and so does what
        is left of a submodule.
        """
        path = folder[:-1]
        stages = (self._index.find(path, stage) for stage in range(4))
        if any(entry is not None and entry.mode == GITLINK for entry in stages):
            return
        if not holds_repository(os.fsdecode(self._tree.name(path))):
            yield from self.inside(folder)
        elif not self._index.tracks(path):
            yield folder

    def inside(self, folder: bytes) -> Iterator[bytes]:
        """The untracked paths that a folder holds."""
        with Naming(folder), os.scandir(self._tree.name(folder)) as entries:
            for entry in entries:
                path = folder + entry.name
                if entry.name == b".git":
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if not self._index.tracks(path) and not self._ignores.is_ignored(path + b"/"):
                        yield from self.folder_entry(path + b"/")
                elif (
                    (entry.is_file(follow_symlinks=False) or entry.is_symlink())
                    and not self._index.tracks(path)
                    and not self._ignores.is_ignored(path)
                ):
                    yield path
