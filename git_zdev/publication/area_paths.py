"""Which paths a commit of new tasks takes, and what else in the area stands in its way.

The commit shows the area as it stands: whatever is staged, edited or untracked below its folder
and is not part of the commit would be left half in and half out, so it refuses the command.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from git_zdev.errors import InvalidInput, Problem
from git_zdev.publication.files import drifted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from git_zdev.git.port import IndexEntry, Repository, TreeEntry
    from git_zdev.records.source import RecordSource

RECORDS = ".zdev"


@dataclass(frozen=True, slots=True)
class _Standing:
    """A file in HEAD's tree, in the index and in the work tree; None where it is not.

    Attributes:
        in_head: HEAD's entry.
        in_index: The index entry; an intent to add counts as none.
        data: Bytes in the work tree.
    """

    in_head: TreeEntry | None
    in_index: IndexEntry | None
    data: bytes | None

    @property
    def staged(self) -> bool:
        """Whether the index is not as HEAD."""
        if self.in_head is None or self.in_index is None:
            return (self.in_head is None) != (self.in_index is None)
        return (self.in_head.mode, self.in_head.blob) != (self.in_index.mode, self.in_index.blob)

    @property
    def edited(self) -> bool:
        """Whether the work tree is not as the index, line ends left aside."""
        if self.in_index is None:
            return False
        if self.data is None:
            return True
        blob = self.in_index.blob
        return blob not in {
            blob_id(self.data, blob),
            blob_id(self.data.replace(b"\r\n", b"\n"), blob),
        }

    @property
    def untracked(self) -> bool:
        """Whether the file is in the work tree alone."""
        return self.data is not None and self.in_index is None


def blob_id(data: bytes, like: str) -> str:
    """The blob id of ``data``, in the object format of the id ``like``."""
    hasher = hashlib.sha256 if len(like) == 64 else hashlib.sha1
    return hasher(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class AreaCommit:
    """A commit of new tasks in one area.

    Attributes:
        repository: The repository.
        source: The record files of the work tree.
        folder: The plan root relative to the work tree; empty where they are the same.
        area: The area's tag.
        tasks: The new task files, which do not exist yet, in id order; from ``.zdev`` on.
        slices: The slice files that the new tasks refer to, sorted.
    """

    repository: Repository
    source: RecordSource
    folder: str
    area: str
    tasks: tuple[str, ...]
    slices: tuple[str, ...] = ()

    def paths(self) -> tuple[str, ...]:
        """The managed paths, relative to the work tree, in the order in which results list them.

        The new tasks and TASKS.md; brief.md when it has unstaged edits; the first time also
        .gitattributes, config.toml, area.toml, brief.md and the slices, as far as HEAD does not
        have them.

        Raises:
            InvalidInput: ``area-not-committable`` with everything that stands in the way.
        """
        standing = self._look()
        first = not any(
            one.in_head and path.startswith(f"{self._area}/") for path, one in standing.items()
        )
        taken = [path for path in self._shared if _is_new(standing[path])]
        if first:
            taken += [path for path in self._own if standing[path].data is not None]
        elif self._brief in standing and standing[self._brief].edited:
            taken.append(self._brief)
        problems = list(self._problems(standing, taken, first=first))
        if problems:
            raise InvalidInput(
                "area-not-committable",
                f"{problems[0].sentence()}; the commit would take a part of the area's changes",
                problems,
                "Commit, stash or remove these changes first, or import without --commit",
            )
        return tuple(self._prefixed(path) for path in (*taken, *self.tasks, self._summary))

    def verify(self, paths: tuple[str, ...]) -> None:
        """A gate for publication: the same paths again.

        Raises:
            ZdevError: As :meth:`paths`, or ``state-drifted``.
        """
        if self.paths() != paths:
            raise drifted(self._area)

    def _problems(
        self, standing: dict[str, _Standing], taken: list[str], *, first: bool
    ) -> Iterator[Problem]:
        managed = {*taken, *self.tasks, self._summary}
        for path, one in standing.items():
            where = self._prefixed(path)
            below = path.startswith(f"{self._area}/")
            if path in managed:
                if one.staged and one.edited:
                    yield Problem("partly-staged", "a part of its edits is staged", where)
                elif path in self.tasks and (one.staged or one.edited or one.untracked):
                    yield Problem("path-taken", "the index or HEAD has this file already", where)
                elif path == self._summary and not first and (one.staged or one.edited):
                    yield Problem("unexpected-change", "it has changes of its own", where)
                elif path == self._brief and not first and one.staged:
                    yield Problem("partly-staged", "a part of its edits is staged", where)
            elif below and not first and one.untracked and path in self._own:
                yield Problem("partially-tracked", "the area is tracked, but this is not", where)
            elif below and one.untracked:
                yield Problem("unexpected-file", "it is not tracked", where)
            elif below and one.staged:
                yield Problem("unexpected-change", "it has staged changes", where)
            elif below and one.edited:
                yield Problem("unexpected-change", "it has unstaged changes", where)

    def _look(self) -> dict[str, _Standing]:
        """Every file of the area and the shared ones, in path order."""
        root = os.fsencode(self._prefixed(RECORDS) + "/")
        head = self.repository.head_tree_entries(root)
        index = {
            entry.path: entry for entry in self.repository.entries(root) if not entry.intent_to_add
        }
        paths = {*self._shared, *self._own, *self._files(self._area)}
        cut = len(os.fsencode(self._prefixed("")))
        paths |= {
            path
            for path in (os.fsdecode(raw[cut:]) for raw in (*head, *index))
            if path.startswith(f"{self._area}/")
        }
        return {
            path: _Standing(
                head.get(os.fsencode(self._prefixed(path))),
                index.get(os.fsencode(self._prefixed(path))),
                self.source.read(path),
            )
            for path in sorted(paths)
        }

    def _files(self, folder: str) -> Iterator[str]:
        for name, is_folder in self.source.names(folder):
            path = f"{folder}/{name}"
            if is_folder:
                yield from self._files(path)
            else:
                yield path

    def _prefixed(self, path: str) -> str:
        return f"{self.folder}/{path}" if self.folder else path

    @property
    def _area(self) -> str:
        return f"{RECORDS}/{self.area}"

    @property
    def _shared(self) -> tuple[str, ...]:
        return (f"{RECORDS}/.gitattributes", f"{RECORDS}/config.toml")

    @property
    def _own(self) -> tuple[str, ...]:
        return (f"{self._area}/area.toml", self._brief, *self.slices)

    @property
    def _brief(self) -> str:
        return f"{self._area}/brief.md"

    @property
    def _summary(self) -> str:
        return f"{self._area}/TASKS.md"


def _is_new(standing: _Standing) -> bool:
    return standing.in_head is None and standing.data is not None
