"""What a command loads: start-up is paid at every call."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.areas import write_empty_area
from tests.support.cli import PYTHON
from tests.support.plan import CONFIG, write_area, write_plan

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.gitrepo import GitRepo

HEAVY = [
    *("pygit2", "rich", "jsonschema", "referencing"),
    *("subprocess", "importlib.metadata", "dataclasses", "inspect"),
]
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


COSTLY = {"argparse", "dataclasses", "enum", "hashlib", "inspect", "re", "tomllib", "typing"}
"""What the standard library has that costs a good part of a small command."""


@pytest.mark.parametrize(
    "words",
    [
        ("area", "list"),
        ("check",),
        ("check", "--staged"),
        ("goal", "payments"),
        ("next", "closed"),
    ],
    ids=" ".join,
)
def test_what_runs_most_often_loads_little_of_the_standard_library(
    words: tuple[str, ...], repo: GitRepo
) -> None:
    write_area(repo.path, tasks=2)
    write_empty_area(repo.path, "closed", branch="closed", lifecycle="closed")
    repo.git("add", "--all")
    by_itself = subprocess.run(
        [sys.executable, "-c", "import sys; print(sorted(sys.modules))"],
        env={**os.environ, **PYTHON},
        capture_output=True,
        check=True,
    )
    own = loaded(repo.path, *words) - set(ast.literal_eval(by_itself.stdout.decode()))
    assert own & (COSTLY | set(HEAVY)) == set()


def test_plain_text_needs_no_json_schema_and_no_rich(repo: GitRepo) -> None:
    repo.commit()
    write_plan(repo.path, {"config.toml": CONFIG})
    modules = loaded(repo.path, "config", "trunk", "other")
    assert "pygit2._pygit2" in modules
    assert modules & {"rich", "jsonschema", "subprocess", "importlib.metadata"} <= {
        "importlib.metadata"
    }
