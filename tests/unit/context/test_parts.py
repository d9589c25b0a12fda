"""The schema of work contexts, and what it cannot say of how their parts agree."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.context import parts as context_parts
from git_zdev.ground import schema
from tests.support.cli import library
from tests.support.plan import BLOB, closed_context, open_context

if TYPE_CHECKING:
    from collections.abc import Iterator

    from git_zdev.ground.errors import Problem

VALID = {
    "ready": open_context(),
    "exhausted": open_context(queue="exhausted"),
    "empty": open_context(queue="empty"),
    "closed": closed_context(),
}
REPLACEMENTS: tuple[Any, ...] = (None, True, -1, 1.5, "word", [None], {"kind": []})

Path = tuple[str | int, ...]


def problems(document: Any) -> list[Problem]:
    return schema.problems("work-context", document, code="work-context-shape")


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*path, key))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from places(item, (*path, position))


def at(document: Any, path: Path) -> Any:
    for step in path:
        document = document[step]
    return document


def changed(document: Any) -> Iterator[tuple[str, Any]]:
    """Every document that differs from ``document`` in one place, and how."""
    for path in places(document):
        for value in REPLACEMENTS:
            if not path:
                yield f"all is {value!r}", value
                continue
            other = copy.deepcopy(document)
            at(other, path[:-1])[path[-1]] = value
            yield f"{path} is {value!r}", other
        if path and isinstance(path[-1], str):
            other = copy.deepcopy(document)
            del at(other, path[:-1])[path[-1]]
            yield f"{path} is missing", other
        if isinstance(at(document, path), dict):
            other = copy.deepcopy(document)
            at(other, path)["further"] = 1
            yield f"{path} has a further key", other


@pytest.mark.parametrize("form", VALID)
def test_each_form_is_well_formed(form: str) -> None:
    assert problems(VALID[form]) == []
    assert context_parts.disagreements(VALID[form]) == []


@pytest.mark.parametrize("form", ["ready", "closed"])
def test_every_small_change_is_judged_as_the_library_judges_it(form: str) -> None:
    rules = library("work-context")
    accepted = 0
    for how, document in changed(VALID[form]):
        follows = schema.follows("work-context", document)
        assert follows == rules.is_valid(document), how
        accepted += follows
    assert accepted  # a string in place of a string is well-formed


def test_a_problem_names_its_place() -> None:
    document = open_context()
    document["git_untracked"]["a/b~c"] = {"kind": "file", "hash": "short"}
    document["git_untracked"]["pipe"] = {"kind": "fifo"}
    del document["status"]["area"]["tag"]
    document["goal"]["task"]["blocked_by"] = ["payments-001", 7]
    found = {problem.pointer: problem.message for problem in problems(document)}
    assert found == {
        "/git_untracked/a~1b~0c/hash": 'it is "short"; expected a full lowercase object id',
        "/git_untracked/pipe": found["/git_untracked/pipe"],
        "/git_untracked/pipe/kind": 'it is "fifo"; expected file, symlink, worktree or repository',
        "/status/area": 'the key "tag" is missing',
        "/goal/task/blocked_by/1": "it is a number; expected a string",
    }


def test_an_older_open_document_without_untracked_paths_is_well_formed() -> None:
    document = open_context()
    del document["git_untracked"]
    assert problems(document) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("area",), "other"),
        (("task_id",), "payments-001"),
        (("goal", "area", "tag"), "other"),
        (("goal", "task", "id"), "payments-003"),
        (("status", "area", "tag"), "other"),
    ],
)
def test_parts_that_contradict_each_other_are_told(path: Path, value: Any) -> None:
    document = open_context()
    at(document, path[:-1])[path[-1]] = value
    assert problems(document) == []
    assert context_parts.disagreements(document)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("task_id",), None),
        (("queue",), "exhausted"),
        (("goal", "lifecycle"), "closed"),
        (("goal", "queue"), "exhausted"),
        (("goal", "task"), None),
        (("status", "lifecycle"), "closed"),
        (("status", "queue"), "empty"),
        (("status", "next"), None),
        (("status", "branch_status", "task_work", "safe"), False),
        (("status", "branch_status", "task_work", "stale_advisory"), True),
        (("stale_advisory",), True),
    ],
)
def test_contradictions_that_the_schema_can_say_are_refused_by_it_too(
    path: Path, value: Any
) -> None:
    document = open_context()
    at(document, path[:-1])[path[-1]] = value
    assert context_parts.disagreements(document)
    assert problems(document)


def test_one_wrong_file_among_very_many_is_found() -> None:
    document = open_context()
    document["git_untracked"] = {
        f"f{number}": {"kind": "file", "hash": BLOB} for number in range(100_000)
    }
    document["git_untracked"]["f99999"] = {"kind": "file", "hash": "?"}
    assert [problem.pointer for problem in problems(document)] == ["/git_untracked/f99999/hash"]


def test_repositories_nested_without_end_are_refused() -> None:
    document = open_context()
    inner: dict[str, Any] = {}
    for _ in range(5000):
        inner = {"nested/": {**document["git_untracked"]["nested/"], "git_untracked": inner}}
    document["git_untracked"] = inner
    assert [problem.message for problem in problems(document)] == ["it is nested too deep"]
