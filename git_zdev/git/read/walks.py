"""libgit2's two walks: from a tree to the index, and from the index to the work tree.

They say which paths may differ; what Git would say about them is decided in ``evidence``. Nothing
is written: the index is never refreshed. A large work tree is walked by several threads, each over
folders of its own. libgit2 runs without the interpreter's lock, and these walks never ask for it,
so that other work can go on beside them.
"""

from __future__ import annotations

import os

from git_zdev.git.failures import last_message
from git_zdev.git.model import TRACKED_MODES, canonical_mode
from git_zdev.git.read.objects import require_whole
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.threads import side_by_side, useful_threads
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from git_zdev.git.read.index import Index
    from git_zdev.git.read.opened import Opened
    from git_zdev.ground.progress import Stage

_INCLUDE_UNMODIFIED = 1 << 5
_INCLUDE_TYPECHANGE = 1 << 6
_IGNORE_SUBMODULES = 1 << 9
_DISABLE_PATHSPEC_MATCH = 1 << 12
_SKIP_BINARY_CHECK = 1 << 13
_INCLUDE_UNREADABLE = 1 << 16
_WORK_TREE = _INCLUDE_TYPECHANGE | _INCLUDE_UNREADABLE | _IGNORE_SUBMODULES | _SKIP_BINARY_CHECK
_UNMODIFIED = " "
"""libgit2's letter for what is as recorded."""
_UNREADABLE = "unreadable-file"
_WORTH_DIVIDING = 1000
"""Index entries from which several threads are faster than one."""
_STAGES = 3
"""The most entries that one path can have."""
_WORTH_COUNTING = 10_000
"""Index entries from which a person may wait so long that the files are counted one by one."""


@dataclass(frozen=True, slots=True)
class Delta:
    """A path that differs between a tree and the index.

    Attributes:
        path: The path.
        old_mode: Mode on the left, 0 if the path does not exist there.
        new_mode: Mode on the right, 0 if the path does not exist there.
        old_id: Object id on the left; 40 zeros where there is none.
        new_id: Object id on the right; 40 zeros where there is none.
    """

    path: bytes
    old_mode: int
    new_mode: int
    old_id: str
    new_id: str


def tree_to_index(repository: Opened, index: Index, tree: str | None) -> list[Delta]:
    """Every path that differs between a tree and the index.

    Args:
        repository: The repository.
        index: Its index.
        tree: The tree's id; None compares with nothing at all.

    Raises:
        ZdevError: ``missing-object`` when a tree cannot be read.
    """
    ffi, lib = repository.handles.ffi, repository.handles.lib
    deltas: list[Delta] = []

    def found(delta: Any) -> None:
        old, new = delta.old_file, delta.new_file
        ids = [bytes(ffi.buffer(side.id.id)).hex() for side in (old, new)]
        mode = old.mode
        if mode and mode not in TRACKED_MODES:  # libgit2 takes it as it is, Git does not
            mode = canonical_mode(mode)
            if mode == new.mode and ids[0] == ids[1]:
                return
        deltas.append(Delta(ffi.string(new.path), mode, new.mode, *ids))

    pointer = ffi.NULL
    if tree is not None:
        require_whole(repository.object_folders, tree)
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

    # pygit2 would need all of its enumerations for a mode, hence a callback.
    _walk(repository, _INCLUDE_TYPECHANGE | _SKIP_BINARY_CHECK, run, found=found)
    return deltas


def nothing() -> None:
    """What is done meanwhile where there is nothing to do."""


def index_to_work_tree(
    repository: Opened,
    index: Index,
    *,
    doubting: bool,
    meanwhile: Callable[[], None] = nothing,
) -> list[bytes]:
    """Every tracked path that may differ between the index and the work tree, in no order.

    Gitlinks are left out. Where the recorded times and sizes
    do not settle it, libgit2 has read the file, and what it made of it counts unless ``doubting``:
    then every file that it has read may differ. Every tracked path may where libgit2 gives up:
    it goes 100 folders deep and no further, and names no path by which a reader would find what
    stopped it.

    Args:
        repository: The repository.
        index: Its index.
        doubting: Whether the content of files has to be judged by other rules than libgit2's.
        meanwhile: Called while the walks of a large work tree go on, before the walk of a small
            one.

    Raises:
        ZdevError: ``missing-object`` when an object cannot be read.
    """
    found: list[bytes] = []
    stopped: list[ZdevError] = []
    large = len(index) >= _WORTH_DIVIDING
    parts = _parts(repository, index, useful_threads()) if large else [[]]
    counted = repository.progress.watched and len(index) >= _WORTH_COUNTING
    total = len(index) if counted else None
    with repository.progress.stage("Comparing the work tree with the index", total) as stage:
        count = stage if counted else None

        def walk(names: Sequence[bytes]) -> Callable[[], None]:
            def look() -> None:
                try:
                    _walk_work_tree(repository, index, names, found, doubting=doubting, count=count)
                except ZdevError as error:
                    if error.code != _UNREADABLE:
                        raise
                    stopped.append(error)

            return look

        walks = [walk(names) for names in parts]
        if large:
            side_by_side(*walks, meanwhile)
        else:
            for look in (meanwhile, *walks):
                look()
    return list({*found, *index.paths}) if stopped else found


def _walk_work_tree(
    repository: Opened,
    index: Index,
    names: Sequence[bytes],
    found: list[bytes],
    *,
    doubting: bool,
    count: Stage | None,
) -> None:
    """Walk over the paths below ``names``, over all of them where there is none.

    Of a file that is as recorded libgit2 knows the id only where it had to read it.
    """

    def run(out: Any, options: Any) -> int:
        lib = repository.handles.lib
        return int(lib.git_diff_index_to_workdir(out, repository.pointer, index.pointer, options))

    flags = _WORK_TREE | (_INCLUDE_UNMODIFIED if doubting else 0)
    unknown = repository.handles.ext.Oid(hex="0" * 40)
    for delta in _walk(repository, flags, run, names=names, count=count).deltas:
        file = delta.new_file
        if delta.status_char() != _UNMODIFIED or file.id != unknown:
            found.append(file.raw_path)


def _parts(repository: Opened, index: Index, count: int) -> list[list[bytes]]:
    """The paths below which each of several threads walks, together all of them.

    One part without a name, which stands for everything, where names do not show that
    alone (letter case is ignored), or where there is too little to share out.
    """
    if count < 2 or repository.folds_case:
        return [[]]
    weights: dict[bytes, int] = {}
    most = max(len(index) // (2 * count), _STAGES)
    folders = [b""]
    while folders:
        folder = folders.pop()
        if folder and _is_one_piece(repository, index, folder[:-1]):
            continue
        weights.pop(folder[:-1], None)
        below = index.weights(folder)
        weights.update(below)
        folders += [name + b"/" for name, weight in below.items() if weight > most]
    parts: list[list[bytes]] = [[] for _ in range(count)]
    loads = [0] * count
    for name in sorted(weights, key=lambda name: (-weights[name], name)):
        lightest = loads.index(min(loads))
        parts[lightest].append(name)
        loads[lightest] += weights[name]
    return parts if all(parts) else [[]]


def _is_one_piece(repository: Opened, index: Index, path: bytes) -> bool:
    """Whether a folder of the index has to be walked as a whole.

    So must one in whose place the work tree may have something else: a tracked path, a symbolic
    link, a repository.
    """
    name = os.fsencode(repository.location.work_tree) + b"/" + path
    return index.tracks(path) or os.path.islink(name) or os.path.lexists(name + b"/.git")


def _walk(
    repository: Opened,
    flags: int,
    run: Callable[[Any, Any], int],
    *,
    names: Sequence[bytes] = (),
    found: Callable[[Any], None] | None = None,
    count: Stage | None = None,
) -> Any:
    """One walk; over the paths below ``names`` only where there are any.

    Args:
        repository: The repository.
        flags: libgit2's.
        run: Starts the walk.
        names: Paths, none for everything.
        found: Gets the ``git_diff_delta *`` of each path that differs, which is then left out of
            what is returned.
        count: Counts the entries of the left side, which has its price.

    Returns:
        pygit2's ``Diff``.
    """
    ffi, lib = repository.handles.ffi, repository.handles.lib
    failures: list[BaseException] = []
    options = ffi.new("git_diff_options *")
    lib.git_diff_options_init(options, 1)
    options.flags = flags
    kept: list[Any] = []
    if found is not None:
        notify = _notifying(repository, found, failures)
        options.notify_cb = notify
        kept.append(notify)
    if count is not None:
        counting = _counting(repository, count)
        options.progress_cb = counting
        kept.append(counting)
    # libgit2 loses a folder \"a\" after a file "a.c" unless it is also named with its slash.
    strings = [ffi.new("char[]", form) for name in names for form in (name, name + b"/")]
    if strings:
        array = ffi.new("char *[]", strings)
        kept += [strings, array]
        options.flags |= _DISABLE_PATHSPEC_MATCH
        options.pathspec.strings = array
        options.pathspec.count = len(strings)
    out = ffi.new("git_diff **")

    def work() -> None:
        code = run(out, options)
        if failures:
            raise failures[0]
        if code < 0:  # libgit2 remembers why in the thread that failed
            raise _failure(repository)

    repository.patiently(work, kept)
    return repository.handles.ext.Diff.from_c(bytes(ffi.buffer(out)), repository.raw)


def _notifying(
    repository: Opened, found: Callable[[Any], None], failures: list[BaseException]
) -> Any:
    """A callback of libgit2's for every path that differs; the first failure ends the walk."""

    def notify(_diff: Any, delta: Any, _pathspec: Any, _payload: Any) -> int:
        found(delta)
        return 1

    def failed(_kind: Any, error: BaseException, _trace: Any) -> None:
        failures.append(error)

    return repository.handles.ffi.callback("git_diff_notify_cb", notify, error=-1, onerror=failed)


def _counting(repository: Opened, stage: Stage) -> Any:
    """A callback of libgit2's for every step of a walk, each on one side or on both."""
    before = None

    def step(_diff: Any, left: Any, _right: Any, _payload: Any) -> int:
        nonlocal before
        if left and left != before:
            stage.done += 1
            before = left
        return 0

    return repository.handles.ffi.callback("git_diff_progress_cb", step)


def _failure(repository: Opened) -> ZdevError:
    """The refusal that fits what libgit2 said about a failed walk."""
    lib = repository.handles.lib
    error = lib.git_error_last()
    reason = last_message(repository.handles)
    absent = error == repository.handles.ffi.NULL
    if not absent and error.klass in (lib.GIT_ERROR_ODB, lib.GIT_ERROR_OBJECT, lib.GIT_ERROR_TREE):
        return _missing(reason)
    return ZdevError(
        _UNREADABLE,
        f"the work tree cannot be compared with the index: {reason}",
        "Make the file readable, or remove it",
    )


def _missing(reason: str) -> ZdevError:
    return ZdevError(
        "missing-object",
        f"an object that the comparison needs cannot be read: {reason}",
        "`git fsck` names what is missing; `git fetch` may bring it back",
    )
