"""Repositories inside the work tree: submodules, and nested repositories that are untracked.

Such a repository is opened by itself. The variables that lead Git to the outer repository do not
apply to it (``git rev-parse --local-env-vars`` lists them; configuration from the command line
does, as in Git), and its work tree must be the folder in which it was found.

*Nested repositories* have evidence of their own. The status shows such a repository as one
untracked folder (``?? name/``), so what it holds is recorded here: HEAD, status, diffs in the
``--binary`` form and its own untracked map, and the same for repositories inside it. All of it has
to come from below the folder: a repository with a part elsewhere is refused, because the outer work
tree would not hold what the evidence shows. What is left of a submodule is an exception, and a
linked work tree of the outer repository is another: it is named, and nothing inside it is read.

*Submodules* have to be clean, because the outer diff does not show what their files hold. A
submodule counts when its folder holds a repository; one that is not checked out is silent, as in
Git. Cleanness is judged from the submodule's own status, whatever ``submodule.<name>.ignore`` and
``diff.ignoreSubmodules`` say, and in the submodules of submodules as well. Another commit than the
recorded one does not make it dirty: the outer evidence shows that.
"""

from __future__ import annotations

import os
import stat

from git_zdev.evidence.untracked import untracked_map
from git_zdev.git.model import GITLINK
from git_zdev.git.read import files
from git_zdev.git.read.discovery import discover, repository_in
from git_zdev.git.read.objects import with_alternates
from git_zdev.git.read.repository import open_repository
from git_zdev.ground.errors import InvalidInput, Problem, Translating, ZdevError
from git_zdev.ground.text import printable
from git_zdev.ground.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from git_zdev.git.port import Checkout

    Status = Callable[[Checkout], bytes]
    from collections.abc import Callable, Mapping
    from typing import Any

    from git_zdev.evidence.untracked import Entry
    from git_zdev.git.port import Checkout

    Read = Callable[[Checkout], Any]

_LONGEST_NAME = 1 << 14
"""Most bytes of a file that contains a path."""

DEEPEST = 32
"""How deep repositories may be nested below the outer one."""


def nested_entry(
    outer: Checkout, read: Read, path: bytes, *, depth: int = 1, as_bytes: bool = False
) -> Entry:
    """Describe a nested repository.

    Args:
        outer: The repository in whose work tree it lies.
        read: Returns a repository's ``head``, ``git_status``, ``git_diff_cached``, ``git_diff``
            (texts, the diffs in the ``--binary`` form) and ``untracked`` (paths); refuses dirty
            submodules.
        path: Its folder relative to the outer work tree, with a trailing slash.
        depth: 1 for a repository directly inside the outermost one.
        as_bytes: Whether names and targets that are not UTF-8 are held as bytes.

    Returns:
        ``{"kind": "repository", "head", "git_status", "git_diff_cached", "git_diff",
        "git_untracked"}``; ``head`` is None before the first commit. ``{"kind": "worktree"}`` for
        a linked work tree of ``outer``, which has a state of its own.

    Raises:
        ZdevError: ``nested-too-deep``, ``nested-repository-elsewhere``,
            ``inner-work-tree-elsewhere``, and what evidence itself raises.
    """
    shown = printable(path)
    if depth > DEEPEST:
        raise ZdevError(
            "nested-too-deep",
            f"{shown}: more than {DEEPEST} repositories lie inside one another",
            "Ignore one of them, or move it out of this work tree",
            details={"path": shown},
        )
    folder = os.path.join(outer.location.work_tree, os.fsdecode(path)).rstrip("/")
    if is_linked_work_tree(outer, folder):
        return {"kind": "worktree"}
    repository = open_inner(folder, shown, outer.environment)
    _require_inside(outer, repository, folder, shown)

    def inner(path: bytes) -> Entry:
        return nested_entry(repository, read, path, depth=depth + 1, as_bytes=as_bytes)

    with Inside(shown):
        evidence = read(repository)
        return {
            "kind": "repository",
            "head": evidence.head,
            "git_status": evidence.git_status,
            "git_diff_cached": evidence.git_diff_cached,
            "git_diff": evidence.git_diff,
            "git_untracked": untracked_map(folder, evidence.untracked, inner, as_bytes=as_bytes),
        }


def is_linked_work_tree(outer: Checkout, folder: str) -> bool:
    """Whether a folder is registered as a linked work tree of a repository.

    Its gitfile and the file ``worktrees/<name>/gitdir`` must name each other
    (gitrepository-layout(5)); anybody can write a gitfile alone.

    Args:
        outer: The repository, opened in any of its work trees.
        folder: Absolute path of the folder.
    """
    gitfile = os.path.join(folder, ".git")
    try:
        location = repository_in(folder)
        if location is None or not stat.S_ISREG(os.lstat(gitfile).st_mode):
            return False
        registered = os.path.join(os.path.realpath(outer.location.common_dir), "worktrees")
        git_dir = os.path.realpath(location.git_dir)
        named = files.read(os.path.join(git_dir, "gitdir"), _LONGEST_NAME).rstrip(b"\r\n")
        return (
            os.path.dirname(git_dir) == registered
            and os.path.samefile(location.common_dir, outer.location.common_dir)
            and os.path.samefile(os.path.join(git_dir, os.fsdecode(named)), gitfile)
        )
    except (OSError, ValueError):
        return False


def _require_inside(outer: Checkout, repository: Checkout, folder: str, shown: str) -> None:
    """Refuse a repository of which a part lies elsewhere.

    What is left of a submodule, after a switch to a commit without it, has its Git directory among
    the outer repository's ``modules``.
    """
    location = repository.location
    tops = [os.path.realpath(folder)]
    git_dir = os.path.realpath(location.git_dir)
    for owner in (outer.location.git_dir, outer.location.common_dir):
        modules = os.path.join(os.path.realpath(owner), "modules", "")
        # Discovery has followed core.worktree back to this folder.
        if git_dir.startswith(modules) and repository.config.get("core.worktree") is not None:
            tops.append(git_dir)
    objects = os.path.join(location.common_dir, "objects")
    for part in (location.git_dir, location.common_dir, *with_alternates(objects)):
        if not any(f"{os.path.realpath(part)}/".startswith(f"{top}/") for top in tops):
            raise ZdevError(
                "nested-repository-elsewhere",
                f"{shown}: a part of this untracked repository lies outside of it, at {part}",
                "Ignore the folder, move it out of this work tree, or track it as a submodule",
                details={"path": shown},
            )


_OUTER = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)


def open_inner(folder: str, shown: str, environment: Mapping[str, str]) -> Checkout:
    """Open the repository whose ``.git`` lies in ``folder``.

    Args:
        folder: Its absolute path.
        shown: The path that errors name.
        environment: The environment that led to the outer repository.

    Raises:
        ZdevError: ``inner-work-tree-elsewhere`` when its work tree is another folder; what
            discovery and opening raise.
    """
    own = {name: value for name, value in environment.items() if name not in _OUTER}
    own["GIT_CEILING_DIRECTORIES"] = os.path.dirname(os.path.realpath(folder))
    location = discover(folder, own)
    if not os.path.samefile(location.work_tree, folder):
        raise ZdevError(
            "inner-work-tree-elsewhere",
            f"{shown}: the repository in this folder has its work tree at {location.work_tree}",
            "Correct core.worktree of that repository, or move it out of this work tree",
            details={"path": shown},
        )
    return open_repository(location, own)


class Inside(Translating):
    """A ``with`` block that reads an inner repository: its refusals name paths from outside.

    Args:
        folder: The repository's folder as errors show it, with a trailing slash.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def translated(self, error: BaseException) -> BaseException | None:
        """See the base class."""
        if isinstance(error, ZdevError) and not os.path.isabs(error.details.get("path", "")):
            return self._from_outside(error)
        return None

    def _from_outside(self, error: ZdevError) -> ZdevError:
        path = error.details.get("path")
        begins_with_path = path is not None and error.message.startswith(path)
        message = f"{self._folder}{'' if begins_with_path else ': '}{error.message}"
        if isinstance(error, InvalidInput):
            problems = [replace(one, path=self._path(one.path)) for one in error.problems]
            return InvalidInput(error.code, message, problems, error.hint)
        details: dict[str, Any] = dict(error.details)
        if path is not None:
            details["path"] = self._path(path)
        return ZdevError(error.code, message, error.hint, details=details, status=error.status)

    def _path(self, path: str | None) -> str:
        """A path inside as seen from outside; the folder if the problem concerns all of it."""
        return self._folder + (path or "")


_NAMED = 5
"""How many paths of each kind a problem names."""


def require_clean(repository: Checkout, status: Status) -> None:
    """Refuse submodules with staged, unstaged or untracked changes.

    Args:
        repository: The repository with the submodules.
        status: Returns a repository's ``git status --short --untracked-files=all``.

    Raises:
        InvalidInput: ``dirty-submodules``, with one problem for each dirty submodule.
        ZdevError: A submodule cannot be opened or read.
    """
    problems = list(_dirty(repository, status, ""))
    if problems:
        raise InvalidInput(
            "dirty-submodules",
            "submodules with changes of their own: "
            + "; ".join(problem.sentence() for problem in problems),
            problems,
            "Commit, stash or remove the changes in each of them",
        )


def _dirty(repository: Checkout, status: Status, above: str) -> Iterator[Problem]:
    for path in _gitlinks(repository):
        folder = os.path.join(repository.location.work_tree, os.fsdecode(path))
        if not _is_checked_out(repository, folder):
            continue
        shown = above + printable(path)
        submodule = open_inner(folder, shown, repository.environment)
        with Inside(f"{shown}/"):
            changes = _changes(status(submodule))
        if changes:
            yield Problem("dirty-submodule", changes, shown)
        yield from _dirty(submodule, status, f"{shown}/")


def _gitlinks(repository: Checkout) -> Sequence[bytes]:
    """The paths that the index records as submodules, each once, in whatever stages."""
    special = repository.look().index.special_entries()
    return tuple(dict.fromkeys(entry.path for entry in special if entry.mode == GITLINK))


def _is_checked_out(repository: Checkout, folder: str) -> bool:
    """Whether a repository lies at a gitlink's path, with no symbolic link on the way to it."""
    root = os.path.realpath(repository.location.work_tree)
    direct = os.path.join(root, os.path.relpath(folder, repository.location.work_tree))
    return os.path.lexists(os.path.join(folder, ".git")) and os.path.realpath(folder) == direct


def _changes(status: bytes) -> str:
    """What a status says, in words; empty for a clean one."""
    kinds: dict[str, list[str]] = {}
    for line in status.splitlines():
        for kind in _kinds(line[:2]):
            kinds.setdefault(kind, []).append(printable(line[3:]))
    return ", ".join(f"{kind} ({_few(paths)})" for kind, paths in kinds.items())


def _kinds(code: bytes) -> Iterator[str]:
    if code == b"??":
        yield "untracked files"
    elif b"U" in code or code in (b"AA", b"DD"):
        yield "unmerged paths"
    else:
        if code[:1] != b" ":
            yield "staged changes"
        if code[1:] != b" ":
            yield "unstaged changes"


def _few(paths: Sequence[str]) -> str:
    more = len(paths) - _NAMED
    return ", ".join(paths[:_NAMED]) + (f" and {more} more" if more > 0 else "")
