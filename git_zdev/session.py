"""What one run works on, opened when it is first asked for.

A session holds the surroundings that the command line gave (current directory, environment,
``--root``) so that nothing below has to look at the process. Records can be read without a
repository; whatever needs Git opens it here, once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from git_zdev.git.port import Location, Repository
    from git_zdev.records.store import FileSource


@dataclass(frozen=True)
class Surroundings:
    """What the process gives a run.

    Attributes:
        directory: Absolute current directory.
        environment: The environment's variables.
        root: The value of ``--root``, None for discovery.
        read_stdin: Reads the whole of standard input.
        interactive: Whether standard output is a terminal and text is wanted.
    """

    directory: str
    environment: Mapping[str, str]
    root: str | None
    read_stdin: Callable[[], bytes]
    interactive: bool


class Session:
    """One run: its plan root, records and repository."""

    def __init__(self, surroundings: Surroundings) -> None:
        self.surroundings = surroundings

    @cached_property
    def root(self) -> str:
        """Absolute path of the folder that holds ``.zdev``.

        Raises:
            ZdevError: ``not-initialized`` when no record tree is found.
        """
        from git_zdev.git import discovery

        around = self.surroundings
        return discovery.plan_root(around.directory, around.environment, around.root)

    @cached_property
    def location(self) -> Location:
        """Where the repository's parts are.

        Raises:
            ZdevError: ``not-a-repository`` or ``bare-repository``.
        """
        from git_zdev.git import discovery

        around = self.surroundings
        return discovery.discover(around.directory, around.environment, around.root)

    @cached_property
    def repository(self) -> Repository:
        """The repository, opened for reading through libgit2."""
        from git_zdev.git.repository import open_repository

        return open_repository(self.location, self.surroundings.environment)

    @cached_property
    def records(self) -> FileSource:
        """The record files of the work tree."""
        from git_zdev.records.store import FileSource

        return FileSource(self.root)
