"""The publication journal: how to roll back or finish, written before anything is changed.

Format, version 2. The folder ``zdev/journal`` below the work tree's Git directory holds

``plan.json``
    The plan, complete and on the disk before the folder gets this name. Never changed afterwards.
    See :class:`~git_zdev.disk.journal_plan.Plan`.
``seal``
    The HMAC-SHA256 of the bytes of ``plan.json`` under the secret in ``zdev/secret``, in
    hexadecimal, and LF.
``<n>.new``
    The new bytes of file ``n`` of the plan. Exchanging it with the file in place leaves the
    displaced file under this name.
``<n>.old``
    File ``n`` as it was, if it was moved aside: for a deletion, or if files cannot be exchanged.
``<n>.reserved``
    Empty, and only on file systems with neither hard links nor a rename that replaces nothing. Once
    it exists, an empty file in the place of file ``n`` can be one that reserves its name.
``lock``
    The publication's random identity. ``index.lock`` is a second name of this file, so its content
    says whose lock it is. Without hard links a file cannot appear together with its content, and a
    kill would leave an empty one that could be Git's. ``index.lock`` is then a folder, prepared as
    ``lock.folder``, with an empty file named after the identity.
``hooks``
    The folder from which ``git commit`` runs hooks; see ``git.commit_hooks``.
``index``, ``commit-index``
    Copies of the index, with the managed files staged: the next index, and the one that the commit
    is made from. Once exchanged at the end, ``index`` is the previous one.
``former-index``
    The previous index, if files cannot be exchanged.
``message``, ``said``, ``summary``
    The commit's message; Git's standard error and standard output.
``staged.json``
    ``{"tree", "index", "basis"}``: tree of the commit to come, SHA-256 of ``index``, identity of
    ``commit-index`` (device, inode, size, mtime, ctime).
``child.json``
    The process that commits: pid, start time, host, boot and pid namespace. Written before the
    process may begin: without this file, there is no commit of ours.
``made.json``
    ``{"commit"}``: the commit to which the branch was allowed to move.
``emptied.json``
    ``{"folders"}``: place and path of the folders above deleted files. From here on, empty ones may
    be missing.

A journal is trusted only as far as it can be checked, because anybody can have written it: an
attacker who packs a Git directory into an archive, or a faulty program. A plan has a seal that only
this Git directory can make, names the folders that it was written for, and can only contain what
the program itself plans: files below ``.zdev``, and ``info/exclude``. Any other journal is
``journal-corrupt`` and is left alone. Version 1 had neither seal nor binding.

After a loss of power the four notes can be empty, if their names reached the disk before their
bytes. Nothing has yet been done because of an empty note, so it counts as never written.

``zdev/journal.<id>`` is an unfinished or closed journal, and ``zdev/journal.<id>.lock`` is a former
``index.lock``. The next writer removes both, together with an ``index.lock`` of that identity. For
a file on another file system than the Git directory, ``<n>.new``, ``<n>.old`` and ``<n>.reserved``
are beside the file, named ``.zdev-<id>-<n>.new`` and so on.
"""

from __future__ import annotations

import contextlib
import errno
import stat

from git_zdev.disk import journal_plan
from git_zdev.disk.atomic import NO_LINKS, Disk, storage_error
from git_zdev.disk.binding import Binding, hmac_sha256, known_secret, secret_of
from git_zdev.disk.folders import open_private, remove_all
from git_zdev.disk.journal_plan import SIZE_LIMIT, CommitEntry, Entry, Plan, corrupt
from git_zdev.disk.reading import LARGEST
from git_zdev.ground import jsontext
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.text import sha256_of, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from git_zdev.disk.atomic import Folder, Spot

__all__ = ["CommitEntry", "Entry", "Journal", "Plan", "corrupt"]

FOLDER = "zdev"
NAME = "journal"
HOOKS = "hooks"
LOCK_FOLDER = "lock.folder"
INDEX_LOCK = "index.lock"

_SMALL = 256
"""The most bytes of ``seal`` and ``lock``."""

_SIZES = {"plan.json": SIZE_LIMIT, "seal": _SMALL, "lock": _SMALL}


def digest(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return sha256_of(data)


class Journal:
    """The open journal of one publication.

    Attributes:
        plan: The plan.
        folder: Its folder; :meth:`at` names the files in it.
    """

    def __init__(self, disk: Disk, home: Folder, folder: Folder, plan: Plan) -> None:
        self._disk = disk
        self._home = home
        self.folder = folder
        self.plan = plan
        self._notes: dict[str, Mapping[str, Any]] = {}

    def at(self, name: str) -> Spot:
        """A file of the journal."""
        return self.folder.at(name)

    @property
    def path(self) -> str:
        """The folder's path."""
        return f"{self._home.path}/{NAME}"

    @property
    def is_piecewise(self) -> bool:
        """Whether each file is forced to the disk as soon as it is written.

        A publication with a commit flushes the whole file system at its end, because nobody knows
        what Git wrote. It also does so before, instead of file by file, if the system can.
        """
        return _is_piecewise(self._disk, self.plan)

    def flush(self) -> None:
        """Ensure that everything written so far is on the disk."""
        if not self.is_piecewise:
            self._disk.sync_everything(self._home)

    def note(self, name: str, document: Mapping[str, Any]) -> None:
        """Add ``<name>.json`` in one step; call :meth:`flush` before acting on it."""
        self._notes[name] = document
        draft = self.at(f"{name}.part")
        if self._disk.stat(draft) is not None:
            self._disk.remove(draft)  # left by a killed writer
        self._disk.create(draft, jsontext.encode(document), forced=self.is_piecewise)
        self._disk.rename(draft, self.at(f"{name}.json"))
        if self.is_piecewise:
            self._disk.sync_folder(self.folder)

    def noted(self, name: str) -> dict[str, Any] | None:
        """The content of ``<name>.json``; None if it was never written, or lost with the power.

        Raises:
            ZdevError: ``journal-corrupt`` for content that this program does not write.
        """
        found = _read(self._disk, self.folder, f"{name}.json", SIZE_LIMIT)
        if found is None or not found.strip(b"\0"):
            known = self._notes.get(name)  # the file may have been removed
            return None if known is None else dict(known)
        try:
            return journal_plan.decode_note(name, found, self.plan)
        except ValueError as error:
            raise corrupt(self.path, f"{name}.json cannot be used ({error})") from error

    def require_real_root(self, work_tree: str) -> None:
        """Refuse a plan's root that is missing or has a link in its path.

        Raises:
            ZdevError: ``journal-corrupt``.
        """
        names = [] if self.plan.root == "." else self.plan.root.split("/")
        try:
            root = open_private(self._disk, work_tree, *names)
        except ZdevError as error:
            raise corrupt(self.path, f"its root is not a folder: {error.message}") from error
        if root is None:
            raise corrupt(
                self.path,
                f"the folder {self.plan.root} is missing",
                "Put that folder back, or put back what you need from the journal and remove it",
            )
        with root:
            pass

    def close(self) -> None:
        """Close the journal: from here on the publication cannot and need not be rolled back."""
        self._disk.rename(self._home.at(NAME), self._over)

    def remove(self) -> None:
        """Remove the rest of a closed journal."""
        self._disk.sync_folder(self._home)
        remove_all(self._disk, self._over)

    @property
    def _over(self) -> Spot:
        return self._home.at(f"{NAME}.{self.plan.identity}")


def begin(
    disk: Disk, home: Folder, plan: Plan, files: Mapping[str, tuple[bytes, int | None]]
) -> Journal:
    """Write a complete journal under another name, then rename it to the effective one.

    Args:
        disk: The file system.
        home: The ``zdev`` folder, without a journal.
        plan: The plan.
        files: Bytes and mode of the other files by name; a mode of None leaves it to the umask.

    Raises:
        ZdevError: ``unfit-change`` for a plan that recovery would not accept.
    """
    encoded = plan.encode()
    _require_readable(encoded, home.path)
    seal = hmac_sha256(secret_of(disk, home), encoded)
    aside = home.at(f"{NAME}.{plan.identity}")
    piecewise = _is_piecewise(disk, plan)
    with contextlib.ExitStack() as failed:
        failed.callback(_discard, disk, home, aside)
        disk.make_folder(aside)
        folder = failed.enter_context(disk.open_folder(aside))
        for name, (data, mode) in files.items():
            disk.create(folder.at(name), data, mode, forced=piecewise)
        disk.create(folder.at("seal"), f"{seal}\n".encode(), forced=piecewise)
        disk.create(folder.at("plan.json"), encoded, forced=piecewise)
        if piecewise:
            disk.sync_folder(folder)
        else:
            disk.sync_everything(home)
        disk.rename(aside, home.at(NAME))
        disk.sync_folder(home)
        failed.pop_all()
    folder.path = home.at(NAME).path
    return Journal(disk, home, folder, plan)


def _require_readable(encoded: bytes, path: str) -> None:
    """Refuse to write a plan that recovery would refuse to read."""
    try:
        if len(encoded) > SIZE_LIMIT:
            raise ValueError(f"the plan needs more than {SIZE_LIMIT} bytes")
        journal_plan.decoded(journal_plan.plan_document(encoded, path))
    except ValueError as error:
        raise ZdevError(
            "unfit-change",
            f"the change cannot be written to a journal: {error}",
            "Change fewer files at once, or rename the named one",
        ) from error


def _is_piecewise(disk: Disk, plan: Plan) -> bool:
    return plan.commit is None or not disk.has_barrier


def _discard(disk: Disk, home: Folder, aside: Spot) -> None:
    """Remove an incomplete journal, as far as possible."""
    with contextlib.suppress(OSError):
        if disk.stat(aside) is None:
            disk.rename(home.at(NAME), aside)
        remove_all(disk, aside)


def open_home(disk: Disk, git_dir: Folder) -> Folder:
    """The ``zdev`` folder of a Git directory, created if it is missing."""
    spot = git_dir.at(FOLDER)
    disk.make_folder(spot)
    return disk.open_folder(spot)


def open_journal(disk: Disk, home: Folder) -> Journal | None:
    """The current journal; None if there is none.

    Raises:
        ZdevError: ``journal-corrupt`` if this program did not write it in this Git directory or in
            one that this is a copy of (:func:`require_bound`).
    """
    spot = home.at(NAME)
    try:
        folder = disk.open_folder(spot)
    except FileNotFoundError:
        return None
    except ZdevError as error:
        raise corrupt(spot.path, "it is not a folder") from error
    try:
        return Journal(disk, home, folder, _sealed_plan(disk, home, folder))
    except BaseException:
        with folder:
            raise


def _sealed_plan(disk: Disk, home: Folder, folder: Folder) -> Plan:
    """The plan of a journal, after a check of every file in it."""
    data = _read(disk, folder, "plan.json", SIZE_LIMIT)
    if data is None:
        raise corrupt(folder.path, "plan.json is missing")
    document = journal_plan.plan_document(data, folder.path)
    try:
        secret = known_secret(disk, home)
    except ZdevError as error:
        raise corrupt(folder.path, f"its seal cannot be checked: {error.message}") from error
    if secret is None or _read(disk, folder, "seal", _SMALL) != _seal(secret, data):
        raise corrupt(folder.path, "its seal is not one of this repository")
    plan = journal_plan.plan_in(document, folder.path)
    for name in disk.names(folder):
        _require_file(disk, folder, name)
    if plan.commit is not None:
        if _read(disk, folder, "lock", _SMALL) != plan.identity.encode():
            raise corrupt(folder.path, "lock does not name it")
        if disk.stat(folder.at("message")) is None:
            raise corrupt(folder.path, "message is missing")
    return plan


def _seal(secret: bytes, data: bytes) -> bytes:
    return hmac_sha256(secret, data).encode() + b"\n"


def _require_file(disk: Disk, folder: Folder, name: str) -> None:
    """Refuse a file of a journal that is not regular, or too large."""
    found = disk.stat(folder.at(name))
    if found is None:
        return
    is_folder = name in {HOOKS, LOCK_FOLDER}
    expected = stat.S_ISDIR if is_folder else stat.S_ISREG
    if not expected(found.st_mode):
        raise corrupt(folder.path, f"{name} is another kind of file")
    if not is_folder and found.st_size > _SIZES.get(name, LARGEST):
        raise corrupt(folder.path, f"{name} is too large")


def _read(disk: Disk, folder: Folder, name: str, limit: int) -> bytes | None:
    """The bytes of a file of the journal; None if it is missing."""
    try:
        found = disk.read(folder.at(name), limit)
    except ZdevError as error:
        raise corrupt(folder.path, error.message) from error
    return None if found is None else found.data


def require_readable(git_dir: str) -> None:
    """Refuse a journal from which nothing can be recovered; having no journal is fine.

    Args:
        git_dir: The work tree's own Git directory.

    Raises:
        ZdevError: ``journal-corrupt``, or why it cannot be read.
    """
    disk = Disk()
    with contextlib.ExitStack() as opened:
        try:
            home = open_private(disk, git_dir, FOLDER)
            journal = open_journal(disk, opened.enter_context(home)) if home else None
        except OSError as error:
            raise storage_error(error) from error
        if journal is not None:
            opened.enter_context(journal.folder)


def require_bound(
    journal: Journal, work_tree: str, git_dir: str, common_dir: str, *, moved: bool = False
) -> None:
    """Refuse a journal that was written for other folders than these.

    Args:
        journal: The journal.
        work_tree: The work tree that would be recovered.
        git_dir: Its own Git directory.
        common_dir: The Git directory that it shares.
        moved: Whether the caller vouches for folders that were renamed, or whose device has another
            number, as in another container. It has no effect if another folder has the noted name.

    Raises:
        ZdevError: ``journal-elsewhere`` naming the noted work tree; ``journal-corrupt`` if the
            plan's root is not in the work tree.
    """
    here = Binding.of(work_tree, git_dir, common_dir)
    if not journal.plan.binding.fits(here, moved=moved):
        raise _elsewhere(journal, here)
    journal.require_real_root(work_tree)


def _elsewhere(journal: Journal, here: Binding) -> ZdevError:
    noted = journal.plan.binding
    if noted.fits(here, moved=True):
        hint = (
            "Recover it where it was written; where that is this work tree under another name "
            "or on another disk, run `git zdev recover --assume-dead`"
        )
    elif noted.was_replaced(here):
        hint = (
            "That folder was replaced since; put back what you need from the journal, then remove "
            "its folder"
        )
    else:
        git_dir = shell_word(f"--git-dir={noted.git_dir.path}")
        work_tree = shell_word(f"--work-tree={noted.work_tree.path}")
        hint = (
            f"Run `git {git_dir} {work_tree} zdev recover`; where this repository is a copy of "
            "that one, put back what you need from the journal here and remove its folder"
        )
    return ZdevError(
        "journal-elsewhere",
        f"{journal.path} was written for the work tree {noted.work_tree.path} and its Git "
        f"directory {noted.git_dir.path}, not for {here.work_tree.path} as it is now",
        hint,
        details={"git_dir": noted.git_dir.path, "work_tree": noted.work_tree.path},
    )


def sweep(disk: Disk, git_dir: Folder, home: Folder) -> None:
    """Remove unfinished and closed journals, and an ``index.lock`` that one of them holds.

    A journal that cannot be removed is left: its name is unique, so it does no harm.
    """
    for name in disk.names(home):
        if not name.startswith(f"{NAME}."):
            continue
        identity = name.removeprefix(f"{NAME}.")
        if journal_plan.is_identity(identity):
            release_lock(disk, git_dir, identity)
        with contextlib.suppress(OSError, ZdevError):
            remove_all(disk, home.at(name))


def take_lock(disk: Disk, git_dir: Folder, journal: Journal) -> bool:
    """Take ``index.lock`` for the publication; return False if it is taken."""
    lock = git_dir.at(INDEX_LOCK)
    try:
        disk.link(journal.at("lock"), lock)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        return _take_with_folder(disk, lock, journal)
    return True


def _take_with_folder(disk: Disk, lock: Spot, journal: Journal) -> bool:
    """Take it by a rename, which never replaces a file or a non-empty folder with a folder."""
    draft = journal.at(LOCK_FOLDER)
    disk.make_folder(draft)
    with disk.open_folder(draft) as folder:
        signed = folder.at(journal.plan.identity)
        if disk.stat(signed) is None:
            disk.create(signed, b"")
            disk.sync_folder(folder)
    try:
        disk.rename(draft, lock)
    except OSError as error:
        if error.errno in {errno.ENOTDIR, errno.ENOTEMPTY, errno.EEXIST}:
            return False
        raise
    return True


def holds_lock(disk: Disk, git_dir: Folder, identity: str) -> bool:
    """Whether a publication holds ``index.lock``: nobody else knows the identity in it."""
    lock = git_dir.at(INDEX_LOCK)
    try:
        found = disk.read(lock, _SMALL)
    except ZdevError:  # not a file, or not one of ours
        return _is_signed_folder(disk, lock, identity)
    return found is not None and found.data == identity.encode()


def _is_signed_folder(disk: Disk, lock: Spot, identity: str) -> bool:
    try:
        with disk.open_folder(lock) as folder:
            return disk.names(folder) == [identity]
    except (ZdevError, FileNotFoundError):
        return False


def release_lock(disk: Disk, git_dir: Folder, identity: str) -> None:
    """Remove ``index.lock`` if the publication holds it."""
    if not holds_lock(disk, git_dir, identity):
        return
    lock = git_dir.at(INDEX_LOCK)
    found = disk.stat(lock)
    if found is None or not stat.S_ISDIR(found.st_mode):
        disk.remove(lock)
        return
    with open_home(disk, git_dir) as home:
        former = home.at(f"{NAME}.{identity}.lock")  # after a kill, the next writer removes it
        remove_all(disk, former)
        disk.rename(lock, former)
        remove_all(disk, former)
