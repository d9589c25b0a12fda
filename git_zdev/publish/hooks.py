"""Git hooks that call this program: finding, inspecting and installing them.

Git runs hooks from ``core.hooksPath``, relative to the work tree's root, else from ``hooks`` in the
Git directory that all work trees share (githooks(5)). An existing hook belongs to the user: it is
never overwritten, and only ``--force`` moves it aside, beside the new one.
"""

from __future__ import annotations

import os
import stat

from git_zdev.git.commit_hooks import hooks_folder
from git_zdev.git.read import files
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.text import quoted
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from git_zdev.disk.atomic import Disk, Spot
    from git_zdev.git.port import Repository

    State = Literal["installed", "absent", "other"]


SCRIPTS = {
    "pre-commit": b"""\
#!/bin/sh
# Installed by `git zdev hooks install pre-commit`: a commit whose plan does not hold together
# is refused. `git commit --no-verify` passes by.
command -v git-zdev >/dev/null 2>&1 || {
	echo "pre-commit: git-zdev is not on PATH. Install it, or remove the hook $0" >&2
	exit 1
}
exec git-zdev check --staged >/dev/null
"""
}
"""The scripts of the hooks that can be installed, by name."""

LINE = "git-zdev check --staged >/dev/null || exit"
"""The same for a hook that the user wrote."""


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook as it is in a repository.

    Attributes:
        name: Its name, such as ``pre-commit``.
        path: Absolute path of its file.
        state: ``installed`` (exactly ours, executable), ``absent``, or ``other``.
    """

    name: str
    path: str
    state: State


@dataclass(frozen=True, slots=True)
class Installed:
    """The result of installing a hook.

    Attributes:
        hook: The hook.
        kept: Path at which the previous hook is kept; None if there was none.
        changed: Whether anything was written.
    """

    hook: Hook
    kept: str | None
    changed: bool


def listed(repository: Repository) -> list[Hook]:
    """Every hook that can be installed, with its current state."""
    folder = hooks_folder(repository.location, repository.config)
    return [look(name, folder) for name in SCRIPTS]


def look(name: str, folder: str) -> Hook:
    """The current state of a hook."""
    path, script = os.path.join(folder, name), SCRIPTS[name]
    try:
        ours = files.read(path, len(script) + 1) == script
        runs = bool(os.stat(path).st_mode & stat.S_IXUSR)
    except FileNotFoundError:
        # Not lexists: a hook that another writer has just installed is not a dangling link.
        return Hook(name, path, "other" if os.path.islink(path) else "absent")
    except OSError:
        return Hook(name, path, "other")
    return Hook(name, path, "installed" if ours and runs else "other")


def install(repository: Repository, name: str, disk: Disk, *, force: bool) -> Installed:
    """Install a hook.

    Args:
        repository: The repository.
        name: One of ``SCRIPTS``.
        disk: The file system.
        force: Whether an existing hook may be moved aside.

    Work trees share their hooks, so the lock of the main one is held meanwhile.

    Raises:
        ZdevError: ``unknown-hook``, ``foreign-hooks-path``, ``hook-exists``, ``state-locked``, or
            why it cannot be written.
    """
    if name not in SCRIPTS:
        known = ", ".join(SCRIPTS)
        raise ZdevError("unknown-hook", f"there is no hook {quoted(name)}", f"They are: {known}")
    folder = hooks_folder(repository.location, repository.config)
    _require_own_folder(repository, folder, name)
    hook = look(name, folder)
    if _stands(hook, force=force):
        return Installed(hook, None, changed=False)
    from git_zdev.disk.lock import StateLock
    from git_zdev.publish.hold import lock_timeout

    shared = repository.location.common_dir
    with StateLock(shared, lambda: lock_timeout(repository), repository.progress):
        hook = look(name, folder)
        if _stands(hook, force=force):
            return Installed(hook, None, changed=False)
        kept = _write(hook, folder, disk)
    return Installed(look(name, folder), kept, changed=True)


def _stands(hook: Hook, *, force: bool) -> bool:
    """Whether the hook is already installed; raises ``hook-exists`` for another hook."""
    if hook.state == "other" and not force:
        raise _taken(hook)
    return hook.state == "installed"


def _taken(hook: Hook) -> ZdevError:
    return ZdevError(
        "hook-exists",
        f"{hook.path} already exists",
        f"Add the line `{LINE}` to it, or let --force keep it beside the new one as "
        f"{hook.name}.before-zdev",
    )


def _require_own_folder(repository: Repository, folder: str, name: str) -> None:
    """Refuse a folder that other repositories can share."""
    location = repository.location
    real = os.path.realpath(folder)
    roots = (location.work_tree, location.common_dir, location.git_dir)
    if not any(real.startswith(os.path.realpath(root) + os.sep) for root in roots):
        raise ZdevError(
            "foreign-hooks-path",
            f"core.hooksPath leads out of the repository, to {folder}",
            f"Add this line to {os.path.join(folder, name)} yourself: `{LINE}`",
        )


def _write(hook: Hook, folder: str, disk: Disk) -> str | None:
    """Write the script beside its place and move it in; return where an old hook is kept."""
    from git_zdev.disk.atomic import storage_error

    try:
        os.makedirs(folder, exist_ok=True)
        with disk.open_root(folder) as opened:
            fresh = opened.at(f"{hook.name}.zdev-new")
            if disk.stat(fresh) is not None:
                disk.remove(fresh)  # left by a killed writer
            disk.create(fresh, SCRIPTS[hook.name], 0o755)
            try:
                kept = _move_in(fresh, opened.at(hook.name), disk, keep=hook.state == "other")
            except BaseException:
                disk.remove(fresh)
                raise
            disk.sync_folder(opened)
    except FileExistsError as error:
        raise _taken(hook) from error
    except OSError as error:
        raise storage_error(error) from error
    return kept


def _move_in(fresh: Spot, target: Spot, disk: Disk, *, keep: bool) -> str | None:
    """Give the new hook its name; return the path at which the old one is kept."""
    kept = _keep(target, disk) if keep else None
    if disk.stat(target) is None or not keep:
        disk.place(fresh, target)
    else:
        disk.rename(fresh, target)
    return kept


def _keep(target: Spot, disk: Disk) -> str:
    """Give the existing hook another, unused name, and return its path."""
    from git_zdev.disk.atomic import NO_LINKS

    for suffix in ("", *(f".{number}" for number in range(1, 1000))):
        spot = target.folder.at(f"{target.name}.before-zdev{suffix}")
        if disk.stat(spot) is None:
            try:
                disk.link(target, spot)
            except OSError as error:
                if error.errno not in NO_LINKS:
                    raise
                disk.place(target, spot)  # a folder, or no hard links here
            return spot.path
    raise ZdevError("too-many-hooks", f"{target.path} was kept a thousand times", "Remove some")
