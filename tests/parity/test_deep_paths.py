"""Paths that are deep or long, or that no name reaches, against Git."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from git_zdev.git.read import walks
from git_zdev.ground.errors import ZdevError
from tests.support.evidence import (
    git_hashes,
    git_strings,
    git_untracked,
    own_strings,
    own_untracked,
)
from tests.support.states import make_state_repo

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from tests.support.states import StateRepo

_DEPTH = 1100
"""Folders nested in each other: more than libgit2 goes into, and than Python calls itself."""

_LONGEST = 4095
"""Bytes of the longest path that Linux takes."""


@pytest.fixture
def repo(tmp_path: Path, hermetic: Path) -> Iterator[StateRepo]:
    """An empty repository, and no trace of it afterwards, which pytest could not achieve."""
    yield make_state_repo(tmp_path / "repo", hermetic)
    subprocess.run(["rm", "-rf", tmp_path / "repo"], check=True)


def _make(repo: StateRepo, folders: Iterable[str], files: Iterable[str], text: str) -> None:
    """Write files in a folder whose absolute name may be too long for the system."""
    opened = os.open(repo.path, os.O_RDONLY)
    for name in folders:
        if name not in os.listdir(opened):
            os.mkdir(name, dir_fd=opened)
        inner = os.open(name, os.O_RDONLY, dir_fd=opened)
        os.close(opened)
        opened = inner
    for name in files:
        file = os.open(name, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, dir_fd=opened)
        os.write(file, text.encode())
        os.close(file)
    os.close(opened)


def test_tracked_folders_nested_deep(repo: StateRepo) -> None:
    repo.write(".gitignore", "ignored\n")
    _make(repo, "d" * _DEPTH, ["changed", "same", "gone"], "1\n")
    repo.commit_all()
    _make(repo, "d" * _DEPTH, ["changed"], "2\n")
    repo.remove("d/" * _DEPTH + "gone")
    _make(repo, "d" * (_DEPTH // 2), ["staged"], "2\n")
    repo.add("d/" * (_DEPTH // 2) + "staged")
    _make(repo, "d" * (_DEPTH // 2), ["staged"], "3\n")
    _make(repo, "d" * _DEPTH, ["new", "ignored"], "new\n")
    assert own_strings(repo.path) == git_strings(repo.path)


def test_a_replaced_object_below_folders_nested_deep(repo: StateRepo) -> None:
    """libgit2 does not compare the trees then."""
    _make(repo, "d" * _DEPTH, ["x"], "1\n")
    repo.commit_all()
    _make(repo, "d" * (_DEPTH // 2), ["staged"], "2\n")
    staged = "d/" * (_DEPTH // 2) + "staged"
    repo.add(staged)
    repo.git("replace", repo.rev("HEAD:" + "d/" * _DEPTH + "x"), repo.rev(f":{staged}"))
    assert own_strings(repo.path) == git_strings(repo.path)


def test_one_of_several_walks_ends_at_folders_nested_deep(
    repo: StateRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the others found is not shown twice."""
    monkeypatch.setattr(walks, "_WORTH_DIVIDING", 1)
    monkeypatch.setattr(walks, "useful_threads", lambda: 2)
    repo.base({"a/x": "1\n", "b/x": "1\n", "c/x": "1\n"})
    _make(repo, "d" * (_DEPTH // 4), ["x"], "1\n")
    repo.commit_all()
    repo.write("a/x", "changed\n")
    repo.remove("b/x")
    assert own_strings(repo.path) == git_strings(repo.path)


def test_untracked_folders_nested_deep(repo: StateRepo) -> None:
    repo.base({"a": "1\n", "u/a": "1\n", ".gitignore": "ignored\n"})
    repo.write("a", "2\n")
    _make(repo, "d" * _DEPTH, ["new", "ignored"], "new\n")
    _make(repo, "u" * _DEPTH, ["new", "ignored"], "new\n")
    assert own_untracked(repo.path) == git_untracked(repo.path)


def test_folders_nested_deep_were_moved(repo: StateRepo) -> None:
    _make(repo, "d" * _DEPTH, ["a", "b"], "1\n")
    repo.commit_all()
    repo.rename("d/d", "e")
    assert own_strings(repo.path) == git_strings(repo.path)


def test_a_path_is_too_long_for_the_system_unless_it_begins_at_the_work_tree(
    repo: StateRepo,
) -> None:
    folders = ["d" * 200] * 20
    file = "f" * (_LONGEST - 20 * 201)
    _make(repo, folders, [file, "b"], "1\n")
    repo.commit_all()
    _make(repo, folders, [file], "2\n")
    _make(repo, folders, ["u", "ignored"], "u\n")
    _make(repo, folders, [".gitignore"], "ignored\n")
    names = ["/".join([*folders, name]).encode() for name in (".gitignore", "u")]
    described = {name.encode(): entry for name, entry in own_untracked(repo.path).items()}
    assert described == git_hashes(repo.path, names)
    assert own_strings(repo.path) == git_strings(repo.path)


@pytest.mark.parametrize(
    ("path", "links", "hint"),
    [
        ("d/x", {"d": "d"}, "Remove the symbolic link"),
        ("d/e/x", {"d": "like"}, "Remove the symbolic link"),
        ("d" * 256, {}, "git rm --cached"),
        ("d/" * 2048 + "x", {}, "git rm --cached"),
    ],
)
def test_a_tracked_path_that_cannot_be_looked_at_is_refused(
    repo: StateRepo, path: str, links: dict[str, str], hint: str
) -> None:
    """Git complains as well, and then leaves a change out."""
    repo.base({"a": "1\n"})
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{repo.rev('HEAD:a')},{path}")
    repo.file("like").mkdir()
    repo.link("like/e", "e")
    for name, target in links.items():
        repo.link(name, target)
    assert path[:20] not in git_strings(repo.path)["git_diff"].decode()
    with pytest.raises(ZdevError) as caught:
        own_strings(repo.path)
    assert (caught.value.code, caught.value.details) == ("unreadable-file", {"path": path})
    assert hint in caught.value.hint
