"""Remember what a command read for its plan, to check later that nothing has changed."""

from __future__ import annotations

from git_zdev.disk.journal import digest
from git_zdev.publish.one_file import drifted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from git_zdev.plan.records.store import RecordSource


class Watched:
    """A record source that remembers every answer; :meth:`verify` checks them again.

    A plan also depends on files that it does not change: a task that is edited meanwhile can take
    the same id, or close a cycle.
    """

    def __init__(self, source: RecordSource) -> None:
        self._source = source
        self._files: dict[str, str | None] = {}
        self._folders: dict[str, tuple[tuple[str, bool], ...]] = {}

    def read(self, path: str) -> bytes | None:
        """The bytes of a file; None if it is missing."""
        data = self._source.read(path)
        self._files.setdefault(path, None if data is None else digest(data))
        return data

    def names(self, folder: str) -> Sequence[tuple[str, bool]]:
        """Sorted ``(name, is_folder)`` of a folder."""
        names = self._source.names(folder)
        self._folders.setdefault(folder, tuple(names))
        return names

    def verify(self) -> None:
        """Check that every answer is still the same.

        Raises:
            ZdevError: ``state-drifted`` naming the first file or folder that has changed.
        """
        for folder, names in self._folders.items():
            if tuple(self._source.names(folder)) != names:
                raise drifted(folder)
        for path, expected in self._files.items():
            data = self._source.read(path)
            if (None if data is None else digest(data)) != expected:
                raise drifted(path)
