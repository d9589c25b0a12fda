"""Commands on a split and on a sparse index, which stays of its kind whatever happens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.cli import changes, refused, result, succeed, tree_state, zdev
from tests.support.plan import (
    FIRST_PATH,
    INDEX_PATH,
    SECOND_PATH,
    bundle,
    commit_payments,
)

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

IMPORT = ("tasks import", "payments", "--from=-", "--commit")
FOLDER = "040000"


@pytest.fixture(params=["split", "sparse"])
def kind(request: pytest.FixtureRequest, repo: GitRepo) -> str:
    """Which of the two the index of the repository is; a plan is committed."""
    commit_payments(repo)
    repo.write("out/deep/x.txt", "x\n")
    repo.write("in/y.txt", "y\n")
    repo.git("add", "out", "in")
    repo.commit("More")
    if request.param == "split":
        repo.git("config", "core.splitIndex", "true")
        repo.git("config", "splitIndex.maxPercentChange", "100")
        repo.git("update-index", "--split-index")
    else:
        repo.git("sparse-checkout", "set", "--cone", "--sparse-index", ".zdev", "in")
    name: str = request.param
    assert kind_of(repo) == name
    return name


def kind_of(repo: GitRepo) -> str:
    if repo.git("rev-parse", "--shared-index-path"):
        return "split"
    return "sparse" if FOLDER in repo.git("ls-files", "--sparse", "--stage") else "plain"


def index(repo: GitRepo) -> bytes:
    return (repo.path / ".git/index").read_bytes()


@pytest.mark.parametrize("staged", [False, True])
def test_a_commit_keeps_the_kind(repo: GitRepo, kind: str, staged: bool) -> None:
    if staged:
        repo.write("in/y.txt", "staged\n")
        repo.git("add", "in/y.txt")
    document = result(*IMPORT, cwd=repo.path, stdin=bundle())
    assert document["paths"] == [FIRST_PATH, SECOND_PATH, INDEX_PATH]
    assert kind_of(repo) == kind
    assert repo.git("status", "--short") == ("M  in/y.txt" if staged else "")
    assert repo.git("diff", "--name-only", "HEAD^", "HEAD") == "\n".join(
        sorted([FIRST_PATH, SECOND_PATH, INDEX_PATH])
    )
    assert repo.git("rev-list", "--objects", "--quiet", "HEAD") == ""


def test_a_finished_task_is_committed(repo: GitRepo, kind: str) -> None:
    result(*IMPORT, cwd=repo.path, stdin=bundle())
    words = ("--summary", "Done", "--validation", "Tests pass")
    result("task done", "payments", "payments-001", *words, cwd=repo.path)
    assert repo.git("status", "--short") == ""
    assert kind_of(repo) == kind


@pytest.mark.parametrize("hook", ["pre-commit", "commit-msg", "reference-transaction"])
def test_a_hook_that_says_no(repo: GitRepo, kind: str, hook: str) -> None:
    repo.write(f".git/hooks/{hook}", "#!/bin/sh\nexit 1\n").chmod(0o755)
    before, plan = index(repo), tree_state(repo.path / ".zdev")
    assert zdev(*IMPORT[0].split(), *IMPORT[1:], cwd=repo.path, stdin=bundle()).status == 1
    assert index(repo) == before
    assert changes(plan, tree_state(repo.path / ".zdev")) == []
    assert repo.git("status", "--short") == ""
    assert kind_of(repo) == kind


def test_a_shared_file_outlives_what_is_taken_back(repo: GitRepo, kind: str) -> None:
    """Git removes shared files that are old as soon as it writes another."""
    repo.git("config", "splitIndex.sharedIndexExpire", "now")
    repo.git("config", "splitIndex.maxPercentChange", "0")
    test_a_hook_that_says_no(repo, kind, "commit-msg")


def test_the_staged_plan_is_checked(repo: GitRepo, kind: str) -> None:
    succeed("check", "--staged", cwd=repo.path)
    path = repo.path / INDEX_PATH
    path.write_bytes(path.read_bytes() + b"more\n")
    repo.git("add", INDEX_PATH)
    before = index(repo)
    assert zdev("check", "--staged", cwd=repo.path).status == 1
    assert index(repo) == before
    assert kind_of(repo) == kind


def test_nothing_staged_is_said(repo: GitRepo, kind: str) -> None:
    refused(
        "nothing-to-commit",
        "commit",
        "-m",
        "Say nothing",
        cwd=repo.path,
        unchanged=repo.path / ".zdev",
    )
    assert kind_of(repo) == kind
