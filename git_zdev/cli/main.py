"""From ``argv`` to an exit status: dispatch, and the only top-level ``try``."""

from __future__ import annotations

import _signal  # `signal` itself would load `enum`
import os
import sys

from git_zdev import __version__
from git_zdev.cli import streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from git_zdev.cli.output import Output
    from git_zdev.cli.registry import Command
    from git_zdev.commands.shared.session import Surroundings
    from git_zdev.git.config.config import GitConfig
    from git_zdev.ground.errors import ZdevError
    from git_zdev.ground.progress import Progress

BUG = "This is a bug in git-zdev: please report it with what `ZDEV_TRACEBACK=1` adds"
VERSION_LINE = f"git-zdev {__version__}\n".encode()
COMPLETION_REQUEST = "__complete"
"""The word that completion scripts use in place of a command."""
BY_SIGNAL = 128
SIGINT, SIGPIPE = 2, 13


def entry() -> NoReturn:
    """Run the command line as the console script, and end the process.

    Python's normal exit takes every module and value apart, which lasts half as long as a small
    command and frees what the system is about to free anyway. So the process ends at once. Nothing
    is lost: output bypasses Python's buffers (see ``streams``), the code that starts a thread waits
    for it, and exit functions are called here as Python would call them. An exception that
    :func:`main` lets through takes the normal exit; an interrupt after :func:`main` does not.
    """
    import atexit
    import gc

    gc.disable()  # runs are short; collecting costs more than it frees
    # If a caller has ignored it, the system keeps no exit status of children for us or for Git.
    _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
    try:
        streams.secure()
        status = main(sys.argv[1:])
        atexit._run_exitfuncs()
    except KeyboardInterrupt:
        status = BY_SIGNAL + SIGINT
    os._exit(status)


def main(argv: list[str]) -> int:
    """Run one command line.

    Args:
        argv: The words after the program's name.

    Returns:
        The exit status: 0 done, 1 refused or failed, 2 wrong usage, 128 + n if signal n ended the
        run, others as a command documents.
    """
    try:
        if argv == ["--version"]:
            streams.write_stdout(VERSION_LINE)
            return 0
        if argv[:1] == [COMPLETION_REQUEST]:
            return _complete(argv[1:])
        return _dispatch(argv)
    except BrokenPipeError:
        return BY_SIGNAL + SIGPIPE
    except OSError as error:  # a stream that cannot be written, or no more open files
        return _fail_anyway(error, argv)
    except KeyboardInterrupt:
        return BY_SIGNAL + SIGINT


def _dispatch(argv: list[str]) -> int:
    from git_zdev.cli import options
    from git_zdev.ground.errors import ZdevError

    command: Command | None = None
    try:
        command, arguments = options.split(argv)
        return _run(command, arguments) if command else _without_command(argv)
    except options.Asked as asked:
        return _answer(asked.what, command, argv)
    except BrokenPipeError:
        raise
    except ZdevError as error:
        return _fail(_with_usage(error, command), command, argv)
    except Exception as error:
        if os.environ.get("ZDEV_TRACEBACK") == "1":
            raise
        return _fail(_unexpected(error), command, argv)


def _run(command: Command, arguments: list[str]) -> int:
    from git_zdev.cli import options
    from git_zdev.cli.output import Output
    from git_zdev.commands.shared.session import answer

    module = command.load()
    values = options.parse(command, module, arguments)
    form, color, root = (values.pop(name) for name in ("format", "color", "root"))
    environment = dict(os.environ)
    output = Output(environment, form, color, lambda: session.settings)
    with output.progress() as progress:
        around = _surroundings(root, environment, progress)
        try:
            session, result = answer(around, lambda session: module.run(session, **values))
        finally:
            output.also(around.notes)
    return output.print(result)


def _complete(words: list[str]) -> int:
    from git_zdev.cli import completion
    from git_zdev.commands.shared.session import Session

    session = Session(_surroundings(completion.named_root(words), dict(os.environ)))
    found = completion.candidates(words, session)
    streams.write_stdout("".join(candidate.line() for candidate in found).encode())
    return 0


def _surroundings(
    root: str | None, environment: dict[str, str], progress: Progress | None = None
) -> Surroundings:
    from git_zdev.commands.shared.session import Surroundings
    from git_zdev.ground.progress import UNSEEN

    directory = _current_directory()
    return Surroundings(directory, environment, root, streams.read_stdin, progress or UNSEEN)


def _output(argv: list[str]) -> Output:
    """The streams for a line without a command: for help, or an error."""
    from git_zdev.cli import options
    from git_zdev.cli.output import Output

    color = options.wanted(argv, "--color", options.COLORS)
    return Output(dict(os.environ), "text", color, _settings)


def _settings() -> GitConfig | None:
    from git_zdev.commands.shared.session import Session
    from git_zdev.ground.errors import ZdevError

    try:
        return Session(_surroundings(None, dict(os.environ))).settings
    except ZdevError:
        return None


def _current_directory() -> str:
    from git_zdev.ground.errors import ZdevError

    try:
        return os.getcwd()
    except FileNotFoundError as error:
        raise ZdevError(
            "no-current-directory",
            "the current directory no longer exists",
            "Change to another one",
        ) from error


def _without_command(argv: list[str]) -> int:
    """Print help or the version, or refuse a line that names no command."""
    from git_zdev.cli import help as help_text
    from git_zdev.cli import options

    asked = options.asked_for(argv)
    if asked is None:
        raise help_text.wrong_words(" ".join(options.command_words(argv)[0]), argv)
    return _answer(asked, None, argv)


def _answer(asked: str, command: Command | None, argv: list[str]) -> int:
    """Print the version, the help of a command, or the overview."""
    from git_zdev.cli import help as help_text
    from git_zdev.cli import options

    if asked == "version":
        streams.write_stdout(VERSION_LINE)
    elif command is None:
        _output(argv).say(help_text.overview(" ".join(options.command_words(argv)[0])))
    else:
        _output(argv).say(help_text.of_command(command, command.load()))
    return 0


def _fail(error: ZdevError, command: Command | None, argv: list[str]) -> int:
    from git_zdev.cli import envelope, options

    if options.wanted(argv, "--format", options.FORMATS) == "json":
        words = command.words if command else ""
        streams.write_stderr(envelope.error_document(error, words))
    else:
        _output(argv).complain(envelope.error_blocks(error))
    return error.status


def _fail_anyway(error: OSError, argv: list[str]) -> int:
    """Report an error in one plain line if no more of the program can be loaded."""
    try:
        return _fail(_unexpected(error), None, argv)
    except (OSError, ImportError):
        streams.write_stderr(f"error: {error.strerror or error}\n".encode("utf-8", "replace"))
        return 1


def _with_usage(error: ZdevError, command: Command | None) -> ZdevError:
    """A usage error that the command itself raised, with a hint at its help."""
    from git_zdev.ground.errors import UsageError

    if isinstance(error, UsageError) and command and not error.hint:
        return UsageError(error.message, f"See `git zdev {command.words} -h`")
    return error


def _unexpected(error: Exception) -> ZdevError:
    from git_zdev.ground.errors import ZdevError

    if isinstance(error, OSError):
        place = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        return ZdevError("system-error", f"{place}{error.strerror or error}")
    if isinstance(error, ImportError):
        return ZdevError(
            "system-error",
            f"a part of the program cannot be loaded: {error}",
            "Raise the limits of memory and of open files, or install git-zdev again",
        )
    if isinstance(error, RecursionError | MemoryError):
        return ZdevError("input-too-large", f"the input is too large ({type(error).__name__})")
    return ZdevError("internal-error", f"{type(error).__name__}: {error}", BUG)
