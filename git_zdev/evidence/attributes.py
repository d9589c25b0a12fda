"""Attributes of paths (gitattributes(5)).

In ascending order of precedence the files are the system's, the user's (``core.attributesFile``),
those of the work tree from its root down to the path's folder (from the index if the work tree has
none), and ``$GIT_DIR/info/attributes``. In one file a later line wins, in one line a later word.
Macros cannot be defined in subfolders; ``binary`` is built in.
"""

from __future__ import annotations

import os

from git_zdev.evidence.ignore import path_test, read_outside, user_file
from git_zdev.git.config.config import system_folder
from git_zdev.git.config.config_file import parse_bool, unquoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from git_zdev.evidence.ignore import Test
    from git_zdev.git.read.worktree import WorkTree

Value = str | bool | None
"""A string, True for set, False for unset, None for unspecified."""

_MACRO = b"[attr]"
_LONGEST_LINE = 2048
_LARGEST_FILE = 100 * 1024 * 1024
_BLANKS = b" \t\r\n"
_NAME = frozenset(b"-._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_Setting = tuple[str, Value]
_Macros = dict[str, tuple[_Setting, ...]]


class Rules:
    """The lines of one attributes file.

    Args:
        text: The file's bytes.
        base: The folder to which its patterns are relative; empty for the root and for files
            outside the work tree, otherwise with a trailing slash.
        ignore_case: ``core.ignoreCase``.
        macros: Whether the file may define macros.

    Attributes:
        macros: The macros that it defines.
        names: The attributes that it mentions.
    """

    def __init__(
        self, text: bytes, *, base: bytes = b"", ignore_case: bool = False, macros: bool = True
    ) -> None:
        self.macros: _Macros = {}
        self.names: set[str] = set()
        self._lines: list[tuple[Test, tuple[_Setting, ...]]] = []
        if len(text) > _LARGEST_FILE:
            return
        for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
            self._add(line, base, ignore_case=ignore_case, macros=macros)

    def _add(self, line: bytes, base: bytes, *, ignore_case: bool, macros: bool) -> None:
        line = line.removesuffix(b"\r").partition(b"\0")[0]
        if len(line) >= _LONGEST_LINE:
            return
        line = line.strip(_BLANKS)
        if not line or line.startswith(b"#"):
            return
        pattern, rest = _split_pattern(line)
        settings = _settings(rest)
        if settings is None:
            return
        self.names.update(name for name, _ in settings)
        if pattern.startswith(_MACRO) and len(pattern) > len(_MACRO):
            name = _word(pattern[len(_MACRO) :].partition(b"\0")[0].lstrip(_BLANKS))
            if macros and _is_name(name):
                self.macros[name.decode("ascii")] = settings
            return
        pattern = pattern.partition(b"\0")[0]  # a quoted one may have such a byte
        if not pattern.startswith(b"!"):
            self._lines.append((_matcher(pattern, base, ignore_case=ignore_case), settings))

    def matching(self, path: bytes) -> Iterable[tuple[_Setting, ...]]:
        """The settings of the lines that match, in order of precedence."""
        return [settings for matches, settings in reversed(self._lines) if matches(path)]


_BUILT_IN: _Macros = {"binary": (("diff", False), ("merge", False), ("text", False))}


class Attributes:
    """Looks up attributes.

    Args:
        outer: Rules of the system's and the user's file, in ascending order of precedence.
        info: Rules of ``info/attributes``.
        read: Returns the bytes of the ``.gitattributes`` file of a folder (empty for the root,
            otherwise with a trailing slash); None if there is none.
        ignore_case: ``core.ignoreCase``.
    """

    def __init__(
        self,
        outer: Sequence[Rules],
        info: Rules | None,
        read: Callable[[bytes], bytes | None],
        *,
        ignore_case: bool = False,
    ) -> None:
        self._outer = list(outer)
        self._info = info
        self._read = read
        self._ignore_case = ignore_case
        self._folders: dict[bytes, Rules | None] = {}
        self._stacks: dict[bytes, list[Rules]] = {}

    def lookup(self, path: bytes, names: Iterable[str]) -> dict[str, Value]:
        """The values of the named attributes; unspecified ones are left out."""
        folder = path[: path.rfind(b"/") + 1]
        stack = self._stacks.get(folder)
        if stack is None:
            stack = self._stacks[folder] = self._stack(folder)
        if not stack:
            return {}
        macros = dict(_BUILT_IN)
        for rules in stack:
            macros.update(rules.macros)
        values: dict[str, Value] = {}
        for rules in reversed(stack):
            for settings in rules.matching(path):
                _fill(values, settings, macros)
        return {name: values[name] for name in names if values.get(name) is not None}

    def mention(self, names: Iterable[str], folder: bytes) -> bool:
        """Whether the file of a folder mentions one of the names."""
        rules = self._folder(folder)
        return rules is not None and not rules.names.isdisjoint(names)

    def mention_anywhere(self, names: Iterable[str]) -> bool:
        """Whether a file that applies in every folder mentions one of the names."""
        found = [*self._outer, self._info, self._folder(b"")]
        return any(rules is not None and not rules.names.isdisjoint(names) for rules in found)

    def _stack(self, folder: bytes) -> list[Rules]:
        """The rules for the paths in a folder, in ascending order of precedence."""
        stack = list(self._outer)
        end = 0
        while True:
            rules = self._folder(folder[:end])
            if rules is not None:
                stack.append(rules)
            end = folder.find(b"/", end) + 1
            if end == 0:
                break
        if self._info is not None:
            stack.append(self._info)
        return stack

    def _folder(self, folder: bytes) -> Rules | None:
        if folder not in self._folders:
            text = self._read(folder)
            self._folders[folder] = (
                None
                if text is None
                else Rules(text, base=folder, ignore_case=self._ignore_case, macros=not folder)
            )
        return self._folders[folder]


def attributes_of(tree: WorkTree) -> Attributes:
    """The attributes of a repository's paths; its files are read when they are needed."""
    environment, ignore_case = tree.environment, tree.ignores_case

    def rules(path: str | None) -> Rules | None:
        return read_rules(path, ignore_case=ignore_case)

    def in_folder(folder: bytes) -> bytes | None:
        path = folder + b".gitattributes"
        text = tree.read_rules(path)
        if text is not None:
            return text
        entry = tree.index.find(path) or tree.index.find(path, stage=2)
        return None if entry is None else _as_in_index(tree.read_blob(entry.blob))

    system = None
    if not parse_bool(environment.get("GIT_ATTR_NOSYSTEM", "0")):
        system = rules(f"{system_folder(environment)}/gitattributes")
    user = rules(user_file(tree, "core.attributesFile", "attributes"))
    info = rules(f"{tree.location.common_dir}/info/attributes")
    outer = [found for found in (system, user) if found is not None]
    return Attributes(outer, info, in_folder, ignore_case=ignore_case)


def _as_in_index(text: bytes) -> bytes:
    """The text of a blob as rules of a file with the same meaning.

    From the index, Git reads rules up to the first NUL, and a byte order mark starts a pattern.
    """
    return b"\n" + text.partition(b"\0")[0]


def read_rules(path: str | None, *, ignore_case: bool) -> Rules | None:
    """The rules of a file outside the work tree; None for a directory and if nothing is there.

    Raises:
        ZdevError: ``unreadable-file`` for a FIFO or the like.
    """
    text = None if path is None or os.path.isdir(path) else read_outside(path)
    return None if text is None else Rules(text, ignore_case=ignore_case)


def _fill(values: dict[str, Value], settings: Sequence[_Setting], macros: _Macros) -> None:
    """Set what no line of higher precedence has set; a macro that is set adds its own settings."""
    for name, value in reversed(settings):
        if name in values:
            continue
        values[name] = value
        if value is True and name in macros:
            _fill(values, macros[name], macros)


def _split_pattern(line: bytes) -> tuple[bytes, bytes]:
    if line.startswith(b'"'):
        quoted = unquoted(line)
        if quoted is not None:
            return quoted
    pattern = _word(line)
    return pattern, line[len(pattern) :]


def _word(text: bytes) -> bytes:
    """The bytes before the first blank."""
    return next((text[:end] for end, byte in enumerate(text) if byte in _BLANKS), text)


def _settings(text: bytes) -> tuple[_Setting, ...] | None:
    """The words after a pattern; None if one of them is not an attribute."""
    settings: list[_Setting] = []
    for word in text.split():
        name, equals, value = word.partition(b"=")
        setting: Value = True
        if equals:
            setting = value.decode("utf-8", "surrogateescape")
        elif name.startswith(b"-"):
            name, setting = name[1:], False
        elif name.startswith(b"!"):
            name, setting = name[1:], None
        if not _is_name(name):
            return None
        settings.append((name.decode("ascii"), setting))
    return tuple(settings)


def _is_name(name: bytes) -> bool:
    return bool(name) and not name.startswith(b"-") and _NAME.issuperset(name)


def _matcher(pattern: bytes, base: bytes, *, ignore_case: bool) -> Test:
    """A test of paths; only files have attributes, so a pattern for folders never matches."""
    if pattern.endswith(b"/"):
        return _never
    return path_test(pattern, base, ignore_case=ignore_case)


def _never(_path: bytes) -> bool:
    return False
