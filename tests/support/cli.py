"""Runs the program as a user does: in a process of its own, on a real repository.

Results are validated against the shipped schema of their command each time they are read, and a
refusal is asserted as a whole: code, exit status, silent stdout, and nothing changed on disk.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
from referencing import Registry, Resource

import git_zdev

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PACKAGE_PARENT = Path(git_zdev.__file__).parents[1]
PYTHON = {
    "PYTHONPATH": str(PACKAGE_PARENT),
    "PYTHONSAFEPATH": "1",
    "PYTHONDONTWRITEBYTECODE": "",
}
"""Finds the package that is under test, and lets it be compiled once instead of at each run."""

SCHEMAS = Path(__file__).parents[2] / "schemas"
LOCK_FILE = "zdev-state.lock"
STATE_FOLDER = "zdev"
SECRET = "secret"
"""All three stay behind in the Git directory by design; the lock's file, the secret, and the folder
while it holds nothing else, are no change."""


@dataclass(frozen=True)
class Run:
    """What one run of the program left.

    Attributes:
        arguments: The words after the program's name.
        status: Exit status; negative when a signal ended the process.
        stdout: What it printed.
        stderr: What it reported.
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

    A traceback on stderr fails the test, whatever was expected.
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
    """Run a command that is expected to do what it is asked."""
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
    """The JSON result of a command, held against its schema.

    Args:
        command: The command's words, such as ``area create``; they also name the schema.
        arguments: What follows them.
        cwd: Where to run.
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

    Asserts the code, the exit status, that nothing stands on stdout, that the error fits its
    schema, and that no file below ``unchanged`` (``cwd`` when it is not given) changed.
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
    """Start a command that prints JSON, beside others."""
    return subprocess.Popen(
        [sys.executable, "-m", "git_zdev", "--format=json", *arguments],
        cwd=cwd,
        env={**os.environ, **PYTHON},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def ended(started: subprocess.Popen[bytes]) -> bytes:
    """What a command that was started has printed, once it has done what it was asked."""
    printed, said = started.communicate()
    assert started.returncode == 0, said.decode()
    return printed


def modules_of(*arguments: str, cwd: str | os.PathLike[str]) -> set[str]:
    """The modules that a command which succeeds has imported by its end."""
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
    """Hold a document against the schema of a command (or ``error``)."""
    _validator(name.replace(" ", "-")).validate(document)


@functools.cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    schema = _schema(f"{name}.schema.json")
    jsonschema.Draft202012Validator.check_schema(schema)
    registry: Registry[Any] = Registry(retrieve=lambda uri: Resource.from_contents(_schema(uri)))
    return jsonschema.Draft202012Validator(schema, registry=registry)


def _schema(file_name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((SCHEMAS / file_name).read_bytes())
    assert schema["$id"] == file_name
    return schema


def tree_state(root: Path) -> dict[str, tuple[object, ...]]:
    """Kind, permissions, modification time and content of everything below ``root``."""
    return {path.relative_to(root).as_posix(): _state(path) for path in _walk(root)}


def changes(
    before: dict[str, tuple[object, ...]], after: dict[str, tuple[object, ...]]
) -> list[str]:
    """The paths that differ between two states, or exist in one only."""
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
