"""Where record files are read from: a work tree, the index, or a plan laid over either."""

from __future__ import annotations

from git_zdev.ground.values import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class RecordSource(Protocol):
    """A readable ``.zdev`` tree; paths start with ``.zdev`` and use ``/``."""

    def read(self, path: str) -> bytes | None:
        """The bytes of a regular file, None when nothing is there.

        Raises:
            ZdevError: For a symlink or another kind of file on the path, or an unreadable one.
        """

    def names(self, folder: str) -> Sequence[tuple[str, bool]]:
        """Sorted ``(name, is_folder)`` of a folder; empty when it is missing."""


class PlannedSource:
    """Another source with some files replaced: the hypothetical tree after a plan."""

    def __init__(self, base: RecordSource, files: Mapping[str, bytes | None]) -> None:
        """Lay ``files`` (path to new bytes, None for deleted) over ``base``."""
        self._base = base
        self._files = dict(files)

    def read(self, path: str) -> bytes | None:
        """The planned bytes, else the base's."""
        return self._files[path] if path in self._files else self._base.read(path)

    def names(self, folder: str) -> Sequence[tuple[str, bool]]:
        """The base's names with the plan's files added and removed."""
        names = dict(self._base.names(folder))
        for path, data in self._files.items():
            if not path.startswith(f"{folder}/"):
                continue
            name, _, below = path[len(folder) + 1 :].partition("/")
            if data is not None:
                names[name] = bool(below)
            elif not below:
                names.pop(name, None)
        return sorted(names.items())
