"""One variable turns every fast way off."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.cli import PYTHON

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

SCRIPT = """
import sys
from git_zdev.cli.main import main
main(sys.argv[1:])
from git_zdev.fast import index, toml
print([
    *({"dataclasses", "json", "tomllib", "pygit2", "git_zdev.fast.values"} & set(sys.modules)),
    toml.read_canonical("a = 1"),
    toml.read_canonical_file("a = 1\\n"),
    index.entries(b"DIRC" + (2).to_bytes(4, "big") + bytes(30), b""),
    index.marks(b"DIRC" + (2).to_bytes(4, "big") + bytes(30), [], 0),
].__repr__(), file=sys.stderr)
"""
FAST = (["git_zdev.fast.values"], [{"a": 1}, {"a": 1}, [], ([], [], [], [])])
FULL = (["dataclasses", "json", "pygit2", "tomllib"], [None] * 4)


@pytest.mark.parametrize(("switch", "expected"), [("", FAST), ("0", FAST), ("1", FULL)])
def test_the_switch(
    switch: str, expected: tuple[list[str], list[object]], payments: GitRepo
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, "work-context", "payments", "--format=json"],
        cwd=payments.path,
        env={**os.environ, **PYTHON, "ZDEV_FULL": switch},
        capture_output=True,
        check=True,
    )
    *loaded, a, b, c, d = ast.literal_eval(done.stderr.splitlines()[-1].decode())
    assert (sorted(loaded), [a, b, c, d]) == expected
