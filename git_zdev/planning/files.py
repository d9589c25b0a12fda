"""Edits of one record file as changes of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from git_zdev.changeset import FileChange
from git_zdev.errors import ZdevError

if TYPE_CHECKING:
    from collections.abc import Callable

    from git_zdev.records.source import RecordSource


def edited(
    path: str, source: RecordSource, edit: Callable[[bytes], bytes]
) -> tuple[FileChange, ...]:
    """The change of a file that is there, none when the edit leaves it as it is.

    Raises:
        ZdevError: ``state-drifted`` when the file vanished since the records were read.
    """
    data = source.read(path)
    if data is None:
        raise ZdevError("state-drifted", f"{path} vanished meanwhile", "Run the command again")
    new = edit(data)
    return () if new == data else (FileChange(path, data, new),)
