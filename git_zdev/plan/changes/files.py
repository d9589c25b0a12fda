"""Record files as a plan meets them: edited, and as the last commit has them."""

from __future__ import annotations

from git_zdev.ground.changeset import FileChange
from git_zdev.ground.errors import ZdevError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from git_zdev.git.model import IndexEntry, TreeEntry
    from git_zdev.git.port import Index
    from git_zdev.plan.records.model import Project
    from git_zdev.plan.records.store import RecordSource


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


def require_shared(project: Project) -> None:
    """Refuse to commit a record that its owner keeps out of Git.

    Raises:
        ZdevError: ``personal-record``.
    """
    if project.record == "personal":
        raise ZdevError(
            "personal-record",
            "the record is personal and is never committed",
            "Run the command without --commit",
        )


def require_committed(
    files: Mapping[str, tuple[TreeEntry | None, IndexEntry | None, bytes | None]], index: Index
) -> None:
    """Refuse files that HEAD, the index and the work tree do not have alike.

    Args:
        files: By name: the file in HEAD, in the index, and its bytes in the work tree.
        index: Reads blobs.

    Raises:
        ZdevError: ``records-changed`` naming them.
    """
    changed = [
        name
        for name, (tracked, staged, data) in files.items()
        if not _is_as_committed(tracked, staged, data, index)
    ]
    if changed:
        more = " …" if len(changed) > 5 else ""
        raise ZdevError(
            "records-changed",
            f"these files differ from HEAD: {', '.join(changed[:5])}{more}",
            "Commit or restore them first",
            details={"paths": changed},
        )


def _is_as_committed(
    tracked: TreeEntry | None, staged: IndexEntry | None, data: bytes | None, index: Index
) -> bool:
    if tracked is None or staged is None or data is None or staged.stage:
        return False
    if (staged.blob, staged.mode) != (tracked.blob, tracked.mode):
        return False
    return _with_lf(data) == _with_lf(index.read_blob(tracked.blob))


def _with_lf(data: bytes) -> bytes:
    """Line ends are Git's to convert and no change."""
    return data.replace(b"\r\n", b"\n")
