"""`git zdev recover` after a publication that stopped dead."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.cli import refused, result, succeed, tree_state, validate, zdev
from tests.support.crashing import crash
from tests.support.scenarios import NEW, ONE, TWO

if TYPE_CHECKING:
    from tests.support.gitrepo import GitRepo

PATHS = [ONE, TWO, NEW]


def test_nothing_to_recover(repo: GitRepo) -> None:
    document = {"journal": None, "outcome": "none", "paths": [], "schema_version": 1}
    assert result("recover", cwd=repo.path) == document
    assert result("recover", "--dry-run", cwd=repo.path) == document


@pytest.mark.parametrize(
    ("name", "call", "outcome", "content"),
    [
        ("files", "swap", "rolled-back", b"one\n"),
        ("commit", "stage", "rolled-back", b"one\n"),
        ("commit", "wait", "completed", b"edited\n"),
    ],
)
def test_an_interrupted_command_is_finished_or_undone(
    repo: GitRepo, name: str, call: str, outcome: str, content: bytes
) -> None:
    crash(repo, name, call)
    before = tree_state(repo.path)
    planned = result("recover", "--dry-run", cwd=repo.path)
    assert tree_state(repo.path).keys() == before.keys()
    assert (planned["outcome"], planned["paths"]) == (outcome, PATHS)
    assert planned["journal"] == str(repo.path / ".git/zdev/journal")
    assert result("recover", cwd=repo.path) == planned
    assert (repo.path / ONE).read_bytes() == content
    assert result("recover", cwd=repo.path)["outcome"] == "none"


def test_reading_commands_refuse_meanwhile_and_say_what_to_do(repo: GitRepo) -> None:
    crash(repo, "files", "swap")
    for words in (("check",), ("status",), ("goal", "area"), ("tasks", "list", "area")):
        error = refused("interrupted-publication", *words, cwd=repo.path)
        assert "git zdev recover" in error["error"]
    succeed("--version", cwd=repo.path)
    succeed("schema", "list", cwd=repo.path)


def test_newer_edits_stay_and_are_named(repo: GitRepo) -> None:
    crash(repo, "files", "sync_folder tasks")
    (repo.path / ONE).write_bytes(b"newer\n")
    run = zdev("--format=json", "recover", cwd=repo.path)
    assert (run.status, run.stdout) == (1, b"")
    error = json.loads(run.stderr)
    validate("error", error)
    assert (error["code"], error["details"]) == ("recovery-conflict", {"kept": [ONE]})
    run = succeed("recover", "--keep-current", cwd=repo.path)
    assert "undone" in run.text
    assert f"Left as it was changed: {ONE}" in run.text
    assert (repo.path / ONE).read_bytes() == b"newer\n"
    assert (repo.path / TWO).read_bytes() == b"two\n"


def test_inside_a_publication_it_is_refused(repo: GitRepo) -> None:
    crash(repo, "files", "swap")
    environment = {"ZDEV_PUBLICATION": "1"}
    refused("inside-git-hook", "recover", cwd=repo.path, env=environment)
