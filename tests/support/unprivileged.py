"""Run a piece of a test as a user who may not read and write everything."""

from __future__ import annotations

import contextlib
import os
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from git_zdev.ground.errors import ZdevError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NOBODY = 65534


@contextlib.contextmanager
def open_folder() -> Iterator[Path]:
    """A temporary folder that every user may enter."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def trusting(home: Path) -> dict[str, str]:
    """The environment of a user with that home who trusts everybody's repositories."""
    return {
        **os.environ,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }


def as_unprivileged(act: Callable[[], str]) -> str:
    """What ``act`` gives in a forked child, which is nobody where the tests run as root.

    A refusal is given as its code and sentence. The child cannot read the program's files, perhaps,
    so ``act`` is done once before to have everything imported.
    """
    with contextlib.suppress(ZdevError):
        act()
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.write(writing, _attempt(act).encode())
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        text = pipe.read().decode()
    os.waitpid(child, 0)
    return text


def _attempt(act: Callable[[], str]) -> str:
    try:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(_NOBODY)
            os.setuid(_NOBODY)
        return act()
    except ZdevError as error:
        return f"{error.code}: {error}"
    except BaseException as error:  # noqa: BLE001 — the parent has to see it, whatever it is
        return repr(error)
