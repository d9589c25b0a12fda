"""The publication journal: the way back (or on), written down before anything is touched.

Format, version 1. The folder ``zdev/journal`` below the work tree's Git directory holds

``plan.json``
    What is about to happen, complete and on the disk before the folder gets this name. Never
    changed afterwards. See :class:`Plan`.
``<n>.new``
    The bytes that file ``n`` of the plan is to have. Exchanging it with the file that stands
    there leaves the displaced file under this name.
``<n>.old``
    File ``n`` as it stood, where it was moved aside: for a deletion, or where files cannot be
    exchanged.
``lock``
    The publication's random identity. ``index.lock`` is a second name of this file; who finds
    the identity in it knows whose lock it is.
``hooks``
    The folder from which ``git commit`` runs hooks; see ``git.commit_hooks``.
``index``, ``commit-index``
    Copies of the index, with the managed files staged: the one that follows, and the one that the
    commit is made from. Exchanged at the end, ``index`` is the one that stood before.
``former-index``
    The index that stood before, where files cannot be exchanged.
``message``, ``said``, ``summary``
    The commit's message; what Git printed on its standard error and output.
``staged.json``
    ``{"tree", "index", "basis"}``: tree of the commit to come, SHA-256 of ``index``, identity of
    ``commit-index`` (device, inode, size, mtime, ctime).
``child.json``
    Who commits: pid, start time, host, boot and pid namespace. Written before the process is let
    go: without this file, no commit of ours exists.
``made.json``
    ``{"commit"}``: the commit with which the branch was allowed to move.
``emptied.json``
    ``{"folders"}``: place and path of the folders above deleted files. From here on those that
    hold nothing may be missing.

The four notes may be empty after a loss of power, when their names reached the disk before their
bytes. Nothing was done upon such a one, so it counts as never written.

A name ``zdev/journal.<id>`` is a journal in the making or a finished one: rubbish that the next
writer removes, together with an ``index.lock`` of that identity. Where a file lies on another
file system than the Git directory, ``<n>.new`` and ``<n>.old`` stand beside it, named
``.zdev-<id>-<n>.new`` and ``.zdev-<id>-<n>.old``.
"""

from __future__ import annotations

import contextlib

from git_zdev import jsontext
from git_zdev.errors import ZdevError
from git_zdev.hashing import sha256_of
from git_zdev.storage.private import remove_all
from git_zdev.values import asdict, dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from git_zdev.storage.atomic import Disk, Folder, Spot

VERSION = 1
FOLDER = "zdev"
NAME = "journal"


def digest(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return sha256_of(data)


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of the plan.

    Attributes:
        place: A value of :class:`git_zdev.changeset.Place`.
        path: ``/`` separated, relative to the place.
        old: SHA-256 of the bytes that stand there; None for no file.
        new: SHA-256 of the bytes to come; None to delete the file.
        near: Whether the waiting and displaced files stand beside the file, not in the journal.
    """

    place: str
    path: str
    old: str | None
    new: str | None
    near: bool = False


@dataclass(frozen=True, slots=True)
class CommitEntry:
    """The commit of the plan.

    Attributes:
        branch: Short name of the branch that it goes to; None when HEAD is detached.
        parent: HEAD's commit id; None while the branch is unborn.
        subject: First line of the message.
        paths: Managed paths, relative to the work tree.
        index: SHA-256 of the index that stands; None when there is none.
    """

    branch: str | None
    parent: str | None
    subject: str
    paths: tuple[str, ...]
    index: str | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What a publication is about to do.

    Attributes:
        identity: Random, 32 hexadecimal digits.
        command: The command's words.
        root: The plan's root, relative to the work tree.
        entries: The files.
        folders: ``(place, path)`` of the folders to create, outermost first.
        commit: The commit; None for files only.
        head: HEAD's commit id; None while the branch is unborn.
        stamp: Device, inode, size, mtime and ctime of the index; None when there is none.
    """

    identity: str
    command: str
    root: str
    entries: tuple[Entry, ...]
    folders: tuple[tuple[str, str], ...] = ()
    commit: CommitEntry | None = None
    head: str | None = None
    stamp: tuple[int, ...] | None = None

    def encode(self) -> bytes:
        """The bytes of ``plan.json``."""
        document = {"version": VERSION, **asdict(self)}
        return jsontext.encode(document)


def decode_plan(data: bytes, path: str) -> Plan:
    """Read ``plan.json``.

    Raises:
        ZdevError: ``journal-corrupt`` naming ``path``.
    """
    try:
        document = jsontext.loads(data.decode())
        if document["version"] != VERSION:
            raise corrupt(path, f"it has version {document['version']!r}, not {VERSION}")
        commit = document["commit"]
        return Plan(
            identity=document["identity"],
            command=document["command"],
            root=document["root"],
            entries=tuple(Entry(**entry) for entry in document["entries"]),
            folders=tuple((place, folder) for place, folder in document["folders"]),
            commit=commit and CommitEntry(**{**commit, "paths": tuple(commit["paths"])}),
            head=document["head"],
            stamp=document["stamp"] and tuple(document["stamp"]),
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise corrupt(path, f"it cannot be read ({error})") from error


def corrupt(path: str, reason: str) -> ZdevError:
    """The error for a journal that is not one."""
    return ZdevError(
        "journal-corrupt",
        f"{path} is not a publication journal of this program: {reason}",
        "Look at the files in that folder, put back what you need, then remove the folder",
    )


class Journal:
    """The journal of one publication, open.

    Attributes:
        plan: What it is about.
        folder: Its folder; :meth:`at` names the files in it.
    """

    def __init__(self, disk: Disk, home: Folder, folder: Folder, plan: Plan) -> None:
        self._disk = disk
        self._home = home
        self.folder = folder
        self.plan = plan

    def at(self, name: str) -> Spot:
        """A file of the journal."""
        return self.folder.at(name)

    @property
    def path(self) -> str:
        """The folder's path."""
        return f"{self._home.path}/{NAME}"

    @property
    def is_piecewise(self) -> bool:
        """Whether each piece is forced to the disk by itself, as soon as it is written.

        What ends with a commit has the whole file system flushed in the end, because nobody knows
        what Git wrote. There it is flushed as a whole before as well, where the system can.
        """
        return _is_piecewise(self._disk, self.plan)

    def flush(self) -> None:
        """Have on the disk what was written so far."""
        if not self.is_piecewise:
            self._disk.sync_everything(self._home)

    def note(self, name: str, document: Mapping[str, Any]) -> None:
        """Add ``<name>.json`` in one step; :meth:`flush` before anything is done upon it."""
        draft = self.at(f"{name}.part")
        if self._disk.stat(draft) is not None:
            self._disk.remove(draft)  # of a writer that did not get further
        self._disk.create(draft, jsontext.encode(document), forced=self.is_piecewise)
        self._disk.rename(draft, self.at(f"{name}.json"))
        if self.is_piecewise:
            self._disk.sync_folder(self.folder)

    def noted(self, name: str) -> dict[str, Any] | None:
        """What ``<name>.json`` says; None when it was never written, or lost with the power."""
        found = self._disk.read(self.at(f"{name}.json"))
        if found is None or not found.data.strip(b"\0"):
            return None
        try:
            document = jsontext.loads(found.data.decode())
        except ValueError as error:
            raise corrupt(self.path, f"{name}.json cannot be read ({error})") from error
        if not isinstance(document, dict):
            raise corrupt(self.path, f"{name}.json is no object")
        return document

    def close(self) -> None:
        """Say that it is over: from here on there is no way back and none is needed."""
        self._disk.rename(self._home.at(NAME), self._over)

    def remove(self) -> None:
        """Remove what is left of a closed journal."""
        self._disk.sync_folder(self._home)
        remove_all(self._disk, self._over)

    @property
    def _over(self) -> Spot:
        return self._home.at(f"{NAME}.{self.plan.identity}")


def begin(
    disk: Disk, home: Folder, plan: Plan, files: Mapping[str, tuple[bytes, int | None]]
) -> Journal:
    """Write a journal aside, complete, and give it the name that counts.

    Args:
        disk: The file system.
        home: The ``zdev`` folder, without a journal.
        plan: What is about to happen.
        files: Name to bytes and mode (None: what the umask gives) of the other files.
    """
    aside = home.at(f"{NAME}.{plan.identity}")
    piecewise = _is_piecewise(disk, plan)
    with contextlib.ExitStack() as failed:
        failed.callback(_discard, disk, home, aside)
        disk.make_folder(aside)
        folder = failed.enter_context(disk.open_folder(aside))
        for name, (data, mode) in files.items():
            disk.create(folder.at(name), data, mode, forced=piecewise)
        disk.create(folder.at("plan.json"), plan.encode(), forced=piecewise)
        if piecewise:
            disk.sync_folder(folder)
        else:
            disk.sync_everything(home)
        disk.rename(aside, home.at(NAME))
        disk.sync_folder(home)
        failed.pop_all()
    folder.path = home.at(NAME).path
    return Journal(disk, home, folder, plan)


def _is_piecewise(disk: Disk, plan: Plan) -> bool:
    return plan.commit is None or not disk.has_barrier


def _discard(disk: Disk, home: Folder, aside: Spot) -> None:
    """Remove a journal that could not be completed, as far as that can be done now."""
    with contextlib.suppress(OSError):
        if disk.stat(aside) is None:
            disk.rename(home.at(NAME), aside)
        remove_all(disk, aside)


def open_home(disk: Disk, git_dir: Folder) -> Folder:
    """The ``zdev`` folder of a Git directory, created where it is missing."""
    spot = git_dir.at(FOLDER)
    disk.make_folder(spot)
    return disk.open_folder(spot)


def open_journal(disk: Disk, home: Folder) -> Journal | None:
    """The journal that stands there; None when there is none.

    Raises:
        ZdevError: ``journal-corrupt``.
    """
    try:
        folder = disk.open_folder(home.at(NAME))
    except FileNotFoundError:
        return None
    try:
        found = disk.read(folder.at("plan.json"))
        if found is None:
            raise corrupt(folder.path, "plan.json is missing")
        return Journal(disk, home, folder, decode_plan(found.data, folder.path))
    except BaseException:
        with folder:
            raise


def sweep(disk: Disk, git_dir: Folder, home: Folder) -> None:
    """Remove journals that never began or are over, and an ``index.lock`` that one still holds."""
    for name in disk.names(home):
        if not name.startswith(f"{NAME}."):
            continue
        release_lock(disk, git_dir, name.removeprefix(f"{NAME}."))
        remove_all(disk, home.at(name))


def holds_lock(disk: Disk, git_dir: Folder, identity: str) -> bool:
    """Whether ``index.lock`` is a publication's: nobody else knows the identity it contains."""
    found = disk.read(git_dir.at("index.lock"))
    return found is not None and found.data == identity.encode()


def release_lock(disk: Disk, git_dir: Folder, identity: str) -> None:
    """Remove ``index.lock`` if it is that publication's."""
    if holds_lock(disk, git_dir, identity):
        disk.remove(git_dir.at("index.lock"))
