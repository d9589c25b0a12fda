"""The program, run as a user runs it: in its own process, on a real repository.

Every result is validated against the shipped schema of its command. A refusal is asserted as a
whole: code, exit status, empty stdout, and nothing changed on disk. :func:`in_terminal` runs the
program in its own terminal. :func:`play` runs the console sessions in documents: a command follows
``$ `` and continues after a backslash at the end of its line, to the end of its here-document, or
to the closing quote. The other lines are its output, in which three dots or an ellipsis match
anything: any text within a line, any lines if alone. A command without output lines can print
anything, and a command must fail exactly if its output starts with ``error:``.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import json
import os
import pty
import re
import shlex
import stat
import struct
import subprocess
import sys
import termios
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import git_zdev
from git_zdev.screen import plain, roff

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

PACKAGE_PARENT = Path(git_zdev.__file__).parents[1]
PYTHON = {
    "PYTHONPATH": str(PACKAGE_PARENT),
    "PYTHONSAFEPATH": "1",
    "PYTHONDONTWRITEBYTECODE": "",
}
"""Finds the package under test, and lets it be compiled once instead of in each run."""

SCHEMAS = Path(__file__).parents[2] / "schemas"
LOCK_FILE = "zdev-state.lock"
STATE_FOLDER = "zdev"
SECRET = "secret"
"""All three stay in the Git directory by design: the lock's file, the secret, and the folder that
holds nothing else do not count as changes."""


@dataclass(frozen=True)
class Run:
    """The outcome of one run of the program.

    Attributes:
        arguments: The words after the program's name.
        status: Exit status; negative if a signal ended the process.
        stdout: Its standard output.
        stderr: Its standard error.
    """

    arguments: tuple[str, ...]
    status: int
    stdout: bytes
    stderr: bytes

    @property
    def text(self) -> str:
        """Standard output as text."""
        return self.stdout.decode()

    @property
    def error_text(self) -> str:
        """Standard error as text."""
        return self.stderr.decode()


def zdev(
    *arguments: str | os.PathLike[str],
    cwd: str | os.PathLike[str],
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
) -> Run:
    """Run ``git-zdev`` in ``cwd``; ``env`` is added to the current (sealed) environment.

    A traceback on stderr always fails the test.
    """
    words = tuple(os.fspath(argument) for argument in arguments)
    done = subprocess.run(
        [sys.executable, "-m", "git_zdev", *words],
        cwd=cwd,
        env={**os.environ, **PYTHON, **(env or {})},
        input=stdin,
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return Run(words, done.returncode, done.stdout, done.stderr)


def succeed(
    *arguments: str | os.PathLike[str],
    cwd: str | os.PathLike[str],
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    status: int = 0,
) -> Run:
    """Run a command that is expected to succeed."""
    run = zdev(*arguments, cwd=cwd, env=env, stdin=stdin)
    assert run.status == status, f"git zdev {' '.join(run.arguments)}\n{run.error_text}"
    return run


def result(
    command: str,
    *arguments: str | os.PathLike[str],
    cwd: str | os.PathLike[str],
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    status: int = 0,
) -> dict[str, Any]:
    """The JSON result of a command, validated against its schema.

    Args:
        command: The command's words, such as ``area create``; they also name the schema.
        arguments: The words after them.
        cwd: The current directory.
        env: Added to the environment.
        stdin: Standard input.
        status: Expected exit status.
    """
    words = ("--format=json", *command.split(), *arguments)
    document = succeed(*words, cwd=cwd, env=env, stdin=stdin, status=status).stdout
    value: dict[str, Any] = json.loads(document)
    validate(command, value)
    return value


def refused(
    code: str,
    *arguments: str | os.PathLike[str],
    cwd: str | os.PathLike[str],
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    unchanged: Path | None = None,
    status: int = 1,
) -> dict[str, Any]:
    """Run a command that is expected to be refused, and return its error document.

    Asserts the code, the exit status, that stdout is empty, that the error follows its schema, and
    that no file below ``unchanged`` (by default ``cwd``) changed.
    """
    place = Path(cwd) if unchanged is None else unchanged
    before = tree_state(place)
    run = zdev("--format=json", *arguments, cwd=cwd, env=env, stdin=stdin)
    assert run.stdout == b""
    error: dict[str, Any] = json.loads(run.stderr)
    validate("error", error)
    assert (error["code"], run.status) == (code, status), error
    assert changes(before, tree_state(place)) == []
    return error


def start(*arguments: str, cwd: str | os.PathLike[str]) -> subprocess.Popen[bytes]:
    """Start a command that prints JSON, without waiting for it."""
    return subprocess.Popen(
        [sys.executable, "-m", "git_zdev", "--format=json", *arguments],
        cwd=cwd,
        env={**os.environ, **PYTHON},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def ended(started: subprocess.Popen[bytes]) -> bytes:
    """The output of a started command, after it has succeeded."""
    printed, said = started.communicate()
    assert started.returncode == 0, said.decode()
    return printed


def modules_of(*arguments: str, cwd: str | os.PathLike[str]) -> set[str]:
    """The modules that a successful command has imported by its end."""
    script = (
        "import sys\n"
        "from git_zdev.cli.main import main\n"
        "status = main(sys.argv[1:])\n"
        "print(*sorted(sys.modules), sep='\\n', file=sys.stderr)\n"
        "sys.exit(status)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(PACKAGE_PARENT)},
        capture_output=True,
        check=True,
    )
    return set(done.stderr.decode().split())


def validate(name: str, document: Mapping[str, Any]) -> None:
    """Validate a document against the schema of a command (or ``error``)."""
    library(name.replace(" ", "-")).validate(document)


@functools.cache
def load(file_name: str) -> dict[str, Any]:
    """The decoded schema of a file name."""
    document: dict[str, Any] = json.loads((SCHEMAS / file_name).read_bytes())
    assert document["$id"] == file_name
    return document


@functools.cache
def library(name: str) -> Draft202012Validator:
    """The library's own validator of a schema, for comparison with the closures."""
    document = load(f"{name}.schema.json")
    Draft202012Validator.check_schema(document)
    registry: Registry[Any] = Registry(retrieve=lambda uri: Resource.from_contents(load(uri)))
    return Draft202012Validator(document, registry=registry)


def tree_state(root: Path) -> dict[str, tuple[object, ...]]:
    """Kind, permissions, modification time and content of everything below ``root``."""
    return {path.relative_to(root).as_posix(): _state(path) for path in _walk(root)}


def changes(
    before: dict[str, tuple[object, ...]], after: dict[str, tuple[object, ...]]
) -> list[str]:
    """The paths that differ between two states, or exist in only one."""
    return sorted(
        path for path in before.keys() | after.keys() if before.get(path) != after.get(path)
    )


def _walk(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            empty_state = (
                name == STATE_FOLDER
                and path.is_dir()
                and all(one.name == SECRET for one in path.iterdir())
            )
            secret = name == SECRET and path.parent.name == STATE_FOLDER
            if name != LOCK_FILE and not secret and not empty_state:
                yield path


def _state(path: Path) -> tuple[object, ...]:
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        return (status.st_mode, os.readlink(path))
    if stat.S_ISREG(status.st_mode):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        return (status.st_mode, status.st_mtime_ns, digest)
    return (status.st_mode,)


ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Shown:
    """The output of one run on a terminal.

    Attributes:
        status: Exit status.
        text: All text on the terminal, line ends as LF.
        piped: The output that bypassed the terminal, if one of the streams is a pipe.
    """

    status: int
    text: str
    piped: str = ""

    @property
    def plain(self) -> str:
        """The text without styles."""
        return ANSI.sub("", self.text)


def in_terminal(
    *arguments: str,
    cwd: str | os.PathLike[str],
    columns: int = 80,
    rows: int = 24,
    env: Mapping[str, str] | None = None,
) -> str:
    """Everything that a successful run of ``git-zdev`` shows, without a pager."""
    shown = run_in_terminal(
        *arguments, cwd=cwd, columns=columns, rows=rows, env={"GIT_PAGER": "cat", **(env or {})}
    )
    assert shown.status == 0, shown.text
    return shown.text


def run_in_terminal(
    *arguments: str,
    cwd: str | os.PathLike[str],
    columns: int = 80,
    rows: int = 24,
    env: Mapping[str, str] | None = None,
    piped: str = "",
    program: Sequence[str] = (sys.executable, "-m", "git_zdev"),
) -> Shown:
    """Run ``git-zdev`` in its own terminal.

    Args:
        arguments: The words after the program's name.
        cwd: The current directory.
        columns: Width of the terminal.
        rows: Height of the terminal.
        env: Added to the current (sealed) environment; an empty ``TERM`` or ``LANG`` counts as
            unset.
        piped: ``stdout`` or ``stderr``, if that stream is a pipe instead.
        program: The program to start.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    if piped:
        streams[piped] = subprocess.PIPE
    around = {**PYTHON, "TERM": "xterm-256color"}
    with subprocess.Popen(
        [*program, *arguments], cwd=cwd, env={**os.environ, **around, **(env or {})}, **streams
    ) as process:
        os.close(theirs)
        shown = b"".join(iter(lambda: _read(ours), b""))
        pipe = getattr(process, piped) if piped else None
        past = pipe.read().decode() if pipe else ""
    os.close(ours)
    return Shown(process.returncode, shown.decode().replace("\r\n", "\n"), past)


def _read(descriptor: int) -> bytes:
    """The next bytes; empty at the end, which Linux reports as an error."""
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""


PROMPT = "$ "
ANYTHING = "..."


@dataclass
class Step:
    """A command and the output that the document shows."""

    command: str
    output: list[str] = field(default_factory=list)

    @property
    def fails(self) -> bool:
        """Whether the document shows it to fail."""
        return self.output[:1] != [] and self.output[0].startswith("error:")

    def pattern(self) -> str:
        """A regular expression for the whole output."""
        parts = []
        for line in (line.replace("…", ANYTHING) for line in self.output):
            if line == ANYTHING:
                parts.append("(?:.*\n)*")
            else:
                parts.append(".*".join(map(re.escape, line.split(ANYTHING))) + "\n")
        return "".join(parts)


def page_blocks(source: str) -> list[str]:
    """The literal blocks of a manual page, as shown, without their indent."""
    found = re.findall(r"^\.nf\n(.*?)^\.fi$", source, re.DOTALL | re.MULTILINE)
    shown = (plain.render(roff.render(f".nf\n{block}.fi\n", 80)) for block in found)
    indent = " " * roff.INDENT
    return ["".join(f"{line.removeprefix(indent)}\n" for line in one.splitlines()) for one in shown]


def markdown_blocks(source: str, language: str) -> list[str]:
    """The fenced blocks of a Markdown document in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", source, re.DOTALL | re.MULTILINE)


def steps(blocks: Iterable[str]) -> list[Step]:
    """The commands of all sessions among some blocks, in order."""
    return [step for block in blocks if block.startswith(PROMPT) for step in _session(block)]


def _session(block: str) -> Iterator[Step]:
    step: Step | None = None
    goes_on, here_document = False, ""
    for line in block.splitlines():
        if step is not None and (goes_on or here_document):
            step.command += f"\n{line}"
            if line == here_document:
                here_document = ""
        elif line.startswith(PROMPT):
            if step is not None:
                yield step
            step = Step(line.removeprefix(PROMPT))
        elif step is not None:
            step.output.append(line)
            continue
        goes_on = line.endswith("\\") or (step is not None and _is_open(step.command))
        opened = re.search(r"<<'(\w+)'", line)
        here_document = opened[1] if opened else here_document
    if step is not None:
        yield step


def _is_open(command: str) -> bool:
    """Whether a quote of the command is not closed yet."""
    try:
        shlex.split(command)
    except ValueError:
        return True
    return False


def play(session: Iterable[Step], folder: Path) -> None:
    """Run all commands in one shell, and compare each with the output in the document."""
    session = list(session)
    assert session
    script = folder.parent / "session.sh"
    lines = (f"{step.command}\nprintf '\\0%d\\0' $?\n" for step in session)
    script.write_text("exec 2>&1 </dev/null\n" + "".join(lines))
    done = subprocess.run(["bash", script], cwd=folder, capture_output=True, check=False)
    told = done.stdout.decode().split("\0")
    for step, output, status in zip(session, told[::2], told[1::2], strict=False):
        assert (status != "0") == step.fails, f"$ {step.command}\n{output}"
        if step.output:
            assert re.fullmatch(step.pattern(), output), f"$ {step.command}\n{output}"
    assert len(told) == 2 * len(session) + 1, done.stderr.decode()
