"""Real repositories for tests, made by the installed Git, sealed from the machine.

The environment that Git sees is built here and nowhere else: an own HOME, no system configuration,
fixed identities and dates. ``tests/conftest.py`` puts the same into ``os.environ``, so that a
program started by a test is as sealed as the Git commands that prepare its repository.
``ZDEV_TEST_GIT`` names another Git binary than the one on PATH.
"""

from __future__ import annotations

import functools
import os
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

GIT = os.environ.get("ZDEV_TEST_GIT", "git")

IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada Author",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "1700000000 +0000",
    "GIT_COMMITTER_NAME": "Cleo Committer",
    "GIT_COMMITTER_EMAIL": "cleo@example.org",
    "GIT_COMMITTER_DATE": "1700000000 +0000",
}


def sealed_environment(home: Path) -> dict[str, str]:
    """The environment of a machine on which nobody configured anything; HOME is ``home``."""
    inherited = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    return inherited | {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": str(home.parent),
        "GIT_EDITOR": "false",
        "PAGER": "cat",
        "GIT_SEQUENCE_EDITOR": "false",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C.UTF-8",
        **IDENTITY,
    }


def git(
    *arguments: str | bytes | os.PathLike[str],
    cwd: str | os.PathLike[str],
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    check: bool = True,
) -> subprocess.CompletedProcess[bytes]:
    """Run Git in ``cwd``; ``env`` is added to the current (sealed) environment.

    A failure shows what Git said, unless ``check`` is off.
    """
    done = subprocess.run(
        [GIT, *arguments],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        input=b"" if stdin is None else stdin,
        capture_output=True,
        check=False,
    )
    if check and done.returncode:
        words = " ".join(os.fsdecode(argument) for argument in arguments)
        raise AssertionError(f"git {words}: exit {done.returncode}\n{done.stderr.decode()}")
    return done


@functools.cache
def git_version() -> tuple[int, int]:
    """Major and minor number of the Git that the tests use."""
    done = subprocess.run([GIT, "version"], capture_output=True, check=True)
    major, minor = done.stdout.decode().split()[2].split(".")[:2]
    return int(major), int(minor)


@dataclass
class GitRepo:
    """A repository in a temporary folder, and the few verbs that tests need.

    Attributes:
        path: Root of the work tree.
    """

    path: Path
    _tick: int = field(default=1_700_000_000, repr=False)

    def git(
        self,
        *arguments: str | bytes | os.PathLike[str],
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        check: bool = True,
    ) -> str:
        """Run Git in the work tree; its output without the last line end."""
        done = git(*arguments, cwd=self.path, env=env, stdin=stdin, check=check)
        return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")

    def write(self, path: str | bytes, content: str | bytes = "") -> Path:
        """Write a file of the work tree, with the folders above it."""
        target = self.path / os.fsdecode(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    def commit(self, message: str = "Change", /, **files: str | bytes) -> str:
        """Write ``files`` (``__`` in a name is a dot), stage them and commit all that is staged.

        Each commit is one second later than the one before. Returns the new commit id.
        """
        for name, content in files.items():
            path = name.replace("__", ".")
            self.write(path, content)
            self.git("add", "--", path)
        self._tick += 1
        date = {
            "GIT_AUTHOR_DATE": f"{self._tick} +0000",
            "GIT_COMMITTER_DATE": f"{self._tick} +0000",
        }
        self.git("commit", "-q", "--allow-empty", "-m", message, env=date)
        return self.rev("HEAD")

    def rev(self, revision: str) -> str:
        """The full object id that a revision names."""
        return self.git("rev-parse", "--verify", revision)


def make_repo(path: Path, *, branch: str = "main", options: tuple[str, ...] = ()) -> GitRepo:
    """Initialize a repository at ``path``; ``options`` go to ``git init``."""
    path.mkdir(parents=True, exist_ok=True)
    git("init", "-q", f"--initial-branch={branch}", *options, cwd=path)
    return GitRepo(path)
