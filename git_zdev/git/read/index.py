"""The index as it is in its file (gitformat-index(5)), read through libgit2."""

from __future__ import annotations

import os

from git_zdev.disk.reading import open_file
from git_zdev.git.failures import INDEX_REMEDY, corrupt_index, index_fault
from git_zdev.git.model import GITLINK, IndexEntry
from git_zdev.git.read import cache_tree
from git_zdev.git.read.files import identity
from git_zdev.git.read.plain_index import Marks, marks
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.threads import side_by_side

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from git_zdev.git.config.config import GitConfig
    from git_zdev.git.read.libgit2 import Handles
    from git_zdev.git.read.objects import ObjectStore
    from git_zdev.git.read.opened import Opened

_STAGE = 0x3000
_LENGTH = 0xFFF
_RULE_FILES = (b".gitignore", b".gitattributes")
_WORD = 0xFFFFFFFF
_SECOND = 10**9
_UNSETTLED = 1 << 31
_WORTH_DIVIDING = 1 << 17
"""Size in bytes from which the index is scanned while libgit2 parses it."""

_ASSUME_UNCHANGED = 0x8000
_STAGE_SHIFT = 12
_ANY_FLAG = _STAGE | _ASSUME_UNCHANGED
_INTENT_TO_ADD = 1 << 13
_SKIP_WORKTREE = 1 << 14
_MODES = frozenset({0o100644, 0o100755, 0o120000, 0o160000, 0o040000})


def open_index(repository: Opened) -> Any:
    """The repository's cffi ``git_index *``, read again if its file changed; free it after use.

    For a split or sparse index it has the entries that the file stands for.

    Raises:
        ZdevError: ``unsupported-index`` for one with an extension that must be understood;
            ``corrupt-index``; for a sparse index ``missing-object``.
    """
    handles = repository.handles
    if not repository.has_expanded_index:
        box = handles.ffi.new("git_index **")
        code = handles.lib.git_repository_index(box, repository.pointer)
        if code == 0:
            code = handles.lib.git_index_read(box[0], 0)
        if code == 0:
            return box[0]
        error = index_fault(handles, repository.location.index_file)
        if error.code != "unsupported-index" and not _allows_short_names(repository):
            raise error
    from git_zdev.git.read.expanded_index import open_expanded  # few indexes need it

    return open_expanded(repository)


def _allows_short_names(repository: Opened) -> bool:
    """Whether ``git~1`` is an ordinary name; libgit2 knows only with the repository at hand."""
    return not repository.config.get_bool("core.protectNTFS", default=True)


def entries(repository: Opened, prefix: bytes) -> Iterator[IndexEntry]:
    """Entries whose path starts with ``prefix``, in index order; errors as above."""
    handles = repository.handles
    index = open_index(repository)
    try:
        lib, ffi = handles.lib, handles.ffi
        count = lib.git_index_entrycount(index)
        for number in range(position(handles, index, prefix, count), count):
            entry = lib.git_index_get_byindex(index, number)
            path = ffi.string(entry.path)
            if not path.startswith(prefix):
                break
            yield as_entry(handles, entry)
    finally:
        handles.lib.git_index_free(index)


def as_entry(handles: Handles, entry: Any) -> IndexEntry:
    """A cffi ``git_index_entry *`` as a value.

    Raises:
        ZdevError: ``corrupt-index`` for a mode or a flag that Git never records.
    """
    path = handles.ffi.string(entry.path)
    require_mode(path, entry.mode)
    flags, extended = entry.flags, entry.flags_extended
    if extended & ~(_INTENT_TO_ADD | _SKIP_WORKTREE):
        raise _bad_entry(path, f"with the flags {extended:04x}")
    return IndexEntry(
        path=path,
        mode=entry.mode,
        blob=bytes(handles.ffi.buffer(entry.id.id)).hex(),
        stage=flags >> _STAGE_SHIFT & 3,
        intent_to_add=bool(extended & _INTENT_TO_ADD),
        assume_unchanged=bool(flags & _ASSUME_UNCHANGED),
        skip_worktree=bool(extended & _SKIP_WORKTREE),
    )


def require_mode(path: bytes, mode: int) -> None:
    """Refuse an entry whose mode Git never records; libgit2 takes any."""
    if mode not in _MODES:
        raise _bad_entry(path, f"with the mode {mode:06o}")


def _bad_entry(path: bytes, how: str) -> ZdevError:
    name = path.decode("utf-8", "backslashreplace")
    return ZdevError(
        "corrupt-index",
        f"the index records {name} {how}, which Git does not know",
        INDEX_REMEDY,
        details={"path": name},
    )


def unmerged(repository: Opened) -> list[bytes]:
    """The unmerged paths, each once and in index order; cheap where there are none."""
    lib = repository.handles.lib
    index = open_index(repository)
    try:
        if not lib.git_index_has_conflicts(index):
            return []
    finally:
        lib.git_index_free(index)
    found = entries(repository, b"")
    return list(dict.fromkeys(entry.path for entry in found if entry.stage))


def position(handles: Handles, index: Any, prefix: bytes, count: int) -> int:
    """The number of the first entry that is not before ``prefix`` in byte order."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        path = handles.ffi.string(handles.lib.git_index_get_byindex(index, middle).path)
        if path < prefix:
            low = middle + 1
        else:
            high = middle
    return low


class Index:
    """The index of a repository as it is in its file, read once.

    Raises:
        ZdevError: ``unsupported-index`` for an extension that must be understood and is not,
            ``corrupt-index`` for everything else that keeps it from being read.
    """

    def __init__(self, repository: Opened) -> None:
        self._handles = repository.handles
        self._file = repository.location.index_file
        self._written = self._written_exactly = 0
        data, self._state = self._read_file()
        self._remembered = cache_tree.extension(data)
        found: list[Marks | None] = []
        damage: list[ValueError] = []

        def scan() -> None:
            try:
                found.append(marks(data, _RULE_FILES, self._written))
            except ValueError as error:
                damage.append(error)

        def parse() -> None:
            opened = open_index(repository)
            self.pointer = self._handles.ffi.gc(opened, self._handles.lib.git_index_free)

        if len(data) < _WORTH_DIVIDING:
            parse()
            scan()
        else:
            side_by_side(parse, scan)  # parsing lets go of the interpreter at once
        self._is_sorted = not repository.folds_case
        is_plain = not repository.has_expanded_index
        if damage and is_plain:
            raise corrupt_index(self._file, str(damage[0])) from damage[0]
        plain = found[0] if is_plain and self._is_sorted and self._is_still() else None
        self._marks = plain or self._marked_by_libgit2()
        self._settings = _StatSettings(repository.config)
        for number in self._marks.racy:
            self._unsettle(self._handles.lib.git_index_get_byindex(self.pointer, number))

    def require_agreement(self, head: str, changed: Iterable[bytes], objects: ObjectStore) -> None:
        """Refuse an index that remembers HEAD's tree for a folder with entries that differ.

        Args:
            head: HEAD's tree.
            changed: The paths whose entries differ from HEAD's.
            objects: Reads trees.

        Raises:
            ZdevError: ``corrupt-index``.
        """
        path = cache_tree.contradicted(self.trees(), head, changed, objects)
        if path is not None:
            raise corrupt_index(
                self._file,
                f"its cache tree says that {path!r} is as in HEAD, its entry does not",
                path,
            )

    def trees(self) -> dict[bytes, str]:
        """The tree that the index remembers of each folder that has not changed since.

        A folder has a slash at its end, and the root is empty.

        Raises:
            ZdevError: ``corrupt-index``.
        """
        try:
            return cache_tree.remembered(self._remembered)
        except ValueError as error:
            raise corrupt_index(self._file, f"its cache tree: {error}") from error

    def __len__(self) -> int:
        return int(self._handles.lib.git_index_entrycount(self.pointer))

    def entries(self) -> Iterator[IndexEntry]:
        """Every entry, in index order."""
        at = self._handles.lib.git_index_get_byindex
        for number in range(len(self)):
            yield self._entry(at(self.pointer, number))

    @property
    def paths(self) -> list[bytes]:
        """The path of every entry, in index order; an unmerged path more than once."""
        return self._marks.paths

    def weights(self, folder: bytes) -> dict[bytes, int]:
        """How many entries there are at or below each name in a folder.

        Args:
            folder: Empty for the root, else with a trailing slash.
        """
        handles, count = self._handles, len(self)
        found: dict[bytes, int] = {}
        at = position(handles, self.pointer, folder, count)
        while at < count:
            path = handles.ffi.string(handles.lib.git_index_get_byindex(self.pointer, at).path)
            if not path.startswith(folder):
                break
            end = path.find(b"/", len(folder))
            name = path if end < 0 else path[:end]
            following = at + 1
            if end >= 0:  # "0" is the byte after the slash
                following = position(handles, self.pointer, name + b"0", count)
            found[name] = found.get(name, 0) + following - at
            at = following
        return found

    def count_below(self, folder: bytes) -> int:
        """How many entries there are below a folder, which is given with a trailing slash."""
        return len(self._numbers_below(folder))

    def paths_below(self, folder: bytes) -> list[bytes]:
        """The paths of those entries; an unmerged one is there more than once."""
        ffi, at = self._handles.ffi, self._handles.lib.git_index_get_byindex
        return [ffi.string(at(self.pointer, number).path) for number in self._numbers_below(folder)]

    def _numbers_below(self, folder: bytes) -> range:
        count = len(self)
        if not self._is_sorted:
            return range(count)
        ends = (folder, folder[:-1] + b"0")  # the byte after the slash
        return range(*(position(self._handles, self.pointer, end, count) for end in ends))

    def folders_with(self, name: bytes) -> list[bytes]:
        """The folders below the root that hold a tracked file of this name, each with a slash.

        Args:
            name: ``.gitignore`` or ``.gitattributes``.
        """
        return [path[: -len(name)] for path in self._marks.named if path.endswith(b"/" + name)]

    def vouches_for(self, path: bytes, found: os.stat_result) -> bool:
        """Whether times, owner and size show that a file of the recorded mode did not change.

        Git's rule (git-update-index(1), "Using assume unchanged bit" reports it, git-config(1) of
        ``core.trustctime`` and ``core.checkStat``): whole seconds count, and a file that changed in
        the second in which the index was written, or later, may have changed once more unseen.
        """
        raw = self._handles.lib.git_index_get_bypath(self.pointer, path, 0)
        if raw == self._handles.ffi.NULL or not raw.file_size:
            return False
        return not self._is_racy(raw) and self._settings.match(raw, found)

    def vouches_exactly(self, path: bytes, found: os.stat_result) -> bool:
        """The same by nanoseconds, as in libgit2; hardly less certain, although Git is stricter."""
        raw = self._handles.lib.git_index_get_bypath(self.pointer, path, 0)
        return (
            self.has_seen(path, found)
            and found.st_mtime_ns % _SECOND == raw.mtime.nanoseconds & ~_UNSETTLED
            and found.st_mtime_ns < self._written_exactly
        )

    def has_seen(self, path: bytes, found: os.stat_result) -> bool:
        """Whether the index recorded the same times, owner and size, however late."""
        raw = self._handles.lib.git_index_get_bypath(self.pointer, path, 0)
        return raw != self._handles.ffi.NULL and self._settings.match(raw, found)

    def _is_racy(self, raw: Any) -> bool:
        return bool(0 < self._written <= raw.mtime.seconds & _WORD)

    def _unsettle(self, raw: Any) -> None:
        """Have libgit2 read a file that Git reads again: it trusts nanoseconds, Git whole seconds.

        The entry now has a number of nanoseconds that no second has, so no file matches it.
        """
        raw.mtime.nanoseconds |= _UNSETTLED

    def tracks(self, path: bytes) -> bool:
        """Whether the path is tracked, at any stage."""
        ffi, lib = self._handles.ffi, self._handles.lib
        return bool(lib.git_index_find(ffi.NULL, self.pointer, path) == 0)

    def special_entries(self) -> Iterator[IndexEntry]:
        """The entries that are gitlinks, unmerged, or carry an extended flag."""
        for raw in self._special():
            if raw.flags_extended or raw.flags & _STAGE or raw.mode == GITLINK:
                yield self._entry(raw)

    def hidden_entries(self) -> Iterator[IndexEntry]:
        """The entries that Git does not compare: assume-unchanged and skip-worktree ones."""
        for raw in self._special():
            if raw.flags & _ASSUME_UNCHANGED or raw.flags_extended & _SKIP_WORKTREE:
                yield self._entry(raw)

    def _special(self) -> Iterator[Any]:
        at = self._handles.lib.git_index_get_byindex
        for number in self._marks.special:
            yield at(self.pointer, number)

    def _marked_by_libgit2(self) -> Marks:
        """The marks of an index that is not plain, or that was replaced while it was read."""
        ffi, at = self._handles.ffi, self._handles.lib.git_index_get_byindex
        endings = tuple(b"/" + name for name in _RULE_FILES)
        found, before = Marks([], [], [], []), (b"", 0)
        for number in range(len(self)):
            raw = at(self.pointer, number)
            if raw.flags & _ANY_FLAG or raw.flags_extended or raw.mode == GITLINK:
                found.special.append(number)
            if raw.mtime.seconds & _WORD == self._written:
                found.racy.append(number)
            path = ffi.string(raw.path)
            found.paths.append(path)
            if path.endswith(endings):
                found.named.append(path)
            here = (path, raw.flags & _STAGE)
            if self._is_sorted and (here <= before or (path == before[0] and not before[1])):
                raise corrupt_index(self._file, f"{path!r} is out of order after {before[0]!r}")
            if min(len(path), _LENGTH) != raw.flags & _LENGTH:
                raise corrupt_index(self._file, f"the length of {path!r} is not the recorded one")
            before = here
        return found

    def find(self, path: bytes, stage: int = 0) -> IndexEntry | None:
        """The entry of a path at a stage, by default the merged one."""
        raw = self._handles.lib.git_index_get_bypath(self.pointer, path, stage)
        return None if raw == self._handles.ffi.NULL else self._entry(raw)

    def recorded_size(self, path: bytes) -> int:
        """The file size that the index recorded for a path (modulo 2^32), 0 if unknown."""
        raw = self._handles.lib.git_index_get_bypath(self.pointer, path, 0)
        return 0 if raw == self._handles.ffi.NULL else int(raw.file_size)

    def _entry(self, raw: Any) -> IndexEntry:
        return as_entry(self._handles, raw)

    def _read_file(self) -> tuple[bytes, tuple[int, ...]]:
        """The file's bytes and state, both empty if it does not exist: the index is empty then."""
        try:
            with open(open_file(self._file, follow=True), "rb") as file:
                found = os.fstat(file.fileno())
                self._written, self._written_exactly = int(found.st_mtime), found.st_mtime_ns
                return file.read(), identity(found)
        except FileNotFoundError:
            return b"", ()
        except OSError as error:
            raise ZdevError(
                "unreadable-file",
                f"the index {self._file} cannot be read: {error.strerror}",
                "Make it readable for this user",
            ) from error

    def _is_still(self) -> bool:
        """Whether the file is the one that was read, so that libgit2 has read the same."""
        try:
            return identity(os.stat(self._file)) == self._state
        except FileNotFoundError:
            return not self._state
        except OSError:
            return False


class _StatSettings:
    """Which parts of a file's state count when it is compared with the recorded one."""

    def __init__(self, config: GitConfig) -> None:
        self._all = (config.get("core.checkStat") or "default").lower() != "minimal"
        self._ctime = self._all and config.get_bool("core.trustctime", default=True)

    def match(self, raw: Any, found: os.stat_result) -> bool:
        """Whether a cffi ``git_index_entry *`` has recorded this state."""
        return (
            raw.file_size == found.st_size & _WORD
            and raw.mtime.seconds & _WORD == int(found.st_mtime) & _WORD
            and (not self._ctime or raw.ctime.seconds & _WORD == int(found.st_ctime) & _WORD)
            and (not self._all or _owner(raw) == (found.st_uid, found.st_gid, found.st_ino & _WORD))
        )


def _owner(raw: Any) -> tuple[int, int, int]:
    return raw.uid, raw.gid, raw.ino
