"""A repository's work tree, and its files, each read in one state.

:class:`WorkTree` is the value through which everything in ``evidence`` sees a repository.

A file is opened without following a link, read to its size, and looked at again: identity, size
and times must be what they were. Times alone do not prove it. The system stamps a file when a write
begins, by a clock that ticks every few milliseconds; a writer that is held up inside one large
write leaves a file that is half old and half new under a stamp that no longer moves, and a mapped
file is stamped even less. So a file that was changed a moment ago must also be still. On Linux a
read lease (fcntl(2), ``F_SETLEASE``) proves that: it is granted only while nobody has the file open
for writing, and makes those who open it for writing wait until it is released. Without a lease, the
file has to come to rest. A log never does. If a file was only seen to grow, what it had at one
moment is enough: its size, and bytes that are the same when they are read twice.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time

from git_zdev.disk import reading
from git_zdev.disk.reading import Closing, Walk, open_file
from git_zdev.git.model import EXECUTABLE, REGULAR, SYMLINK, tracked_mode
from git_zdev.git.read import files
from git_zdev.git.read.discovery import repository_in
from git_zdev.git.read.files import identity
from git_zdev.git.read.index import Index
from git_zdev.git.read.refs import require_head
from git_zdev.git.read.repository_format import require_files
from git_zdev.git.read.walks import index_to_work_tree, nothing, tree_to_index
from git_zdev.ground.errors import Translating, ZdevError
from git_zdev.ground.paths import LENGTH_LIMIT, folder_above, unknown_folders
from git_zdev.ground.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from git_zdev.git.read.opened import Opened
    from git_zdev.git.read.walks import Delta

_NO_SEARCH = 1
_HUNKS = 1 << 18 | 1 << 20
"""libgit2's flags for the indent heuristic, and for a comparison of whatever looks binary too."""

_BLOCK = 1 << 20
"""Bytes that one read asks for."""

_REST = 1.0
"""Seconds without a change after which a file is at rest, were it empty."""

_WRITTEN_A_SECOND = 200e6
"""Bytes of it for which a file has to rest a second longer: so long may one write take."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.001, 0.1
"""Seconds between two looks at a file that is not still yet."""

_CHANGES = 5
"""How often a file may be seen to change before it counts as changing all the time."""

_BOOLEANS = (
    "core.precomposeUnicode",
    "core.protectHFS",
    "core.protectNTFS",
    "core.sparseCheckout",
    "core.sparseCheckoutCone",
    "core.trustctime",
    "index.sparse",
)
"""Settings about the work tree that are not always needed here, and that stop Git if malformed."""

_GONE = frozenset(
    {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EMLINK, errno.EINVAL, errno.ENXIO}
)
"""What the system reports when a name no longer is what it was when the work tree was walked."""


class WorkTree:
    """One look at a repository's work tree: its files, its index, and what both are compared with.

    The index is read once, so another look takes another value.

    Args:
        repository: The repository.

    Attributes:
        root: Absolute path of the work tree's root.
        location: Where the parts of the repository are.
        environment: The variables that led to it.
        config: Configuration as Git reads it.
        index: The index as it is in its file.
        objects: Objects, replaced ones in place of the original.
        replacements: Object ids and what is to be read in their place.
        ignores_case: ``core.ignoreCase``.
        folds_case: Whether the file system does as well as ``core.ignoreCase`` says.
        has_symlinks: ``core.symlinks``.
        progress: Where work that may last says how far it is.

    Raises:
        ZdevError: ``unsupported-index``, ``corrupt-index``; ``invalid-git-config`` for a setting
            with which Git would not look at the work tree either.
    """

    def __init__(self, repository: Opened) -> None:
        self._repository = repository
        self.location = repository.location
        self.root = self.location.work_tree
        self.environment = repository.environment
        self.config = repository.config
        self.index = Index(repository)
        self.objects = repository.objects
        self.replacements = repository.replacements
        self.ignores_case = repository.ignores_case
        self.folds_case = repository.folds_case
        self.progress = repository.progress
        self.has_symlinks = self.config.get_bool("core.symlinks", default=True)
        self._trusts_mode = self.config.get_bool("core.fileMode", default=True)
        self._require_settings()
        self._start = os.fsencode(self.root) + b"/"
        self._judged: dict[bytes, os.stat_result] = {}
        self._real_folders = {b"": True}

    def _require_settings(self) -> None:
        for name in _BOOLEANS:
            self.config.get_bool(name, default=False)
        if (self.config.get("core.safecrlf") or "").lower() != "warn":
            self.config.get_bool("core.safecrlf", default=False)

    def head(self) -> str | None:
        """HEAD's commit, None before the first one."""
        return self._repository.head().commit

    def name(self, path: bytes) -> bytes:
        """The absolute name of a path."""
        return self._start + path

    def lstat(self, path: bytes) -> os.stat_result | None:
        """What is at a path, None for nothing; a later reader holds a file to that state.

        Raises:
            ZdevError: ``unreadable-file``.
        """
        try:
            found = self._look(path)
        except (FileNotFoundError, NotADirectoryError, reading.WrongKind):
            return None
        except OSError as error:
            raise _unreachable(path, error) from error
        self._judged[path] = found
        return found

    def _look(self, path: bytes) -> os.stat_result:
        name = self.name(path)
        if len(name) <= LENGTH_LIMIT:
            return os.lstat(name)
        with Walk(self.root) as walk:
            name, parent = self._spot(walk, path)
            return os.lstat(name, dir_fd=parent)

    def _spot(self, walk: Walk, path: bytes) -> tuple[bytes, int | None]:
        """The name of a path, and the folder that it is relative to, None for an absolute one.

        Git names a path from the root of the work tree on, which may be short enough for the system
        while the absolute name is not.
        """
        name = self.name(path)
        if len(name) <= LENGTH_LIMIT or len(path) > LENGTH_LIMIT:
            return name, None
        folder, _, last = path.rpartition(b"/")
        return last, walk.open(folder)

    def stat(self, path: bytes) -> os.stat_result | None:
        """The same; None also for what is beyond a symbolic link.

        Through the link the system looks nevertheless, as in Git, which tells what is missing from
        what it cannot find out.
        """
        found = self.lstat(path)
        return found if self.is_real_folder(path[: path.rfind(b"/") + 1]) else None

    def leads_anywhere(self, path: bytes) -> bool:
        """Whether the system finds anything under a path, be it through symbolic links."""
        try:
            self._look(path)
        except OSError:
            return False
        return True

    def judged(self, path: bytes) -> os.stat_result | None:
        """The state in which a path was judged, None if it was not."""
        return self._judged.get(path)

    def is_real_folder(self, folder: bytes) -> bool:
        """Whether every component of a path with a trailing slash is a folder, and none a link."""
        for inner in unknown_folders(folder, self._real_folders):
            self._real_folders[inner] = self._real_folders[folder_above(inner)] and self._is_folder(
                inner[:-1]
            )
        return self._real_folders[folder]

    def _is_folder(self, path: bytes) -> bool:
        try:
            return stat.S_ISDIR(self._look(path).st_mode)
        except OSError:
            return False

    def mode_of(self, recorded: int, found: os.stat_result) -> int:
        """The mode that Git sees, under ``core.fileMode`` and ``core.symlinks``."""
        if stat.S_ISREG(found.st_mode):
            if not self.has_symlinks and recorded == SYMLINK:
                return recorded
            if not self._trusts_mode:
                return recorded if recorded in (REGULAR, EXECUTABLE) else REGULAR
        return tracked_mode(found.st_mode)

    def read_file(
        self,
        path: bytes,
        expected: os.stat_result | None = None,
        take: Callable[[Iterator[bytes]], bytes] = b"".join,
    ) -> bytes:
        """A regular file's bytes, all of one state: the expected or the judged one.

        Args:
            path: The path in the work tree.
            expected: The state that the file must be in; None for the judged one.
            take: What becomes of the bytes, which it gets block by block.

        Raises:
            ZdevError: ``unreadable-file``, ``file-changed-while-read``.
        """
        expected = expected or self._judged.get(path)
        with Naming(path), Walk(self.root) as walk:
            name, parent = self._spot(walk, path)
            found = expected or os.lstat(name, dir_fd=parent)
            with StillFile(path, name, found, parent) as file:
                if expected is not None and identity(file.state) != identity(expected):
                    raise changed(path)
                return take(file.blocks())

    def read_link(self, path: bytes) -> bytes:
        """A symbolic link's target.

        Raises:
            ZdevError: ``unreadable-file``, ``file-changed-while-read``.
        """
        with Naming(path), Walk(self.root) as walk:
            name, parent = self._spot(walk, path)
            return os.readlink(name, dir_fd=parent)

    def read_rules(self, path: bytes) -> bytes | None:
        """The bytes of an ignore or attributes file; a symbolic link is not followed.

        Raises:
            ZdevError: ``unreadable-file`` for a FIFO or a device, which Git might read forever.
        """
        try:
            with Walk(self.root) as walk:
                return reading.read_file(*self._spot(walk, path))
        except reading.WrongKind as error:
            wrong = files.special(error.mode)
            if wrong is not None and not stat.S_ISSOCK(error.mode):  # a socket cannot be opened
                raise unreadable(path, wrong) from error
            return None
        except OSError:
            return None

    def read_blob(self, blob: str) -> bytes:
        """The bytes of a blob; ``missing-object`` when it is not there."""
        return self._repository.read_blob(blob)

    def commit_at(self, path: bytes) -> str | None:
        """HEAD's commit of the repository in a folder: a submodule, or a nested repository.

        None if there is no repository, or it has no commit yet: Git then takes the folder as it
        stands for unchanged.

        Raises:
            ZdevError: ``unreadable-repository`` for a FIFO in the place of one of its files.
        """
        folder = os.fsdecode(self.name(path.rstrip(b"/")))
        ext = self._repository.handles.ext
        try:
            location = repository_in(folder)
            if location is None:
                return None
            require_files(location)
            require_head(location)
            inner = ext.Repository(ext.init_file_backend(folder, _NO_SEARCH))
            return str(inner.head.target)
        except (ext.GitError, KeyError, ValueError, OSError):
            return None

    @property
    def object_folders(self) -> Sequence[str]:
        """The folders in which objects are looked for, the repository's own first."""
        return self._repository.object_folders

    def staged(self, tree: str | None) -> list[Delta]:
        """Every path that differs between a tree, None for an empty one, and the index."""
        return tree_to_index(self._repository, self.index, tree)

    def unstaged(self, *, doubting: bool, meanwhile: Callable[[], None] = nothing) -> list[bytes]:
        """The paths that may differ from the index; see ``walks.index_to_work_tree``."""
        repository, index = self._repository, self.index
        return index_to_work_tree(repository, index, doubting=doubting, meanwhile=meanwhile)

    def hunks(self, old: bytes, new: bytes, *, context: int) -> bytes:
        """libgit2's patch between two contents, with its own header and its guess of the functions.

        Myers' algorithm with the indent heuristic.

        Args:
            old: The content before.
            new: The content after.
            context: Lines of context.
        """
        patch = self._repository.handles.ext.Patch.create_from(
            old, new, flag=_HUNKS, context_lines=context, interhunk_lines=0
        )
        return bytes(patch.data or b"")


class StillFile(Closing):
    """A regular file that nobody changes while it is open here, to be used in a ``with`` block.

    Args:
        path: The path in the work tree, for errors.
        name: The name to open, relative to ``parent``.
        found: What was found at that name.
        parent: Descriptor of an opened directory; None for an absolute name.

    Attributes:
        state: The file's state, which is that of its bytes as well.

    Raises:
        ZdevError: ``file-changed-while-read`` when it is another file by now, or keeps changing;
            ``unreadable-file`` when a FIFO, a socket or a device was found, which Git refuses too.
        OSError: What the system reports.
    """

    __slots__ = ("_descriptor", "_grows", "_leased", "_path", "state")

    def __init__(
        self, path: bytes, name: bytes, found: os.stat_result, parent: int | None = None
    ) -> None:
        if not stat.S_ISREG(found.st_mode):
            kind = files.special(found.st_mode)
            raise changed(path) if kind is None else unreadable(path, kind)
        self._path = path
        self._leased = self._grows = False
        self._descriptor = open_file(name, parent)
        try:
            self.state = self._come_to_rest()
            if not os.path.samestat(self.state, found):
                raise changed(path)
        except BaseException:
            os.close(self._descriptor)
            raise

    def close(self) -> None:
        """Close it, which gives up the lease."""
        os.close(self._descriptor)

    def blocks(self) -> Iterator[bytes]:
        """The bytes, block by block; they count only when the end was reached without an error.

        Raises:
            ZdevError: ``file-changed-while-read`` when somebody changes it, or is waiting to.
            OSError: What the system reports.
        """
        if self._grows:
            yield from self._blocks_twice()
            return
        left = self.state.st_size
        while left > 0 and (block := os.read(self._descriptor, min(left, _BLOCK))):
            left -= len(block)
            yield block
            if left and self._leased and not _holds_lease(self._descriptor):
                raise changed(self._path)
        if left or identity(os.fstat(self._descriptor)) != identity(self.state):
            raise changed(self._path)

    def _blocks_twice(self) -> Iterator[bytes]:
        """The blocks of a file that others append to, which must be the same once more."""
        from hashlib import sha256

        passes = [sha256(), sha256()]
        for hashing in passes:
            at = 0
            while at < self.state.st_size:
                size = min(self.state.st_size - at, _BLOCK)
                block = os.pread(self._descriptor, size, at)
                if not block:
                    raise changed(self._path)
                hashing.update(block)
                at += len(block)
                if hashing is passes[0]:
                    yield block
        if passes[0].digest() != passes[1].digest():
            raise changed(self._path)

    def _come_to_rest(self) -> os.stat_result:
        found = os.fstat(self._descriptor)
        pause, changes, only_grew = _FIRST_PAUSE, 0, True
        while not _is_at_rest(found):
            self._leased = _take_lease(self._descriptor)
            if self._leased:
                return os.fstat(self._descriptor)
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            before, found = found, os.fstat(self._descriptor)
            if identity(before) != identity(found):
                changes += 1
                only_grew = only_grew and found.st_size > before.st_size
            if changes == _CHANGES:
                if not only_grew:
                    raise changed(self._path)
                self._grows = True
                break
        return found


def _is_at_rest(found: os.stat_result) -> bool:
    """Whether the last change is long ago, or stamped by a clock that has nothing to do with ours.

    A file system of another machine has such a clock.
    """
    enough = _REST + found.st_size / _WRITTEN_A_SECOND
    return abs(time.time() - found.st_ctime) > enough


def _take_lease(descriptor: int) -> bool:
    """Whether a read lease was granted; closing the descriptor gives it up.

    It is refused while somebody has the file open for writing, to whoever does not own the file,
    and by file systems that know none. The signal for a holder who is in somebody's way would end
    the process; another one is asked for, which nobody minds.
    """
    if sys.platform != "linux":
        return False
    from _signal import SIGURG  # where `signal` has its numbers from, before it wraps them
    from fcntl import F_RDLCK, F_SETLEASE, F_SETSIG, fcntl

    try:
        fcntl(descriptor, F_SETSIG, SIGURG)
        fcntl(descriptor, F_SETLEASE, F_RDLCK)
    except OSError:
        return False
    return True


def _holds_lease(descriptor: int) -> bool:
    """Whether the lease is still there and nobody waits for its end."""
    from fcntl import F_GETLEASE, F_RDLCK, fcntl

    return fcntl(descriptor, F_GETLEASE) == F_RDLCK


class Naming(Translating):
    """A ``with`` block in which what the system reports becomes a refusal that names the path."""

    __slots__ = ("_path",)

    def __init__(self, path: bytes) -> None:
        self._path = path

    def translated(self, error: BaseException) -> BaseException | None:
        """See the base class."""
        return _refusal(self._path, error) if isinstance(error, OSError) else None


def _refusal(path: bytes, error: OSError) -> ZdevError:
    return changed(path) if error.errno in _GONE else unreadable(path, error.strerror)


def changed(path: bytes) -> ZdevError:
    """The refusal for a file that is no longer what it was a moment ago."""
    name = printable(path)
    return ZdevError(
        "file-changed-while-read",
        f"{name} changed or vanished while it was read",
        "Run the command again when nothing writes to the work tree",
        details={"path": name},
    )


def _unreachable(path: bytes, error: OSError) -> ZdevError:
    """The refusal for a tracked path of which the system cannot say whether it is there.

    Git says so as well, and then leaves the path out of what it prints.
    """
    hint = _MAKE_READABLE
    if error.errno == errno.ELOOP:
        hint = "Remove the symbolic link that leads back to itself"
    elif error.errno == errno.ENAMETOOLONG:
        hint = "Rename it in a commit, or take it out of the index with `git rm --cached`"
    return unreadable(path, error.strerror, hint)


_MAKE_READABLE = "Make it readable for this user, or remove it"


def unreadable(path: bytes, reason: str | None, hint: str = _MAKE_READABLE) -> ZdevError:
    """The refusal for a file that cannot be read, for a reason such as the system gives."""
    name = printable(path)
    return ZdevError(
        "unreadable-file",
        f"{name} cannot be read: {reason}",
        hint,
        details={"path": name},
    )
