"""`git zdev recover` after a publication that stopped dead."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from git_zdev.cli import registry
from tests.support.cli import refused, result, succeed, tree_state, validate, zdev
from tests.support.faults import ANY_SNAPSHOT as SNAPSHOT
from tests.support.faults import COMMANDS, NEW, ONE, TWO, crash
from tests.support.plan import SOURCE_PATH

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

PATHS = [ONE, TWO, NEW]


def test_nothing_to_recover(repo: GitRepo) -> None:
    nothing = {"journal": None, "command": None, "kept": [], "notes": [], "paths": []}
    document = {**nothing, "outcome": "none", "schema_version": 1}
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


READING = [
    ("area", "list"),
    ("check",),
    ("check", "--staged"),
    ("config", "get", "project.trunk"),
    ("config", "show"),
    ("config", "trunk"),
    ("goal", "payments"),
    ("next", "payments"),
    ("next", "--any"),
    ("slice", "list", "payments"),
    ("slice", "show", "payments", "api"),
    ("status",),
    ("status", "payments"),
    ("task", "show", "payments", "payments-001"),
    ("tasks", "graph", "payments"),
    ("tasks", "list", "payments"),
    ("verify", "accept", "payments", "--snapshot", SNAPSHOT, "--from=-"),
    ("verify", "admit", "payments"),
    ("work-context", "payments"),
    ("work-context", "payments", "--store"),
    ("work-context", "payments", "--compare", SNAPSHOT),
]
CAREFREE = [
    ("--version",),
    ("-h",),
    ("__complete", "goal", ""),
    ("change", "inspect", "HEAD"),
    ("change", "lookup", "Z" + "0" * 64),
    ("change-id",),
    ("completion", "bash"),
    ("hooks", "list"),
    ("schema", "list"),
    ("schema", "show", "goal"),
    ("work-context", "payments", "--show", SNAPSHOT),
]
PASS = b'{"verdict":"pass","summary":"Fine.","findings":[],"escalation":"none"}'


@pytest.fixture
def stopped(repo: GitRepo) -> GitRepo:
    """A work tree in which a completion stopped dead, with a stored snapshot."""
    crash(repo, "verify complete", "swap 1.new")
    return repo


def test_reading_commands_refuse_meanwhile_and_say_what_to_do(stopped: GitRepo) -> None:
    for words in READING:
        given = with_snapshot(stopped, words)
        error = refused("interrupted-publication", *given, cwd=stopped.path, stdin=PASS)
        assert "git zdev recover" in error["error"]


def test_what_reads_no_records_does_not_care(stopped: GitRepo) -> None:
    before = tree_state(stopped.path)
    stopped.git("commit", "-q", "--allow-empty", "-m", f"Mine\n\nZdev-Change-Id: Z{'0' * 64}")
    for words in CAREFREE:
        succeed(*with_snapshot(stopped, words), cwd=stopped.path)
    journal = {path for path in before if path.startswith(".git/zdev/journal/")}
    assert journal
    assert journal <= tree_state(stopped.path).keys()


def test_every_command_is_known_to_read_or_not() -> None:
    known = {words for words in map(first_words, (*READING, *CAREFREE)) if words}
    writing = {first_words(one.words) for one in COMMANDS}
    assert {command.words for command in registry.COMMANDS} - known - writing == {
        "commit",
        "context remove",
        "help",
        "hooks install",
        "recover",
        "tasks derive review",
        "tasks review",
        "verify envelope",
    }


def test_writing_commands_recover_first(stopped: GitRepo) -> None:
    succeed("area", "close", "chores", cwd=stopped.path)
    assert result("recover", cwd=stopped.path)["outcome"] == "none"
    assert 'status = "open"' in (stopped.path / SOURCE_PATH).read_text()


def first_words(words: tuple[str, ...]) -> str:
    """The command that a command line begins with; empty for none."""
    names = {command.words for command in registry.COMMANDS}
    lines = [" ".join(words[:count]) for count in (3, 2, 1)]
    return next((line for line in lines if line in names), "")


def with_snapshot(repo: GitRepo, words: tuple[str, ...]) -> list[str]:
    """The words, with the id of the stored snapshot in its place."""
    found = next(repo.path.glob(".git/zdev/work-context/*/*.json")).stem
    return [found if word == SNAPSHOT else word for word in words]


def test_newer_edits_stay_and_are_named(repo: GitRepo) -> None:
    crash(repo, "files", "sync_folder tasks")
    (repo.path / ONE).write_bytes(b"newer\n")
    would = result("recover", "--dry-run", cwd=repo.path)
    assert (would["outcome"], would["kept"]) == ("rolled-back", [ONE])
    dry = succeed("recover", "--dry-run", cwd=repo.path).text
    assert "Recovery would stop there; --keep-current keeps your version" in dry
    run = zdev("--format=json", "recover", cwd=repo.path)
    assert (run.status, run.stdout) == (1, b"")
    error = json.loads(run.stderr)
    validate("error", error)
    assert (error["code"], error["details"]) == ("recovery-conflict", {"kept": [ONE]})
    run = succeed("recover", "--keep-current", cwd=repo.path)
    assert "undone" in run.text
    assert f"Edited since, and left alone: {ONE}" in run.text
    assert (repo.path / ONE).read_bytes() == b"newer\n"
    assert (repo.path / TWO).read_bytes() == b"two\n"


def test_inside_a_publication_it_is_refused(repo: GitRepo) -> None:
    crash(repo, "files", "swap")
    environment = {"ZDEV_PUBLICATION": "1"}
    refused("inside-git-hook", "recover", cwd=repo.path, env=environment)
