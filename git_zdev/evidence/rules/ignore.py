"""Which untracked paths are ignored (gitignore(5)).

From the strongest: the ``.gitignore`` files from the path's folder up to the root,
``$GIT_DIR/info/exclude``, ``core.excludesFile``. In one file the last line that matches decides.
Nothing below an ignored folder can be taken back in. libgit2 has rules of its own here (a ``!``
line counts only against lines of the same file, links are followed), so its answer is checked
against these.
"""

from __future__ import annotations

from git_zdev.evidence.rules.patterns import path_test, read_outside
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from git_zdev.evidence.rules.patterns import Test


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

    Attributes:
        takes_back: Whether a line starts with ``!``.
    """

    def __init__(self, text: bytes, *, base: bytes = b"", ignore_case: bool = False) -> None:
        self._rules: list[_Rule] = []
        lines = text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        for number, line in enumerate(lines):
            ended = number + 1 < len(lines)
            pattern = _without_trailing_spaces(line.removesuffix(b"\r") if ended else line)
            if pattern and not pattern.startswith(b"#"):
                self._rules.append(_rule(pattern, base, ignore_case=ignore_case))
        self._rules.reverse()
        self.takes_back = any(rule.negated for rule in self._rules)

    def verdict(self, path: bytes, *, folder: bool) -> bool | None:
        """Whether the file says that a path is ignored; None where it says nothing."""
        for rule in self._rules:
            if (folder or not rule.folders_only) and rule.matches(path):
                return not rule.negated
        return None

    def names(self, path: bytes, *, folder: bool) -> bool:
        """Whether any line without ``!`` matches."""
        return any(
            not rule.negated and (folder or not rule.folders_only) and rule.matches(path)
            for rule in self._rules
        )


def _rule(pattern: bytes, base: bytes, *, ignore_case: bool) -> _Rule:
    negated = pattern.startswith(b"!")
    pattern = pattern[negated:]
    folders_only = pattern.endswith(b"/")
    if folders_only:
        pattern = pattern[:-1]
    return _Rule(path_test(pattern, base, ignore_case=ignore_case), negated, folders_only)


def _without_trailing_spaces(line: bytes) -> bytes:
    """The line up to its trailing spaces, of which one that a backslash protects stays."""
    kept = line.rstrip(b" ")
    if len(kept) < len(line):
        backslashes = len(kept) - len(kept.rstrip(b"\\"))
        kept += line[len(kept) : len(kept) + backslashes % 2]
    return kept


class Ignores:
    """Tells which paths are ignored.

    Args:
        outer: The files outside of the work tree's folders, the strongest first.
        read: Gives the bytes of the ``.gitignore`` file of a folder (empty for the root, else with
            a trailing slash), None where there is none.
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
        parent = path[: path.rfind(b"/") + 1]
        return self._folder_is_ignored(parent) or self._verdict(path, parent, folder=False)

    def _folder_is_ignored(self, folder: bytes) -> bool:
        known = self._folders.get(folder)
        if known is None:
            path = folder[:-1]
            parent = path[: path.rfind(b"/") + 1]
            known = self._folder_is_ignored(parent) or self._verdict(path, parent, folder=True)
            self._folders[folder] = known
        return known

    def _verdict(self, path: bytes, parent: bytes, *, folder: bool) -> bool:
        for file in self._files_for(parent):
            verdict = file.verdict(path, folder=folder)
            if verdict is not None:
                return verdict
        return False

    def _files_for(self, folder: bytes) -> tuple[IgnoreFile, ...]:
        """The files that can say something about the paths in a folder, the strongest first."""
        found = self._files.get(folder)
        if found is None:
            above = self._outer
            if folder:
                above = self._files_for(folder[: folder[:-1].rfind(b"/") + 1])
            text = self._read(folder)
            found = above
            if text:
                own = IgnoreFile(text, base=folder, ignore_case=self._ignore_case)
                found = (own, *above)
            self._files[folder] = found
        return found

    def read_folder(self, folder: bytes) -> None:
        """Read the ignore files that count in a folder, unless they are known."""
        self._files_for(folder)

    @property
    def take_back(self) -> bool:
        """Whether any file that was read so far has a ``!`` line."""
        return any(file.takes_back for files in self._files.values() for file in files)

    def may_differ(self, folder: bytes) -> bool:
        """Whether libgit2 could take a folder for ignored that is not.

        That needs a line that names it or a folder above, and a ``!`` line that takes it back.
        """
        files = self._files_for(folder)
        if not any(file.takes_back for file in files) or self._folder_is_ignored(folder):
            return False
        end = folder.find(b"/")
        while end >= 0:
            if any(file.names(folder[:end], folder=True) for file in files):
                return True
            end = folder.find(b"/", end + 1)
        return False


def read_ignore_file(path: str | None, *, ignore_case: bool) -> IgnoreFile | None:
    """An ignore file outside of the work tree's folders, None where it does not exist.

    Raises:
        ZdevError: ``unreadable-file`` for a directory, a FIFO or the like.
    """
    text = None if path is None else read_outside(path)
    return None if text is None else IgnoreFile(text, ignore_case=ignore_case)
