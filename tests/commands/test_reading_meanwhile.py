"""Reading commands beside a writer: they show the plan before it, or wait; never a part of it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from git_zdev.cli import options
from git_zdev.commands.shared.session import Session, Surroundings
from tests.support.cli import PYTHON, Run, refused, result, succeed, zdev
from tests.support.plan import CONFIG, FILES, bundle, commit_payments, write_plan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repo import GitRepo

IMPORT = ("tasks", "import", "payments", "--from=-", "--commit")
HOLD = "echo > .git/held; while test -e .git/held; do sleep 0.01; done"

ANSWERING = [
    ("next", "payments"),
    ("next", "--any", "--format=json"),
    ("status", "payments"),
    ("status", "--format=json"),
    ("goal", "payments"),
    ("check",),
    ("check", "--staged"),
    ("area", "list"),
    ("config", "show"),
    ("slice", "list", "payments"),
    ("task", "show", "payments", "payments-002"),
    ("task", "show", "payments", "payments-005"),
    ("tasks", "list", "payments", "--format=json"),
    ("tasks", "graph", "payments"),
    ("__complete", "task", "show", "payments", ""),
]
"""What needs not wait for a publication. The fifth task is in the bundle."""


def hook(repo: GitRepo, script: str, name: str = "pre-commit") -> None:
    repo.write(f".git/hooks/{name}", f"#!/bin/sh\n{script}\n").chmod(0o755)


@pytest.fixture
def plan(repo: GitRepo) -> GitRepo:
    commit_payments(repo)
    return repo


def started(repo: GitRepo, *words: str, stdin: bytes = b"") -> subprocess.Popen[bytes]:
    """A command that goes on beside the test."""
    child = subprocess.Popen(
        [sys.executable, "-m", "git_zdev", *words],
        cwd=repo.path,
        env={**os.environ, **PYTHON},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdin is not None
    child.stdin.write(stdin)
    child.stdin.close()
    child.stdin = None
    return child


def ended(child: subprocess.Popen[bytes]) -> Run:
    stdout, stderr = child.communicate()
    assert b"Traceback" not in stderr, stderr.decode()
    return Run((), child.returncode, stdout, stderr)


@contextlib.contextmanager
def writer(
    repo: GitRepo, *words: str, stdin: bytes = b"", status: int = 1
) -> Iterator[subprocess.Popen[bytes]]:
    """A command whose hook holds it; let go in the end, or with :func:`let_go`."""
    child = started(repo, *words, stdin=stdin)
    while not (repo.path / ".git/held").exists():
        assert child.poll() is None, ended(child).error_text
        time.sleep(0.01)
    try:
        yield child
    finally:
        let_go(repo)
        run = ended(child)
    assert run.status == status, run.error_text


def let_go(repo: GitRepo) -> None:
    (repo.path / ".git/held").unlink(missing_ok=True)


def answers(repo: GitRepo) -> dict[tuple[str, ...], tuple[int, bytes, bytes]]:
    runs = {words: zdev(*words, cwd=repo.path) for words in ANSWERING}
    return {words: (run.status, run.stdout, run.stderr) for words, run in runs.items()}


@pytest.mark.parametrize("name", ["pre-commit", "commit-msg"])
def test_a_plan_that_a_hook_refuses_in_the_end_is_never_seen(plan: GitRepo, name: str) -> None:
    before = answers(plan)
    assert before["task", "show", "payments", "payments-005"][0] == 1
    hook(plan, f"{HOLD}; exit 1", name)
    with writer(plan, *IMPORT, stdin=bundle()):
        assert len(list(plan.path.glob(".zdev/payments/tasks/*"))) == 6
        assert answers(plan) == before
    assert answers(plan) == before


def test_a_plan_that_is_committed_is_seen_after_that(plan: GitRepo) -> None:
    before = answers(plan)
    hook(plan, HOLD)
    with writer(plan, *IMPORT, stdin=bundle(), status=0):
        assert answers(plan) == before
    after = answers(plan)
    assert {words for words in ANSWERING if after[words] == before[words]} <= {
        ("area", "list"),
        ("check",),
        ("check", "--staged"),
        ("config", "show"),
        ("next", "payments"),
        ("next", "--any", "--format=json"),
        ("slice", "list", "payments"),
        ("task", "show", "payments", "payments-002"),
    }
    assert after["task", "show", "payments", "payments-005"][0] == 0


def test_refs_are_waited_for_once_the_commit_stands(plan: GitRepo) -> None:
    """Old records and a new HEAD would be no state that ever was."""
    hook(plan, HOLD, "post-commit")
    plan.git("config", "zdev.lockTimeout", "0")
    listed = succeed("tasks", "list", "payments", cwd=plan.path).stdout
    with writer(plan, *IMPORT, stdin=bundle(), status=0) as child:
        assert succeed("tasks", "list", "payments", cwd=plan.path).stdout == listed
        for words in (("next", "payments"), ("status",)):
            error = refused("state-locked", *words, cwd=plan.path)
            assert error["details"] == {"pid": child.pid}
        plan.git("config", "--unset", "zdev.lockTimeout")
        waiting = started(plan, "status", "payments", "--format=json")
        let_go(plan)
        assert json.loads(ended(waiting).stdout)["counts"]["total"] == 6


CAPTURING = [
    ("work-context", "payments", "--format=json"),
    ("work-context", "payments", "--store"),
    ("verify", "admit", "payments"),
]


@pytest.mark.parametrize("refuse", [True, False], ids=["refused", "committed"])
def test_a_capture_waits_for_the_outcome(plan: GitRepo, *, refuse: bool) -> None:
    hook(plan, f"{HOLD}; exit {int(refuse)}")
    with writer(plan, *IMPORT, stdin=bundle(), status=int(refuse)):
        children = [started(plan, *words) for words in CAPTURING]
        let_go(plan)
    runs = [ended(child) for child in children]
    assert [run.status for run in runs] == [0, 0, 0], runs
    stored = list(plan.path.glob(".git/zdev/work-context/payments/*.json"))
    assert len(stored) == 1  # both stored the same state
    assert stored[0].read_bytes() == runs[0].stdout
    document = json.loads(runs[0].stdout)
    assert document["goal"]["counts"]["total"] == (4 if refuse else 6)
    assert document["head"] == plan.rev("HEAD")
    assert ".zdev" not in document["git_status"]
    assert result("work-context", "payments", cwd=plan.path) == document


def test_a_capture_says_whom_it_waited_for_in_vain(plan: GitRepo) -> None:
    run = succeed("work-context", "payments", "--store", "--format=json", cwd=plan.path)
    stored = json.loads(run.stdout)["snapshot"]
    hook(plan, f"{HOLD}; exit 1")
    plan.git("config", "zdev.lockTimeout", "0")
    with writer(plan, *IMPORT, stdin=bundle()) as child:
        for words in (*CAPTURING, ("work-context", "payments", "--compare", stored)):
            error = refused("state-locked", *words, cwd=plan.path)
            assert error["details"] == {"pid": child.pid}
    compare = ("work-context", "payments", "--compare", stored, "--exit-code")
    succeed(*compare, cwd=plan.path)


def test_a_closed_area_waits_for_nobody(plan: GitRepo) -> None:
    hook(plan, f"{HOLD}; exit 1")
    plan.write(
        ".zdev/former/area.toml",
        FILES["payments/area.toml"].replace("payments", "former").replace('"open"', '"closed"'),
    )
    plan.write(".zdev/former/brief.md", FILES["payments/brief.md"])
    before = result("work-context", "former", cwd=plan.path)
    plan.git("config", "zdev.lockTimeout", "0")
    with writer(plan, *IMPORT, stdin=bundle()):
        assert result("work-context", "former", cwd=plan.path) == before


# Hooks

READ_INSIDE = " && ".join(
    f"git-zdev {words} > .git/seen-{number} 2>&1"
    for number, words in enumerate(
        ("check --staged", "tasks list payments -z", "status payments", "work-context payments")
    )
)


@pytest.mark.parametrize("setting", ["0", "-1"])
@pytest.mark.parametrize(
    "clean",
    [
        "",
        pytest.param(
            'env -i PATH="$PATH" HOME="$HOME" PYTHONPATH="$PYTHONPATH" ',
            marks=pytest.mark.skipif(sys.platform != "linux", reason="ancestors are in /proc"),
        ),
    ],
    ids=["as Git calls it", "environment cleaned"],
)
@pytest.mark.parametrize("name", ["pre-commit", "post-commit"])
def test_hooks_of_the_commit_judge_what_is_to_be_committed(
    plan: GitRepo, on_path: Path, name: str, clean: str, setting: str
) -> None:
    """They wait for nobody, whatever the timeout, as the writer waits for them."""
    del on_path
    hook(plan, f"{clean}sh -c '{READ_INSIDE}'", name)
    plan.git("config", "zdev.lockTimeout", setting)
    succeed(*IMPORT, cwd=plan.path, stdin=bundle())
    said = [(plan.path / f".git/seen-{number}").read_text() for number in range(4)]
    assert said[0] == "The plan is sound (1 area: payments).\n"
    assert len(said[1].split("\0")) == 7
    assert "Tasks:  6" in said[2]
    assert "Tasks: 6" in said[3]


def test_a_hook_refuses_by_what_it_reads(plan: GitRepo, on_path: Path) -> None:
    del on_path
    hook(plan, "git-zdev tasks list payments | grep -q payments-005 && exit 1")
    assert zdev(*IMPORT, cwd=plan.path, stdin=bundle()).status == 1


# A plan that goes


def test_a_plan_that_goes_is_found_until_it_is_gone(repo: GitRepo) -> None:
    """Discovery looks for the plan's first file, which is out of the way by then."""
    files = {**FILES, "config.toml": CONFIG.replace('"project"', '"pull-request"')}
    write_plan(repo.path / "sub", files)
    repo.git("add", ".")
    repo.commit("Plan")
    hook(repo, f"{HOLD}; exit 1")
    sub = repo.path / "sub"
    before = [
        zdev(*words, cwd=sub).stdout for words in (("goal", "payments"), ("check", "--staged"))
    ]
    repo.git("config", "zdev.lockTimeout", "0")
    with writer(repo, "--root=sub", "cleanup", "squash"):
        assert not (sub / ".zdev/config.toml").exists()
        assert [
            zdev(*words, cwd=sub).stdout for words in (("goal", "payments"), ("check", "--staged"))
        ] == before


# What is printed


@pytest.mark.parametrize("form", ["text", "json"])
def test_what_is_printed_was_read_before(plan: GitRepo, form: str) -> None:
    """Blocks are made when the look is over; they must not go back to the files."""
    made = []
    for words in (*ANSWERING[:-1], ("work-context", "payments")):
        if "payments-005" in words:
            continue
        command, rest = options.split([*words])
        module = command.load()
        values = options.parse(command, module, rest)
        for name in ("format", "color", "root"):
            values.pop(name)
        around = Surroundings(str(plan.path), dict(os.environ), None, lambda: b"")
        session = Session(around)
        made.append(module.run(session, **values))
        session.end_look()
    shown = [one.show() for one in made]
    shutil.rmtree(plan.path)
    for one, before in zip(made, shown, strict=True):
        assert one.show() == before
        if form in one.forms:
            one.forms[form]()
