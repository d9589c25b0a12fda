"""Objects as Git reads them: replace refs followed, commits and trees taken apart.

libgit2 knows no ``refs/replace/``, so every object whose content matters is read through
:class:`ObjectStore`, which looks there first (git-replace(1)).
"""

from __future__ import annotations

import os
import stat

from git_zdev.git.config.config_file import unquoted
from git_zdev.git.failures import unreadable, unreadable_because
from git_zdev.git.model import TreeEntry, canonical_mode
from git_zdev.git.read import files
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from hashlib import _Hash as Hash
    from typing import Any, BinaryIO

    from git_zdev.git.model import Location
    from git_zdev.git.read.libgit2 import Handles

COMMIT, TREE, BLOB, TAG = 1, 2, 3, 4
_KINDS = {COMMIT: "commit", TREE: "tree", BLOB: "blob", TAG: "tag"}
_HEX_LENGTH = 40
_HEX = frozenset("0123456789abcdefABCDEF")
_DEEPEST_TAG = 64
_BLOCK = 1 << 20
DIRECTORY_MODE = 0o040000


@dataclass(frozen=True, slots=True)
class CommitObject:
    """What a commit object says.

    Attributes:
        tree: Object id of its tree.
        parents: The parents that it names; shallow boundaries and grafts do not count here.
        author: Name, address and time of its author, as they are there.
        time: Committer's time, seconds since the epoch.
        message: The message, decoded as its ``encoding`` header says.
    """

    tree: str
    parents: tuple[str, ...]
    author: bytes
    time: int
    message: str


class ObjectStore:
    """Reads objects by id, replaced ones in place of the original.

    libgit2 (1.9) never returns from a loose object that is cut short, so each is looked at first.
    """

    def __init__(
        self,
        handles: Handles,
        raw: Any,
        replacements: Mapping[str, str],
        folders: Sequence[str],
    ) -> None:
        """Read from a repository.

        Args:
            handles: The libgit2 handles.
            raw: The extension module's ``Repository``.
            replacements: Object ids and what is to be read in their place.
            folders: The folders in which objects are looked for.
        """
        ext = handles.ext
        self._folders = folders
        self._lookup, self._id = raw.git_object_lookup_prefix, ext.Oid
        self._classes = {ext.Commit: COMMIT, ext.Tree: TREE, ext.Blob: BLOB, ext.Tag: TAG}
        self._handles = handles
        self._failures = (KeyError, ValueError, handles.ext.GitError)
        self._replacements = replacements

    def kind(self, name: str) -> int | None:
        """The type of an object; None if it is not there or ``name`` is not a full object id."""
        found = self._find(name)
        return None if found is None else self._classes[type(found)]

    def read(self, name: str, kind: int) -> bytes:
        """The content of an object of the given type.

        Raises:
            ZdevError: ``missing-object``; ``wrong-object-type``; ``unreadable-repository`` for one
                that is damaged.
        """
        try:
            return self._content(self._look_up(name), name, kind)
        except self._failures as error:
            raise unreadable(self._handles, f"the {_KINDS[kind]} {name}") from error

    def _content(self, found: Any, name: str, kind: int) -> bytes:
        if found is None:
            raise ZdevError(
                "missing-object",
                f"the {_KINDS[kind]} {name} is not in the object database",
                "`git fsck` shows what is missing; in a partial clone, `git fetch` may bring it",
            )
        actual = self._classes[type(found)]
        if actual != kind:
            raise ZdevError(
                "wrong-object-type",
                f"{name} is a {_KINDS[actual]}, but must be a {_KINDS[kind]}",
                "`git fsck` shows what is wrong with the repository",
            )
        # libgit2 reads an object once more for read_raw(); a blob also lends what it has.
        return bytes(memoryview(found)) if kind == BLOB else bytes(found.read_raw())

    def commit(self, name: str) -> CommitObject:
        """A commit, taken apart; errors as :meth:`read` raises them."""
        return parse_commit(self.read(name, COMMIT))

    def peel(self, name: str) -> str | None:
        """The commit that an object is, or to which it leads if it is a tag."""
        for _ in range(_DEEPEST_TAG):
            kind = self.kind(name)
            if kind != TAG:
                return name if kind == COMMIT else None
            name = self.read(name, TAG)[7 : 7 + _HEX_LENGTH].decode("ascii", "replace")
        return None

    def tree(self, name: str) -> Iterator[tuple[int, bytes, str]]:
        """Mode, as Git takes it, name and object id of each entry of a tree, in its order."""
        content, at = self.read(name, TREE), 0
        while at < len(content):
            try:
                space = content.index(b" ", at)
                end = content.index(b"\0", space)
                mode = int(content[at:space], 8)
            except ValueError as error:
                reason = f"it is malformed from byte {at} on"
                raise unreadable_because(f"the tree {name}", reason) from error
            yield canonical_mode(mode), content[space + 1 : end], content[end + 1 : end + 21].hex()
            at = end + 21

    def files(
        self,
        name: str,
        prefix: bytes = b"",
        spares: Callable[[bytes, str], bool] = lambda _folder, _tree: False,
    ) -> dict[bytes, TreeEntry]:
        """Every file of a tree whose path starts with ``prefix``, submodules among them.

        Only folders that can hold such a path are read.

        Args:
            name: The tree's id.
            prefix: The start of the wanted paths.
            spares: Whether a folder, given with a slash at its end and with its tree, is passed
                over.
        """

        def enters(above: bytes, item: bytes, found: str) -> bool:
            below = above + item + b"/"
            wanted = below.startswith(prefix) or prefix.startswith(below)
            return wanted and not spares(below, found)

        files = ((above + item, entry) for above, item, entry in self.walk(name, b"", enters))
        return {path: entry for path, entry in files if path.startswith(prefix)}

    def walk(
        self, name: str, folder: bytes, enters: Callable[[bytes, bytes, str], bool]
    ) -> Iterator[tuple[bytes, bytes, TreeEntry]]:
        """Every file below a tree, in its order; trees can be nested to any depth.

        Args:
            name: The tree's id.
            folder: Its path, empty or with a slash at its end.
            enters: Whether a folder is read, given the path above it, its name and its tree.

        Yields:
            The path of the folder, with a slash at its end, the file's name there, and its entry.
        """
        waiting = [(folder, self.tree(name))]
        while waiting:
            above, tree = waiting[-1]
            item = next(tree, None)
            if item is None:
                waiting.pop()
            elif item[0] != DIRECTORY_MODE:
                yield above, item[1], TreeEntry(item[0], item[2])
            elif enters(above, item[1], item[2]):
                waiting.append((above + item[1] + b"/", self.tree(item[2])))

    def _find(self, name: str) -> Any:
        """An object; None if it is not there, or cannot be read."""
        try:
            return self._look_up(name)
        except self._failures:
            return None

    def _look_up(self, name: str) -> Any:
        """An object; None if it is not there. What libgit2 says when it is damaged."""
        if len(name) != _HEX_LENGTH or not _HEX.issuperset(name):
            return None
        actual = self._actual(name)
        require_whole(self._folders, actual)
        return self._lookup(self._id(hex=actual))

    def _actual(self, name: str) -> str:
        for _ in range(5):  # Git follows replacements of replacements this deep
            replacement = self._replacements.get(name)
            if replacement is None:
                break
            name = replacement
        return name


def parse_commit(content: bytes) -> CommitObject:
    """Take the bytes of a commit object apart."""
    header, _, message = content.partition(b"\n\n")
    tree, parents, author, time, encoding = "", list[str](), b"", 0, "utf-8"
    for line in header.split(b"\n"):
        field, _, value = line.partition(b" ")
        if field == b"tree":
            tree = value.decode("ascii")
        elif field == b"parent":
            parents.append(value.decode("ascii"))
        elif field == b"author":
            author = value
        elif field == b"committer":
            time = _time(value)
        elif field == b"encoding":
            encoding = value.decode("ascii", "replace")
    return CommitObject(tree, tuple(parents), author, time, _decoded(message, encoding))


def parent_names(content: bytes) -> tuple[str, ...]:
    """Only the parents of a commit object, which come right after its first line."""
    at, found = content.find(b"\n") + 1, list[str]()
    while content.startswith(b"parent ", at):
        found.append(content[at + 7 : at + 7 + _HEX_LENGTH].decode("ascii"))
        at += 8 + _HEX_LENGTH
    return tuple(found)


def subject(message: str) -> str:
    """The first paragraph of a message on one line (``%s`` of git-log(1))."""
    lines: list[str] = []
    for line in message.split("\n"):
        text = line.rstrip(" \t\r\v\f")
        if text:
            lines.append(text)
        elif lines:
            break
    return " ".join(lines)


def _time(signature: bytes) -> int:
    fields = signature.rsplit(b" ", 2)
    return int(fields[1]) if len(fields) == 3 and fields[1].isdigit() else 0


def _decoded(message: bytes, encoding: str) -> str:
    try:
        return message.decode(encoding)
    except (LookupError, UnicodeDecodeError):
        return message.decode("utf-8", "replace")


def require_whole(folders: Iterable[str], name: str) -> None:
    """Refuse a loose object that is cut short.

    Args:
        folders: The folders in which objects are looked for.
        name: The object's id; one that is not loose is not looked at.

    Raises:
        ZdevError: ``unreadable-repository``.
    """
    for folder in folders:
        path = f"{folder}/{name[:2]}/{name[2:]}"
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            continue
        with open(descriptor, "rb") as file:
            if stat.S_ISREG(os.fstat(descriptor).st_mode) and not _is_whole(file):
                raise unreadable_because(path, "the file is cut short")


def _is_whole(file: BinaryIO) -> bool:
    """Whether a compressed stream reaches its end, or is damaged in a way that libgit2 notices."""
    import zlib

    stream = zlib.decompressobj()
    try:
        while not stream.eof and (data := stream.unconsumed_tail or file.read(_BLOCK)):
            stream.decompress(data, _BLOCK)
    except zlib.error:
        return True
    return stream.eof


def require_all_whole(folders: Iterable[str]) -> None:
    """Refuse all loose objects that are cut short; errors as above."""
    for folder in folders:
        for start in range(256):
            try:
                names = os.listdir(f"{folder}/{start:02x}")
            except OSError:
                continue
            for name in names:
                require_whole([folder], f"{start:02x}{name}")


def hasher(size: int) -> Hash:
    """A hash object for a blob of that many bytes, ready for its content."""
    import hashlib

    hashing = hashlib.sha1(usedforsecurity=False)
    hashing.update(b"blob %d\0" % size)
    return hashing


def blob_id(content: bytes) -> str:
    """The id that Git gives to a blob of this content."""
    hashing = hasher(len(content))
    hashing.update(content)
    return hashing.hexdigest()


_LONGEST_CHAIN = 5
"""How many alternates Git follows from one to the next."""


def object_folders(location: Location, environment: Mapping[str, str]) -> list[str]:
    """The folders in which a repository's objects are looked for, its own first.

    Git reads the variables in the work tree's root, so relative paths in them begin there.

    Raises:
        ZdevError: ``unreadable-repository`` for a FIFO in the place of a file.
    """
    named = environment.get("GIT_OBJECT_DIRECTORY") or f"{location.common_dir}/objects"
    more = os.fsencode(environment.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", ""))
    first = [named, *(_entries(more, b":") if more else ())]
    return with_alternates(*(os.path.join(location.work_tree, folder) for folder in first))


def with_alternates(*first: str) -> list[str]:
    """The given object folders and their alternates, those of alternates too.

    A relative one is relative to the object folder that names it.

    Raises:
        ZdevError: ``unreadable-repository`` for a FIFO in the place of a file.
    """
    found: list[str] = []
    waiting = [(folder, 0) for folder in first]
    while waiting:
        folder, depth = waiting.pop(0)
        if folder in found or depth > _LONGEST_CHAIN:
            continue
        found.append(folder)
        for named in _entries(_alternates_of(f"{folder}/info/alternates"), b"\n"):
            waiting.append((os.path.normpath(os.path.join(folder, named)), depth + 1))
    return found


def _alternates_of(path: str) -> bytes:
    try:
        return files.read(path).partition(b"\0")[0]
    except OSError as error:
        wrong = files.wrong_kind(path)
        if wrong is not None and not os.path.isdir(path):
            raise unreadable_because(path, wrong) from error
        return b""


def _entries(text: bytes, separator: bytes) -> Iterator[str]:
    while text:
        quoted = unquoted(text) if text.startswith(b'"') else None
        if quoted is not None:
            entry, text = quoted
            text = text.removeprefix(separator)
        else:
            entry, _, text = text.partition(separator)
            if entry.startswith(b"#"):
                continue
        if entry:
            yield os.fsdecode(entry)
