"""The record of a managed rebase, written before Git begins.

Format, version 1. ``zdev/rebase.json`` below the work tree's Git directory is one object:
``version``; ``action``, what Git does: ``start``, ``continue`` or ``abort``; ``branch``, ``onto``
and ``original``, the branch, the commit that it is rebased onto and its previous tip; ``process``,
the process that rebases: pid, start time, host, boot and pid namespace.

It tells whether that Git still runs, and whether it was aborting, after which the rebase cannot
continue. It replaces Git's own notes if Git lost them; every action based on it is checked against
the refs. A file that is not a valid record counts as missing.
"""

from __future__ import annotations

import contextlib

from git_zdev.disk.atomic import storage_error
from git_zdev.disk.folders import open_private
from git_zdev.disk.journal import open_home
from git_zdev.disk.processes import ProcessIdentity
from git_zdev.ground import jsontext
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import asdict, dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.disk.atomic import Disk, Folder

VERSION = 1
FOLDER = "zdev"
NAME = "rebase.json"
LIMIT = 1 << 16
"""The most bytes of a record."""
ACTIONS = ("start", "continue", "abort")
_DRAFT = "rebase.part"
_LONGEST_WORD = 1024
_HIGHEST_PID = 1 << 31
_HEX = frozenset("0123456789abcdef")
_ID_LENGTH = 40


@dataclass(frozen=True, slots=True)
class StartedRebase:
    """A rebase that was started.

    Attributes:
        action: One of :data:`ACTIONS`.
        branch: The branch.
        onto: The commit that it is rebased onto.
        original: Its previous tip.
        process: The Git that rebases.
    """

    action: str
    branch: str
    onto: str
    original: str
    process: ProcessIdentity


class RebaseRecord:
    """The record of one work tree.

    Args:
        disk: The file system.
        git_dir: The work tree's own Git directory.
    """

    def __init__(self, disk: Disk, git_dir: str) -> None:
        self._disk = disk
        self._git_dir = git_dir

    def write(self, action: str, branch: str, onto: str, original: str, pid: int) -> None:
        """Record what a waiting process is about to do; see :class:`StartedRebase`.

        Raises:
            ZdevError: Why it could not be written.
        """
        started = StartedRebase(action, branch, onto, original, ProcessIdentity.of(pid))
        try:
            with self._disk.open_root(self._git_dir) as top, open_home(self._disk, top) as home:
                self._replace(home, jsontext.encode({"version": VERSION, **asdict(started)}))
        except OSError as error:
            raise storage_error(error) from error

    def _replace(self, home: Folder, data: bytes) -> None:
        draft = home.at(_DRAFT)
        if self._disk.stat(draft) is not None:
            self._disk.remove(draft)  # left by a killed writer
        self._disk.create(draft, data, forced=False)
        self._disk.rename(draft, home.at(NAME))

    def remove(self) -> None:
        """Remove the record if possible; one that remains is never trusted alone."""
        with contextlib.suppress(OSError, ZdevError):
            home = open_private(self._disk, self._git_dir, FOLDER)
            if home is not None:
                with home:
                    for name in (NAME, _DRAFT):
                        if self._disk.stat(home.at(name)) is not None:
                            self._disk.remove(home.at(name))


def decode(data: bytes) -> StartedRebase | None:
    """The rebase that a record describes; None if the bytes are not a record."""
    try:
        document = jsontext.decode_object(data, code="journal-corrupt", what="record")
    except ZdevError:
        return None
    if document.keys() != {"version", "action", "branch", "onto", "original", "process"}:
        return None
    names = [document[key] for key in ("branch", "onto", "original")]
    process = _process(document["process"])
    if document["version"] != VERSION or document["action"] not in ACTIONS or process is None:
        return None
    if not all(map(_is_word, names)) or not all(map(_is_id, names[1:])):
        return None
    branch, onto, original = names
    return StartedRebase(document["action"], branch, onto, original, process)


def _process(value: object) -> ProcessIdentity | None:
    if not isinstance(value, dict) or value.keys() != {"pid", "start", "host", "boot", "namespace"}:
        return None
    numbers = [value["pid"], value["namespace"], 0 if value["start"] is None else value["start"]]
    if not all(type(number) is int and number >= 0 for number in numbers):
        return None
    if not 1 < value["pid"] < _HIGHEST_PID or not _is_text(value["host"], value["boot"]):
        return None
    return ProcessIdentity(**value)


def _is_text(*values: object) -> bool:
    return all(isinstance(value, str) and len(value) <= _LONGEST_WORD for value in values)


def _is_word(value: object) -> bool:
    return _is_text(value) and value != ""


def _is_id(value: str) -> bool:
    return len(value) == _ID_LENGTH and _HEX.issuperset(value)
