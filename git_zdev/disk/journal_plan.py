"""The content of ``plan.json`` and of a publication journal's notes, and its validation.

:mod:`git_zdev.disk.journal` writes them and documents the format. Anybody can have written the
files that are read here, so every value is checked before it is used: a plan names only files below
``.zdev`` and ``info/exclude``.
"""

from __future__ import annotations

from git_zdev.disk import untrusted
from git_zdev.disk.binding import Anchor, Binding
from git_zdev.ground import jsontext
from git_zdev.ground.changeset import Place
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.paths import LENGTH_LIMIT, RECORD_ROOT, checked_path, is_dot_git
from git_zdev.ground.values import asdict, dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

VERSION = 2

MOST_FILES = 100_000
"""The most files, and the most folders, of a plan."""

SIZE_LIMIT = 64 * 1024 * 1024
"""The most bytes of a plan or a note: more than that many files need."""

_IDENTITY_DIGITS = 32
_NAME_LIMIT = 256
_FACTS = 5
_HASH = (64,)
_COMMIT_IDS = (40, 64)
_ADMINISTRATIVE = {Place.COMMON_DIR: frozenset({"info/exclude"})}
"""The files outside of the work tree that the program changes through a journal."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of the plan.

    Attributes:
        place: A value of :class:`git_zdev.ground.changeset.Place`.
        path: ``/`` separated, relative to the place.
        old: SHA-256 of the bytes before; None if the file does not exist.
        new: SHA-256 of the bytes after; None to delete the file.
        near: Whether the waiting and displaced files are beside the file, not in the journal.
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
        branch: Short name of the branch that it goes to; None if HEAD is detached.
        parent: HEAD's commit id; None while the branch is unborn.
        subject: First line of the message.
        paths: Managed paths, relative to the work tree.
        index: SHA-256 of the current index; None if there is none.
    """

    branch: str | None
    parent: str | None
    subject: str
    paths: tuple[str, ...]
    index: str | None


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a publication.

    Attributes:
        identity: 32 random hexadecimal digits.
        command: The command's words.
        binding: The folders that it is for.
        root: The plan's root, relative to the work tree.
        entries: The files.
        folders: ``(place, path)`` of the folders to create, outermost first.
        commit: The commit; None if only files change.
        head: HEAD's commit id; None while the branch is unborn.
        stamp: Device, inode, size, mtime and ctime of the index; None if there is none.
    """

    identity: str
    command: str
    binding: Binding
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

    @property
    def deleting(self) -> set[tuple[str, str]]:
        """``(place, path)`` of every folder above a deleted file."""
        gone = (entry for entry in self.entries if entry.new is None)
        return {(entry.place, above) for entry in gone for above in _above(entry.path)}


def plan_document(data: bytes, path: str) -> dict[str, Any]:
    """Read ``plan.json`` and check its version; :func:`plan_in` does the rest.

    Args:
        data: Its bytes.
        path: The journal's folder, for messages.

    Raises:
        ZdevError: ``journal-corrupt`` naming ``path``, if the data is not a JSON object or has
            another version.
    """
    try:
        document = untrusted.read_object(data)
    except ValueError as error:
        raise corrupt(path, f"plan.json cannot be read ({error})") from error
    version = document.get("version")
    if type(version) is not int or version != VERSION:
        shown = version if type(version) is int else "no number"
        raise corrupt(
            path,
            f"its version is {shown}, not {VERSION}",
            "Run `git zdev recover` with the version of git-zdev that wrote it, "
            "or put back what you need from it, then remove the folder",
        )
    return document


def plan_in(document: dict[str, Any], path: str) -> Plan:
    """The plan in a document.

    Raises:
        ZdevError: ``journal-corrupt`` naming ``path``, for a document that this program would not
            write.
    """
    try:
        return decoded(document)
    except ValueError as error:
        raise corrupt(path, f"in plan.json, {error}") from error


def decoded(document: dict[str, Any]) -> Plan:
    """The plan in a document; raises ``ValueError`` if this program would not write it."""
    untrusted.members(document, ("version", *Plan.__match_args__), "the plan")
    commit = document["commit"]
    plan = Plan(
        identity=_identity(document["identity"]),
        command=_words(document["command"]),
        binding=_binding(document["binding"]),
        root=_root(document["root"]),
        entries=tuple(map(_entry, untrusted.items(document["entries"], MOST_FILES, "entries"))),
        folders=tuple(
            _placed(pair, "a folder")
            for pair in untrusted.items(document["folders"], MOST_FILES, "folders")
        ),
        commit=None if commit is None else _commit(commit),
        head=_commit_id(document["head"], "head"),
        stamp=None if document["stamp"] is None else _file_identity(document["stamp"], "stamp"),
    )
    _require_agreement(plan)
    return plan


def _require_agreement(plan: Plan) -> None:
    """Refuse a plan whose parts contradict each other."""
    files = {(entry.place, entry.path) for entry in plan.entries}
    above = {(place, folder) for place, path in files for folder in _above(path)}
    made = (entry for entry in plan.entries if entry.new is not None)
    wanted = {(entry.place, folder) for entry in made for folder in _above(entry.path)}
    if not files and plan.commit is None:
        raise ValueError("there is nothing to do")
    if len(files) != len(plan.entries):
        raise ValueError("a file appears twice")
    if files & above:
        raise ValueError("a file is the folder of another one")
    if len(set(plan.folders)) != len(plan.folders) or not wanted.issuperset(plan.folders):
        raise ValueError("folders are named that no new file needs")


def is_identity(word: str) -> bool:
    """Whether a word can be the identity of a publication."""
    try:
        return bool(_identity(word))
    except ValueError:
        return False


def _identity(value: object) -> str:
    return untrusted.hexadecimal(value, (_IDENTITY_DIGITS,), "identity")


def _words(value: object) -> str:
    words = untrusted.line(value, "command", 200)
    if not words.isprintable():
        raise ValueError("command holds a control character")
    return words


def _binding(value: object) -> Binding:
    found = untrusted.members(value, Binding.__match_args__, "binding")
    return Binding(
        untrusted.line(found["boot"], "boot", _NAME_LIMIT),
        *(_anchor(found[name], name) for name in ("work_tree", "git_dir", "common_dir")),
    )


def _anchor(value: object, name: str) -> Anchor:
    found = untrusted.members(value, Anchor.__match_args__, name)
    path = untrusted.text(found["path"], f"the path of {name}", LENGTH_LIMIT)
    if path != "/":
        if not path.startswith("/"):
            raise ValueError(f"the path of {name} is not absolute")
        checked_path(path[1:])
    return Anchor(
        path,
        untrusted.number(found["device"], f"the device of {name}"),
        untrusted.number(found["inode"], f"the inode of {name}"),
    )


def _root(value: object) -> str:
    root = untrusted.text(value, "root", LENGTH_LIMIT)
    return root if root == "." else _tracked_path(root)


def _tracked_path(value: object) -> str:
    """A path below the work tree that Git could track."""
    path = checked_path(untrusted.text(value, "a path", LENGTH_LIMIT))
    if any(map(is_dot_git, path.split("/"))):
        raise ValueError(f"{path!r} leads into Git's own folder")
    return path


def _placed(value: object, name: str) -> tuple[str, str]:
    place, path = untrusted.pair(value, name)
    return _place(place), _tracked_path(path)


def _place(value: object) -> str:
    if value not in (Place.PLAN_ROOT, *_ADMINISTRATIVE):
        raise ValueError(f"{value!r} is not a place of a file")
    return str(value)


def _entry(value: object) -> Entry:
    found = untrusted.members(value, Entry.__match_args__, "an entry")
    place, path = _placed([found["place"], found["path"]], "an entry")
    if place == Place.PLAN_ROOT:
        allowed = path.startswith(f"{RECORD_ROOT}/")
    else:
        allowed = path in _ADMINISTRATIVE[place]
    if not allowed:
        raise ValueError(f"{path!r} is not a file that a command changes")
    old, new = _hash(found["old"], "old"), _hash(found["new"], "new")
    if old == new:
        raise ValueError(f"{path!r} would not change")
    return Entry(place, path, old, new, untrusted.flag(found["near"], "near"))


def _hash(value: object, name: str) -> str | None:
    return untrusted.optional(value, lambda one: untrusted.hexadecimal(one, _HASH, name))


def _commit(value: object) -> CommitEntry:
    found = untrusted.members(value, CommitEntry.__match_args__, "commit")
    paths = untrusted.items(found["paths"], MOST_FILES, "paths")
    return CommitEntry(
        branch=untrusted.optional(found["branch"], lambda one: untrusted.branch(one, "branch")),
        parent=_commit_id(found["parent"], "parent"),
        subject=untrusted.line(found["subject"], "subject"),
        paths=tuple(map(_tracked_path, paths)),
        index=_hash(found["index"], "index"),
    )


def _commit_id(value: object, name: str) -> str | None:
    return untrusted.optional(value, lambda one: untrusted.hexadecimal(one, _COMMIT_IDS, name))


def _file_identity(value: object, name: str) -> tuple[int, ...]:
    """Device, inode, size, mtime and ctime."""
    numbers = untrusted.items(value, _FACTS, name)
    if len(numbers) != _FACTS:
        raise ValueError(f"{name} is not an identity of a file")
    return tuple(untrusted.number(one, name, -(1 << 63)) for one in numbers)


def _above(path: str) -> Iterator[str]:
    """The folders above a path, inner ones first."""
    while path := path.rpartition("/")[0]:
        yield path


# The notes


def _staged(document: dict[str, Any], _: Plan) -> None:
    found = untrusted.members(document, ("tree", "index", "basis"), "the note")
    untrusted.hexadecimal(found["tree"], _COMMIT_IDS, "tree")
    _hash(found["index"], "index")
    if found["basis"] != []:
        _file_identity(found["basis"], "basis")


def _child(document: dict[str, Any], _: Plan) -> None:
    found = untrusted.members(document, ("pid", "start", "host", "boot", "namespace"), "the note")
    untrusted.number(found["pid"], "pid", 2, 1 << 31)
    if found["start"] is not None:
        untrusted.number(found["start"], "start")
    untrusted.line(found["host"], "host", _NAME_LIMIT)
    untrusted.line(found["boot"], "boot", _NAME_LIMIT)
    untrusted.number(found["namespace"], "namespace")


def _made(document: dict[str, Any], _: Plan) -> None:
    found = untrusted.members(document, ("commit",), "the note")
    untrusted.hexadecimal(found["commit"], _COMMIT_IDS, "commit")


def _emptied(document: dict[str, Any], plan: Plan) -> None:
    found = untrusted.members(document, ("folders",), "the note")
    folders = untrusted.items(found["folders"], MOST_FILES, "folders")
    if not plan.deleting.issuperset([_placed(one, "a folder") for one in folders]):
        raise ValueError("a folder is named that no deleted file left")


_NOTES: dict[str, Callable[[dict[str, Any], Plan], None]] = {
    "staged": _staged,
    "child": _child,
    "made": _made,
    "emptied": _emptied,
}
"""The function that checks each note."""


def decode_note(name: str, data: bytes, plan: Plan) -> dict[str, Any]:
    """Read a note.

    Args:
        name: Its name, without ``.json``.
        data: Its bytes.
        plan: The plan that it belongs to.

    Raises:
        ValueError: The note has content that this program does not write.
    """
    document = untrusted.read_object(data)
    _NOTES[name](document, plan)
    return document


def corrupt(path: str, reason: str, hint: str | None = None) -> ZdevError:
    """The error for a folder that is not a valid journal."""
    return ZdevError(
        "journal-corrupt",
        f"{path} is not a publication journal of this program: {reason}",
        hint or "Look at the files in that folder, put back what you need, then remove the folder",
    )
