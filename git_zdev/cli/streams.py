"""The standard streams: always open, written completely, no traceback when the reader is gone.

Output bypasses Python's buffers, so that a failed write is not tried again when the interpreter
exits.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

STDIN, STDOUT, STDERR = range(3)
DEFAULT_COLUMNS, DEFAULT_LINES = 80, 24
LEAST_COLUMNS = 20


def secure() -> None:
    """Open each of the three descriptors that the caller closed on the null device, as Git does.

    Otherwise the next file that is opened gets its number, and output goes into that file.
    """
    for descriptor in (STDIN, STDOUT, STDERR):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one


def read_stdin() -> bytes:
    """All of standard input, but at most one byte more than any input may have.

    Raises:
        ZdevError: ``unreadable-input``.
    """
    from git_zdev.ground.jsontext import DEFAULT_SIZE_LIMIT

    try:
        with open(STDIN, "rb", closefd=False) as stream:
            return stream.read(DEFAULT_SIZE_LIMIT + 1)
    except OSError as error:
        from git_zdev.ground.errors import ZdevError

        raise ZdevError(
            "unreadable-input",
            f"the standard input cannot be read: {error.strerror}",
            "Name a readable file, or give the input on standard input",
        ) from error


def write_stdout(data: bytes) -> None:
    """Write all of ``data`` to standard output.

    Raises:
        OSError: The system's error for standard output; ``BrokenPipeError`` if the reader is
            gone.
    """
    try:
        _write(STDOUT, data)
    except OSError as error:
        error.filename = "standard output"
        raise


def write_stderr(data: bytes) -> None:
    """Write ``data`` to standard error; a failure to do so is ignored."""
    try:
        _write(STDERR, data)
    except OSError:
        return


def is_terminal(descriptor: int) -> bool:
    """Whether a stream is a terminal."""
    return os.isatty(descriptor)


def pager_in_use(environment: Mapping[str, str]) -> bool:
    """Whether Git has started a pager that reads what this program prints."""
    value = environment.get("GIT_PAGER_IN_USE")
    if value is None:
        return False
    from git_zdev.git.config.config_file import parse_bool

    return bool(parse_bool(value))


def size(descriptor: int, environment: Mapping[str, str]) -> tuple[int, int]:
    """Columns and lines of the terminal behind a stream; 80 by 24 if nothing is known.

    Git passes the columns in ``COLUMNS`` if its pager is in between.
    """
    try:
        columns, lines = os.get_terminal_size(descriptor)
    except OSError:
        columns, lines = 0, 0
    value = environment.get("COLUMNS", "")
    if value.isascii() and value.isdigit():
        columns = int(value) or columns
    return max(columns or DEFAULT_COLUMNS, LEAST_COLUMNS), lines or DEFAULT_LINES


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:  # the pipe's other end made it non-blocking
            _wait_until_writable(descriptor)


def _wait_until_writable(descriptor: int) -> None:
    import select

    select.select([], [descriptor], [])
