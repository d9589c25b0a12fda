"""Files whose content libgit2 judges by other rules than Git are judged by Git's."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from git_zdev.git.read import worktree
from git_zdev.git.read.index import Index
from tests.support.evidence import git_strings, open_at, own_strings

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

RULE = "*.txt working-tree-encoding=UTF-16\n"


@pytest.fixture
def encoded(repo: GitRepo) -> GitRepo:
    """A folder of two files that a rule would convert, and many files beside it."""
    for number in range(60):
        repo.write(f"other/{number}.c", "x\n")
    for name in ("some/a.txt", "some/deep/b.txt", "some-more/c.txt"):
        repo.write(name, "")
        (repo.path / name).write_bytes("text\n".encode("utf-16"))
    repo.git("add", "-A")
    repo.commit("Base")
    for name in ("some/a.txt", "some/deep/b.txt", "some-more/c.txt"):
        os.utime(repo.path / name, (1_000_000_000, 1_000_000_000))
    return repo


@pytest.mark.parametrize("tracked", [True, False])
@pytest.mark.parametrize("folder", ["some/", "some/deep/", "some-more/", ""])
def test_rules_that_came_later(
    encoded: GitRepo, folder: str, tracked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    walks: list[bool] = []
    walk = worktree.index_to_work_tree

    def counted(*given: object, doubting: bool, **named: object) -> object:
        walks.append(doubting)
        return walk(*given, doubting=doubting, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(worktree, "index_to_work_tree", counted)
    encoded.write(f"{folder}.gitattributes", RULE)
    if tracked:
        encoded.git("add", f"{folder}.gitattributes")
    expected = git_strings(encoded.path)
    assert b"Binary files" in expected["git_diff"]
    assert own_strings(encoded.path) == expected
    assert walks == [not folder]


@pytest.mark.parametrize("tracked", [True, False])
def test_rules_for_nearly_everything(encoded: GitRepo, tracked: bool) -> None:
    encoded.write("other/.gitattributes", "*.c working-tree-encoding=UTF-16\n")
    (encoded.path / "other/7.c").write_bytes("x\n".encode("utf-16"))
    if tracked:
        encoded.git("add", "other/.gitattributes")
    assert own_strings(encoded.path) == git_strings(encoded.path)


@pytest.mark.parametrize("version", ["2", "4"])
def test_entries_below_a_folder(encoded: GitRepo, version: str) -> None:
    encoded.git("update-index", f"--index-version={version}")
    index = Index(open_at(encoded.path))
    assert index.paths_below(b"some/") == [b"some/a.txt", b"some/deep/b.txt"]
    assert index.count_below(b"other/") == 60
    assert index.paths_below(b"othe/") == []
    encoded.git("config", "core.ignoreCase", "true")
    everything = Index(open_at(encoded.path)).paths_below(b"some/")
    assert {b"some/a.txt", b"some/deep/b.txt"} <= set(everything)
