"""A store that is killed at any of its system calls leaves a whole file or none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from git_zdev.context import snapshot
from git_zdev.disk import immutable
from git_zdev.ground import jsontext
from tests.support.cli import PACKAGE_PARENT
from tests.support.plan import closed_context, open_context

if TYPE_CHECKING:
    from pathlib import Path

STORE = """
import os, signal, sys
from git_zdev.ground import jsontext; from git_zdev.context import snapshot
from git_zdev.disk import immutable
from tests.support.plan import open_context

git_dir, way, left = sys.argv[1], sys.argv[2], int(sys.argv[3])

def counted(call):
    def run(*arguments, **options):
        global left
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
        return call(*arguments, **options)
    return run

def refused(*arguments, **options):
    raise PermissionError(1, "Operation not permitted")

if way != "nameless":
    immutable._link_nameless = lambda spot, data: False
if way == "linkless":
    os.link = refused
for name in ("open", "write", "fchmod", "fsync", "link", "rename", "unlink", "mkdir", "close"):
    setattr(os, name, counted(getattr(os, name)))
context = open_context()
snapshot.store(git_dir, "payments", context, jsontext.encode(context))
"""


@pytest.mark.parametrize("way", ["nameless", "named", "linkless"])
def test_every_kill_leaves_a_whole_file_or_none(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way != "nameless":
        monkeypatch.setattr(immutable, "_link_nameless", lambda spot, data: False)
    whole = jsontext.encode(open_context())
    name = f"{snapshot.content_id(whole)}.json"
    seen = set()
    for calls in range(100):
        git_dir = tmp_path / str(calls)
        git_dir.mkdir()
        done = subprocess.run(
            [sys.executable, "-c", STORE, str(git_dir), way, str(calls)],
            env={**os.environ, "PYTHONPATH": str(PACKAGE_PARENT)},
            check=False,
        )
        folder = git_dir / "zdev/work-context/payments"
        files = set(os.listdir(folder)) if folder.exists() else set()
        stored = name in files
        seen.add(stored)
        assert not stored or (folder / name).read_bytes() == whole
        other = closed_context()
        after = snapshot.store(str(git_dir), "payments", other, jsontext.encode(other))
        expected = {f"{after.id}.json"} | ({name} if stored else set())
        assert set(os.listdir(folder)) == expected
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL
    assert done.returncode == 0
    assert seen == {True, False}
    assert calls > 8
