"""What libgit2 says when it fails, as an error that a person can act on."""

from __future__ import annotations

from git_zdev.ground.errors import LACKING, Translating, ZdevError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from git_zdev.git.model import Location
    from git_zdev.git.read.libgit2 import Handles

    _Method = TypeVar("_Method", bound=Callable[..., Any])

INDEX_REMEDY = "`git fsck` says more; removing the index and `git reset` write it anew"
_LIBGIT2 = "_pygit2"
"""The module that libgit2's exceptions say they are from."""


class Reading(Translating):
    """A ``with`` block in which libgit2 reads a repository.

    Args:
        location: The repository.

    Raises:
        ZdevError: ``unreadable-repository`` for any failure of libgit2 that the block does not
            handle.
    """

    __slots__ = ("_location",)

    def __init__(self, location: Location) -> None:
        self._location = location

    def translated(self, error: BaseException) -> BaseException | None:
        """See the base class."""
        if type(error).__module__ == _LIBGIT2:
            return unreadable_because(self._location.git_dir, str(error).strip("'."))
        return None


def reading(method: _Method) -> _Method:
    """Make a method of something with a ``location`` a :class:`Reading`."""

    def read(self: Any, *args: Any, **kwargs: Any) -> Any:
        with Reading(self.location):
            return method(self, *args, **kwargs)

    read.__doc__ = method.__doc__
    return read  # type: ignore[return-value]


def last_message(handles: Handles) -> str:
    """The reason that libgit2 gave for its last failure, without a final full stop."""
    error = handles.lib.git_error_last()
    if error == handles.ffi.NULL:
        return "no reason given"
    return str(handles.ffi.string(error.message).decode("utf-8", "replace")).rstrip(".")


def unreadable(handles: Handles, what: str) -> ZdevError:
    """The error for a part of a repository that libgit2 could not read.

    Args:
        handles: The libgit2 handles.
        what: The part, and its place.
    """
    return unreadable_because(what, last_message(handles))


def unreadable_because(what: str, reason: str, number: int | None = None) -> ZdevError:
    """The error for a part of a repository that cannot be read, for a reason of our own.

    Args:
        what: The part, and its place.
        reason: Why.
        number: The ``errno`` if the system gave one: the repository may not be at fault.
    """
    hint = "`git fsck` shows what is wrong with the repository"
    if number is not None:
        hint = LACKING.get(number, hint)
    return ZdevError("unreadable-repository", f"{what} cannot be read: {reason}", hint)


def index_fault(handles: Handles, file: str) -> ZdevError:
    """The error for an index file that libgit2 could not read.

    Args:
        handles: The libgit2 handles.
        file: Path of the index.
    """
    reason = last_message(handles)
    if "unsupported" in reason or "version" in reason:
        return ZdevError(
            "unsupported-index",
            f"the index {file} is in a format that is not supported: {reason}",
            "Remove the index and run `git reset`, which writes it in the usual one",
        )
    return corrupt_index(file, reason)


def corrupt_index(file: str, reason: str, path: bytes | None = None) -> ZdevError:
    """The error for a damaged index file; ``path`` is the entry that is wrong, if it is one."""
    details = {} if path is None else {"path": path.decode("utf-8", "backslashreplace")}
    sentence = f"the index {file} cannot be read: {reason}"
    return ZdevError("corrupt-index", sentence, INDEX_REMEDY, details=details)
