"""Input that a command reads from a file or from standard input."""

from __future__ import annotations

import os

from git_zdev.ground.errors import ZdevError
from git_zdev.ground.jsontext import DEFAULT_SIZE_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session

STDIN = "-"


def read_input(session: Session, name: str) -> bytes:
    """The bytes of a file named relative to the current directory, or of standard input for ``-``.

    Reading stops one byte past the limit for input. A command that begins again gets the bytes of
    its first attempt, because a pipe can be read only once.

    Raises:
        ZdevError: ``unreadable-input``.
    """
    inputs = session.surroundings.inputs
    if name not in inputs:
        inputs[name] = _read(session, name)
    return inputs[name]


def _read(session: Session, name: str) -> bytes:
    if name == STDIN:
        return session.surroundings.read_stdin()
    path = os.path.join(session.surroundings.directory, name)
    try:
        with open(path, "rb") as file:
            return file.read(DEFAULT_SIZE_LIMIT + 1)
    except OSError as error:
        raise ZdevError(
            "unreadable-input",
            f"{name} cannot be read: {error.strerror}",
            "Name a readable file, or - for standard input",
        ) from error
