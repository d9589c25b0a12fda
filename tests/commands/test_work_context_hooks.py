"""Work contexts inside of hooks, aliases and foreign environments: the index that Git named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.cli import changes, succeed, tree_state
from tests.support.repo import git

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repo import GitRepo

pytestmark = pytest.mark.usefixtures("on_path")

CAPTURE = ("work-context", "payments", "--format=json")


@pytest.fixture(autouse=True)
def payments(payments: GitRepo) -> None:
    payments.write("src/payments.rs", "fn pay() { staged() }\n")
    payments.git("add", "src/payments.rs")
    payments.write("src/log.rs", "fn log() { loose() }\n")
    payments.write("new.txt", "new\n")


def install(repo: GitRepo, name: str, *lines: str) -> None:
    path = repo.write(f".git/hooks/{name}", "\n".join(["#!/bin/sh", "set -e", *lines, ""]))
    path.chmod(0o755)


def captured(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_bytes())
    return document


def hook(repo: GitRepo, out: Path) -> None:
    """A pre-commit hook that captures, stores, and notes what Git itself says in its place."""
    install(
        repo,
        "pre-commit",
        f"git zdev {' '.join(CAPTURE)} > {out}/context.json",
        f"git zdev work-context payments --store --format=json > {out}/stored.json",
        f"git diff --cached > {out}/cached.diff",
        f"git diff > {out}/loose.diff",
        f"git status --short --untracked-files=all > {out}/status.txt",
        f'echo "$GIT_INDEX_FILE" > {out}/index.txt',
    )


@pytest.mark.parametrize(
    "words",
    [
        ("commit", "-q", "-m", "Plain"),
        ("commit", "-q", "-a", "-m", "All"),
        ("commit", "-q", "-m", "Paths", "src/log.rs"),
        ("commit", "-q", "--include", "-m", "Include", "src/log.rs"),
    ],
    ids=lambda words: words[-1] if words[-1] == "src/log.rs" else words[-1].lower(),
)
def test_in_pre_commit_the_index_that_git_named(
    repo: GitRepo, tmp_path: Path, words: tuple[str, ...]
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    hook(repo, out)
    repo.git(*words)
    document = captured(out / "context.json")
    assert document["git_diff_cached"] == (out / "cached.diff").read_text()
    assert document["git_diff"] == (out / "loose.diff").read_text()
    assert document["git_status"] == (out / "status.txt").read_text()
    stored = captured(out / "stored.json")
    assert captured(repo.path / stored["path"]) == document
    assert (out / "index.txt").read_text().strip()


def test_in_the_hook_of_a_linked_work_tree(repo: GitRepo, tmp_path: Path) -> None:
    repo.git("stash", "-q")
    repo.git("switch", "-q", "-c", "elsewhere")
    out, linked = tmp_path / "out", tmp_path / "linked"
    out.mkdir()
    repo.git("worktree", "add", "-q", str(linked), "main")
    hook(repo, out)
    (linked / "src/log.rs").write_text("fn log() { linked() }\n")
    git("commit", "-q", "-a", "-m", "All", cwd=linked)
    document = captured(out / "context.json")
    assert "+fn log() { linked() }" in document["git_diff_cached"]
    assert document["git_diff_cached"] == (out / "cached.diff").read_text()
    place = (repo.path / ".git/worktrees/linked").resolve()
    assert captured(out / "stored.json")["path"].startswith(f"{place}/zdev/work-context/")


def test_other_hooks_capture_too(repo: GitRepo, tmp_path: Path) -> None:
    for name in ("prepare-commit-msg", "post-commit", "pre-push", "post-checkout"):
        install(repo, name, f"git zdev {' '.join(CAPTURE)} > {tmp_path}/{name}.json")
    repo.git("commit", "-q", "-m", "Go on")
    git("init", "-q", "--bare", str(tmp_path / "remote"), cwd=tmp_path)
    repo.git("push", "-q", str(tmp_path / "remote"), "main")
    repo.git("checkout", "-q", "main")
    heads = {
        name: captured(tmp_path / f"{name}.json")["head"]
        for name in ("prepare-commit-msg", "post-commit", "pre-push", "post-checkout")
    }
    assert heads == {
        "prepare-commit-msg": repo.rev("HEAD^"),
        "post-commit": repo.rev("HEAD"),
        "pre-push": repo.rev("HEAD"),
        "post-checkout": repo.rev("HEAD"),
    }


def test_absolute_variables_lead_from_anywhere(repo: GitRepo, tmp_path: Path) -> None:
    other = tmp_path / "other-index"
    repo.git("read-tree", "HEAD", env={"GIT_INDEX_FILE": str(other)})
    env = {
        "GIT_DIR": str(repo.path / ".git"),
        "GIT_WORK_TREE": str(repo.path),
        "GIT_INDEX_FILE": str(other),
    }
    outside = tmp_path / "outside"
    outside.mkdir()
    before = tree_state(repo.path)
    run = succeed(*CAPTURE, cwd=outside, env=env)
    document = json.loads(run.stdout)
    expected = git("diff", cwd=outside, env=env).stdout.decode()
    assert document["git_diff_cached"] == ""
    assert document["git_diff"] == expected
    assert "+fn pay() { staged() }" in expected
    assert changes(before, tree_state(repo.path)) == []


def test_aliases_and_directories_do_not_matter(repo: GitRepo) -> None:
    repo.git("config", "alias.wc", "zdev work-context")
    repo.git("config", "alias.bang", "!git zdev work-context")
    plain = succeed(*CAPTURE, cwd=repo.path).stdout
    words = CAPTURE[1:]
    below, above = repo.path / "src", repo.path.parent
    runs = {
        "git zdev": git("zdev", *CAPTURE, cwd=repo.path),
        "alias": git("wc", *words, cwd=repo.path),
        "alias below": git("wc", *words, cwd=below),
        "shell alias below": git("bang", *words, cwd=below),
        "git -C": git("-C", repo.path, "zdev", *CAPTURE, cwd=above),
        "git -C below": git("-C", below, "wc", *words, cwd=above),
    }
    assert {name: run.stdout == plain for name, run in runs.items()} == dict.fromkeys(runs, True)
