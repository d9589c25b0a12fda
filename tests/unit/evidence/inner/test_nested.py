"""Nested repositories: what is recorded of them, and which are refused."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.evidence.collecting import inner_evidence
from git_zdev.evidence.inner.nested import DEEPEST, nested_entry
from git_zdev.git.read.discovery import discover
from git_zdev.git.read.repository import open_repository
from git_zdev.ground.errors import InvalidInput, ZdevError
from tests.support.gitrepo import GitRepo, git, make_repo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from git_zdev.git.read.repository import LibGit2Repository


def opened(repo: GitRepo, **more: str) -> LibGit2Repository:
    environment = {**os.environ, **more}
    return open_repository(discover(str(repo.path), environment), environment)


def read(repository: LibGit2Repository) -> Any:
    """What git says of a repository; the writer of these texts has tests of its own."""
    root = repository.location.work_tree
    listed = git("ls-files", "-z", "--others", "--exclude-standard", cwd=root).stdout
    head = git("rev-parse", "-q", "--verify", "HEAD", cwd=root, check=False).stdout.decode()
    return SimpleNamespace(
        head=head.strip() or None,
        git_status=git("status", "--short", "-uall", cwd=root).stdout.decode(),
        git_diff_cached=git("diff", "--cached", "--binary", cwd=root).stdout.decode(),
        git_diff=git("diff", "--binary", cwd=root).stdout.decode(),
        untracked=listed.split(b"\0")[:-1],
    )


def entry(repo: GitRepo, path: bytes = b"nested/") -> dict[str, Any]:
    return nested_entry(opened(repo), read, path)


@pytest.fixture
def nested(repo: GitRepo) -> GitRepo:
    return make_repo(repo.path / "nested")


def test_a_nested_repository_has_evidence_of_its_own(repo: GitRepo, nested: GitRepo) -> None:
    head = nested.commit(a__txt="a\n")
    nested.write("a.txt", "b\n")
    nested.write("u.txt", "u\n")
    found = entry(repo)
    assert found == {
        "kind": "repository",
        "head": head,
        "git_status": " M a.txt\n?? u.txt\n",
        "git_diff_cached": "",
        "git_diff": git("diff", "--binary", cwd=nested.path).stdout.decode(),
        "git_untracked": {
            "u.txt": {"kind": "file", "hash": nested.git("hash-object", "u.txt")},
        },
    }
    assert "+b" in found["git_diff"]


def test_before_the_first_commit_head_is_null(repo: GitRepo, nested: GitRepo) -> None:
    nested.write("a", "a\n")
    nested.git("add", "a")
    found = entry(repo)
    assert found["head"] is None
    assert found["git_status"] == "A  a\n"


def test_repositories_inside_are_recorded_too(repo: GitRepo, nested: GitRepo) -> None:
    inner = make_repo(nested.path / "in/ner")
    head = inner.commit(x="x\n")
    found = entry(repo)["git_untracked"]
    assert found["in/ner/"]["head"] == head
    assert list(found) == ["in/ner/"]


def _chain(repo: GitRepo, depth: int) -> None:
    folder = repo.path
    for _ in range(depth):
        folder = folder / "n"
        make_repo(folder)


def test_thirty_two_repositories_deep(repo: GitRepo) -> None:
    _chain(repo, DEEPEST)
    found = entry(repo, b"n/")
    for _ in range(DEEPEST - 1):
        found = found["git_untracked"]["n/"]
    assert found["git_untracked"] == {}


def test_one_more_is_refused(repo: GitRepo) -> None:
    _chain(repo, DEEPEST + 1)
    with pytest.raises(ZdevError) as refused:
        entry(repo, b"n/")
    assert refused.value.code == "nested-too-deep"
    assert refused.value.details == {"path": "n/" * (DEEPEST + 1)}


def test_a_refusal_names_the_path_from_the_outer_work_tree(repo: GitRepo, nested: GitRepo) -> None:
    make_repo(nested.path / "deeper").commit(**{"latin.txt": "one\n"})
    (nested.path / "deeper/latin.txt").write_bytes(b"caf\xe9\n")
    with pytest.raises(ZdevError) as refused:
        nested_entry(opened(repo), inner_evidence, b"nested/")
    assert refused.value.code == "evidence-not-utf8"
    assert refused.value.details == {"path": "nested/deeper/latin.txt", "command": "git diff"}
    assert str(refused.value).startswith("nested/: deeper/: the change of latin.txt ")


def test_each_of_several_problems_names_its_path_from_the_outer_work_tree(
    repo: GitRepo, nested: GitRepo
) -> None:
    for name in (b"one\xff", b"two\xff"):
        (nested.path / os.fsdecode(name)).touch()
    with pytest.raises(InvalidInput) as refused:
        nested_entry(opened(repo), inner_evidence, b"nested/")
    assert [problem.path for problem in refused.value.problems] == [
        r"nested/one\xff",
        r"nested/two\xff",
    ]


def _gitfile(repo: GitRepo, nested: GitRepo) -> None:
    outside = repo.path.parent / "outside.git"
    (nested.path / ".git").rename(outside)
    (nested.path / ".git").write_text(f"gitdir: {outside}\n")


def _linked_work_tree(repo: GitRepo, nested: GitRepo) -> None:
    other = make_repo(repo.path.parent / "other")
    other.commit(a="a\n")
    (nested.path / ".git").rename(nested.path.parent / "gone")
    nested.path.rmdir()
    other.git("worktree", "add", "-q", str(nested.path))


def _git_dir_behind_a_link(repo: GitRepo, nested: GitRepo) -> None:
    outside = repo.path.parent / "outside.git"
    (nested.path / ".git").rename(outside)
    (nested.path / ".git").symlink_to(outside)


def _objects_behind_a_link(repo: GitRepo, nested: GitRepo) -> None:
    outside = repo.path.parent / "objects"
    (nested.path / ".git/objects").rename(outside)
    (nested.path / ".git/objects").symlink_to(outside)


def _alternate(repo: GitRepo, nested: GitRepo) -> None:
    nested.write(".git/objects/info/alternates", f"{repo.path}/.git/objects\n")


def _alternate_of_an_alternate(repo: GitRepo, nested: GitRepo) -> None:
    nested.write(".git/objects/info/alternates", "# near\n../near\n")
    nested.write(".git/near/info/alternates", f"{repo.path}/.git/objects\n")


def _relative_alternate(repo: GitRepo, nested: GitRepo) -> None:
    nested.write(".git/objects/info/alternates", "../../../.git/objects\n")


@pytest.mark.parametrize(
    "lead_away",
    [
        _gitfile,
        _linked_work_tree,
        _git_dir_behind_a_link,
        _objects_behind_a_link,
        _alternate,
        _alternate_of_an_alternate,
        _relative_alternate,
    ],
)
def test_a_part_that_lies_elsewhere_is_refused(
    repo: GitRepo, nested: GitRepo, lead_away: Callable[[GitRepo, GitRepo], None]
) -> None:
    lead_away(repo, nested)
    with pytest.raises(ZdevError) as refused:
        entry(repo)
    assert refused.value.code == "nested-repository-elsewhere"
    assert refused.value.details == {"path": "nested/"}
    assert refused.value.hint


def test_a_work_tree_that_lies_elsewhere_is_refused(repo: GitRepo, nested: GitRepo) -> None:
    (repo.path.parent / "elsewhere").mkdir()
    nested.git("config", "core.worktree", str(repo.path.parent / "elsewhere"))
    with pytest.raises(ZdevError) as refused:
        entry(repo)
    assert refused.value.code == "inner-work-tree-elsewhere"
    assert refused.value.details == {"path": "nested/"}


def test_a_work_tree_setting_that_names_the_folder_itself_is_fine(
    repo: GitRepo, nested: GitRepo
) -> None:
    nested.git("config", "core.worktree", "..")
    assert entry(repo)["head"] is None


def test_an_alternate_inside_and_a_circle_of_them_are_fine(repo: GitRepo, nested: GitRepo) -> None:
    nested.commit(a="a\n")
    nested.write(".git/objects/info/alternates", "../more\n\n")
    nested.write(".git/more/info/alternates", "../objects\n")
    assert entry(repo)["git_status"] == ""


def test_variables_that_lead_to_the_outer_repository_do_not_reach_it(
    repo: GitRepo, nested: GitRepo, tmp_path: Path
) -> None:
    repo.commit(outer="o\n")
    head = nested.commit(inner="i\n")
    outer = opened(
        repo,
        GIT_DIR=str(repo.path / ".git"),
        GIT_WORK_TREE=str(repo.path),
        GIT_INDEX_FILE=str(repo.path / ".git/index"),
        GIT_OBJECT_DIRECTORY=str(repo.path / ".git/objects"),
    )
    found = nested_entry(outer, read, b"nested/")
    assert (found["head"], found["git_status"]) == (head, "")
