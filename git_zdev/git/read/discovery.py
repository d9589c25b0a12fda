"""Where the repository and the plan are, found the way Git finds them, without libgit2.

The rules are those of git(1) ("The Git Repository"), gitrepository-layout(5) and git-config(1)
for ``core.bare`` and ``core.worktree``: ``GIT_DIR`` names the Git directory; otherwise the current
directory and its ancestors are asked for a ``.git`` directory or gitfile, never at or above a
directory of ``GIT_CEILING_DIRECTORIES`` and never beyond a file system unless
``GIT_DISCOVERY_ACROSS_FILESYSTEM`` is set. Who owns the repository and which format it has is
judged where it is opened.

A directory that is a Git directory itself is found as well, and that is how a clone can bring a
repository along: as a tracked folder with ``HEAD``, ``objects`` and ``refs``, and a ``config`` that
names a work tree and programs. ``safe.bareRepository`` refuses it (git-config(1)), and is asked as
Git asks it. Git takes it otherwise; here it never gets to work on another repository's files.
"""

from __future__ import annotations

import os
import stat

from git_zdev.git.config import config_file
from git_zdev.git.config.config_file import parse_bool
from git_zdev.git.model import Location
from git_zdev.git.read import files
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.text import shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PLAN_FILE = ".zdev/config.toml"
_LARGEST_GITFILE = 1 << 20


def discover(start: str, environment: Mapping[str, str], root: str | None = None) -> Location:
    """Find the repository that a command in ``start`` works on.

    Args:
        start: The current directory.
        environment: The process's environment; the ``GIT_*`` variables of git(1) are honoured.
        root: The value of ``--root``, which stands in for the current directory.

    Returns:
        The repository's parts, symbolic links in the way to ``start`` resolved.

    Raises:
        ZdevError: ``not-a-repository``, ``bare-repository``, ``inside-git-directory``,
            ``invalid-gitfile``, ``invalid-work-tree``, ``no-such-directory``,
            ``implicit-bare-repository`` or ``embedded-repository``.
    """
    directory = _directory(start if root is None else os.path.join(start, root))
    environment = _with_absolute_paths(environment, directory)
    if "GIT_DIR" in environment:
        return _locate(_named_git_dir(directory, environment), directory, directory, environment)
    return _search(directory, environment)


def plan_root(
    start: str,
    environment: Mapping[str, str],
    root: str | None = None,
    find: Callable[[], Location] | None = None,
    stands: Callable[[str], bool] = os.path.lexists,
) -> str:
    """Find the directory that holds ``.zdev``, or will once ``init`` has run.

    It is the nearest ancestor of the current directory with ``.zdev/config.toml``, but never above
    the work tree's root; the root where there is none. Outside every work tree the search ends
    at ``GIT_CEILING_DIRECTORIES``, and the current directory is the answer where nothing is found:
    records can be read without a repository. ``--root`` names the directory itself.

    Args:
        start: The current directory.
        environment: The process's environment.
        root: The value of ``--root``.
        find: Gives what :func:`discover` found, where that is at hand.
        stands: Whether the :data:`PLAN_FILE` at an absolute path of a work tree counts as there.

    Returns:
        An absolute path, symbolic links resolved.

    Raises:
        ZdevError: ``no-such-directory`` for a ``start`` or ``root`` that is none.
    """
    directory = _directory(start if root is None else os.path.join(start, root))
    if root is not None:
        return directory
    try:
        work_tree = (find() if find else discover(directory, environment)).work_tree
    except ZdevError:
        ceiling = _ceiling_of(directory, environment)
        return _nearest_plan(directory, None, ceiling) or directory
    if not _is_within(directory, work_tree):
        return work_tree
    return _nearest_plan(directory, work_tree, None, stands) or work_tree


def not_a_repository(directory: str, reason: str = "") -> ZdevError:
    """The error for a directory that no repository encloses."""
    return ZdevError(
        "not-a-repository",
        f"{directory} is not inside a Git repository{reason}",
        "Change to a work tree, name one with --root, or create one with `git init`",
    )


def _directory(path: str) -> str:
    resolved = os.path.realpath(path)
    if not os.path.isdir(resolved):
        raise ZdevError("no-such-directory", f"{path} is not a directory", "Name a directory")
    return resolved


def _with_absolute_paths(environment: Mapping[str, str], directory: str) -> Mapping[str, str]:
    """The environment with the two paths that are asked for at each step made absolute."""
    relative = {
        name: os.path.join(directory, environment[name])
        for name in ("GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY")
        if environment.get(name)
    }
    return {**environment, **relative} if relative else environment


def _named_git_dir(directory: str, environment: Mapping[str, str]) -> str:
    named = environment["GIT_DIR"]
    git_dir = _git_dir_at(os.path.join(directory, named), environment) if named else None
    if git_dir is None:
        raise ZdevError(
            "not-a-repository",
            f"GIT_DIR names {named!r}, which is not a Git directory",
            "Correct or unset GIT_DIR",
        )
    return git_dir


def _search(start: str, environment: Mapping[str, str]) -> Location:
    """Ask ``start`` and its ancestors, nearest first."""
    ceiling = _ceiling_of(start, environment)
    across = parse_bool(environment.get("GIT_DISCOVERY_ACROSS_FILESYSTEM", "0")) or False
    device = os.stat(start).st_dev
    directory = start
    while True:
        git_dir = _git_dir_at(os.path.join(directory, ".git"), environment)
        if git_dir is not None:
            return _locate(git_dir, start, directory, environment)
        if _is_git_directory(directory, environment):
            return _locate_itself(directory, start, environment)
        parent = os.path.dirname(directory)
        if parent in (directory, ceiling):
            raise not_a_repository(start)
        if not across and os.stat(parent).st_dev != device:
            raise not_a_repository(
                start,
                f" (the search stopped at the file system of {directory}, "
                "as GIT_DISCOVERY_ACROSS_FILESYSTEM is not set)",
            )
        directory = parent


def _ceiling_of(directory: str, environment: Mapping[str, str]) -> str | None:
    """The nearest proper ancestor that ``GIT_CEILING_DIRECTORIES`` names.

    Entries are absolute; those after an empty entry are taken as they are, the others with their
    symbolic links resolved.
    """
    found: str | None = None
    resolve = True
    for entry in environment.get("GIT_CEILING_DIRECTORIES", "").split(":"):
        if not entry:
            resolve = False
        elif entry.startswith("/"):
            ceiling = os.path.realpath(entry) if resolve else os.path.normpath(entry)
            inside = directory != ceiling and _is_within(directory, ceiling)
            if inside and (found is None or len(ceiling) > len(found)):
                found = ceiling
    return found


def _is_within(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip("/") + "/")


def _nearest_plan(
    start: str,
    last: str | None,
    ceiling: str | None,
    stands: Callable[[str], bool] = os.path.lexists,
) -> str | None:
    """The nearest directory with a plan, up to and with ``last``, below ``ceiling``."""
    directory = start
    while True:
        if stands(os.path.join(directory, PLAN_FILE)):
            return directory
        parent = os.path.dirname(directory)
        if directory == last or parent in (directory, ceiling):
            return None
        directory = parent


def _git_dir_at(path: str, environment: Mapping[str, str]) -> str | None:
    """The Git directory that ``path`` is, or that the gitfile at ``path`` names."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return None
    if stat.S_ISREG(mode):
        return _gitfile_target(path, environment)
    return os.path.normpath(path) if _is_git_directory(path, environment) else None


def holds_repository(folder: str) -> bool:
    """Whether Git takes a folder inside a work tree for a repository of its own.

    A gitfile that cannot be read counts, one that names no Git directory does not.

    Raises:
        ZdevError: ``unreadable-repository``.
    """
    try:
        return repository_in(folder) is not None
    except OSError:
        return True


def repository_in(folder: str) -> Location | None:
    """The parts of the repository whose ``.git`` lies in a folder, whatever it says of itself.

    None if there is none, or a gitfile that names no Git directory.

    Raises:
        ZdevError: ``unreadable-repository``.
        OSError: A gitfile cannot be read.
    """
    try:
        git_dir = _git_dir_at(f"{folder}/.git", {})
    except ZdevError as error:
        if error.code == "invalid-gitfile":
            return None
        raise
    if git_dir is None:
        return None
    return Location(folder, git_dir, _common_dir(git_dir, {}), f"{git_dir}/index")


def _gitfile_target(path: str, environment: Mapping[str, str]) -> str:
    content = files.read(path, _LARGEST_GITFILE)
    named = _path_in(content.removeprefix(b"gitdir: "))
    if not content.startswith(b"gitdir: ") or not named:
        raise ZdevError(
            "invalid-gitfile",
            f"{path} is a file, but does not say `gitdir: <path>`",
            "Restore the file, or remove it when it is not part of a repository",
        )
    target = os.path.realpath(os.path.join(os.path.dirname(path), named))
    if not _is_git_directory(target, environment):
        raise ZdevError(
            "invalid-gitfile",
            f"{path} names {target}, which is not a Git directory",
            "Run `git worktree repair` in the main work tree, or correct the file",
        )
    return target


def _path_in(content: bytes) -> str:
    """The path that a file holds, as C reads it: up to a NUL byte, without the line end."""
    return os.fsdecode(content.partition(b"\0")[0].rstrip(b"\r\n"))


def _is_git_directory(path: str, environment: Mapping[str, str]) -> bool:
    """Whether a directory has what makes one a Git directory: HEAD, objects and refs."""
    if not _is_head(os.path.join(path, "HEAD")):
        return False
    common = _common_dir(path, environment)
    objects = environment.get("GIT_OBJECT_DIRECTORY") or os.path.join(common, "objects")
    return os.access(objects, os.X_OK) and os.access(os.path.join(common, "refs"), os.X_OK)


def _is_head(path: str) -> bool:
    try:
        if stat.S_ISLNK(os.lstat(path).st_mode):
            return os.readlink(path).startswith("refs/")
        content = files.read(path, 256)
    except OSError:
        return False
    if content.startswith(b"ref:"):
        return content[4:].lstrip().startswith(b"refs/")
    return len(content) >= 40 and all(byte in b"0123456789abcdef" for byte in content[:40].lower())


def _common_dir(git_dir: str, environment: Mapping[str, str]) -> str:
    named = environment.get("GIT_COMMON_DIR")
    if named:
        return os.path.normpath(named)
    try:
        named = _path_in(files.read(os.path.join(git_dir, "commondir")))
    except (FileNotFoundError, NotADirectoryError):
        return git_dir
    except OSError as error:
        from git_zdev.git.failures import unreadable_because

        path, reason = f"{git_dir}/commondir", str(error.strerror)
        raise unreadable_because(path, reason, error.errno) from error
    return os.path.realpath(os.path.join(git_dir, named))


def _locate_itself(git_dir: str, start: str, environment: Mapping[str, str]) -> Location:
    """The parts of a repository whose Git directory itself was found, and no ``.git``."""
    if _is_below_dot_git(git_dir):
        return _locate(git_dir, start, None, environment)
    if not _allows_implicit(environment):
        raise ZdevError(
            "implicit-bare-repository",
            f"{git_dir} looks like a bare repository, and safe.bareRepository is explicit",
            f"Change to another folder; if you trust it, {_naming(git_dir)}",
        )
    location = _locate(git_dir, start, None, environment)
    outer = _repository_around(git_dir)
    if outer is not None or "GIT_WORK_TREE" not in environment:
        inside = "" if outer is None else f" inside the work tree {outer}"
        raise ZdevError(
            "embedded-repository",
            f"{git_dir} is a Git directory{inside} that takes {location.work_tree} for its work "
            "tree; a clone can bring such a folder along",
            f"Change to another folder; if you trust it, {_naming(git_dir)}",
        )
    return location


def _naming(git_dir: str) -> str:
    """How a person says that a Git directory is meant."""
    return f"name it with `git {shell_word(f'--git-dir={git_dir}')} zdev`"


def _is_below_dot_git(path: str) -> bool:
    """Whether a Git directory lies where no clone can have put it.

    These are Git's own three cases: ``.git`` itself, and what it keeps there for linked work trees
    and submodules.
    """
    return f"{path}/".endswith("/.git/") or "/.git/worktrees/" in path or "/.git/modules/" in path


def _allows_implicit(environment: Mapping[str, str]) -> bool:
    """What ``safe.bareRepository`` says in the scopes that no repository can write."""
    from git_zdev.git.config.config import read_config

    config = read_config(None, environment)
    return config.get_word("safe.bareRepository", ("all", "explicit"), default="all") == "all"


def _repository_around(directory: str) -> str | None:
    """The nearest folder above with something named ``.git``; ceilings do not hide it."""
    above = os.path.dirname(directory)
    while not os.path.lexists(os.path.join(above, ".git")):
        if above == os.path.dirname(above):
            return None
        above = os.path.dirname(above)
    return above


def _locate(
    git_dir: str, start: str, directory: str | None, environment: Mapping[str, str]
) -> Location:
    """Settle the other parts of a repository.

    Args:
        git_dir: The Git directory.
        start: The current directory.
        directory: The work tree unless something names another: where ``.git`` was found, or the
            current directory when ``GIT_DIR`` is set; None if ``git_dir`` itself was found.
        environment: The process's environment.
    """
    common = _common_dir(git_dir, environment)
    settings = _own_settings(git_dir, common)
    named = environment.get("GIT_WORK_TREE")
    if named is not None:
        work_tree = _existing(os.path.join(start, named), "GIT_WORK_TREE")
    else:
        work_tree = _work_tree(git_dir, directory, settings, environment)
    return Location(
        work_tree=work_tree,
        git_dir=git_dir,
        common_dir=common,
        index_file=_index_file(git_dir, work_tree, environment),
        found_in=None if "GIT_DIR" in environment else directory or git_dir,
    )


def _index_file(git_dir: str, work_tree: str, environment: Mapping[str, str]) -> str:
    named = environment.get("GIT_INDEX_FILE")
    return os.path.join(work_tree, named) if named else os.path.join(git_dir, "index")


def _own_settings(git_dir: str, common: str) -> dict[str, str | None]:
    """What the repository's own files say about its work tree; includes do not count here.

    A linked work tree does not take ``core.bare`` and ``core.worktree`` from the shared file. A
    file that does not give the version of its format says nothing at all.
    """
    settings = config_file.read_settings(os.path.join(common, "config"))
    if "core.repositoryformatversion" not in settings:
        return {}
    own = settings if common == git_dir else {}
    if _is_true(settings, "extensions.worktreeconfig"):
        own = {**own, **config_file.read_settings(os.path.join(git_dir, "config.worktree"))}
    return own


def _is_true(settings: Mapping[str, str | None], key: str) -> bool:
    return key in settings and bool(parse_bool(settings[key]))


def _work_tree(
    git_dir: str,
    directory: str | None,
    settings: Mapping[str, str | None],
    environment: Mapping[str, str],
) -> str:
    bare = _is_true(settings, "core.bare")
    configured = settings.get("core.worktree")
    if configured is not None:
        if bare:
            raise ZdevError(
                "invalid-work-tree",
                f"{git_dir} has both core.bare and core.worktree set",
                "Unset one of them with `git config`",
            )
        return _existing(os.path.join(git_dir, configured), "core.worktree")
    implicit = parse_bool(environment.get("GIT_IMPLICIT_WORK_TREE", "1"))
    if bare or not implicit:
        raise ZdevError(
            "bare-repository",
            f"{git_dir} is a bare repository, it has no work tree",
            "Run the command in a clone or a linked work tree",
        )
    if directory is None:
        raise ZdevError(
            "inside-git-directory",
            f"{git_dir} is a Git directory, not a work tree",
            "Change to the work tree",
        )
    return directory


def _existing(path: str, setting: str) -> str:
    resolved = os.path.realpath(path)
    if not os.path.isdir(resolved):
        raise ZdevError(
            "invalid-work-tree",
            f"{setting} names {resolved}, which is not a directory",
            f"Correct or unset {setting}",
        )
    return resolved
