"""Layer 5: the paths that a split retains for the source and those that it gives to its children.

The retained paths are exactly the unstaged changes of the work tree, and every child gets paths
that no other task has. Each path is checked by its name (``path_rules``), against the other paths,
and in the file system, where every component is examined without following a link.
"""

from __future__ import annotations

import os
import stat

from git_zdev.derive.path_rules import NameFolding, path_problem
from git_zdev.ground.errors import Problem
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from git_zdev.derive.proposal import SplitOwnership

CODE = "invalid-ownership"
GITLINK = 0o160000
RETAINED = "/split_ownership/retained_parent_paths"
CHILDREN = "/split_ownership/child_future_paths"


@dataclass(frozen=True, slots=True)
class WorkTree:
    """The work tree that ownership is checked against.

    Attributes:
        root: Absolute path of the work tree.
        mode_in_index: Returns the mode of a path's index entry, or None without an entry.
        unstaged: Every path that differs from the index or is untracked and not ignored.
        is_ignored: Returns whether ignore rules match a path.
        folding: How the file system compares names.
    """

    root: str
    mode_in_index: Callable[[bytes], int | None]
    unstaged: Collection[bytes]
    is_ignored: Callable[[bytes], bool]
    folding: NameFolding


@dataclass(frozen=True, slots=True)
class _Listed:
    """One path of the proposal, with its place and its owner."""

    path: str
    pointer: str
    owner: str | None

    def problem(self, message: str) -> Problem:
        return Problem(CODE, f'the path "{self.path}": {message}', pointer=self.pointer)


def ownership_problems(
    ownership: SplitOwnership, keys: Sequence[str], tree: WorkTree
) -> list[Problem]:
    """Every problem with the ownership of a split.

    Args:
        ownership: The proposal's assignment.
        keys: The proposed keys.
        tree: The current work tree.

    Returns:
        The problems in the order of the proposal; empty if the split can be applied.
    """
    listed = list(_listed(ownership))
    return [
        *_key_problems(ownership, keys),
        *_collisions(listed, tree.folding),
        *(problem for one in listed for problem in _path_problems(one, tree)),
        *_retained_problems(ownership.retained, tree.unstaged),
    ]


def _listed(ownership: SplitOwnership) -> Iterator[_Listed]:
    for position, path in enumerate(ownership.retained):
        yield _Listed(path, f"{RETAINED}/{position}", None)
    for position, child in enumerate(ownership.children):
        for place, path in enumerate(child.paths):
            yield _Listed(path, f"{CHILDREN}/{position}/paths/{place}", child.key)


def _key_problems(ownership: SplitOwnership, keys: Sequence[str]) -> Iterator[Problem]:
    named: set[str] = set()
    for position, child in enumerate(ownership.children):
        pointer = f"{CHILDREN}/{position}/key"
        if child.key not in keys:
            yield Problem(CODE, f'no proposed task has the key "{child.key}"', pointer=pointer)
        elif child.key in named:
            yield Problem(CODE, f'the key "{child.key}" has a second entry', pointer=pointer)
        named.add(child.key)
    for key in keys:
        if key not in named:
            yield Problem(CODE, f'the task "{key}" has no future paths', pointer=CHILDREN)


def _collisions(listed: Iterable[_Listed], folding: NameFolding) -> Iterator[Problem]:
    first: dict[str, _Listed] = {}
    for one in listed:
        other = first.setdefault(folding.fold(one.path), one)
        if other is one:
            continue
        same = "is listed" if other.path == one.path else f'is "{other.path}" to this file system,'
        yield one.problem(f"it {same} {_whose(other)} already")


def _whose(listed: _Listed) -> str:
    return "as retained" if listed.owner is None else f'for the task "{listed.owner}"'


def _retained_problems(retained: Iterable[str], unstaged: Collection[bytes]) -> Iterator[Problem]:
    """Require that the retained paths are the complete unstaged set, no more and no less."""
    kept = [path.encode() for path in retained]
    for position, path in enumerate(kept):
        if path not in unstaged:
            message = f'the path "{_text(path)}" is not changed in the work tree'
            yield Problem(CODE, message, pointer=f"{RETAINED}/{position}")
    for path in sorted({*unstaged}.difference(kept)):
        message = f'the path "{_text(path)}" is changed in the work tree and is not listed'
        yield Problem(CODE, message, pointer=RETAINED)


def _text(path: bytes) -> str:
    return path.decode("utf-8", "backslashreplace")


def _path_problems(listed: _Listed, tree: WorkTree) -> Iterator[Problem]:
    message = path_problem(listed.path, tree.folding)
    if message is None:
        try:
            message = _place_problem(listed, tree)
        except OSError as error:
            message = f"it cannot be looked at: {error.strerror}"
    if message:
        yield listed.problem(message)


def _place_problem(listed: _Listed, tree: WorkTree) -> str | None:
    """The objection of the index, the ignore rules or the file system to a well-formed path."""
    path = listed.path.encode()
    parents = [path[:end] for end, byte in enumerate(path) if byte == 0x2F]
    if any(tree.mode_in_index(part) == GITLINK for part in (*parents, path)):
        return "it lies in a submodule"
    for parent in parents:
        message = _parent_problem(os.path.join(os.fsencode(tree.root), parent))
        if message:
            return f'{message} ("{_text(parent)}")'
    message = _file_problem(listed, tree)
    if message is None and tree.mode_in_index(path) is None and tree.is_ignored(path):
        return "it is ignored"
    return message


def _parent_problem(folder: bytes) -> str | None:
    kind = _kind(folder)
    if kind is None:
        return "a directory on its way does not exist"
    if stat.S_ISLNK(kind):
        return "a directory on its way is a symbolic link"
    if not stat.S_ISDIR(kind):
        return "what is on its way is not a directory"
    if _kind(os.path.join(folder, b".git")) is not None:
        return "it lies in a nested repository"
    return None


def _file_problem(listed: _Listed, tree: WorkTree) -> str | None:
    path = listed.path.encode()
    kind = _kind(os.path.join(os.fsencode(tree.root), path))
    if kind is not None:
        return None if stat.S_ISREG(kind) else f"it is {_called(kind)} and no regular file"
    if listed.owner is None:
        return "it does not exist; a path that was deleted or renamed cannot be retained"
    if tree.mode_in_index(path) is not None:
        return "it is tracked and is not in the work tree"
    return None


def _kind(path: bytes) -> int | None:
    """The file type and mode without following a link; None if no such file can exist."""
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def _called(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a directory"
    return "a symbolic link" if stat.S_ISLNK(mode) else "a special file"
