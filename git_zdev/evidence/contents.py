"""The content on either side of a change, as Git compares it.

A blob comes from the object database (through ``refs/replace/``). A file of the work tree is read
once and converted to what Git would store. The content of a symbolic link is its target, that of a
submodule is one line with its commit.
"""

from __future__ import annotations

import os
import stat

from git_zdev.evidence.attributes import attributes_of
from git_zdev.evidence.filespec import FilePair, FileSpec
from git_zdev.evidence.filters import LFS, NAMES, Conversion, conversion, is_text_with_crlf, to_git
from git_zdev.evidence.userdiff import Driver, Drivers
from git_zdev.git.model import GITLINK, SYMLINK
from git_zdev.git.read.objects import blob_id
from git_zdev.git.read.worktree import changed
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.text import printable
from git_zdev.ground.values import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from git_zdev.git.port import Config
    from git_zdev.git.read.worktree import WorkTree


_LFS_HINT = (
    ", and Git LFS is computed only without lfs.extension.* and with the commands that "
    "`git lfs install` sets"
)
_PROBE = 8000
_BIG_FILE = 512 << 20
_KEPT = 64 << 20
"""How many bytes of content are kept."""


class Contents:
    """Reads contents and keeps them.

    If the bytes of a work tree file were dropped to save memory, the file is read again when they
    are needed, and must be unchanged.
    """

    def __init__(self, tree: WorkTree) -> None:
        self._tree = tree
        config = tree.config
        self._attributes = attributes_of(tree)
        self._drivers = Drivers(config)
        self._autocrlf = _autocrlf(config)
        self._big = config.get_int("core.bigFileThreshold", default=_BIG_FILE)
        self._ids: dict[bytes, str] = {}
        self._sizes: dict[bytes, int] = {}
        self._kept = _Kept(_KEPT)
        self._path_drivers: dict[bytes, Driver] = {}
        self._looked_at: set[FileSpec] = set()

    def id(self, spec: FileSpec) -> str:
        """The object id of a side; for a work tree file, the id under which Git would store it."""
        if spec.id:
            return spec.id
        if spec.path not in self._ids:
            if spec.is_gitlink:
                self._ids[spec.path] = self._tree.commit_at(spec.path) or "0" * 40
            else:
                self._read_work_tree(spec)
        return self._ids[spec.path]

    def data(self, spec: FileSpec) -> bytes:
        """The content; empty if the path does not exist on that side."""
        if not spec.exists:
            return b""
        if spec.is_gitlink:
            return b"Subproject commit " + self.id(spec).encode("ascii") + b"\n"
        if spec.id in self._tree.replacements:
            return self._replaced(spec)
        kept = self._kept.get(spec.id or spec.path)
        if kept is not None:
            return kept
        return self._read_blob(spec.id) if spec.id else self._read_work_tree(spec)

    def size(self, spec: FileSpec) -> int:
        """The content's size in bytes."""
        if spec.in_work_tree and spec.path in self._sizes:
            return self._sizes[spec.path]
        return len(self.data(spec))

    def driver(self, spec: FileSpec) -> Driver:
        """The diff driver; attributes count for regular files only."""
        return self._driver_of(spec.path) if spec.is_regular else self._drivers.default

    def begin_diff(self) -> None:
        """Forget what earlier diffs looked at: Git runs each diff in a process of its own."""
        self._looked_at.clear()

    def has_looked_at(self, spec: FileSpec) -> bool:
        """Whether Git would have read the content by now."""
        return spec in self._looked_at

    def look_at(self, spec: FileSpec) -> None:
        """Note that Git would have read the content by now; its size no longer counts then."""
        self._looked_at.add(spec)

    def is_binary(self, spec: FileSpec) -> bool:
        """Whether Git treats the content as binary, by driver, size, or a NUL near its start."""
        if spec.is_gitlink:
            return False
        settled = self.driver(spec).binary
        if settled is not None:
            return settled
        if self._is_big(spec):
            return True
        self.look_at(spec)
        return b"\0" in self.data(spec)[:_PROBE]

    def pair_is_binary(self, pair: FilePair) -> bool:
        """Whether Git shows a change without its lines.

        Before that, Git checked whether a work tree file of the recorded mode changed at all. It
        compared the sizes, for which a file that is converted must be read, and if they are equal,
        the contents.
        """
        old, new = pair.old, pair.new
        if new.in_work_tree and old.mode == new.mode:
            if self.size(old) == self.size(new):
                self.look_at(old)
                self.look_at(new)
            elif self._is_converted(new):
                self.look_at(new)
        return self.is_binary(old) or self.is_binary(new)

    def _is_big(self, spec: FileSpec) -> bool:
        """Whether its size alone makes it binary, which Git checks before it reads the content."""
        if spec in self._looked_at or (spec.in_work_tree and spec.mode == SYMLINK):
            return False
        found = self._tree.judged(spec.path) if spec.in_work_tree else None
        return (self.size(spec) if found is None else found.st_size) > self._big

    def _is_converted(self, spec: FileSpec) -> bool:
        convert = self.conversion(spec.path)
        return spec.is_regular and not (convert.does_nothing and convert.driver is None)

    def path_is_binary(self, path: bytes, contents: Iterable[bytes]) -> bool:
        """Whether the path's driver or any of the contents says binary, whatever its kind."""
        settled = self._driver_of(path).binary
        if settled is not None:
            return settled
        return any(b"\0" in data[:_PROBE] for data in contents)

    def conversion(self, path: bytes) -> Conversion:
        """How a path's bytes in the work tree become what Git stores."""
        return conversion(self._attributes.lookup(path, NAMES), self._autocrlf)

    def process_filter(self, path: bytes) -> tuple[str, str] | None:
        """A path's filter driver and the command of it that Git would start; None without one.

        Git LFS needs no process, unless its commands are not its own or it has extensions.
        """
        driver = self.conversion(path).driver
        if driver is None or (driver == LFS and self._is_lfs):
            return None
        commands = (name for name in ("clean", "process") if self._filter(driver, name))
        return next(((driver, command) for command in commands), None)

    @cached_property
    def _is_lfs(self) -> bool:
        """Whether the filter driver ``lfs`` is Git LFS itself."""
        from git_zdev.evidence.lfs import is_own_command

        kinds = ("clean", "process")
        commands = ((kind, self._filter(LFS, kind)) for kind in kinds)
        found = [(kind, command) for kind, command in commands if command is not None]
        return (
            bool(found)
            and all(is_own_command(kind, command) for kind, command in found)
            and not self._tree.config.has_below("lfs.extension.")
        )

    def _filter(self, driver: str, command: str) -> str | None:
        return self._tree.config.get(f"filter.{driver}.{command}")

    def may_convert(self) -> bool:
        """Whether files of any folder may be converted, by a setting or an attribute file."""
        return (
            self._autocrlf != "false"
            or self._attributes.mention_anywhere(NAMES)
            or self._staged_rules_may_convert(b"")
        )

    def may_convert_below(self, folder: bytes) -> bool:
        """Whether the attribute file of a folder, with a trailing slash, may convert anything."""
        return self._attributes.mention(NAMES, folder) or self._staged_rules_may_convert(folder)

    def _staged_rules_may_convert(self, folder: bytes) -> bool:
        """Whether staged rules may make libgit2 convert; it applies them even if there is a file.

        Git applies staged rules only if there is no file.
        """
        entry = self._tree.index.find(folder + b".gitattributes")
        if entry is None:
            return False
        try:
            rules = self._tree.read_blob(entry.blob)
        except ZdevError:  # libgit2 cannot read it either, and Git need not
            return False
        return any(name.encode("ascii") in rules for name in NAMES)

    def _driver_of(self, path: bytes) -> Driver:
        found = self._path_drivers.get(path)
        if found is None:
            found = self._drivers.of(self._attributes.lookup(path, ("diff",)).get("diff"))
            self._path_drivers[path] = found
        return found

    def _replaced(self, spec: FileSpec) -> bytes:
        """The content of a blob that another object replaces.

        If an unchanged file of the work tree holds the content of the blob, Git uses that instead.
        """
        found = self._unchanged_file(spec)
        if found is not None:
            return self._tree.read_file(spec.path, found)
        return self._tree.read_blob(spec.id)

    def _unchanged_file(self, spec: FileSpec) -> os.stat_result | None:
        """The state of the file that holds exactly what the index records for the path and id."""
        path, entry = spec.path, self._tree.index.find(spec.path)
        if entry is None or entry.blob != spec.id or entry.assume_unchanged or entry.skip_worktree:
            return None
        if not spec.is_regular or self._is_converted(spec):
            return None
        try:
            found = os.lstat(self._tree.name(path))
        except OSError:
            return None
        if not stat.S_ISREG(found.st_mode) or entry.mode != self._tree.mode_of(entry.mode, found):
            return None
        if self._tree.index.vouches_for(path, found):
            return found
        here = FileSpec(path, spec.mode)
        return (
            found if self._tree.index.has_seen(path, found) and self.id(here) == spec.id else None
        )

    def _read_blob(self, blob: str) -> bytes:
        data = self._tree.read_blob(blob)
        self._kept.add(blob, data)
        return data

    def _read_work_tree(self, spec: FileSpec) -> bytes:
        data = self._converted(spec)
        found = blob_id(data)
        if self._ids.setdefault(spec.path, found) != found:
            raise changed(spec.path)
        self._sizes[spec.path] = len(data)
        self._kept.add(spec.path, data)
        return data

    def _converted(self, spec: FileSpec) -> bytes:
        path, found = spec.path, self._tree.judged(spec.path)
        if spec.mode == SYMLINK and not (found and stat.S_ISREG(found.st_mode)):
            return self._tree.read_link(path)
        convert = self.conversion(path)
        if convert.driver is not None:
            self._require_no_process_filter(path)
        data = self._read_clean(path, convert.driver)
        if convert.does_nothing:
            return data
        return to_git(convert, path, data, lambda: self._crlf(path))

    def _read_clean(self, path: bytes, driver: str | None) -> bytes:
        """The file's bytes, or its Git LFS pointer where that is the filter."""
        if driver != LFS or not self._is_lfs:
            return self._tree.read_file(path)
        from git_zdev.evidence import lfs

        return self._tree.read_file(path, take=lambda blocks: lfs.clean(path, blocks))

    def _crlf(self, path: bytes) -> bool:
        entry = self._tree.index.find(path) or self._tree.index.find(path, stage=2)
        if entry is None or entry.mode == GITLINK:
            return False
        return is_text_with_crlf(self._tree.read_blob(entry.blob))

    def _require_no_process_filter(self, path: bytes) -> None:
        found = self.process_filter(path)
        if found is None:
            return
        driver, command = found
        name = printable(path)
        raise ZdevError(
            "filter-needs-process",
            f"{name} may have changed, and its filter {driver} would have to start a process",
            f"Commit or stash the file, or unset the filter attribute; filter.{driver}.{command} "
            f"is never run here{_LFS_HINT if driver == LFS else ''}. If the file did not change, "
            "`git status` settles it",
            details={"path": name, "filter": driver},
        )


class _Kept:
    """The most recently used contents, by blob id or by path, up to a total size.

    Most are needed several times in a row, and those of the index again for the other diff.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0
        self._contents: dict[str | bytes, bytes] = {}

    def get(self, key: str | bytes) -> bytes | None:
        return self._contents.get(key)

    def add(self, key: str | bytes, data: bytes) -> None:
        """Keep a content, and drop the oldest ones to make room."""
        if len(data) > self._limit or key in self._contents:
            return
        self._contents[key] = data
        self._held += len(data)
        while self._held > self._limit:
            oldest = next(iter(self._contents))
            self._held -= len(self._contents.pop(oldest))


def _autocrlf(config: Config) -> str:
    """``core.autocrlf`` as ``true``, ``input`` or ``false``."""
    if (config.get("core.autocrlf") or "").lower() == "input":
        return "input"
    return "true" if config.get_bool("core.autocrlf", default=False) else "false"
