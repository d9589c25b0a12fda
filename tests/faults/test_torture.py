"""Short runs of the scripts that torture; the long ones are for people."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.mark.skipif(sys.platform != "linux", reason="children are read from /proc")
def test_random_kills_of_real_commands_are_recovered() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / "torture"), "--runs", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_readers_beside_writers_see_what_was_complete_once() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / "torture-readers"), "--reads", "40"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
