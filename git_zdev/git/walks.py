"""libgit2's two walks: from a tree to the index, and from the index to the work tree.

They say which paths may differ; what Git would say about them is decided in ``evidence``. Findings
go to a callback one by one and none is kept, so a tree of any size costs no more memory than its
changes. Nothing is written: the index is never refreshed. A large work tree is walked by two
threads, each over folders of its own; libgit2 runs without the interpreter's lock.
"""

from __future__ import annotations

import os

from git_zdev.errors import ZdevError
from git_zdev.git.failures import last_message
from git_zdev.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from git_zdev.git.repository import LibGit2Repository
    from git_zdev.git.worktree import Index
    from git_zdev.progress import Stage

_INCLUDE_IGNORED = 1 << 1
_INCLUDE_UNTRACKED = 1 << 3
_RECURSE_UNTRACKED = 1 << 4
_INCLUDE_TYPECHANGE = 1 << 6
_IGNORE_SUBMODULES = 1 << 9
_DISABLE_PATHSPEC_MATCH = 1 << 12
_SKIP_BINARY_CHECK = 1 << 13
_INCLUDE_UNREADABLE = 1 << 16
_WORK_TREE = (
    _INCLUDE_IGNORED
    | _INCLUDE_UNTRACKED
    | _RECURSE_UNTRACKED
    | _INCLUDE_TYPECHANGE
    | _INCLUDE_UNREADABLE
    | _IGNORE_SUBMODULES
    | _SKIP_BINARY_CHECK
)
_IGNORED = 6
_UNTRACKED = 7
_UNREADABLE = 9
_ID = 20
_WORTH_DIVIDING = 4000
"""Index entries from which two threads are faster than one."""
_WORTH_COUNTING = 10_000
"""Index entries from which a person may wait so long that the files are counted one by one."""


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


def tree_to_index(
    repository: LibGit2Repository, index: Index, tree: str | None, found: Callable[[Delta], None]
) -> None:
    """Hand over every path that differs between a tree and the index.

    Args:
        repository: The repository.
        index: Its index.
        tree: The tree's id; None compares with nothing at all.
        found: Receives the differences.

    Raises:
        ZdevError: ``missing-object`` when a tree cannot be read.
    """
    ffi, lib = repository.handles.ffi, repository.handles.lib
    pointer = ffi.NULL
    if tree is not None:
        looked_up = repository.raw.git_object_lookup_prefix(repository.handles.ext.Oid(hex=tree))
        if looked_up is None:
            raise _missing(f"the tree {tree} is not in the object database")
        boxed = ffi.new("git_tree **")
        ffi.buffer(boxed)[:] = looked_up._pointer[:]
        pointer = boxed[0]

    def run(out: Any, options: Any) -> int:
        return int(
            lib.git_diff_tree_to_index(out, repository.pointer, pointer, index.pointer, options)
        )

    _walk(repository, _INCLUDE_TYPECHANGE | _SKIP_BINARY_CHECK, (), found, run)


def index_to_work_tree(
    repository: LibGit2Repository, index: Index, found: Callable[[Delta], None]
) -> None:
    """Hand over every path that may differ between the index and the work tree.

    The untracked ones are among them; gitlinks are left out. Where the recorded times and sizes
    do not settle it, libgit2 has read the file.

    Args:
        repository: The repository.
        index: Its index.
        found: Receives the differences, the untracked and the ignored paths, in no order, perhaps
            from two threads.

    Raises:
        ZdevError: ``unreadable-file`` when a file or folder cannot be read.
    """
    halves = _halves(repository, index) if worth_dividing(index) else None
    counted = repository.progress.watched and len(index) >= _WORTH_COUNTING
    total = len(index) if counted else None
    with repository.progress.stage("Comparing the work tree with the index", total) as stage:
        count = stage if counted else None
        if halves is None:
            _walk_work_tree(repository, index, (), found, count)
            return
        in_both(
            lambda: _walk_work_tree(repository, index, halves[0], found, count),
            lambda: _walk_work_tree(repository, index, halves[1], found, count),
        )


def worth_dividing(index: Index) -> bool:
    """Whether there is so much to compare that two threads are faster than one."""
    return len(index) >= _WORTH_DIVIDING


def in_both(here: Callable[[], None], beside: Callable[[], None]) -> None:
    """Run two functions at a time, the second in a thread of its own; raise the first failure."""
    import threading

    failures: list[BaseException] = []

    def guarded() -> None:
        try:
            beside()
        except BaseException as error:  # noqa: BLE001  (raised again by the caller)
            failures.append(error)

    thread = threading.Thread(target=guarded)
    thread.start()
    try:
        here()
    finally:
        thread.join()
    if failures:
        raise failures[0]


def _walk_work_tree(
    repository: LibGit2Repository,
    index: Index,
    names: Sequence[bytes],
    found: Callable[[Delta], None],
    count: Stage | None,
) -> None:
    def run(out: Any, options: Any) -> int:
        lib = repository.handles.lib
        return int(lib.git_diff_index_to_workdir(out, repository.pointer, index.pointer, options))

    _walk(repository, _WORK_TREE, names, found, run, count=count)


def _halves(repository: LibGit2Repository, index: Index) -> tuple[list[bytes], list[bytes]] | None:
    """The paths below which each of two threads walks, together all of them.

    None where that cannot be told from names alone (letter case is ignored).
    """
    if repository.config.get_bool("core.ignoreCase", default=False):
        return None
    weights = index.weights(b"")
    large = [name for name, weight in weights.items() if weight > len(index) // 4]
    for folder in large:
        weights.update(index.weights(folder + b"/"))
        _add_listed(repository, folder + b"/", weights)
    _add_listed(repository, b"", weights)
    for folder in large:
        del weights[folder]
    halves: tuple[list[bytes], list[bytes]] = ([], [])
    loads = [0, 0]
    for name in sorted(weights, key=lambda name: (-weights[name], name)):
        lighter = int(loads[1] < loads[0])
        halves[lighter].append(name)
        loads[lighter] += weights[name]
    return halves if all(halves) else None


def _add_listed(repository: LibGit2Repository, folder: bytes, weights: dict[bytes, int]) -> None:
    """Add what stands in a folder of the work tree, tracked or not."""
    root = os.fsencode(repository.location.work_tree)
    try:
        names = os.listdir(os.path.join(root, folder))
    except OSError:
        return
    for name in names:
        if name != b".git":
            weights.setdefault(folder + name, 0)


def _walk(
    repository: LibGit2Repository,
    flags: int,
    names: Sequence[bytes],
    found: Callable[[Delta], None],
    run: Callable[[Any, Any], int],
    *,
    count: Stage | None = None,
) -> None:
    """One walk; over the paths below ``names`` only where there are any.

    ``count`` counts the entries of the left side, which has its price.
    """
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
                bytes(ffi.buffer(old.id.id)).hex(),
                bytes(ffi.buffer(new.id.id)).hex(),
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
    counting = None if count is None else _counting(repository, count)
    if counting is not None:
        options.progress_cb = counting
    # libgit2 loses a folder "a" behind a file "a.c" unless it is also named with its slash.
    strings = [ffi.new("char[]", form) for name in names for form in (name, name + b"/")]
    if strings:
        array = ffi.new("char *[]", strings)
        options.flags |= _DISABLE_PATHSPEC_MATCH
        options.pathspec.strings = array
        options.pathspec.count = len(strings)
    out = ffi.new("git_diff **")
    code = run(out, options)
    if failures:
        raise failures[0]
    if code < 0:
        raise _failure(repository)
    repository.handles.ext.Diff.from_c(bytes(ffi.buffer(out)), repository.raw)


def _counting(repository: LibGit2Repository, stage: Stage) -> Any:
    """A callback of libgit2's for every step of a walk, each on one side or on both."""
    before = None

    def step(_diff: Any, left: Any, _right: Any, _payload: Any) -> int:
        nonlocal before
        if left and left != before:
            stage.done += 1
            before = left
        return 0

    return repository.handles.ffi.callback("git_diff_progress_cb", step)


def _failure(repository: LibGit2Repository) -> ZdevError:
    """The refusal that fits what libgit2 said about a failed walk."""
    lib = repository.handles.lib
    error = lib.git_error_last()
    reason = last_message(repository.handles)
    absent = error == repository.handles.ffi.NULL
    if not absent and error.klass in (lib.GIT_ERROR_ODB, lib.GIT_ERROR_OBJECT, lib.GIT_ERROR_TREE):
        return _missing(reason)
    return ZdevError(
        "unreadable-file",
        f"the work tree cannot be compared with the index: {reason}",
        "Make the file readable, or remove it",
    )


def _missing(reason: str) -> ZdevError:
    return ZdevError(
        "missing-object",
        f"an object that the comparison needs cannot be read: {reason}",
        "`git fsck` names what is missing; `git fetch` may bring it back",
    )
