"""Immutable work contexts, stored under the hash of their bytes.

A snapshot lives below the work tree's own Git directory, in
``zdev/work-context/<area>/<snapshot>.json``, mode 0444 in folders of mode 0700. It holds exactly
the bytes that ``work-context --format json`` prints. Its id is ``W`` and the first 16 hexadecimal
digits of their SHA-256, so equal contexts are one file. The file is complete when it gets its name,
and never changes. It stays until somebody removes it, for example because of a secret in its diffs.
Storing, showing and removing take no lock.
"""

from __future__ import annotations

from git_zdev.context import parts as context_parts
from git_zdev.disk.atomic import Disk, storage_error
from git_zdev.disk.folders import create_private, open_private, remove_all
from git_zdev.disk.immutable import publish, sweep
from git_zdev.disk.reading import LARGEST
from git_zdev.ground import jsontext
from git_zdev.ground.errors import InvalidInput, Problem, ZdevError
from git_zdev.ground.text import quoted, sha256_of
from git_zdev.ground.values import dataclass
from git_zdev.plan.records.fields import is_segment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, NoReturn

    from git_zdev.disk.atomic import Spot

STORE = ("zdev", "work-context")

_LETTER = "W"
_DIGITS = 16
_HEX = "0123456789abcdef"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A stored work context.

    Attributes:
        id: ``W`` and 16 hexadecimal digits.
        path: Absolute path of the file.
        data: Its exact bytes.
        document: The decoded work context.
    """

    id: str
    path: str
    data: bytes
    document: dict[str, Any]


def content_id(data: bytes) -> str:
    """The id of a work context's exact bytes."""
    return f"{_LETTER}{sha256_of(data)[:_DIGITS]}"


def store(git_dir: str, area: str, document: dict[str, Any], data: bytes) -> Snapshot:
    """Store a work context; an identical one that is there already stays untouched.

    Args:
        git_dir: The work tree's own Git directory, absolute.
        area: The area's tag.
        document: The work context.
        data: Its canonical bytes.

    Returns:
        The snapshot.

    Raises:
        ZdevError: ``snapshot-collision`` when other bytes have the id,
            ``snapshot-not-regular`` when something other than a file or folder is in the way,
            ``snapshot-store-failed`` when the system refuses to write.
    """
    if len(data) > LARGEST:
        raise ZdevError(
            "snapshot-store-failed",
            f"the work context of {area} has more than {LARGEST} bytes, too many to be stored",
            "Remove or ignore large untracked files",
        )
    snapshot_id = content_id(data)
    disk = Disk()
    try:
        with create_private(disk, git_dir, *STORE, area) as folder:
            spot = folder.at(f"{snapshot_id}.json")
            if not _is_stored(disk, spot, data):
                _publish(disk, spot, data)
            return Snapshot(snapshot_id, spot.path, data, document)
    except OSError as error:
        raise ZdevError(
            "snapshot-store-failed",
            f"the work context of {area} cannot be stored below {git_dir}: {error.strerror}",
            "Make room there or make it writable, then store again",
        ) from error
    except ZdevError as error:
        raise _told_apart(error) from error


def load(git_dir: str, area: str, snapshot_id: str, remedy: str | None = None) -> Snapshot:
    """Read a snapshot and check everything that it says about itself.

    Args:
        git_dir: The work tree's own Git directory, absolute.
        area: The tag of the area it must belong to.
        snapshot_id: Its id.
        remedy: What to do when it is not stored; by default, to store the context again.

    Returns:
        The snapshot; its document is well-formed and consistent.

    Raises:
        ZdevError: ``snapshot-malformed-id``, ``snapshot-unavailable``, ``snapshot-not-regular``,
            ``snapshot-corrupt`` or ``snapshot-wrong-area``.
    """
    _require_id(snapshot_id)
    path, data = _stored_bytes(git_dir, area, snapshot_id, remedy)
    if content_id(data) != snapshot_id:
        _corrupt(snapshot_id, "its bytes are not the stored ones")
    document = _decode(snapshot_id, data)
    from git_zdev.ground import schema

    found = schema.problems("work-context", document, code="work-context-shape")
    if found:
        _corrupt(snapshot_id, "it does not have the shape of a work context", found)
    if document["area"] != area:
        raise ZdevError(
            "snapshot-wrong-area",
            f"the snapshot {snapshot_id} belongs to the area {document['area']}, not to {area}",
            "Name the area that it was stored for",
        )
    parts = context_parts.disagreements(document)
    if parts:
        problems = [Problem("snapshot-corrupt", part) for part in parts]
        _corrupt(snapshot_id, "its parts do not agree", problems)
    return Snapshot(snapshot_id, path, data, document)


def require_stored(git_dir: str, area: str, snapshot_id: str) -> None:
    """Require a snapshot that can be removed; its content does not matter.

    Args:
        git_dir: The work tree's own Git directory, absolute.
        area: The tag of the area it was stored for.
        snapshot_id: Its id.

    Raises:
        ZdevError: ``snapshot-malformed-id``, ``snapshot-unavailable``, ``snapshot-wrong-area`` when
            it is stored for another area, ``snapshot-not-regular`` when the way to it leads
            through a link.
    """
    _require_id(snapshot_id)
    disk = Disk()
    try:
        if not _is_there(disk, git_dir, area, snapshot_id):
            raise _not_here(git_dir, area, snapshot_id, _other_area(disk, git_dir, snapshot_id))
    except ZdevError as error:
        raise _told_apart(error) from error
    except OSError as error:
        raise _unreadable(snapshot_id, error) from error


def remove(git_dir: str, area: str, snapshot_id: str) -> None:
    """Remove a snapshot, and what killed stores may have left beside it.

    Anything with its name is removed; a link is not followed. It is no error if it is gone already.

    Args:
        git_dir: The work tree's own Git directory, absolute.
        area: The tag of the area it was stored for.
        snapshot_id: Its id, as :func:`require_stored` accepts it.

    Raises:
        ZdevError: ``snapshot-not-regular`` when the way to it leads through a link, or what the
            system refuses with.
    """
    disk = Disk()
    try:
        folder = open_private(disk, git_dir, *STORE, area)
        if folder is not None:
            with folder:
                remove_all(disk, folder.at(f"{snapshot_id}.json"))
                sweep(folder.descriptor)
                disk.sync_folder(folder)
    except ZdevError as error:
        raise _told_apart(error) from error
    except OSError as error:
        raise storage_error(error) from error


def _require_id(word: str) -> None:
    if not _is_id(word):
        raise ZdevError(
            "snapshot-malformed-id",
            f"{quoted(word)} is not a snapshot id",
            "An id is W and 16 lowercase hexadecimal digits, as printed when it was stored",
        )


def _is_there(disk: Disk, git_dir: str, area: str, snapshot_id: str) -> bool:
    folder = open_private(disk, git_dir, *STORE, area)
    if folder is None:
        return False
    with folder:
        return disk.stat(folder.at(f"{snapshot_id}.json")) is not None


def _other_area(disk: Disk, git_dir: str, snapshot_id: str) -> str | None:
    """An area for which a snapshot is stored."""
    store = open_private(disk, git_dir, *STORE)
    if store is None:
        return None
    with store:
        areas = [name for name in disk.names(store) if is_segment(name)]
    for area in areas:
        try:
            if _is_there(disk, git_dir, area, snapshot_id):
                return area
        except ZdevError:
            continue  # not one of our folders
    return None


def _not_here(git_dir: str, area: str, snapshot_id: str, other: str | None) -> ZdevError:
    if other is not None:
        message = f"the snapshot {snapshot_id} was stored for the area {other}, not for {area}"
        return ZdevError("snapshot-wrong-area", message, "Name the area that it was stored for")
    return ZdevError(
        "snapshot-unavailable",
        f"no snapshot {snapshot_id} of the area {area} is stored in this work tree",
        f"The stored ones are in {'/'.join((git_dir, *STORE, area))}",
    )


def _unreadable(snapshot_id: str, error: OSError) -> ZdevError:
    message = f"the snapshot {snapshot_id} cannot be read: {error.strerror}"
    return ZdevError("snapshot-unavailable", message)


def _is_id(word: str) -> bool:
    digits = word[len(_LETTER) :]
    return word[:1] == _LETTER and len(digits) == _DIGITS and not digits.strip(_HEX)


def differing_keys(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The sorted top-level keys whose values differ, or that only one document has."""
    missing = object()
    keys = sorted(one.keys() | other.keys())
    return [key for key in keys if one.get(key, missing) != other.get(key, missing)]


def _stored_bytes(
    git_dir: str, area: str, snapshot_id: str, remedy: str | None
) -> tuple[str, bytes]:
    name = f"{snapshot_id}.json"
    disk = Disk()
    content = None
    try:
        folder = open_private(disk, git_dir, *STORE, area)
        if folder is not None:
            with folder:
                content = disk.read(folder.at(name))
    except ZdevError as error:
        if error.code == "file-too-large":
            _corrupt(snapshot_id, "it is larger than any stored work context")
        raise _told_apart(error) from error
    except OSError as error:
        raise _unreadable(snapshot_id, error) from error
    if content is None:
        raise ZdevError(
            "snapshot-unavailable",
            f"no snapshot {snapshot_id} of the area {area} is stored in this work tree",
            remedy or f"Store the work context again with `git zdev work-context {area} --store`",
        )
    return "/".join((git_dir, *STORE, area, name)), content.data


def _decode(snapshot_id: str, data: bytes) -> dict[str, Any]:
    """One JSON object, read more strictly than by Python's reader."""
    try:
        text = data.decode()
        document = jsontext.loads(
            text, object_pairs_hook=jsontext.distinct, parse_constant=_no_constant
        )
        if jsontext.may_hold_surrogates(text):
            jsontext.encode_compact(document)  # which fails for a lone surrogate
    except (ValueError, RecursionError) as error:
        _corrupt(snapshot_id, f"it is not acceptable JSON ({error})")
    if not isinstance(document, dict):
        _corrupt(snapshot_id, "it is not a single JSON object")
    return document


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _corrupt(snapshot_id: str, why: str, problems: Iterable[Problem] = ()) -> NoReturn:
    listed = list(problems) or [Problem("snapshot-corrupt", why)]
    raise InvalidInput(
        "snapshot-corrupt",
        f"the snapshot {snapshot_id} is corrupt: {why}",
        listed,
        "Do not act on it; store the work context again",
    )


def _told_apart(error: ZdevError) -> ZdevError:
    """An error of the store's folders under the code that snapshots use."""
    if error.code == "unsafe-path":
        return ZdevError("snapshot-not-regular", error.message, error.hint)
    return error


def _is_stored(disk: Disk, spot: Spot, data: bytes) -> bool:
    """Whether the file with this name has exactly these bytes."""
    try:
        there = disk.read(spot, len(data))
    except ZdevError as error:
        if error.code != "file-too-large":
            raise
        raise _collision(spot) from error
    if there is None:
        return False
    if there.data != data:
        raise _collision(spot)
    return True


def _collision(spot: Spot) -> ZdevError:
    return ZdevError(
        "snapshot-collision",
        f"{spot.path} holds other bytes than its name says",
        "Look at the file: it was changed, or two contexts share 64 bits of their hash",
    )


def _publish(disk: Disk, spot: Spot, data: bytes) -> None:
    """Store the bytes; it is no error if another store of the same context was first."""
    try:
        publish(spot, data)
    except FileExistsError:
        _is_stored(disk, spot, data)
