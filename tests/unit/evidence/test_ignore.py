"""Ignore rules where libgit2 and Git do not agree, against ``git ls-files --others``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from git_zdev.evidence.ignore import IgnoreFile
from git_zdev.evidence.survey import Survey
from tests.support.evidence import open_at

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

TREE = ("a.log", "b.txt", "d/a.log", "d/b.txt", "d/e/a.log", "out/a.log", "out/sub/b.txt", "t/t.c")

STATES: dict[str, dict[str, str]] = {
    "taken back further down": {".gitignore": "*.log\n", "d/.gitignore": "!a.log\n"},
    "taken back by the root": {".git/info/exclude": "*.log\nout\n", ".gitignore": "!out\n"},
    "a folder taken back": {".git/info/exclude": "out/\n", ".gitignore": "!out/\n"},
    "nothing below an ignored folder": {".gitignore": "out/\n", "out/.gitignore": "!a.log\n"},
    "ignored again": {".gitignore": "!*.log\n", "d/.gitignore": "*.log\n!a.log\n*.log\n"},
    "trailing tab": {".gitignore": "b.txt\t\n*.log \n"},
    "all but": {".gitignore": "*\n!*/\n!*.txt\n"},
    "crlf": {".gitignore": "*.log\r\nout/\r\n"},
    "kept space": {".gitignore": "with\\ \nb.txt\\\\ \n"},
}


def listed(repo: GitRepo) -> list[bytes]:
    output = os.fsencode(repo.git("ls-files", "--others", "--exclude-standard", "-z"))
    return sorted(path for path in output.split(b"\0") if path)


def survey(repo: GitRepo) -> list[bytes]:
    return Survey(open_at(repo.path).look()).work_tree.untracked


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("tracked", [(), ("out/kept", "d/kept", "t/.gitignore")])
def test_untracked_paths_are_those_of_git(
    repo: GitRepo, name: str, tracked: tuple[str, ...]
) -> None:
    (repo.path / ".git/info").mkdir(exist_ok=True)
    for path in tracked:
        repo.write(path, "!t.c\n")
    repo.git("add", "-A")
    for path in TREE:
        repo.write(path, "x\n")
    for path, text in STATES[name].items():
        repo.write(path, text)
    assert survey(repo) == listed(repo)


def test_a_folder_in_the_index_is_listed_again(repo: GitRepo) -> None:
    """Nothing in the folder is reported by libgit2, so only its own rules can tell."""
    repo.write("out/kept", "x\n")
    repo.write(".gitignore", "!out\n")
    repo.git("add", "-f", "-A")
    repo.write(".git/info/exclude", "out\n")
    repo.write("out/new", "x\n")
    repo.write("out/deep/new", "x\n")
    assert survey(repo) == listed(repo) == [b"out/deep/new", b"out/new"]


def test_a_folder_with_a_git_folder_that_is_none_is_an_ordinary_one(repo: GitRepo) -> None:
    repo.write("fake/.git/x", "x\n")
    repo.write("fake/y", "x\n")
    repo.write("fake/z/.git", "no gitfile\n")
    repo.write("fake/z/x", "x\n")
    assert survey(repo) == listed(repo) == [b"fake/y", b"fake/z/x"]


def test_one_file_decides_by_its_last_line() -> None:
    rules = IgnoreFile(b"# none\n\n*.log\n!a.log\nbuild/\n")
    assert rules.verdict(b"x/b.log", folder=False) is True
    assert rules.verdict(b"x/a.log", folder=False) is False
    assert rules.verdict(b"build", folder=False) is None
    assert rules.verdict(b"build", folder=True) is True
