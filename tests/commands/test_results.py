"""Every result holds against its schema, and nothing that differs from it in one place does."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.cli import registry
from git_zdev.ground import schema
from tests.support.cli import refused, result, succeed, validate
from tests.support.faults import advanced, crash, planned, pulled
from tests.support.plan import bundle, commit_payments, envelope, follow_up, split
from tests.support.repo import make_repo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.repo import GitRepo

    Place = tuple[str | int, ...]

DONE = ("--summary=Built it.", "--validation=Ran the tests.")
REPLY = {"verdict": "rework", "summary": "No.", "findings": ["a: wrong"], "escalation": "none"}
READY = {
    "schema_version": 1,
    "kind": "implementer",
    "area": "payments",
    "task_id": "payments-002",
    "verdict": "ready",
    "summary": "Done.\u202e",
    "evidence": ["ran the tests"],
    "findings": [],
    "escalation": "none",
}
AUDIT = {"verdict": "findings", "lens": "names", "summary": "Unclear.", "findings": ["a: x"]}

OPTIONAL = {
    "check": {("fixed",)},  # with --fix
    "config-trunk": {("status",)},  # absent where the trunk is only printed
    "error": {("details",), ("details", "branch_status")},  # details are free by purpose
    "goal": {("task", "boundaries"), ("task", "context"), ("task", "slice")},
    "status": {("area", "parent")},
    "work-context": {
        *((("goal", "task", name)) for name in ("boundaries", "context", "slice")),
        ("git_untracked",),  # older documents have none
        ("status", "area", "parent"),
    },
    "work-context-compare": {("changed",)},  # with --verbose
    "verify-envelope": {("warnings",), ("warnings", 0, "pointer")},  # where there is hidden text
}
"""Keys that a result may lack, by schema."""

MAPS = {("git_untracked",)}
"""Objects whose keys are paths."""

FREE = {("details",)}
"""What an error says in its details besides problems is for each code to say."""


class Walk:
    """What commands print, by schema and name."""

    def __init__(self) -> None:
        self.documents: list[tuple[str, dict[str, Any]]] = []
        self.repo: GitRepo

    def run(self, command: str, *words: str, stdin: bytes = b"", status: int = 0) -> dict[str, Any]:
        found = result(command, *words, cwd=self.repo.path, stdin=stdin, status=status)
        self.documents.append((command.replace(" ", "-"), found))
        return found

    def form(self, name: str, *words: str) -> dict[str, Any]:
        """A result of a form of ``work-context`` that has a schema of its own."""
        printed = succeed("--format=json", "work-context", *words, cwd=self.repo.path).stdout
        found: dict[str, Any] = json.loads(printed)
        validate(name, found)
        self.documents.append((name, found))
        return found


def walk(new: Callable[[str], GitRepo]) -> list[tuple[str, dict[str, Any]]]:
    """One result or more of every command, as schema and document."""
    taken = Walk()
    for part in (read, write, gates, others):
        part(taken, new)
    return taken.documents


def read(taken: Walk, new: Callable[[str], GitRepo]) -> None:
    taken.repo = new("read")
    planned(taken.repo)
    for words in (
        *("area list", "change-id", "check", "check --fix", "config show", "config trunk"),
        *("config get project.record", "goal payments", "next payments", "next former"),
        *("next --any", "recover", "schema list", "slice list payments", "slice show payments api"),
        *("status", "status payments", "status former", "task show payments payments-002"),
        *("tasks list payments", "tasks graph payments", "tasks index payments", "hooks list"),
        *("hooks install pre-commit", "help goal", "change inspect HEAD", "goal former"),
    ):
        command, _ = registry.find(words.split()) or pytest.fail(words)
        taken.run(command.words, *words.removeprefix(command.words).split())
    taken.repo.git("switch", "-q", "-c", "elsewhere")
    taken.run("next", "--any")
    document = refused("wrong-branch", "next", "payments", cwd=taken.repo.path)
    taken.documents.append(("error", document))


def write(taken: Walk, new: Callable[[str], GitRepo]) -> None:
    taken.repo = new("bare")
    taken.repo.commit("first", README="x\n")
    taken.run("init", "--record=personal")
    taken.repo = new("write")
    planned(taken.repo)
    for words in (
        *("config set project.guidance auto", "config unset project.guidance"),
        *("config trunk topic --allow-divergent", "config trunk main --allow-divergent"),
        "area create more --title=More --objective=More. --branch=topic",
        *("area close chores", "area reopen former", "area bind web web"),
        *("area parent web payments", "area parent web --remove"),
        "slice create payments web --title=Web --objective=Web. --boundary=No.",
        "task done payments payments-002 --summary=Built. --validation=Ran.",
        "task reopen payments payments-002",
    ):
        command, _ = registry.find(words.split()) or pytest.fail(words)
        taken.run(command.words, *words.removeprefix(command.words).split())
    taken.run("tasks review", "payments", "--from=-", stdin=bundle())
    taken.run("tasks import", "payments", "--from=-", stdin=bundle())
    taken.repo.git("add", ".zdev")
    made = taken.run("commit", "-m", "Change the plan")
    taken.run("change lookup", made["change_id"])
    taken.run("change inspect", "HEAD")


def gates(taken: Walk, new: Callable[[str], GitRepo]) -> None:
    taken.repo = new("gates")
    commit_payments(taken.repo)
    taken.repo.write("src/log.rs", "fn log() {}\nfn more() {}\n")
    taken.repo.write("new.txt", "new\n")
    taken.run("work-context", "payments")
    stored = taken.form("work-context-store", "payments", "--store")["snapshot"]
    taken.form("work-context-compare", "payments", "--compare", stored, "--verbose")
    taken.run("verify admit", "payments")
    words = ("payments", f"--snapshot={stored}", "--from=-")
    taken.run("verify accept", *words, stdin=json.dumps(REPLY).encode(), status=3)
    words = ("implementer", "--area=payments", "--task=payments-002", "--from=-")
    taken.run("verify envelope", *words, stdin=json.dumps(READY).encode())
    taken.run("verify envelope", "audit", "--from=-", stdin=json.dumps(AUDIT).encode())
    taken.repo.write("new.txt", "newer\n")
    taken.form("work-context-compare", "payments", "--compare", stored, "--verbose")
    taken.run("context remove", "payments", stored)
    again = taken.run("verify admit", "payments")["snapshot"]
    taken.run("verify complete", "payments", f"--snapshot={again}", *DONE)


def others(taken: Walk, new: Callable[[str], GitRepo]) -> None:
    for name, document in (("follow", follow_up()), ("split", split())):
        taken.repo = new(name)
        commit_payments(taken.repo)
        taken.run("tasks derive review", "payments", "--from=-", stdin=envelope(document))
        taken.run("tasks derive apply", "payments", "--from=-", stdin=envelope(document))
    taken.repo = new("pulled")
    pulled(taken.repo)
    taken.run("cleanup squash")
    taken.repo = new("advanced")
    advanced(taken.repo)
    taken.run("area rebase", "web", "--commit")
    taken.repo = new("first")
    planned(taken.repo)
    taken.run("tasks import", "payments", "--from=-", "--commit", stdin=bundle())
    taken.repo = new("crashed")
    crash(taken.repo, "files", "swap")
    taken.run("recover")


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    yield place
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*place, key))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from places(item, (*place, position))


def at(document: Any, place: Place) -> Any:
    for step in place:
        document = document[step]
    return document


def retyped(value: Any) -> Any:
    """A value of another type that looks as much like it as may be."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return [value]
    if isinstance(value, int):
        return str(value)
    return {} if isinstance(value, list) else [] if isinstance(value, dict) else 0


def mutants(name: str, document: Any) -> Iterator[tuple[str, Any]]:
    """Documents that differ in one place and may not be valid, each with what was done."""
    for place in places(document):
        if any(place[: len(free)] == free for free in FREE):
            continue
        value = at(document, place)
        if isinstance(value, dict):
            other = copy.deepcopy(document)
            at(other, place)["unknown"] = "x"
            yield f"{place} has one key more", other
        if not place:
            continue
        other = copy.deepcopy(document)
        at(other, place[:-1])[place[-1]] = retyped(value)
        yield f"{place} is {retyped(value)!r}", other
        if isinstance(place[-1], str) and place not in OPTIONAL.get(name, ()):
            other = copy.deepcopy(document)
            del at(other, place[:-1])[place[-1]]
            if place[:-1] not in MAPS:
                yield f"{place} is missing", other


def test_each_result_and_nothing_beside_it_follows_its_schema(tmp_path: Path) -> None:
    documents = walk(lambda name: make_repo(tmp_path / name))
    accepted = [
        f"{name}: {how}"
        for name, document in documents
        for how, mutant in mutants(name, document)
        if schema.follows(name, mutant)
    ]
    assert accepted == []
    assert all(schema.follows(name, document) for name, document in documents)
    silent = {"completion", "schema show"}
    wanted = {command.words.replace(" ", "-") for command in registry.COMMANDS} - {
        word.replace(" ", "-") for word in silent
    }
    assert wanted <= {name for name, _ in documents}
