"""What the install script says to somebody whose machine lacks something."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

SCRIPT = Path(__file__).parents[2] / "scripts/environment"


def run(target: Path, **more: str) -> tuple[int, str]:
    """Exit status and standard error of the script."""
    environment = {**os.environ, "ZDEV_ENVIRONMENT": str(target), **more}
    done = subprocess.run([SCRIPT], env=environment, capture_output=True, check=False)
    return done.returncode, done.stderr.decode()


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.mkdir()
    (target / "letter").write_text("Dear Ada\n")
    status, said = run(target, PYTHON=sys.executable)
    assert status == 1
    assert said.startswith(f"error: {target} is there and is not a virtual environment.")
    assert [path.name for path in target.iterdir()] == ["letter"]


def test_a_python_that_makes_no_environments(tmp_path: Path) -> None:
    python = tmp_path / "python3"
    python.write_text(f'#!/bin/sh\n[ "$1" != -m ] && exec "{sys.executable}" "$@"\nexit 1\n')
    python.chmod(0o755)
    status, said = run(tmp_path / "new", PYTHON=str(python))
    assert status == 1
    assert said == (
        f"error: {python} cannot make a virtual environment. "
        "On Debian and Ubuntu: apt install python3-venv\n"
    )
    assert not (tmp_path / "new").exists()


@pytest.mark.usefixtures("on_path")
def test_the_quickstart_of_a_clone_without_a_branch(repo: GitRepo, tmp_path: Path) -> None:
    """It says nothing but what it does itself, and leaves python3 and pip alone."""
    program = shutil.which("git-zdev")
    assert program is not None
    (tmp_path / "top/scripts").mkdir(parents=True)
    quickstart = tmp_path / "top/scripts/quickstart"
    shutil.copy(SCRIPT.with_name("quickstart"), quickstart)
    for stub in (tmp_path / "top/scripts/environment", tmp_path / "env/bin/python3"):
        stub.parent.mkdir(parents=True, exist_ok=True)
        stub.write_text("#!/bin/sh\nexit 0\n")
        stub.chmod(0o755)
    (tmp_path / "env/bin/git-zdev").symlink_to(program)
    repo.commit("Begin", **{"app.py": "x = 1\n"})
    repo.git("switch", "--quiet", "--detach")
    done = subprocess.run(
        [quickstart, repo.path],
        env={**os.environ, "ZDEV_ENVIRONMENT": str(tmp_path / "env")},
        capture_output=True,
        check=False,
    )
    said = f"Installing git-zdev into {tmp_path}/env ...\n"
    assert (done.returncode, done.stderr.decode()) == (0, said)
    assert f'ln -sf "{tmp_path}/env/bin/git-zdev" ~/.local/bin/' in done.stdout.decode()
