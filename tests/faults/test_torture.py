"""A short run of ``scripts/torture``; the long one is for people."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "torture"


@pytest.mark.skipif(sys.platform != "linux", reason="children are read from /proc")
def test_random_kills_of_real_commands_are_recovered() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--runs", "1"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
