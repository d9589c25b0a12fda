"""The repository in which a state is built, and the register of all states."""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.repo import GitRepo, git

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


@dataclass
class StateRepo(GitRepo):
    """A repository with the verbs that states need.

    Attributes:
        home: The home directory that git and the program under test see.
    """

    home: Path = Path()

    def git(self, *arguments: Any, **options: Any) -> str:
        """Run git without background maintenance."""
        return super().git("-c", "maintenance.auto=false", "-c", "gc.auto=0", *arguments, **options)

    def at(self, path: Path) -> StateRepo:
        """The same home for another work tree."""
        return StateRepo(path, home=self.home)

    def sibling(self, name: str, *init: str) -> StateRepo:
        """A fresh repository beside this one."""
        return make_state_repo(self.path.parent / name, self.home, *init)

    def file(self, name: str | bytes) -> Path:
        """The absolute path of a name in the work tree."""
        return self.path / os.fsdecode(name)

    def link(self, name: str | bytes, target: str | bytes) -> None:
        """Make a symbolic link, replacing any file."""
        path = self.file(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        os.symlink(os.fsencode(target), os.fsencode(path))

    def remove(self, *names: str | bytes) -> None:
        """Remove files only from the work tree."""
        for name in names:
            self.file(name).unlink()

    def rename(self, old: str | bytes, new: str | bytes) -> None:
        """Rename only in the work tree."""
        self.file(new).parent.mkdir(parents=True, exist_ok=True)
        self.file(old).rename(self.file(new))

    def config(self, key: str, value: str) -> None:
        """Set a local configuration value."""
        self.git("config", key, value)

    def add(self, *names: str | bytes) -> None:
        """Stage these names, or everything."""
        self.git("add", *(("--", *names) if names else ("-A",)))

    def commit_all(self, message: str = "Change") -> str:
        """Stage and commit everything; return the commit's id."""
        self.add()
        return self.commit(message)

    def base(self, files: Mapping[str | bytes, str | bytes]) -> None:
        """Write files and commit them."""
        for name, content in files.items():
            self.write(name, content)
        self.commit_all("Base")

    def diverge(
        self,
        ours: Mapping[str, str | bytes | None],
        theirs: Mapping[str, str | bytes | None],
    ) -> None:
        """Commit one version on ``main`` and another on ``theirs``; None removes a file."""
        self.git("checkout", "-q", "-b", "theirs")
        self._commit_version(theirs)
        self.git("checkout", "-q", "main")
        self._commit_version(ours)

    def _commit_version(self, files: Mapping[str, str | bytes | None]) -> None:
        for name, content in files.items():
            if content is None:
                self.remove(name)
            else:
                self.write(name, content)
        self.commit_all()


def make_state_repo(path: Path, home: Path, *init: str) -> StateRepo:
    """Initialize a repository with only the files that Git needs."""
    path.mkdir(parents=True)
    git("init", "-q", "--template=", "--initial-branch=main", *init, cwd=path)
    return StateRepo(path, home=home)


BLANKS = {"FF": "\f", "VT": "\v", "tab": " \t", "CR": "\r", "FF CR": "\f \r"}
"""Characters for which C's ``isspace`` is true, by name."""

STATES: dict[str, Callable[[StateRepo], Path | None]] = {}
"""Every state by name: a function that builds it in an empty repository, and returns the work tree
to examine if that is another one."""


def state(build: Any) -> Any:
    """Register a builder under its own name."""
    return _register(build.__name__, build)


def states(**axes: Iterable[Any]) -> Callable[[Any], Any]:
    """Register a builder once for every combination of keyword arguments."""

    def register(build: Any) -> Any:
        for values in itertools.product(*axes.values()):
            chosen = dict(zip(axes, values, strict=True))
            label = "-".join(_label(value) for value in values)
            _register(f"{build.__name__}[{label}]", partial(build, **chosen))
        return build

    return register


def _register(name: str, build: Any) -> Any:
    if name in STATES:
        raise ValueError(f"two states are called {name}")
    STATES[name] = build
    return build


def _label(value: Any) -> str:
    words = "".join(c if c.isalnum() or c in "-._+" else "_" for c in str(value))
    return words or "empty"


def lines(*words: int | str, ending: str = "\n") -> str:
    """A text with one line per word, each with a line end."""
    return "".join(f"{word}{ending}" for word in words)


def numbered(count: int, changed: Mapping[int, str] | None = None, stem: str = "line") -> str:
    """``count`` numbered lines, counted from 1, some of them replaced."""
    changed = changed or {}
    return lines(*(changed.get(n, f"{stem} {n}") for n in range(1, count + 1)))
