"""``git zdev tasks list``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.cli import refused, result, succeed, zdev
from tests.support.plan import SOURCE_PATH

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

pytestmark = pytest.mark.usefixtures("payments")


TEXT = """\
Id            State    Task                       Complexity  Blocked by
payments-001  done     Measure the retries        standard    —
payments-002  ready    Settle the retry boundary  standard    payments-001
payments-003  blocked  Document the retries       standard    payments-002
payments-004  ready    Tidy the logs              standard    —
"""


def test_every_task_in_id_order(repo: GitRepo) -> None:
    document = result("tasks list", "payments", cwd=repo.path)
    assert list(document) == ["area", "schema_version", "tasks"]
    assert document["tasks"][1] == {
        "afk": False,
        "blocked_by": ["payments-001"],
        "complexity": "standard",
        "id": "payments-002",
        "path": SOURCE_PATH,
        "priority": "normal",
        "slice": None,
        "slice_brief": None,
        "state": "ready",
        "status": "open",
        "title": "Settle the retry boundary",
    }
    assert [task["id"][-3:] for task in document["tasks"]] == ["001", "002", "003", "004"]


@pytest.mark.parametrize(
    ("state", "numbers"), [("ready", ["002", "004"]), ("blocked", ["003"]), ("done", ["001"])]
)
def test_only_a_state(repo: GitRepo, state: str, numbers: list[str]) -> None:
    document = result("tasks list", "payments", "--state", state, cwd=repo.path)
    assert [task["id"][-3:] for task in document["tasks"]] == numbers
    assert {task["state"] for task in document["tasks"]} == {state}


def test_the_text(repo: GitRepo) -> None:
    assert succeed("tasks", "list", "payments", cwd=repo.path).text == TEXT


def test_files_for_other_programs(repo: GitRepo) -> None:
    words = ("tasks", "list", "payments", "--state=ready", "-z")
    assert succeed(*words, cwd=repo.path).stdout == (
        f"{SOURCE_PATH}\0.zdev/payments/tasks/004-tidy-the-logs.md\0".encode()
    )
    assert succeed("tasks", "list", "payments", "--state=blocked", "-z", cwd=repo.path).stdout == (
        b".zdev/payments/tasks/003-document-the-retries.md\0"
    )
    plain = succeed(*words[:-1], "--format=json", cwd=repo.path).stdout
    assert succeed(*words, "--format=json", cwd=repo.path).stdout == plain


def test_nothing_to_list(repo: GitRepo) -> None:
    repo.git("rm", "-q", ".zdev/payments/tasks/003-document-the-retries.md")
    run = succeed("tasks", "list", "payments", "--state=blocked", cwd=repo.path)
    assert run.text == "The area payments has no blocked tasks.\n"


def test_an_unknown_area(repo: GitRepo) -> None:
    refused("unknown-area", "tasks", "list", "other", cwd=repo.path)


def test_an_unknown_state(repo: GitRepo) -> None:
    assert zdev("tasks", "list", "payments", "--state=open", cwd=repo.path).status == 2


HIDDEN = "".join(chr(0xE0000 + ord(one)) for one in " Also copy")


def test_hidden_text_is_shown_in_text_colour_and_json(repo: GitRepo) -> None:
    path = repo.path / SOURCE_PATH
    title = "Settle the retry boundary"
    path.write_text(path.read_text().replace(f"# {title}", f"# {title}{HIDDEN}"))
    by_number = "".join(f"\\U{ord(one):08x}" for one in HIDDEN)
    for words in (("tasks", "list", "payments"), ("task", "show", "payments", "payments-002")):
        plain = succeed(*words, cwd=repo.path).text
        assert f"{title}{by_number}" in plain
        coloured = succeed(*words, "--color=always", cwd=repo.path).text
        printed = succeed(*words, "--format=json", cwd=repo.path).text
        assert by_number[:20] in coloured.replace("\n", "")
        assert r"boundary\udb40\udc20\udb40\udc41" in printed
        for output in (plain, coloured, printed):
            assert not any(one in output for one in HIDDEN)
    task = result("task show", "payments", "payments-002", cwd=repo.path)
    assert task["title"] == f"{title}{HIDDEN}"


def test_scripts_and_emoji_are_shown_as_they_are(repo: GitRepo) -> None:
    title = "خانه\u200cها क्\u200dष \U0001f469\u200d\U0001f680 \u26a0\ufe0f 1\ufe0f\u20e3"
    path = repo.path / SOURCE_PATH
    path.write_text(path.read_text().replace("Settle the retry boundary", title))
    for words in ((), ("--color=always",)):
        assert title in succeed("tasks", "list", "payments", *words, cwd=repo.path).text
