"""What this program opens itself it never waits for: a FIFO is refused where it is asked for.

Rule files that libgit2 alone comes to, such as ``.gitignore`` in an untracked folder, are waited
for as Git waits for them.
"""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from git_zdev.evidence.survey import PathSurvey
from git_zdev.ground.errors import ZdevError
from tests.support.evidence import git_strings, open_at, own_document, own_strings
from tests.support.repo import git
from tests.support.states import StateRepo, make_state_repo
from tests.support.states.repo import numbered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def repo(tmp_path: Path, hermetic: Path) -> StateRepo:
    """A change, something untracked, a nested repository and a submodule."""
    repo = make_state_repo(tmp_path / "repo", hermetic)
    inner = repo.at(repo.file("inner"))
    inner.path.mkdir()
    inner.git("init", "-q", "--template=", "-b", "main")
    inner.base({"i.txt": "i\n"})
    repo.git("-c", "advice.addEmbeddedRepo=false", "add", "inner")
    repo.base({"a.txt": numbered(9), "dir/c.txt": numbered(5)})
    repo.write("dir/c.txt", numbered(6))
    repo.write("new/u.txt", "u\n")
    nested = repo.at(repo.file("nested"))
    nested.path.mkdir()
    nested.git("init", "-q", "--template=", "-b", "main")
    nested.base({"n.txt": "n\n"})
    return repo


def fifo(repo: StateRepo, name: str) -> None:
    """Put a FIFO in the place of whatever file is there."""
    path = repo.file(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def refusal(act: Callable[[], object]) -> ZdevError:
    """The error of what must fail."""
    with pytest.raises(ZdevError) as refused:
        act()
    return refused.value


RULE_FILES = [
    ".gitignore", ".gitattributes", "inner/.gitignore", "inner/.gitattributes",
]  # fmt: skip


@pytest.mark.parametrize("name", RULE_FILES)
def test_in_the_place_of_rules(repo: StateRepo, name: str) -> None:
    fifo(repo, name)
    os.utime(repo.file("inner/i.txt"), (1, 1))
    error = refusal(lambda: own_document(repo.path))
    assert (error.code, error.details) == ("unreadable-file", {"path": name})
    assert "it is a FIFO" in str(error)
    assert error.hint


def test_where_only_paths_are_asked_for(repo: StateRepo) -> None:
    fifo(repo, ".gitignore")
    error = refusal(lambda: PathSurvey(open_at(repo.path)))
    assert (error.code, error.details) == ("unreadable-file", {"path": ".gitignore"})


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes"])
def test_in_the_place_of_tracked_rules_of_a_folder(repo: StateRepo, name: str) -> None:
    repo.write(f"dir/{name}", "*.x\n")
    repo.git("add", f"dir/{name}")
    fifo(repo, f"dir/{name}")
    error = refusal(lambda: own_document(repo.path))
    assert (error.code, error.details) == ("unreadable-file", {"path": f"dir/{name}"})


def test_rules_that_nobody_asks_for_do_not_matter(repo: StateRepo) -> None:
    repo.write(".git/info/exclude", "/ignored/\n")
    expected = git_strings(repo.path)
    fifo(repo, "ignored/.gitignore")
    fifo(repo, "new/.gitattributes")
    assert own_strings(repo.path) == expected == git_strings(repo.path)


GIT_FILES = [
    ".git/config", ".git/index", ".git/packed-refs", ".git/shallow", ".git/commondir",
    ".git/gitdir", ".git/info/grafts", ".git/info/exclude", ".git/info/attributes",
    ".git/objects/info/alternates", ".git/refs/heads/main",
    "inner/.git/config", "inner/.git/index", "inner/.git/shallow", "inner/.git/refs/heads/main",
    "nested/.git/config", "nested/.git/packed-refs", "nested/.git/refs/heads/main",
    "nested/.git/commondir",
]  # fmt: skip


@pytest.mark.parametrize("name", GIT_FILES)
def test_in_the_place_of_a_file_of_git(repo: StateRepo, name: str) -> None:
    fifo(repo, name)
    error = refusal(lambda: own_document(repo.path))
    assert error.code in ("unreadable-repository", "unreadable-git-config")
    assert str(repo.file(name)) in str(error)
    assert "it is a FIFO" in str(error)


def test_in_the_place_of_an_alternates_file(repo: StateRepo) -> None:
    other = repo.sibling("other")
    fifo(other, ".git/objects/info/alternates")
    repo.write(".git/objects/info/alternates", f"{other.path}/.git/objects\n")
    error = refusal(lambda: own_document(repo.path))
    assert error.code == "unreadable-repository"
    assert f"{other.path}/.git/objects/info/alternates" in str(error)


@pytest.mark.parametrize("name", ["other", "deep/er"])
def test_in_the_place_of_a_ref(repo: StateRepo, name: str) -> None:
    """Whoever follows it, or lists all of them, would come to it."""
    fifo(repo, f".git/refs/heads/{name}")
    repository = open_at(repo.path)
    listing = refusal(lambda: repository.commits_with_trailer("Change", "x"))
    assert refusal(lambda: repository.branch_tip(name)).code == "unreadable-repository"
    repo.write(".git/HEAD", "ref: refs/heads/between\n")
    repo.write(".git/refs/heads/between", f"ref: refs/heads/{name}\n")
    following = refusal(lambda: open_at(repo.path).head())
    assert listing.code == following.code == "unreadable-repository"
    assert f".git/refs/heads/{name}" in str(listing)
    assert f".git/refs/heads/{name}" in str(following)


@pytest.mark.parametrize("key", ["core.excludesFile", "core.attributesFile", "include.path"])
def test_in_the_place_of_what_the_configuration_names(repo: StateRepo, key: str) -> None:
    os.mkfifo(repo.path.parent / "pipe")
    repo.config(key, str(repo.path.parent / "pipe"))
    error = refusal(lambda: own_document(repo.path))
    assert error.code == ("unreadable-git-config" if key == "include.path" else "unreadable-file")
    assert str(repo.path.parent / "pipe") in str(error)


@pytest.mark.parametrize("name", ["ignore", "attributes"])
def test_in_the_place_of_the_users_rules(repo: StateRepo, name: str) -> None:
    folder = repo.home / ".config/git"
    folder.mkdir(parents=True)
    os.mkfifo(folder / name)
    error = refusal(lambda: own_document(repo.path))
    assert error.code == "unreadable-file"
    assert str(folder / name) in str(error)


def test_in_the_place_of_a_tracked_file(repo: StateRepo) -> None:
    """Git shows it in the status and dies of it in the diff."""
    fifo(repo, "a.txt")
    assert git("diff", cwd=repo.path, check=False).returncode == 128
    error = refusal(lambda: own_document(repo.path))
    assert (error.code, error.details) == ("unreadable-file", {"path": "a.txt"})
    assert "it is a FIFO" in str(error)


def test_sockets_do_not_count(repo: StateRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    os.utime(repo.file("a.txt"), (1, 1))
    for folder in ("dir", "new"):
        monkeypatch.chdir(repo.file(folder))
        for name in (".gitignore", ".gitattributes"):
            with socket.socket(socket.AF_UNIX) as bound:
                bound.bind(name)
    assert own_strings(repo.path) == git_strings(repo.path)


def test_a_folder_of_excludes_is_refused_as_git_does(repo: StateRepo) -> None:
    (repo.path.parent / "folder").mkdir()
    repo.config("core.excludesFile", str(repo.path.parent / "folder"))
    failed = git("status", "--short", cwd=repo.path, check=False)
    assert b"cannot use" in failed.stderr
    assert refusal(lambda: own_document(repo.path)).code == "unreadable-file"
