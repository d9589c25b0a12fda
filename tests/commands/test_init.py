"""``git zdev init`` on real repositories."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.support.cli import changes, ended, refused, result, start, succeed, tree_state, zdev
from tests.support.repo import git

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.repo import GitRepo

CONFIG = """\
schema_version = 1

[project]
name = "{name}"
record = "{record}"
"""


def config(name: str = "repo", record: str = "project", trunk: str | None = "main") -> bytes:
    text = CONFIG.format(name=name, record=record)
    return (text + (f'trunk = "{trunk}"\n' if trunk else "")).encode()


def test_it_writes_the_config_and_the_attributes(repo: GitRepo) -> None:
    repo.commit()
    assert result("init", "--record", "project", cwd=repo.path) == {
        "record": {"exclude": None, "path": ".zdev/config.toml", "policy": "project"},
        "root": os.path.realpath(repo.path),
        "schema_version": 1,
        "status": "created",
        "trunk": "main",
    }
    assert (repo.path / ".zdev/config.toml").read_bytes() == config()
    assert (repo.path / ".zdev/.gitattributes").read_bytes() == b"* text eol=lf\n"
    assert repo.git("status", "--porcelain", "-uall") == (
        "?? .zdev/.gitattributes\n?? .zdev/config.toml"
    )


def test_an_unborn_branch_is_the_trunk(new_repo: Callable[..., GitRepo]) -> None:
    repo = new_repo("fresh", branch="topic/one")
    assert result("init", "--record", "project", cwd=repo.path)["trunk"] == "topic/one"
    assert (repo.path / ".zdev/config.toml").read_bytes() == config("fresh", trunk="topic/one")


def test_a_detached_head_leaves_the_trunk_unbound(repo: GitRepo) -> None:
    repo.commit()
    repo.git("switch", "-q", "--detach")
    assert result("init", "--record", "project", cwd=repo.path)["trunk"] is None
    assert (repo.path / ".zdev/config.toml").read_bytes() == config(trunk=None)


@pytest.mark.parametrize("record", ["personal", "project", "pull-request"])
def test_a_repeat_changes_nothing(record: str, repo: GitRepo) -> None:
    result("init", "--record", record, cwd=repo.path)
    before = tree_state(repo.path)
    again = result("init", "--record", record, cwd=repo.path)
    assert (again["status"], again["record"]["policy"]) == ("unchanged", record)
    assert changes(before, tree_state(repo.path)) == []


def test_a_personal_record_is_excluded_once(repo: GitRepo) -> None:
    exclude = repo.path / ".git/info/exclude"
    exclude.write_bytes(b"*.log")
    made = result("init", "--record", "personal", cwd=repo.path)
    assert made["record"] == {
        "exclude": "/.zdev/",
        "path": ".zdev/config.toml",
        "policy": "personal",
    }
    assert exclude.read_bytes() == b"*.log\n/.zdev/\n"
    assert repo.git("status", "--porcelain", "-uall") == ""


def test_a_missing_exclude_file_is_made(repo: GitRepo) -> None:
    (repo.path / ".git/info/exclude").unlink()
    (repo.path / ".git/info").rmdir()
    result("init", "--record", "personal", cwd=repo.path)
    assert (repo.path / ".git/info/exclude").read_bytes() == b"/.zdev/\n"


def test_a_personal_record_that_came_without_its_exclude_line_gets_it(repo: GitRepo) -> None:
    result("init", "--record", "personal", cwd=repo.path)
    (repo.path / ".git/info/exclude").write_bytes(b"")
    assert result("init", "--record", "personal", cwd=repo.path)["status"] == "created"
    assert (repo.path / ".git/info/exclude").read_bytes() == b"/.zdev/\n"


def test_a_linked_work_tree_shares_the_exclude_file(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit()
    result("init", "--record", "personal", cwd=repo.path)
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "-q", "-b", "other", linked)
    made = result("init", "--record", "personal", cwd=linked)
    assert (made["status"], made["trunk"]) == ("created", "other")
    assert (linked / ".zdev/config.toml").read_bytes() == config("linked", "personal", "other")
    assert (repo.path / ".git/info/exclude").read_bytes().count(b"/.zdev/\n") == 1
    assert git("status", "--porcelain", "-uall", cwd=linked).stdout == b""


def test_another_policy_is_refused(repo: GitRepo) -> None:
    result("init", "--record", "project", cwd=repo.path)
    error = refused("record-policy-differs", "init", "--record", "personal", cwd=repo.path)
    assert error["command"] == "init"


def test_invalid_records_are_refused(repo: GitRepo) -> None:
    repo.write(".zdev/config.toml", "schema_version = 2\n")
    refused("invalid-records", "init", "--record", "project", cwd=repo.path)


def test_attributes_that_are_there_stay(repo: GitRepo) -> None:
    repo.write(".zdev/.gitattributes", "*.md diff\n")
    result("init", "--record", "project", cwd=repo.path)
    assert (repo.path / ".zdev/.gitattributes").read_bytes() == b"*.md diff\n"


def test_it_finds_the_work_tree_from_below(repo: GitRepo) -> None:
    folder = repo.path / "deep/er"
    folder.mkdir(parents=True)
    made = result("init", "--record", "project", cwd=folder)
    assert made["root"] == os.path.realpath(repo.path)
    assert (repo.path / ".zdev/config.toml").exists()


def test_a_root_below_gets_its_own_plan_and_pattern(repo: GitRepo) -> None:
    (repo.path / "a[b*").mkdir()
    made = result("init", "--record", "personal", "--root", "a[b*", cwd=repo.path)
    assert made["record"]["exclude"] == "/a\\[b\\*/.zdev/"
    assert repo.git("status", "--porcelain", "-uall") == ""
    assert repo.git("check-ignore", "a[b*/.zdev/config.toml") == "a[b*/.zdev/config.toml"


def test_git_dir_and_work_tree_from_outside(repo: GitRepo, tmp_path: Path) -> None:
    env = {"GIT_DIR": str(repo.path / ".git"), "GIT_WORK_TREE": str(repo.path)}
    made = result("init", "--record", "project", cwd=tmp_path, env=env)
    assert made["root"] == os.path.realpath(repo.path)
    assert (repo.path / ".zdev/config.toml").read_bytes() == config()


def test_no_repository(tmp_path: Path) -> None:
    place = tmp_path / "plain"
    place.mkdir()
    refused("not-a-repository", "init", "--record", "project", cwd=place)


def test_a_bare_repository(tmp_path: Path) -> None:
    git("init", "-q", "--bare", "bare.git", cwd=tmp_path)
    refused("bare-repository", "init", "--record", "project", cwd=tmp_path / "bare.git")


def test_a_symlinked_record_folder(repo: GitRepo) -> None:
    (repo.path / "elsewhere").mkdir()
    (repo.path / ".zdev").symlink_to("elsewhere")
    refused("symlink-in-records", "init", "--record", "project", cwd=repo.path)


def test_a_folder_name_that_is_no_line(new_repo: Callable[..., GitRepo]) -> None:
    repo = new_repo("two\nlines")
    refused("invalid-project", "init", "--record", "project", cwd=repo.path)


def test_inside_a_hook(repo: GitRepo) -> None:
    env = {"GIT_INDEX_FILE": ".git/index", "GIT_PREFIX": ""}
    refused("inside-git-hook", "init", "--record", "project", cwd=repo.path, env=env)


@pytest.mark.parametrize("arguments", [[], ["--record", "mine"], ["--record", "project", "x"]])
def test_wrong_usage(arguments: list[str], repo: GitRepo) -> None:
    refused("usage", "init", *arguments, cwd=repo.path, status=2)


def test_the_words(repo: GitRepo) -> None:
    root = os.path.realpath(repo.path)
    assert succeed("init", "--record", "project", cwd=repo.path).text == (
        f"Created {root}/.zdev/config.toml.\n"
        "Project: repo\n"
        "Owner:   the project; the plan is committed\n"
        "Trunk:   main\n"
    )
    again = zdev("init", "--record", "project", cwd=repo.path)
    assert again.text == f"{root} has a plan already; nothing changed.\n"


READING = [("status",), ("next", "--any"), ("check",), ("goal", "a"), ("tasks", "list", "a")]


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_where_it_is_refused_nothing_advises_it(words: tuple[str, ...], tmp_path: Path) -> None:
    """Without plan and repository every command says at once what ``init`` would say."""
    place = tmp_path / "nowhere"
    place.mkdir()
    git("init", "-q", "--bare", "bare.git", cwd=tmp_path)
    for code, cwd in (("not-a-repository", place), ("bare-repository", tmp_path / "bare.git")):
        error = refused(code, *words, cwd=cwd)
        assert error["error"] == refused(code, "init", "--record", "project", cwd=cwd)["error"]
        assert str(cwd) in error["error"]
        assert refused(code, *words, "--root", str(cwd), cwd=tmp_path)["error"] == error["error"]


@pytest.mark.parametrize("record", ["personal", "project"])
def test_many_at_once_from_one_work_tree_make_one_plan(repo: GitRepo, record: str) -> None:
    repo.commit()
    words = ("init", f"--record={record}")
    found = [json.loads(ended(one)) for one in [start(*words, cwd=repo.path) for _ in range(12)]]
    assert sorted(one["status"] for one in found) == ["created", *["unchanged"] * 11]


def test_many_at_once_from_many_work_trees_exclude_their_plan_once(repo: GitRepo) -> None:
    """They share one file of rules."""
    repo.commit()
    trees = [repo.path]
    for number in range(11):
        repo.git("worktree", "add", "-q", f"../linked{number}")
        trees.append(repo.path.parent / f"linked{number}")
    exclude = repo.path / ".git/info/exclude"
    before = exclude.read_text() if exclude.exists() else ""
    started = [start("init", "--record=personal", cwd=tree) for tree in trees]
    assert {json.loads(ended(one))["status"] for one in started} == {"created"}
    assert exclude.read_text() == f"{before}/.zdev/\n"
