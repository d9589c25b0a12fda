"""An opened repository, for the modules that read its index and its work tree."""

from __future__ import annotations

import os

from git_zdev.git.failures import reading
from git_zdev.git.read import libgit2, refs
from git_zdev.git.read.objects import BLOB, ObjectStore, require_all_whole
from git_zdev.ground.progress import UNSEEN
from git_zdev.ground.threads import patiently
from git_zdev.ground.values import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    from git_zdev.git.config.config import GitConfig
    from git_zdev.git.model import Head, Location
    from git_zdev.ground.progress import Progress

    _Result = TypeVar("_Result")


class Opened:
    """A repository that libgit2 has opened.

    Attributes:
        location: Where its parts are.
        config: Configuration as Git reads it.
        environment: The variables that led to it, for opening the repositories inside it.
        handles: The libgit2 handles (``ext``, ``ffi``, ``lib``).
        pointer: The cffi ``git_repository *``; lives as long as this object.
        object_folders: The folders in which objects are looked for, the repository's own first.
        raw: The same repository as the extension module's ``Repository``.
        progress: Where work that may last says how far it is; nobody sees it until it is set.
        has_expanded_index: Whether libgit2 has been given another index than the file's, which it
            cannot read.
    """

    progress: Progress = UNSEEN
    has_expanded_index: bool = False

    def __init__(
        self,
        location: Location,
        config: GitConfig,
        environment: Mapping[str, str],
        handles: libgit2.Handles,
        pointer: Any,
        *,
        object_folders: Sequence[str],
    ) -> None:
        self.location = location
        self.config = config
        self.environment = environment
        self.handles = handles
        self.pointer = pointer
        self.object_folders = object_folders
        boxed = handles.ffi.new("git_repository **", pointer)
        self.raw = handles.ext.Repository.__new__(handles.ext.Repository)
        self.raw._from_c(bytes(handles.ffi.buffer(boxed)), True)

    @cached_property
    def ignores_case(self) -> bool:
        """``core.ignoreCase``: whether names that differ only in case are one name to Git."""
        return self.config.get_bool("core.ignoreCase", default=False)

    @cached_property
    def folds_case(self) -> bool:
        """Whether the file system ignores letter case as ``core.ignoreCase`` says.

        The check is the one that Git makes when it creates a repository.
        """
        return self.ignores_case and os.path.lexists(f"{self.location.common_dir}/CoNfIg")

    @cached_property
    def objects(self) -> ObjectStore:
        """Objects, replaced ones in place of the original."""
        return ObjectStore(self.handles, self.raw, self.replacements, self.object_folders)

    def patiently(self, work: Callable[[], _Result], kept: object = None) -> _Result:
        """Do work of libgit2's that may meet a damaged object and never end.

        Args:
            work: The work, which holds the interpreter's lock at no time.
            kept: What has to live as long as the work.

        Raises:
            ZdevError: ``unreadable-repository`` if it takes long and an object is cut short.
        """
        return patiently(work, lambda: require_all_whole(self.object_folders), kept)

    @cached_property
    def replacements(self) -> dict[str, str]:
        """Object ids and what is to be read in their place; empty in most repositories."""
        return refs.replacements(
            self.handles, self.raw, self.location, self.config, self.environment
        )

    @reading
    def head(self) -> Head:
        """Where HEAD points; ``unreadable-repository`` when that is not known."""
        return refs.head(self.handles, self.raw, self.location)

    @reading
    def read_blob(self, blob: str) -> bytes:
        """The bytes of a blob; ``missing-object`` when it is not there."""
        return self.objects.read(blob, BLOB)
