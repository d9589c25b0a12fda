"""What the evidence needs of libgit2: the index, its differences, hunks, and objects.

libgit2 finds which paths may differ; what Git would say about them is decided in ``evidence``.
The walks hand their findings to a callback one by one and keep none, so a tree of any size costs
no more memory than its changes. Nothing here writes: the index is never refreshed.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from git_zdev.errors import ZdevError
from git_zdev.git.failures import last_message
from git_zdev.git.index import index_fault
from git_zdev.git.port import IndexEntry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from git_zdev.git.repository import LibGit2Repository

_INCLUDE_IGNORED = 1 << 1
_INCLUDE_UNTRACKED = 1 << 3
_RECURSE_UNTRACKED = 1 << 4
_INCLUDE_TYPECHANGE = 1 << 6
_IGNORE_SUBMODULES = 1 << 9
_SKIP_BINARY_CHECK = 1 << 13
_INCLUDE_UNREADABLE = 1 << 16
_INDENT_HEURISTIC = 1 << 18
_FORCE_TEXT = 1 << 20
_FORCE_BINARY = 1 << 21
_SHOW_BINARY = 1 << 30

_STAGE = 0x3000
_ASSUME_UNCHANGED = 0x8000
_INTENT_TO_ADD = 1 << 13
_SKIP_WORKTREE = 1 << 14
_IGNORED = 6
_UNTRACKED = 7
_UNREADABLE = 9
_ID = 20
_EXTENDED_VERSION = 3
_GITLINK = b"\x00\x00\xe0\x00"
_CONTEXT_LINES = 3
_IGNORE_FILE = b".gitignore"
_COMPRESSED = b"\0\0\0\4"


@dataclass(frozen=True, slots=True)
class Delta:
    """A path that libgit2 found to differ, or may have.

    Attributes:
        path: The path; an untracked nested repository ends in a slash.
        old_mode: Mode on the left, 0 where the path does not exist there.
        new_mode: Mode on the right, 0 where the path does not exist there.
        old_id: Object id on the left; 40 zeros where there is none.
        new_id: Object id on the right; 40 zeros where there is none or it is not known.
        untracked: Whether only the work tree has it, and libgit2 takes it for not ignored.
        ignored: Whether only the work tree has it, and libgit2 takes it for ignored; an ignored
            folder ends in a slash, and what is in it is left out.
    """

    path: bytes
    old_mode: int
    new_mode: int
    old_id: str
    new_id: str
    untracked: bool = False
    ignored: bool = False


class Index:
    """The index of a repository as it stands in its file, read once.

    Raises:
        ZdevError: ``unsupported-index`` for a split or sparse index or an unknown extension,
            ``corrupt-index`` for everything else that keeps it from being read.
    """

    def __init__(self, repository: LibGit2Repository) -> None:
        self._handles = repository.handles
        self._file = repository.location.index_file
        self._header, self._may_hold_gitlinks, self._nested_ignores = self._scan_file()
        opened = self._handles.ffi.new("git_index **")
        if self._handles.lib.git_repository_index(opened, repository.pointer) < 0:
            raise index_fault(self._handles, self._file)
        self.pointer = self._handles.ffi.gc(opened[0], self._handles.lib.git_index_free)

    def __len__(self) -> int:
        return int(self._handles.lib.git_index_entrycount(self.pointer))

    @property
    def may_hold_special_entries(self) -> bool:
        """Whether entries with extended flags, or gitlinks, are possible at all.

        Cheap: it looks at the version in the file's header and for the bytes of a gitlink's mode.
        """
        return self._may_hold_gitlinks or self._version >= _EXTENDED_VERSION

    @property
    def has_conflicts(self) -> bool:
        """Whether any path is unmerged."""
        return bool(self._handles.lib.git_index_has_conflicts(self.pointer))

    def entries(self) -> Iterator[IndexEntry]:
        """Every entry, in index order."""
        at = self._handles.lib.git_index_get_byindex
        for position in range(len(self)):
            yield self._entry(at(self.pointer, position))

    def folders(self) -> set[bytes]:
        """Every folder that holds a tracked path, with a trailing slash."""
        ffi, lib = self._handles.ffi, self._handles.lib
        found: set[bytes] = set()
        for position in range(len(self)):
            path = ffi.string(lib.git_index_get_byindex(self.pointer, position).path)
            end = path.rfind(b"/") + 1
            while end and path[:end] not in found:
                found.add(path[:end])
                end = path.rfind(b"/", 0, end - 1) + 1
        return found

    def folders_with_ignore_file(self) -> list[bytes]:
        """The folders below the root that hold a tracked ``.gitignore``, each with a slash.

        Cheap where the index's file does not mention one.
        """
        if not self._nested_ignores:
            return []
        ffi, lib = self._handles.ffi, self._handles.lib
        paths = (
            ffi.string(lib.git_index_get_byindex(self.pointer, position).path)
            for position in range(len(self))
        )
        return [path[: -len(_IGNORE_FILE)] for path in paths if path.endswith(b"/" + _IGNORE_FILE)]

    def tracks(self, path: bytes) -> bool:
        """Whether the path is tracked, at any stage."""
        ffi, lib = self._handles.ffi, self._handles.lib
        return bool(lib.git_index_find(ffi.NULL, self.pointer, path) == 0)

    def special_entries(self) -> Iterator[IndexEntry]:
        """The entries that are gitlinks, unmerged, or carry an extended flag."""
        at = self._handles.lib.git_index_get_byindex
        for position in range(len(self)):
            raw = at(self.pointer, position)
            if raw.flags_extended or raw.flags & _STAGE or raw.mode == 0o160000:
                yield self._entry(raw)

    def hidden_entries(self) -> Iterator[IndexEntry]:
        """The entries that Git does not compare: assume-unchanged and skip-worktree ones."""
        at = self._handles.lib.git_index_get_byindex
        for position in range(len(self)):
            raw = at(self.pointer, position)
            if raw.flags & _ASSUME_UNCHANGED or raw.flags_extended & _SKIP_WORKTREE:
                yield self._entry(raw)

    def find(self, path: bytes, stage: int = 0) -> IndexEntry | None:
        """The entry of a path at a stage, by default the merged one."""
        raw = self._handles.lib.git_index_get_bypath(self.pointer, path, stage)
        return None if raw == self._handles.ffi.NULL else self._entry(raw)

    def recorded_size(self, path: bytes) -> int:
        """The file size that the index recorded for a path (modulo 2^32), 0 where unknown."""
        raw = self._handles.lib.git_index_get_bypath(self.pointer, path, 0)
        return 0 if raw == self._handles.ffi.NULL else int(raw.file_size)

    def _entry(self, raw: Any) -> IndexEntry:
        ffi = self._handles.ffi
        return IndexEntry(
            path=ffi.string(raw.path),
            mode=raw.mode,
            blob=ffi.buffer(ffi.addressof(raw, "id"), _ID)[:].hex(),
            stage=(raw.flags & _STAGE) >> 12,
            intent_to_add=bool(raw.flags_extended & _INTENT_TO_ADD),
            assume_unchanged=bool(raw.flags & _ASSUME_UNCHANGED),
            skip_worktree=bool(raw.flags_extended & _SKIP_WORKTREE),
        )

    @property
    def _version(self) -> int:
        return int.from_bytes(self._header[4:8], "big")

    def _scan_file(self) -> tuple[bytes, bool, bool]:
        """The file's header, and whether a gitlink or a nested ``.gitignore`` may be in it."""
        try:
            with open(self._file, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            return b"", False, False
        except OSError as error:
            raise ZdevError(
                "unreadable-file",
                f"the index {self._file} cannot be read: {error.strerror}",
                "Make it readable for this user",
            ) from error
        # The paths of version 4 may be cut anywhere, so they do not tell.
        nested = b"/" + _IGNORE_FILE in data or data[4:8] == _COMPRESSED
        return data[:12], _GITLINK in data, nested


def tree_to_index(
    repository: LibGit2Repository, index: Index, tree: str | None, found: Callable[[Delta], None]
) -> None:
    """Hand over every path that differs between a tree and the index.

    Args:
        repository: The repository.
        index: Its index.
        tree: The tree's id; None compares with nothing at all.
        found: Receives the differences, in path order.

    Raises:
        ZdevError: ``missing-object`` when a tree cannot be read.
    """
    ffi, lib = repository.handles.ffi, repository.handles.lib
    pointer = ffi.NULL
    keep_alive = None
    if tree is not None:
        keep_alive = _lookup(repository, tree)
        boxed = ffi.new("git_tree **")
        ffi.buffer(boxed)[:] = keep_alive._pointer[:]
        pointer = boxed[0]
    flags = _INCLUDE_TYPECHANGE | _SKIP_BINARY_CHECK

    def run(out: Any, options: Any) -> int:
        return int(
            lib.git_diff_tree_to_index(out, repository.pointer, pointer, index.pointer, options)
        )

    _walk(repository, flags, found, run)
    del keep_alive


def index_to_work_tree(
    repository: LibGit2Repository, index: Index, found: Callable[[Delta], None]
) -> None:
    """Hand over every path that may differ between the index and the work tree.

    The untracked ones are among them; gitlinks are left out. Where the recorded times and sizes
    do not settle it, libgit2 has read the file.

    Args:
        repository: The repository.
        index: Its index.
        found: Receives the differences and the untracked paths.

    Raises:
        ZdevError: ``unreadable-file`` when a file or folder cannot be read.
    """
    flags = (
        _INCLUDE_IGNORED
        | _INCLUDE_UNTRACKED
        | _RECURSE_UNTRACKED
        | _INCLUDE_TYPECHANGE
        | _INCLUDE_UNREADABLE
        | _IGNORE_SUBMODULES
        | _SKIP_BINARY_CHECK
    )

    def run(out: Any, options: Any) -> int:
        lib = repository.handles.lib
        return int(lib.git_diff_index_to_workdir(out, repository.pointer, index.pointer, options))

    _walk(repository, flags, found, run)


def _walk(
    repository: LibGit2Repository,
    flags: int,
    found: Callable[[Delta], None],
    run: Callable[[Any, Any], int],
) -> None:
    ffi, lib = repository.handles.ffi, repository.handles.lib
    failures: list[BaseException] = []

    def notify(_diff: Any, delta: Any, _pathspec: Any, _payload: Any) -> int:
        path = ffi.string(delta.new_file.path)
        old, new = delta.old_file, delta.new_file
        found(
            Delta(
                path,
                old.mode,
                new.mode,
                ffi.buffer(ffi.addressof(old, "id"), _ID)[:].hex(),
                ffi.buffer(ffi.addressof(new, "id"), _ID)[:].hex(),
                delta.status == _UNTRACKED,
                delta.status == _IGNORED,
            )
        )
        # libgit2 looks again at the record of a nested repository, so that one must be kept.
        return 0 if path.endswith(b"/") else 1

    def failed(_kind: Any, error: BaseException, _trace: Any) -> None:
        failures.append(error)

    callback = ffi.callback("git_diff_notify_cb", notify, error=-1, onerror=failed)
    options = ffi.new("git_diff_options *")
    lib.git_diff_options_init(options, 1)
    options.flags = flags
    options.notify_cb = callback
    out = ffi.new("git_diff **")
    code = run(out, options)
    if failures:
        raise failures[0]
    if code < 0:
        raise walk_error(repository, code)
    repository.handles.ext.Diff.from_c(bytes(ffi.buffer(out)), repository.raw)


def walk_error(repository: LibGit2Repository, code: int) -> ZdevError:
    """The refusal that fits what libgit2 said about a failed walk."""
    lib = repository.handles.lib
    reason = last_message(repository.handles)
    kind = lib.git_error_last().klass if code < 0 else 0
    if kind in (lib.GIT_ERROR_ODB, lib.GIT_ERROR_OBJECT, lib.GIT_ERROR_TREE):
        return ZdevError(
            "missing-object",
            f"an object that the comparison needs cannot be read: {reason}",
            "`git fsck` names what is missing; `git fetch` may bring it back",
        )
    return ZdevError(
        "unreadable-file",
        f"the work tree cannot be compared with the index: {reason}",
        "Make the file readable, or remove it",
    )


def head_commit(repository: LibGit2Repository) -> str | None:
    """The commit that HEAD names, None before the first one."""
    return None if repository.raw.head_is_unborn else str(repository.raw.head.target)


def object_folders(repository: LibGit2Repository) -> list[str]:
    """The folders in which objects are looked for, without the alternates that they name."""
    environment = repository.environment
    root, common = repository.location.work_tree, repository.location.common_dir
    folders = [environment.get("GIT_OBJECT_DIRECTORY") or f"{common}/objects"]
    folders += environment.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "").split(":")
    return [os.path.join(root, folder) for folder in folders if folder]


def is_ignored(repository: LibGit2Repository, path: bytes) -> bool:
    """Whether an ignore rule names a path or a folder above it; the path need not exist."""
    return bool(repository.raw.path_is_ignored(os.fsdecode(path)))


def read_object(repository: LibGit2Repository, object_id: str) -> bytes:
    """The bytes of an object of any type, without replacement.

    Raises:
        ZdevError: ``missing-object``.
    """
    return bytes(_lookup(repository, object_id).read_raw())


def commit_tree(repository: LibGit2Repository, commit: str) -> str:
    """The id of a commit's tree, without replacement.

    Raises:
        ZdevError: ``missing-object``.
    """
    return str(_lookup(repository, commit).tree_id)


def _lookup(repository: LibGit2Repository, object_id: str) -> Any:
    handles = repository.handles
    found = None
    reason = "it is not in the object database"
    try:
        found = repository.raw.git_object_lookup_prefix(handles.ext.Oid(hex=object_id))
    except (handles.ext.GitError, ValueError, KeyError, OSError) as error:
        reason = str(error)
    if found is None:
        raise ZdevError(
            "missing-object",
            f"the object {object_id} cannot be read: {reason}",
            "`git fsck` names what is missing; `git fetch` may bring it back",
            details={"object": object_id},
        )
    return found


def text_patch(repository: LibGit2Repository, old: bytes, new: bytes) -> bytes:
    """The hunks between two contents, with libgit2's header and its guess of the functions.

    Myers' algorithm with the indent heuristic and three lines of context.
    """
    return _patch(repository, old, new, _INDENT_HEURISTIC | _FORCE_TEXT, _CONTEXT_LINES)


def binary_patch(repository: LibGit2Repository, old: bytes, new: bytes) -> bytes:
    """The two contents' binary patch in both directions, with libgit2's header."""
    return _patch(repository, old, new, _SHOW_BINARY | _FORCE_BINARY, _CONTEXT_LINES)


def bare_patch(repository: LibGit2Repository, old: bytes, new: bytes) -> bytes:
    """The hunks between two contents without context, as combined diffs start from."""
    return _patch(repository, old, new, _INDENT_HEURISTIC | _FORCE_TEXT, 0)


def _patch(
    repository: LibGit2Repository, old: bytes, new: bytes, flags: int, context: int
) -> bytes:
    patch = repository.handles.ext.Patch.create_from(
        old, new, flag=flags, context_lines=context, interhunk_lines=0
    )
    return bytes(patch.data or b"")


def file_id(content: bytes) -> str:
    """The id that a blob of this content has (gitformat objects: header, NUL, content)."""
    import hashlib

    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def work_tree_path(repository: LibGit2Repository, path: bytes) -> bytes:
    """The absolute name of a path of the work tree."""
    return os.fsencode(repository.location.work_tree) + b"/" + path
