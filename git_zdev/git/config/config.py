"""Configuration as Git reads it: every scope, includes, and the command line's.

In Git's order, later values win (git-config(1), "FILES" and "SCOPES"): the system file, the two
global files, the repository's file, the work tree's file where ``extensions.worktreeConfig`` is
on, and what ``git -c`` and ``GIT_CONFIG_COUNT`` give. ``GIT_CONFIG_SYSTEM``,
``GIT_CONFIG_GLOBAL`` and ``GIT_CONFIG_NOSYSTEM`` are honoured. The reader is our own because
libgit2 knows neither the command line's values nor these variables nor every include condition;
:mod:`git_zdev.git.config.config_bridge` shows libgit2 what was found here.
"""

from __future__ import annotations

import os

from git_zdev.git.config import config_file
from git_zdev.git.config.command_config import command_entries
from git_zdev.git.config.config_file import expand_home, parse_bool, parse_int
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from git_zdev.git.model import Location

DEEPEST_INCLUDE = 10
"""How many files deep Git follows includes."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One value as it was read.

    Attributes:
        key: ``section.name`` or ``section.subsection.name``, section and name in lower case.
        value: The value; None for a name without one, which Git reads as true.
        scope: ``system``, ``global``, ``local``, ``worktree`` or ``command``.
        origin: The file; empty for the command line.
    """

    key: str
    value: str | None
    scope: str
    origin: str


@dataclass(frozen=True, slots=True)
class Sources:
    """The files that hold configuration by default, whether or not they exist.

    Attributes:
        system: The machine's file; None if it is switched off.
        xdg: The first global file; None without a home or when ``GIT_CONFIG_GLOBAL`` is set.
        user: ``~/.gitconfig``, or what ``GIT_CONFIG_GLOBAL`` names.
    """

    system: str | None
    xdg: str | None
    user: str | None


class GitConfig:
    """Configuration that was read; implements :class:`git_zdev.git.port.Config`.

    Attributes:
        entries: All values in the order in which Git reads them.
        sources: The default files of the outer scopes.
        depth: How many files deep includes go.
    """

    def __init__(
        self, entries: Sequence[Entry], sources: Sources, home: str | None, depth: int = 0
    ) -> None:
        self.entries = tuple(entries)
        self.depth = depth
        self.sources = sources
        self._home = home
        self._by_key: dict[str, list[Entry]] = {}
        for entry in self.entries:
            self._by_key.setdefault(entry.key, []).append(entry)

    def last(self, key: str) -> Entry | None:
        """The entry that decides ``key``."""
        found = self._by_key.get(config_file.canonical_key(key) or "")
        return found[-1] if found else None

    def get(self, key: str) -> str | None:
        """The last value of ``key``; an empty string for a key without a value."""
        entry = self.last(key)
        return None if entry is None else entry.value or ""

    def last_of(self, *keys: str) -> Entry | None:
        """The entry of any of the keys that Git reads last."""
        known = {config_file.canonical_key(key) for key in keys}
        return next((entry for entry in reversed(self.entries) if entry.key in known), None)

    def get_all(self, key: str) -> Sequence[str]:
        """Every value of ``key``, in the order in which Git reads them."""
        found = self._by_key.get(config_file.canonical_key(key) or "", ())
        return [entry.value or "" for entry in found]

    def has_below(self, prefix: str) -> bool:
        """Whether any key begins with ``prefix``, in lower case, whatever the key's own case."""
        return any(key.lower().startswith(prefix) for key in self._by_key)

    def get_bool(self, key: str, *, default: bool) -> bool:
        """The value as Git's boolean.

        Raises:
            ZdevError: ``invalid-git-config`` for a value that is not one.
        """
        found = default
        for entry in self._deciding(key):
            value = parse_bool(entry.value)
            if value is None:
                raise _malformed(entry, "a boolean")
            found = value
        return found

    def get_int(self, key: str, *, default: int) -> int:
        """The value as Git's integer, with its ``k``, ``m`` or ``g``.

        Raises:
            ZdevError: ``invalid-git-config`` for a value that is not one.
        """
        found = default
        for entry in self._deciding(key):
            value = parse_int(entry.value or "")
            if value is None:
                raise _malformed(entry, "an integer")
            found = value
        return found

    def _deciding(self, key: str) -> Sequence[Entry]:
        """The entries that Git parses to learn a value; the last of them counts.

        It stops at a malformed one of ``core`` and ``diff``, even if a later one replaces it.
        """
        found = self._by_key.get(config_file.canonical_key(key) or "", ())
        return found if key.startswith(("core.", "diff.")) else found[-1:]

    def get_word(self, key: str, words: Sequence[str], *, default: str) -> str:
        """The value, which must be one of some words wherever it is set.

        Raises:
            ZdevError: ``invalid-git-config`` for a value that is none, whether or not it is the
                last one.
        """
        found = default
        for entry in self._by_key.get(config_file.canonical_key(key) or "", ()):
            if entry.value is None or entry.value not in words:
                raise _malformed(entry, " or ".join(words))
            found = entry.value
        return found

    def get_path(self, key: str) -> str | None:
        """The value as Git's path name, ``~/`` and ``~user/`` expanded."""
        value = self.get(key)
        return None if value is None else expand_home(value, self._home)


def read_config(location: Location | None, environment: Mapping[str, str]) -> GitConfig:
    """Read all configuration that is in force.

    Args:
        location: The repository; None reads what Git calls protected configuration, the scopes
            that a repository cannot write.
        environment: The process's environment.

    Raises:
        ZdevError: ``invalid-git-config`` for a file or variable that Git could not read either.
    """
    sources = default_sources(environment)
    reader = _Reader(location, sources, environment)
    return GitConfig(reader.read(), sources, environment.get("HOME"), reader.depth)


def default_sources(environment: Mapping[str, str]) -> Sources:
    """Where the files of the outer scopes are."""
    system: str | None = None
    if not parse_bool(environment.get("GIT_CONFIG_NOSYSTEM", "0")):
        system = environment.get("GIT_CONFIG_SYSTEM", system_folder(environment) + "/gitconfig")
    if "GIT_CONFIG_GLOBAL" in environment:
        return Sources(system, None, environment["GIT_CONFIG_GLOBAL"])
    home, folder = environment.get("HOME"), xdg_folder(environment)
    return Sources(
        system,
        None if folder is None else f"{folder}/config",
        None if home is None else f"{home}/.gitconfig",
    )


def xdg_folder(environment: Mapping[str, str]) -> str | None:
    """The folder of the user's ``config``, ``ignore`` and ``attributes`` files."""
    if environment.get("XDG_CONFIG_HOME"):
        return f"{environment['XDG_CONFIG_HOME']}/git"
    return f"{environment['HOME']}/.config/git" if "HOME" in environment else None


def system_folder(environment: Mapping[str, str]) -> str:
    """The folder of the machine's ``gitconfig`` and ``gitattributes``.

    Git has it built in, relative to where it was installed: ``/etc`` for ``/usr/bin/git``, else
    ``etc`` beside the ``bin`` folder that holds it.
    """
    for folder in environment.get("PATH", "").split(":"):
        if os.path.basename(folder) != "git-core" and os.access(f"{folder}/git", os.X_OK):
            prefix = os.path.dirname(folder.rstrip("/"))
            return "/etc" if prefix in ("", "/", "/usr") else f"{prefix}/etc"
    return "/etc"


def _malformed(entry: Entry, expected: str) -> ZdevError:
    place = entry.origin or "the command line"
    return ZdevError(
        "invalid-git-config",
        f"{entry.key} is {entry.value!r} in {place}, but must be {expected}",
        f"Correct it with `git config {entry.key} <value>`",
    )


class _Reader:
    """Reads the scopes one after the other; follows includes."""

    def __init__(
        self,
        location: Location | None,
        sources: Sources,
        environment: Mapping[str, str],
        *,
        for_urls: bool = False,
    ) -> None:
        self.location = location
        self.sources = sources
        self.environment = environment
        self.for_urls = for_urls
        self.entries: list[Entry] = []
        self.depth = 0
        self._urls: list[str] | None = None

    def read(self) -> list[Entry]:
        self.file(self.sources.system, "system")
        self.file(self.sources.xdg, "global")
        self.file(self.sources.user, "global")
        if self.location is not None:
            shared = f"{self.location.common_dir}/config"
            self.file(shared, "local")
            if self._has_work_tree_file(shared):
                self.file(f"{self.location.git_dir}/config.worktree", "worktree")
        for key, value in command_entries(self.environment):
            self.add(Entry(key, value, "command", ""), 0)
        return self.entries

    def _has_work_tree_file(self, shared: str) -> bool:
        key = "extensions.worktreeconfig"
        own = [e.value for e in self.entries if e.key == key and e.origin == shared]
        return bool(own) and bool(parse_bool(own[-1]))

    def file(self, path: str | None, scope: str, depth: int = 0) -> None:
        if not path:
            return
        for key, value in config_file.read(path):
            self.add(Entry(key, value, scope, path), depth)

    def add(self, entry: Entry, depth: int) -> None:
        """Take an entry, and right after it what it includes."""
        self.entries.append(entry)
        if not entry.key.startswith("include") or entry.value is None:
            return
        if entry.key == "include.path" or self._is_met(entry):
            self.include(entry, depth + 1)

    def include(self, entry: Entry, depth: int) -> None:
        path = expand_home(entry.value or "", self.environment.get("HOME"))
        if not path.startswith("/"):
            if not entry.origin:
                raise ZdevError(
                    "invalid-git-config",
                    f"the command line includes {path!r}, a relative path",
                    "Name the file to include with its absolute path",
                )
            path = os.path.join(os.path.dirname(entry.origin), path)
        if not os.access(path, os.R_OK):
            return
        self.depth = max(self.depth, depth)
        if depth > DEEPEST_INCLUDE:
            raise ZdevError(
                "invalid-git-config",
                f"{entry.origin} includes {path}, more than {DEEPEST_INCLUDE} files deep",
                "Look for files that include each other",
            )
        self.file(path, entry.scope, depth)

    def _is_met(self, entry: Entry) -> bool:
        """Whether the condition of an ``includeIf.<condition>.path`` entry holds."""
        if not entry.key.startswith("includeif.") or not entry.key.endswith(".path"):
            return False
        from git_zdev.git.config import conditions

        condition = entry.key.removeprefix("includeif.").removesuffix(".path")
        kind, _, pattern = condition.partition(":")
        if kind == "hasconfig" and pattern.startswith("remote.*.url:"):
            wanted = pattern.removeprefix("remote.*.url:")
            return self.for_urls or conditions.any_url_matches(wanted, self._remote_urls())
        if self.location is None:
            return False
        if kind == "onbranch":
            return conditions.branch_matches(pattern, self.location.git_dir)
        if kind in ("gitdir", "gitdir/i"):
            folder = os.path.dirname(os.path.realpath(entry.origin)) if entry.origin else None
            return conditions.git_dir_matches(
                expand_home(pattern, self.environment.get("HOME")),
                self.location.git_dir,
                folder,
                ignore_case=kind.endswith("/i"),
            )
        return False

    def _remote_urls(self) -> list[str]:
        """The URLs of all remotes, wherever they are configured."""
        if self._urls is None:
            reader = _Reader(self.location, self.sources, self.environment, for_urls=True)
            self._urls = [
                entry.value
                for entry in reader.read()
                if entry.value and entry.key.startswith("remote.") and entry.key.endswith(".url")
            ]
        return self._urls
