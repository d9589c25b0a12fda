"""Readers that wait for a FIFO are let go, and what they read is refused.

libgit2 opens rule files wherever it finds one of their names, and objects and refs by the thousand.
Opening a FIFO that stands in the place of one waits for a writer, in libgit2 as in Git. To look at
every name before would slow each run down; so whoever reads through libgit2 does it in a *section*,
and one thread watches. When a section stands still, the thread searches for such FIFOs and opens
them for writing: their readers see an empty file, and the section ends with a refusal.
"""

from __future__ import annotations

import _thread
import os
from time import process_time, sleep

from git_zdev.git.failures import unreadable_because
from git_zdev.git.read import files
from git_zdev.ground.errors import ZdevError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Any, TypeVar

    from git_zdev.git.model import Location

    _Method = TypeVar("_Method", bound=Callable[..., Any])

_PAUSE = 0.25
"""Seconds between two looks at the section in hand."""

_IDLE = 0.1
"""Share of a pause that the process may have computed while it stands still."""

_NEXT = 0.02
"""Seconds in which a reader that was let go comes to the next one."""

_LONGEST_PATIENCE = 16
"""Pauses between two searches, after some that found nothing."""

_RULE_FILES = frozenset({".gitignore", ".gitattributes"})
"""The files of a work tree that libgit2 opens by their name."""

_GIT = ".git"
_LIBGIT2 = "_pygit2"
"""The module that libgit2's exceptions say they are from."""

_OPEN = os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC


class Section:
    """A ``with`` block in which libgit2 reads a repository.

    Args:
        location: The repository.

    Raises:
        ZdevError: ``unreadable-file`` or ``unreadable-repository``, naming the FIFO for which a
            reader waited; whatever else the block raised because of it is behind that. Also
            ``unreadable-repository`` for any failure of libgit2 that nobody in the block expected.
    """

    __slots__ = ("_location",)

    def __init__(self, location: Location) -> None:
        self._location = location

    def __enter__(self) -> None:
        _watch.enter(self._location)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        refused = _watch.leave(self._location)
        if refused is not None:
            raise refused from error
        if kind is not None and kind.__module__ == _LIBGIT2:
            raise unreadable_because(self._location.git_dir, str(error).strip("'.")) from error


def in_section(method: _Method) -> _Method:
    """Make a method of something with a ``location`` a :class:`Section`."""

    def section(self: Any, *args: Any, **kwargs: Any) -> Any:
        with Section(self.location):
            return method(self, *args, **kwargs)

    section.__doc__ = method.__doc__
    return section  # type: ignore[return-value]


def fifos_below(folder: str) -> Iterator[str]:
    """The FIFOs in a folder and the folders in it, symbolic links to some included."""
    return _fifos({folder: True})


def fifos_in(folder: str) -> Iterator[str]:
    """The FIFOs right in a folder, symbolic links to some included."""
    return _fifos({folder: True}, deep=False)


def _refusal(path: str, work_tree: str) -> ZdevError:
    """The refusal for a FIFO in the place of a file of Git, or of rules in the work tree."""
    if _GIT in path.split("/") or not path.startswith(f"{work_tree}/"):
        return unreadable_because(path, files.FIFO)
    name = os.fsencode(path[len(work_tree) + 1 :]).decode("utf-8", "backslashreplace")
    return ZdevError(
        "unreadable-file",
        f"{name} cannot be read: {files.FIFO}",
        "Remove it, Git itself would wait for it as well",
        details={"path": name},
    )


class _Watch:
    """The thread that watches, and the sections in hand, the outermost first."""

    def __init__(self) -> None:
        self._process = 0
        self._sections: list[Location] = []
        self._entered = 0
        self._opened: list[str] = []
        self._lock = _thread.allocate_lock()

    def enter(self, location: Location) -> None:
        if self._process != os.getpid():
            self._start()
        if not self._sections:  # what is still found for those before is no matter of these
            self._opened = []
        self._sections.append(location)
        self._entered += 1

    def leave(self, location: Location) -> ZdevError | None:
        """The refusal of a FIFO for which a reader waited, None where there was none.

        What lies outside of an inner repository is for the section around it to refuse.
        """
        self._sections.remove(location)
        work_tree = f"{location.work_tree}/"
        with self._lock:  # it is held between the opening of a FIFO and the note of it
            own = [path for path in self._opened if path.startswith(work_tree)]
            found = own or (self._opened if not self._sections else [])
            if not found:
                return None
            self._opened = [path for path in self._opened if path not in found]
        return _refusal(found[0], location.work_tree)

    def _start(self) -> None:
        """Begin to watch: a thread does not outlive a fork."""
        self._process = os.getpid()
        self._sections.clear()
        self._opened.clear()
        self._lock = _thread.allocate_lock()
        try:
            _thread.start_new_thread(self._run, ())
        except RuntimeError:  # the system has none left: a FIFO is waited for, as Git waits
            return

    def _run(self) -> None:
        seen, spent, patience, waited = 0, 0.0, 1, 0
        while True:
            sleep(_PAUSE)
            before, spent = spent, process_time()
            if not self._sections or seen != self._entered:
                seen, patience, waited = self._entered, 1, 0
            elif spent - before < _PAUSE * _IDLE:
                waited += 1
                if waited >= patience:
                    patience, waited = min(2 * patience, _LONGEST_PATIENCE), 0
                    while self._let_go():
                        sleep(_NEXT)

    def _let_go(self) -> bool:
        """Whether a reader waited somewhere."""
        found, opened = False, self._opened
        for path in _fifos(_places(self._sections[:])):
            with self._lock:
                try:
                    os.close(os.open(path, _OPEN))
                except OSError:  # nobody waits for it, or it is not ours to write to
                    continue
                opened.append(path)
                found = True
        return found


def _places(locations: Sequence[Location]) -> dict[str, bool]:
    """The folders in which libgit2 reads, and whether each is a Git directory."""
    places = {one.work_tree: False for one in locations}
    places.update((part, True) for one in locations for part in (one.git_dir, one.common_dir))
    return places


def _fifos(folders: Mapping[str, bool], *, deep: bool = True) -> Iterator[str]:
    """FIFOs below folders that libgit2 may open: all in a Git directory, rule files outside."""
    waiting = list(folders.items())
    while waiting:
        folder, inside = waiting.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if deep:
                    waiting.append((entry.path, inside or entry.name == _GIT))
            elif inside or entry.name in _RULE_FILES:
                if entry.is_file(follow_symlinks=False):
                    continue
                if files.wrong_kind(entry.path) == files.FIFO:
                    yield entry.path


_watch = _Watch()
