"""What a command loads: start-up is paid at every call."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from git_zdev import fast
from tests.support.cli import PYTHON
from tests.support.plan import CONFIG, commit_payments, write_area, write_empty_area, write_plan

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repo import GitRepo

HEAVY = [
    *("pygit2", "rich", "jsonschema", "referencing"),
    *("subprocess", "importlib.metadata", "dataclasses", "inspect"),
]
pytestmark = pytest.mark.skipif(fast.OFF, reason="the full ways load what they need")

SCRIPT = """
import sys
from git_zdev.cli.main import main
status = main(sys.argv[1:])
print([status, *sorted(sys.modules)], file=sys.stderr)
"""


def loaded(cwd: Path, *words: str) -> set[str]:
    """The modules that stand in memory after a command that went well."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *words],
        cwd=cwd,
        env={**os.environ, **PYTHON},
        capture_output=True,
        check=True,
    )
    status, *modules = ast.literal_eval(done.stderr.splitlines()[-1].decode())
    assert status == 0, done.stderr.decode()
    return set(modules)


@pytest.mark.parametrize(
    "words",
    [
        ("--version",),
        ("-h",),
        ("area", "list"),
        ("area", "list", "--format=json"),
        ("area", "create", "-h"),
        ("change-id",),
        ("check",),
        ("config", "show"),
        ("goal", "payments"),
        ("goal", "payments", "--format=json"),
        ("next", "closed"),
        ("slice", "list", "payments"),
        ("tasks", "list", "payments"),
        ("task", "show", "payments", "payments-001"),
    ],
    ids=" ".join,
)
def test_reading_records_needs_no_library(words: tuple[str, ...], repo: GitRepo) -> None:
    write_area(repo.path, tasks=2)
    write_empty_area(repo.path, "closed", branch="closed", lifecycle="closed")
    assert loaded(repo.path, *words) & set(HEAVY) == set()


FREE = {"__future__", "errno", "fcntl", "mmap"}
"""Modules of the standard library that cost next to nothing."""

FAST = {"_json", "_bisect"}
"""Modules of C that stand in for a module of Python where a small part of it is needed."""

INFLATING = {"zlib"}
"""What loose objects are looked at with, 0.3 ms."""

HASHING = {"hashlib", "_hashlib", "_blake2"}
"""What hashes: loaded where something is hashed, under 3 ms."""


@pytest.mark.parametrize(
    "words",
    [
        ("--version",),
        ("-h",),
        ("__complete", "goal", ""),
        ("__complete", "task", "show", "payments", ""),
        ("area", "list", "--format=json"),
        ("change", "inspect", "HEAD"),
        ("check",),
        ("check", "--staged"),
        ("goal", "payments"),
        ("goal", "payments", "--format=json"),
        ("next", "closed"),
        ("next", "payments"),
        ("status", "payments"),
        ("task", "show", "payments", "payments-001"),
        ("tasks", "list", "payments", "--format=json"),
        ("work-context", "payments", "--format=json"),
        ("work-context", "payments", "--store"),
    ],
    ids=" ".join,
)
def test_what_runs_most_often_loads_next_to_nothing_of_the_standard_library(
    words: tuple[str, ...], repo: GitRepo
) -> None:
    commit_payments(repo)
    write_empty_area(repo.path, "closed", branch="closed", lifecycle="closed")
    repo.commit(**{"edited.txt": "as it was\n"})
    repo.write("edited.txt", "as it is\n")
    repo.write("untracked.txt", "new\n")
    by_itself = subprocess.run(
        [sys.executable, "-c", "import sys; print(sorted(sys.modules))"],
        env={**os.environ, **PYTHON},
        capture_output=True,
        check=True,
    )
    own = loaded(repo.path, *words) - set(ast.literal_eval(by_itself.stdout.decode()))
    standard = {name for name in own if not name.startswith(("git_zdev", "pygit2", "_cffi"))}
    assert standard - FREE <= FAST | INFLATING | HASHING


DECLARING = """
import sys
before = set(sys.modules)
from git_zdev.cli import completion, registry
for command in registry.COMMANDS:
    completion._declared(command)
print(sorted(set(sys.modules) - before))
"""


def test_no_commands_options_load_much() -> None:
    """A completion declares them; what a command does is imported when it does it."""
    done = subprocess.run(
        [sys.executable, "-c", DECLARING],
        env={**os.environ, **PYTHON},
        capture_output=True,
        check=True,
    )
    declared = set(ast.literal_eval(done.stdout.decode()))
    assert "git_zdev.commands.verify_complete" in declared
    assert {name for name in declared if not name.startswith("git_zdev")} - FREE <= FAST


def test_plain_text_needs_no_json_schema_and_no_rich(repo: GitRepo) -> None:
    repo.commit()
    write_plan(repo.path, {"config.toml": CONFIG})
    modules = loaded(repo.path, "config", "trunk", "other")
    assert "pygit2._pygit2" in modules
    assert modules & {"rich", "jsonschema", "subprocess", "importlib.metadata"} <= {
        "importlib.metadata"
    }
