"""The evidence from Git and from the program, for tests and scripts to compare."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from git_zdev.evidence.collecting import collect, inner_evidence
from git_zdev.evidence.nested import nested_entry
from git_zdev.evidence.survey import Survey
from git_zdev.evidence.untracked import untracked_map
from git_zdev.git.read.discovery import discover
from git_zdev.git.read.repository import LibGit2Repository, open_repository
from git_zdev.ground.errors import ZdevError
from tests.support.repo import git

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PLAIN = ("-c", "color.ui=false", "-c", "core.quotePath=true")
_QUIET = {"GIT_OPTIONAL_LOCKS": "0"}


def git_prints(path: Path, *arguments: str, settings: Sequence[str] = ()) -> bytes:
    """The output of git, which does not refresh the index."""
    more = [word for setting in settings for word in ("-c", setting)]
    return git(*_PLAIN, *more, *arguments, cwd=path, env=_QUIET).stdout


def git_strings(path: Path, *options: str, settings: Sequence[str] = ()) -> dict[str, bytes]:
    """The three strings as git prints them; ``options`` go to the diffs, ``settings`` to all."""
    status = ("status", "--short", "--untracked-files=all")
    return {
        "git_status": git_prints(path, *status, settings=settings),
        "git_diff_cached": git_prints(path, "diff", "--cached", *options, settings=settings),
        "git_diff": git_prints(path, "diff", *options, settings=settings),
    }


def git_untracked(path: Path) -> dict[str, Any]:
    """The untracked map, built from git's output."""
    words = git_prints(path, "status", "-z", "--untracked-files=all").split(b"\0")
    names = sorted(word[3:] for word in words if word.startswith(b"?? "))
    files = [name for name in names if not _inside(path, name).is_symlink() and name[-1:] != b"/"]
    hashes = git_hashes(path, files)
    return {name.decode(): hashes.get(name) or _git_special(path, name) for name in names}


def git_hashes(path: Path, names: Sequence[bytes]) -> dict[bytes, dict[str, str]]:
    """Entries of regular files, by ``git hash-object --no-filters``."""
    plain = [name for name in names if b"\n" not in name and not name.startswith(b'"')]
    printed = git(
        "hash-object", "--no-filters", "--stdin-paths", cwd=path, stdin=b"\n".join(plain)
    ).stdout.split()
    hashes = dict(zip(plain, printed, strict=True))
    for name in set(names) - set(plain):
        hashes[name] = git("hash-object", "--no-filters", "--", name, cwd=path).stdout.strip()
    return {name: {"kind": "file", "hash": blob.decode()} for name, blob in hashes.items()}


def _git_special(path: Path, name: bytes) -> dict[str, Any]:
    inside = _inside(path, name)
    if inside.is_symlink():
        return {"kind": "symlink", "target": os.readlink(inside)}
    linked = git("worktree", "list", "--porcelain", cwd=path).stdout.split(b"\n")
    if b"worktree " + os.fsencode(inside).rstrip(b"/") in linked:
        return {"kind": "worktree"}
    head = git("rev-parse", "-q", "--verify", "HEAD", cwd=inside, check=False).stdout.strip()
    strings = {name: text.decode() for name, text in git_strings(inside, "--binary").items()}
    return {
        "kind": "repository",
        "head": head.decode() or None,
        **strings,
        "git_untracked": git_untracked(inside),
    }


def _inside(path: Path, name: bytes) -> Path:
    return path / os.fsdecode(name)


def open_at(path: Path, environment: Mapping[str, str] | None = None) -> LibGit2Repository:
    """Open the repository that a command started in ``path`` works on."""
    environment = dict(os.environ) if environment is None else environment
    return open_repository(discover(str(path), environment), environment)


def own_strings(path: Path, *, binary: bool = False) -> dict[str, bytes]:
    """The three strings from the program."""
    raw = Survey(open_at(path).look(), binary=binary).evidence()
    return {"git_status": raw.status, "git_diff_cached": raw.diff_cached, "git_diff": raw.diff}


def own_untracked(path: Path) -> dict[str, Any]:
    """The untracked map from the program."""
    repository = open_at(path)
    paths = Survey(repository.look(), binary=False).evidence().untracked
    root = repository.location.work_tree
    return untracked_map(root, paths, partial(nested_entry, repository, inner_evidence))


def own_document(path: Path, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The whole evidence as the program puts it into a work context."""
    evidence = collect(open_at(path, environment))
    return {
        "head": evidence.head,
        "git_status": evidence.git_status,
        "git_diff_cached": evidence.git_diff_cached,
        "git_diff": evidence.git_diff,
        "git_untracked": evidence.git_untracked,
    }


def everything_below(folder: Path) -> dict[str, tuple[int, int, int, bytes | str]]:
    """Mode, size, mtime and content of every file below a folder, and each folder's mtime."""
    found: dict[str, tuple[int, int, int, bytes | str]] = {}
    for top, folders, files in os.walk(folder):
        for name in [".", *folders, *files]:
            path = Path(top, name)
            state = path.lstat()
            content: bytes | str = ""
            if path.is_symlink():
                content = os.readlink(path)
            elif path.is_file():
                content = path.read_bytes()
            size = state.st_size if name in files else 0
            found[str(path)] = (state.st_mode, size, state.st_mtime_ns, content)
    return found


_NOT_TEXT = frozenset({"untracked-path-not-utf8", "symlink-target-not-utf8", "evidence-not-utf8"})
"""Refusals of output that JSON cannot hold, although git prints it."""

_CLEAN_INSIDE = "diff.ignoreSubmodules=dirty"
"""Makes git show as much of a submodule as the program does; a dirty one is refused."""


def differences_of(path: Path) -> dict[str, tuple[Any, Any]]:
    """The answers of git and the program where they differ; a refusal is under its code.

    If git itself fails there is nothing to compare. The program runs first, because ``git diff``
    can rewrite the index, which changes the evidence.
    """
    found, refused = _strings_or_refusal(path)
    try:
        expected: dict[str, Any] = dict(git_strings(path, settings=(_CLEAN_INSIDE,)))
    except AssertionError:
        return {}
    if refused is not None:
        return {refused.code: ("no refusal", str(refused))}
    try:
        expected["git_untracked"] = git_untracked(path)
        found["git_untracked"] = own_untracked(path)
    except (AssertionError, UnicodeDecodeError):  # git fails inside, or JSON cannot hold it
        expected.pop("git_untracked", None)
    except ZdevError as error:
        if error.code not in (*_NOT_TEXT, "dirty-submodules"):
            return {error.code: ("no refusal", str(error))}
        del expected["git_untracked"]
    return {name: (told, found[name]) for name, told in expected.items() if told != found[name]}


def _strings_or_refusal(path: Path) -> tuple[dict[str, Any], ZdevError | None]:
    try:
        return dict(own_strings(path)), None
    except ZdevError as error:
        return {}, error
