"""A short run of ``scripts/fuzz-repository``; the long one is for people."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "fuzz-repository"


def test_no_command_calls_random_damage_a_bug_of_its_own() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--states", "8"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
