"""Which untracked paths are ignored (gitignore(5)).

In order of precedence the rules are in the ``.gitignore`` files from the path's folder up to the
root, in ``$GIT_DIR/info/exclude``, and in ``core.excludesFile``. In one file the last line that
matches decides. A path below an ignored folder is ignored, whatever other rules say.

A pattern without a slash is compared with the last component, any other pattern with the path below
the folder of its file. Bytes are compared as they are; with ``core.ignoreCase`` letter case does
not count. Attributes use the same patterns (:func:`path_test`).
"""

from __future__ import annotations

import os

from git_zdev.git.config.config import xdg_folder
from git_zdev.git.read import files
from git_zdev.git.read.worktree import unreadable
from git_zdev.git.wildmatch import wildmatch
from git_zdev.ground.paths import folder_above, unknown_folders
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from git_zdev.git.read.worktree import WorkTree

    Test = Callable[[bytes], bool]


@dataclass(frozen=True, slots=True)
class _Rule:
    matches: Test
    negated: bool
    folders_only: bool


class IgnoreFile:
    """The lines of one ignore file.

    Args:
        text: The file's bytes.
        base: The folder to which its patterns are relative, empty or with a trailing slash.
        ignore_case: ``core.ignoreCase``.
    """

    def __init__(self, text: bytes, *, base: bytes = b"", ignore_case: bool = False) -> None:
        self._rules: list[_Rule] = []
        for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
            pattern = _without_trailing_spaces(line.removesuffix(b"\r").partition(b"\0")[0])
            if pattern and not pattern.startswith(b"#"):
                self._rules.append(_rule(pattern, base, ignore_case=ignore_case))
        self._rules.reverse()

    def verdict(self, path: bytes, *, folder: bool) -> bool | None:
        """Whether the file says that a path is ignored; None if no line matches."""
        for rule in self._rules:
            if (folder or not rule.folders_only) and rule.matches(path):
                return not rule.negated
        return None


def _rule(pattern: bytes, base: bytes, *, ignore_case: bool) -> _Rule:
    negated = pattern.startswith(b"!")
    pattern = pattern[negated:]
    folders_only = pattern.endswith(b"/")
    if folders_only:
        pattern = pattern[:-1]
    return _Rule(path_test(pattern, base, ignore_case=ignore_case), negated, folders_only)


def _without_trailing_spaces(line: bytes) -> bytes:
    """The line without trailing spaces, except one after a backslash."""
    kept = line.rstrip(b" ")
    if len(kept) < len(line):
        backslashes = len(kept) - len(kept.rstrip(b"\\"))
        kept += line[len(kept) : len(kept) + backslashes % 2]
    return kept


class Ignores:
    """Decides which paths are ignored.

    Args:
        outer: The files outside the folders of the work tree, in order of precedence.
        read: Returns the bytes of the ``.gitignore`` file of a folder (empty for the root,
            otherwise with a trailing slash); None if there is none.
        ignore_case: ``core.ignoreCase``.
    """

    def __init__(
        self,
        outer: Sequence[IgnoreFile],
        read: Callable[[bytes], bytes | None],
        *,
        ignore_case: bool = False,
    ) -> None:
        self._outer = tuple(outer)
        self._read = read
        self._ignore_case = ignore_case
        self._files: dict[bytes, tuple[IgnoreFile, ...]] = {}
        self._folders: dict[bytes, bool] = {b"": False}

    def is_ignored(self, path: bytes) -> bool:
        """Whether a path is ignored; one that ends in a slash is a folder."""
        if path.endswith(b"/"):
            return self._folder_is_ignored(path)
        above = path[: path.rfind(b"/") + 1]
        return self._folder_is_ignored(above) or self._verdict(path, above, folder=False)

    def _folder_is_ignored(self, folder: bytes) -> bool:
        for inner in unknown_folders(folder, self._folders):
            above = folder_above(inner)
            self._folders[inner] = self._folders[above] or self._verdict(
                inner[:-1], above, folder=True
            )
        return self._folders[folder]

    def _verdict(self, path: bytes, above: bytes, *, folder: bool) -> bool:
        for file in self._files_for(above):
            verdict = file.verdict(path, folder=folder)
            if verdict is not None:
                return verdict
        return False

    def _files_for(self, folder: bytes) -> tuple[IgnoreFile, ...]:
        """The files with rules for the paths in a folder, in order of precedence."""
        for inner in unknown_folders(folder, self._files):
            found = self._files[folder_above(inner)] if inner else self._outer
            text = self._read(inner)
            if text:
                own = IgnoreFile(text, base=inner, ignore_case=self._ignore_case)
                found = (own, *found)
            self._files[inner] = found
        return self._files[folder]

    def read_folder(self, folder: bytes) -> None:
        """Read the ignore files that apply in a folder, unless they were read before."""
        self._files_for(folder)


def ignores_of(tree: WorkTree) -> Ignores:
    """The ignore rules of a repository; ``.gitignore`` files are read when they are needed."""
    ignore_case = tree.ignores_case
    paths = (
        f"{tree.location.common_dir}/info/exclude",
        user_file(tree, "core.excludesFile", "ignore"),
    )
    found = [read_ignore_file(path, ignore_case=ignore_case) for path in paths]
    outer: list[IgnoreFile] = [file for file in found if file is not None]

    def read(folder: bytes) -> bytes | None:
        path = folder + b".gitignore"
        if tree.leads_anywhere(path):
            return tree.read_rules(path)
        entry = tree.index.find(path)
        if entry is None or not entry.skip_worktree:
            return None
        return tree.read_blob(entry.blob)

    return Ignores(outer, read, ignore_case=ignore_case)


def user_file(tree: WorkTree, key: str, default: str) -> str | None:
    """The user's own file of patterns.

    Git looks for a relative path from the root of the work tree, and an empty one names no file.

    Args:
        tree: The work tree.
        key: The setting that names the file.
        default: Its name in the user's folder for Git if the setting is not there.
    """
    path = tree.config.get_path(key)
    if path is not None:
        return os.path.join(tree.root, path) if path else None
    folder = xdg_folder(tree.environment)
    return None if folder is None else f"{folder}/{default}"


def read_ignore_file(path: str | None, *, ignore_case: bool) -> IgnoreFile | None:
    """An ignore file outside the folders of the work tree; None if it does not exist.

    Raises:
        ZdevError: ``unreadable-file`` for a directory, a FIFO or the like.
    """
    text = None if path is None else read_outside(path)
    return None if text is None else IgnoreFile(text, ignore_case=ignore_case)


_SPECIAL = b"*?[\\"


def path_test(pattern: bytes, base: bytes, *, ignore_case: bool) -> Test:
    """A test of whole paths.

    Args:
        pattern: The pattern without ``!`` and without a trailing slash.
        base: The folder of its file, empty or with a trailing slash.
        ignore_case: Whether letter case does not count.
    """
    if ignore_case:
        exact = _exact_test(pattern, base.lower(), lowered=True)
        return lambda path: exact(path.lower())
    return _exact_test(pattern, base, lowered=False)


def _exact_test(pattern: bytes, base: bytes, *, lowered: bool) -> Test:
    """The test; if ``lowered``, of paths in lower case."""
    if b"/" not in pattern:
        same = _name_test(pattern, lowered=lowered)
        if not base:
            return lambda path: same(path[path.rfind(b"/") + 1 :])
        return lambda path: path.startswith(base) and same(path[path.rfind(b"/") + 1 :])
    # Git compares the part before the first wildcard literally, and the rest as a pattern of its
    # own, in which a "**" at the start is a whole component.
    pattern = pattern.removeprefix(b"/")
    literal = _literal_length(pattern)
    prefix = base + (pattern[:literal].lower() if lowered else pattern[:literal])
    if literal == len(pattern):
        return prefix.__eq__
    rest = wildmatch(pattern[literal:], folded=lowered)
    return lambda path: path.startswith(prefix) and rest(path[len(prefix) :])


def _name_test(pattern: bytes, *, lowered: bool) -> Test:
    """A test of a last component, by plain comparison if that is enough."""
    folded = pattern.lower() if lowered else pattern
    if _literal_length(pattern) == len(pattern):
        return folded.__eq__
    if pattern.startswith(b"*") and _literal_length(pattern[1:]) == len(pattern) - 1:
        return lambda name: name.endswith(folded[1:])
    return wildmatch(pattern, folded=lowered)


def _literal_length(pattern: bytes) -> int:
    """The number of bytes before the first special one."""
    found = (pattern.find(byte) for byte in _SPECIAL)
    return min((at for at in found if at >= 0), default=len(pattern))


def read_outside(path: str) -> bytes | None:
    """The bytes of a file of patterns outside the work tree; None if there is none.

    Raises:
        ZdevError: ``unreadable-file`` for a directory, a FIFO or the like.
    """
    try:
        return files.read(path)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    except OSError as error:
        raise unreadable(os.fsencode(path), error.strerror) from error
