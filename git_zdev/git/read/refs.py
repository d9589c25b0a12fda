r"""HEAD, branches, the operation in progress, and what rewrites history for a reader.

Branch names are text: a name that is not valid UTF-8 appears with ``\xNN`` for its bytes, which no
real name can hold, as Git forbids the backslash (git-check-ref-format(1)).
"""

from __future__ import annotations

import os

from git_zdev.git.failures import unreadable, unreadable_because
from git_zdev.git.model import Head, Location
from git_zdev.git.read import files
from git_zdev.ground.errors import ZdevError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from git_zdev.git.config.config import GitConfig
    from git_zdev.git.model import Location
    from git_zdev.git.read.libgit2 import Handles
    from git_zdev.git.read.operation import Operation

_HEADS = "refs/heads/"
_HEX = frozenset("0123456789abcdef")
_HEX_LENGTH = 40
_C_BLANKS = " \t\n\r"
"""What Git treats as blanks."""

_REPLACE_BASE = "refs/replace/"
_DEEPEST_SYMBOLIC_REF = 5
_LONGEST_REF = 4096
"""Most bytes of a ref's file that are read to see where it leads."""

_NAMES_OF_REFS = (
    *("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}"),
    *("refs/remotes/{}", "refs/remotes/{}/HEAD"),
)
"""Where a short name is looked for (gitrevisions(7))."""

_OPERATION_FILES = (
    ("rebase-apply/applying", "AM"),
    ("rebase-merge", "REBASE"),
    ("rebase-apply", "REBASE"),
    ("MERGE_HEAD", "MERGE"),
    ("CHERRY_PICK_HEAD", "CHERRY_PICK"),
    ("REVERT_HEAD", "REVERT"),
    ("BISECT_LOG", "BISECT"),
    ("sequencer", "SEQUENCER"),
)
"""Files that Git keeps during an operation; the first one that exists decides."""


def operation(location: Location) -> Operation | None:
    """The Git operation in progress in this work tree, by the files that Git keeps for it."""
    for name, found in _OPERATION_FILES:
        if os.path.lexists(location.git_path(name)):
            from git_zdev.git.read.operation import Operation  # most of the time there is none

            return Operation[found]
    return None


def head(handles: Handles, raw: Any, location: Location) -> Head:
    """Where HEAD points.

    The file is read here, because libgit2 is stricter about blanks than Git and takes a HEAD that
    is a symbolic link for a detached one.

    Raises:
        ZdevError: ``unreadable-repository``.
    """
    text = _head_text(location)
    if not text.startswith("ref:"):
        if len(text) != _HEX_LENGTH or not _HEX.issuperset(text.lower()):
            raise unreadable_because("HEAD", f"it holds {text[:60]!r}")
        return Head(None, text)
    name = text.removeprefix("ref:").strip()
    if not handles.ext.reference_is_valid_name(os.fsencode(name).decode("latin-1")):
        raise unreadable_because("HEAD", f"it holds {text[:60]!r}, which no ref can be called")
    _require_files(location, name, "HEAD")
    # A name that is not valid UTF-8 cannot be asked for, only followed.
    commit = _ref_target(handles, raw, name if _is_utf8(name) else "HEAD", "HEAD")
    if not name.startswith(_HEADS):
        return Head(None, commit)
    shown = os.fsencode(name.removeprefix(_HEADS)).decode("utf-8", "backslashreplace")
    return Head(shown, commit)


def branch_tip(handles: Handles, raw: Any, location: Location, branch: str) -> str | None:
    """The object id that a local branch holds, None if it does not exist.

    Raises:
        ZdevError: ``unreadable-repository`` for a ref whose file is broken.
    """
    _require_files(location, f"{_HEADS}{branch}", f"the branch {branch}")
    return _ref_target(handles, raw, f"{_HEADS}{branch}", f"the branch {branch}")


def all_targets(handles: Handles, raw: Any) -> Iterator[tuple[bytes, str]]:
    """Full name and object id of every ref that resolves.

    Raises:
        ZdevError: ``unreadable-repository`` where the refs cannot be listed.
    """
    iterator = None
    while True:
        try:
            iterator = iterator or raw.references_iterator_init()
            reference = raw.references_iterator_next(iterator)
        except handles.ext.GitError as error:
            raise unreadable(handles, "the refs") from error
        if reference is None:
            return
        target = reference.raw_target
        if isinstance(target, bytes):
            resolved = _resolved(handles, reference, os.fsdecode(reference.raw_name))
            if resolved is None:
                continue
            target = resolved
        yield reference.raw_name, str(target)


def replacements(
    handles: Handles,
    raw: Any,
    location: Location,
    config: GitConfig,
    environment: Mapping[str, str],
) -> dict[str, str]:
    """Object ids and what replaces them (git-replace(1)), unless replacing is switched off."""
    off = "GIT_NO_REPLACE_OBJECTS" in environment
    if off or not config.get_bool("core.useReplaceRefs", default=True):
        return {}
    base = environment.get("GIT_REPLACE_REF_BASE", _REPLACE_BASE).rstrip("/") + "/"
    if not _has_refs_below(location, base):
        return {}
    prefix = os.fsencode(base)
    return {
        name.removeprefix(prefix).decode("ascii", "replace"): target
        for name, target in all_targets(handles, raw)
        if name.startswith(prefix)
    }


def grafts(location: Location, environment: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Commits and the parents that ``info/grafts`` gives them (gitrepository-layout(5)).

    As Git reads it: the first line for a commit counts, comments and lines of another form do not.
    """
    path = environment.get("GIT_GRAFT_FILE") or _graft_file(location)
    found: dict[str, tuple[str, ...]] = {}
    for line in _lines(path):
        graft = _graft(line.rstrip(_C_BLANKS))
        if graft:
            found.setdefault(graft[0], graft[1:])
    return found


def require_grafts(location: Location) -> None:
    """Refuse a graft file that libgit2 does not read, which knows neither comments nor blanks.

    Raises:
        ZdevError: ``unreadable-repository``, with the line.
    """
    path = _graft_file(location)
    lines = _text(path).split("\n")
    for number, line in enumerate(lines if lines[-1] else lines[:-1], start=1):
        if not _graft(line, separators=" "):
            raise ZdevError(
                "unreadable-repository",
                f"{path}:{number}: this line is not a commit and its parents",
                "Remove comments and blank lines, or turn the file into replace refs with "
                "`git replace --convert-graft-file`",
                details={"path": path},
            )


def _graft_file(location: Location) -> str:
    return f"{location.common_dir}/info/grafts"


def _graft(line: str, separators: str = _C_BLANKS) -> tuple[str, ...]:
    """A commit and its parents, with one blank between them; empty for a line of another form."""
    ids = []
    for at in range(0, len(line), _HEX_LENGTH + 1):
        name = line[at : at + _HEX_LENGTH].lower()
        between = line[at + _HEX_LENGTH : at + _HEX_LENGTH + 1]
        if len(name) != _HEX_LENGTH or not _HEX.issuperset(name):
            return ()
        if between and (between not in separators or at + _HEX_LENGTH + 1 == len(line)):
            return ()
        ids.append(name)
    return tuple(ids)


def shallow_boundary(location: Location, environment: Mapping[str, str]) -> frozenset[str]:
    """The commits whose parents a shallow clone left out."""
    path = environment.get("GIT_SHALLOW_FILE") or f"{location.common_dir}/shallow"
    return frozenset(line.strip() for line in _lines(path))


def _head_text(location: Location) -> str:
    """What HEAD says: an object id, or ``ref:`` and a name, also where it is a symbolic link."""
    path = location.git_path("HEAD")
    try:
        if os.path.islink(path):
            return f"ref: {os.readlink(path)}"
        # As Git, which reads text as C does.
        return os.fsdecode(files.read(path).partition(b"\0")[0]).rstrip()
    except OSError as error:
        raise unreadable_because("HEAD", str(error.strerror), error.errno) from error


def require_head(location: Location) -> None:
    """Refuse a HEAD that libgit2 would wait for, or one that leads to such a ref.

    Raises:
        ZdevError: ``unreadable-repository``.
    """
    text = _head_text(location)
    if text.startswith("ref:"):
        _require_files(location, text.removeprefix("ref:").strip(), "HEAD")


def _require_files(location: Location, name: str, what: str) -> None:
    """Refuse a ref that libgit2 would wait for, because a FIFO or the like is in its place.

    So may the refs to which it leads. A directory there is ordinary: other refs lie in it, or did.
    """
    for _ in range(_DEEPEST_SYMBOLIC_REF):
        path = f"{location.common_dir}/{name}"
        try:
            text = os.fsdecode(files.read(path, _LONGEST_REF).partition(b"\0")[0])
        except OSError as error:
            wrong = files.wrong_kind(path)
            if wrong is not None and not os.path.isdir(path):
                raise unreadable_because(what, f"{path}: {wrong}") from error
            return
        if not text.startswith("ref:"):
            return
        name = text.removeprefix("ref:").strip()


def require_files_of_a_commit(location: Location) -> None:
    """Refuse to let Git commit where it would wait for a FIFO, or read a device without an end.

    It writes and reads ``COMMIT_EDITMSG`` and adds to the reflogs of HEAD and its branch. A folder
    there is no hindrance, or Git says so itself.

    Raises:
        ZdevError: ``unreadable-repository``.
    """
    paths = [location.git_path(name) for name in ("COMMIT_EDITMSG", "logs/HEAD")]
    text = _head_text(location)
    if text.startswith("ref:"):
        paths.append(f"{location.common_dir}/logs/{text.removeprefix('ref:').strip()}")
    for path in paths:
        wrong = files.wrong_kind(path)
        if wrong is not None and not os.path.isdir(path):
            raise unreadable_because(path, wrong)


def require_named_files(location: Location, revision: str) -> None:
    """Refuse to look for a revision where libgit2 would wait for a FIFO in the place of a ref.

    Args:
        location: The repository.
        revision: An expression of gitrevisions(7).

    Raises:
        ZdevError: ``unreadable-repository``.
    """
    if ":/" in revision or "{/" in revision:  # any ref may lead to what is sought
        require_loose_files(location)
    if "@{" in revision:
        for path in files.fifos_in(f"{location.git_dir}/logs", deep=True):
            raise unreadable_because(path, files.FIFO)
    name = revision
    for mark in ("~", "^", ":", "@{"):
        name = name.partition(mark)[0]
    for rule in _NAMES_OF_REFS:
        _require_files(location, rule.format(name or "HEAD"), f"the revision {revision}")


def require_loose_files(location: Location) -> None:
    """Refuse to list refs among which there is a FIFO, for which Git would wait.

    Raises:
        ZdevError: ``unreadable-repository``.
    """
    for top in dict.fromkeys((location.common_dir, location.git_dir)):
        for path in files.fifos_in(f"{top}/refs", deep=True):
            raise unreadable_because(path, files.FIFO)


def _is_utf8(name: str) -> bool:
    return not any("\udc80" <= char <= "\udcff" for char in name)


def _ref_target(handles: Handles, raw: Any, name: str, what: str) -> str | None:
    """The object id at the end of a ref; None if it does not exist or cannot exist."""
    try:
        reference = raw.lookup_reference(name)
    except (KeyError, ValueError):
        return None
    except (OSError, handles.ext.GitError) as error:
        raise unreadable(handles, what) from error
    return _resolved(handles, reference, what)


def _resolved(handles: Handles, reference: Any, what: str) -> str | None:
    """The object id at the end of a chain of symbolic refs; None if it ends nowhere."""
    try:
        return str(reference.resolve().target)
    except KeyError:
        return None
    except (OSError, ValueError, handles.ext.GitError) as error:
        raise unreadable(handles, what) from error


def _has_refs_below(location: Location, base: str) -> bool:
    """Whether it is worth asking libgit2 for refs below ``base``: cheap, and never a wrong no."""
    if os.path.isdir(f"{location.common_dir}/{base.rstrip('/')}"):
        return True
    try:
        return os.fsencode(f" {base}") in files.read(f"{location.common_dir}/packed-refs")
    except FileNotFoundError:
        return False


def _lines(path: str) -> list[str]:
    return [line for line in _text(path).split("\n") if line.strip()]


def _text(path: str) -> str:
    """The text of a file, empty if there is none."""
    try:
        return files.read(path).decode("ascii", "replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise unreadable_because(path, str(error.strerror), error.errno) from error


_HEADS_IN_BYTES = b"refs/heads/"
_NAMES_OF_BRANCHES = ("HEAD", "rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START")
_LONGEST = 4096


def branches_elsewhere(location: Location, config: GitConfig) -> dict[str, str]:
    """Each branch that another work tree holds, and that work tree's root.

    What cannot be read holds nothing, so that one broken work tree does not stop another.
    """
    found: dict[str, str] = {}
    for git_dir, work_tree in _others(location, config):
        for name in _NAMES_OF_BRANCHES:
            branch = _named_branch(_line(f"{git_dir}/{name}"), bisected=name == "BISECT_START")
            if branch:
                found.setdefault(_shown(branch), _shown(work_tree))
    return found


def _others(location: Location, config: GitConfig) -> Iterator[tuple[str, bytes]]:
    """Git directory and root of every other work tree."""
    common, own = location.common_dir, os.path.realpath(location.git_dir)
    if os.path.realpath(common) != own and not config.get_bool("core.bare", default=False):
        named = config.get("core.worktree")
        root = os.path.normpath(f"{common}/{named}") if named else common.removesuffix("/.git")
        yield common, os.fsencode(root)
    try:
        names = sorted(os.listdir(f"{common}/worktrees"))
    except OSError:
        return
    for name in names:
        git_dir = f"{common}/worktrees/{name}"
        root_file = _line(f"{git_dir}/gitdir")
        if root_file and os.path.realpath(git_dir) != own:
            absolute = os.path.join(os.fsencode(git_dir), root_file)
            yield git_dir, os.path.dirname(os.path.normpath(absolute))


def _named_branch(line: bytes, *, bisected: bool) -> bytes:
    """The branch that a file of the Git directory names; empty if it names none."""
    name = line.removeprefix(b"ref:").strip()
    if name.startswith(_HEADS_IN_BYTES):
        return name.removeprefix(_HEADS_IN_BYTES)
    return name if bisected else b""


def _line(path: str) -> bytes:
    """The text of a one-line file; empty if there is none, or none that can be read."""
    try:
        return files.read(path, _LONGEST).strip(b"\n")
    except OSError:
        return b""


def _shown(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")
