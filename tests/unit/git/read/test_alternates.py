"""Alternates: the objects that Git finds through them are found."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from git_zdev.git.read.discovery import discover
from git_zdev.git.read.repository import open_repository
from tests.support.gitrepo import GitRepo, git, make_repo

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def blob(tmp_path: Path, hermetic: Path) -> str:
    """A blob in a repository called ``ot:her``; the one called ``own`` has none."""
    other = make_repo(tmp_path / "ot:her")
    make_repo(tmp_path / "own")
    return git("hash-object", "-w", "--stdin", cwd=other.path, stdin=b"far\n").stdout.decode()[:40]


def found(repo: GitRepo, blob: str, **variables: str) -> bool:
    """Whether the object is found, by Git and by the program alike."""
    environment = {**os.environ, **variables}
    repository = open_repository(discover(str(repo.path), environment), environment)
    own = repository.objects.kind(blob) is not None
    printed = git("cat-file", "-e", blob, cwd=repo.path, env=variables, check=False)
    assert own == (printed.returncode == 0)
    return own


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{}", True),
        ('"{}"', True),
        ('"{}', False),
        ('# none\n\n"{}"\n', True),
        ("../../../ot:her/.git/objects", True),
        ('"../../../ot\\072her/.git/objects"', True),
        ("# {}", False),
    ],
)
def test_lines_of_the_file(tmp_path: Path, blob: str, line: str, *, expected: bool) -> None:
    repo = GitRepo(tmp_path / "own")
    text = line.format(tmp_path / "ot:her/.git/objects")
    repo.write(".git/objects/info/alternates", text)
    assert found(repo, blob) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("{}", False),
        ('"{}"', True),
        ('/nowhere:"{}":/nowhere', True),
        ('"../ot\\072her/.git/objects"', True),
        ('#"{}"', False),
    ],
)
def test_folders_of_the_variable(tmp_path: Path, blob: str, value: str, *, expected: bool) -> None:
    repo = GitRepo(tmp_path / "own")
    named = value.format(tmp_path / "ot:her/.git/objects")
    assert found(repo, blob, GIT_ALTERNATE_OBJECT_DIRECTORIES=named) is expected


def test_five_of_them_in_a_row(tmp_path: Path, blob: str) -> None:
    """As many does Git follow; the sixth is nesting too deep."""
    stores = [tmp_path / f"store{number}" for number in range(7)]
    for store, following in zip(
        stores, [*stores[1:], tmp_path / "ot:her/.git/objects"], strict=True
    ):
        (store / "info").mkdir(parents=True)
        (store / "info/alternates").write_text(f"{following}\n")
    repo = GitRepo(tmp_path / "own")
    answers = []
    for store in reversed(stores):
        repo.write(".git/objects/info/alternates", f"{store}\n")
        answers.append(found(repo, blob))
    assert answers[0]
    assert not answers[-1]
