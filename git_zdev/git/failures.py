"""What libgit2 says when it fails, as an error that a person can act on."""

from __future__ import annotations

from git_zdev.ground.errors import LACKING, ZdevError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.git.read.libgit2 import Handles


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
        number: The ``errno`` where the system said so: the repository may have no part in it.
    """
    hint = "`git fsck` tells what is wrong with the repository"
    if number is not None:
        hint = LACKING.get(number, hint)
    return ZdevError("unreadable-repository", f"{what} cannot be read: {reason}", hint)
