"""``argv`` to an exit status: dispatch, the only top-level ``try``, and the standard streams."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from git_zdev import __version__
from git_zdev.cli import registry
from git_zdev.errors import UsageError, ZdevError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from git_zdev.result import RawResult, Result

BUG = "This is a bug in git-zdev: please report it with what `ZDEV_TRACEBACK=1` adds"


def entry() -> NoReturn:
    """The console script."""
    gc.disable()  # runs are short; collecting costs more than it frees
    status = main(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _silence_stdout()
    sys.exit(status)


def main(argv: list[str]) -> int:
    """Run one command line.

    Args:
        argv: The words after the program's name.

    Returns:
        The exit status: 0 done, 1 refused or failed, 2 wrong usage, others as a command documents,
        128 + n when signal n ended the run.
    """
    found: registry.Command | None = None
    try:
        if argv == ["--version"]:
            return _write(f"git-zdev {__version__}\n".encode())
        found, arguments = _find(argv)
        return _run(found, arguments) if found else _help(argv)
    except ZdevError as error:
        return _fail(error, found, argv)
    except BrokenPipeError:
        _silence_stdout()
        return 128 + 13
    except KeyboardInterrupt:
        return 128 + 2
    except Exception as error:
        if os.environ.get("ZDEV_TRACEBACK") == "1":
            raise
        return _fail(_unexpected(error), found, argv)


def _find(argv: list[str]) -> tuple[registry.Command | None, list[str]]:
    """The command that ``argv`` names and its arguments, the command's words taken out."""
    from git_zdev.cli import options

    words, positions = options.command_words(argv)
    found = registry.find(words)
    if found is None:
        return None, argv
    command, count = found
    taken = set(positions[:count])
    return command, [word for index, word in enumerate(argv) if index not in taken]


def _run(command: registry.Command, arguments: list[str]) -> int:
    from git_zdev.cli import options
    from git_zdev.session import Session, Surroundings

    module = importlib.import_module(f"git_zdev.commands.{command.module}")
    values: dict[str, Any] = vars(options.build(command, module).parse_args(arguments))
    form, color, root = (values.pop(name) for name in ("format", "color", "root"))
    surroundings = Surroundings(
        directory=os.getcwd(),
        environment=dict(os.environ),
        root=root,
        read_stdin=sys.stdin.buffer.read,
        interactive=form == "text" and sys.stdout.isatty(),
    )
    return _print(module.run(Session(surroundings), **values), form, color)


def _print(result: Result | RawResult, form: str, color: str) -> int:
    from git_zdev import jsontext
    from git_zdev.result import RawResult

    if isinstance(result, RawResult):
        data = result.data
        if result.show is not None and form == "text" and sys.stdout.isatty():
            data = _text(result.show(), color)
        _write(data)
        return result.status
    if form == "json":
        _write(jsontext.encode(result.document))
        return result.status
    _write(_text(result.show(), color))
    for note in result.notes:
        sys.stderr.write(f"{note}\n")
    return result.status


def _text(blocks: Iterable[Any], color: str) -> bytes:
    from git_zdev.render import plain

    if color == "always" or (color == "auto" and _colourful()):
        from git_zdev.render import terminal

        return terminal.render(blocks).encode()
    return plain.render(blocks).encode(errors="backslashreplace")


def _colourful() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _help(argv: list[str]) -> int:
    from git_zdev.cli import help as help_text
    from git_zdev.cli import options

    words, _ = options.command_words(argv)
    if any(word in ("-h", "--help") for word in argv) or not argv:
        status = _write(help_text.overview(" ".join(words)).encode())
        return status if argv else 2
    if words and registry.below(" ".join(words)):
        raise UsageError(
            f"`git zdev {' '.join(words)}` needs a sub-command",
            f"See `git zdev {' '.join(words)} -h`",
        )
    wrong = " ".join(words) or argv[0]
    raise UsageError(f"`{wrong}` is no git-zdev command", help_text.nearest(wrong))


def _wanted_format(argv: list[str]) -> str:
    """The format of errors, known even where the command line cannot be parsed."""
    form = "text"
    for index, word in enumerate(argv):
        if word == "--":
            break
        if word == "--format=json" or (word == "json" and argv[index - 1] == "--format"):
            form = "json"
    return form


def _fail(error: ZdevError, command: registry.Command | None, argv: list[str]) -> int:
    from git_zdev.cli.envelope import error_bytes

    words = command.words if command else ""
    try:
        sys.stderr.buffer.write(error_bytes(error, words, _wanted_format(argv)))
        sys.stderr.flush()
    except OSError:
        pass  # there is nobody left to tell
    return error.status


def _unexpected(error: Exception) -> ZdevError:
    if isinstance(error, OSError):
        place = f" ({os.fsdecode(error.filename)})" if error.filename else ""
        return ZdevError("system-error", f"{error.strerror or error}{place}")
    return ZdevError("internal-error", f"{type(error).__name__}: {error}", BUG)


def _write(data: bytes) -> int:
    sys.stdout.buffer.write(data)
    sys.stdout.flush()
    return 0


def _silence_stdout() -> None:
    """Keep the interpreter from reporting a closed pipe a second time on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
