"""The whole evidence as text; what is no text is refused by name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from git_zdev.evidence.collecting import collect
from git_zdev.ground.errors import InvalidInput, ZdevError
from tests.support.evidence import open_at

if TYPE_CHECKING:
    from tests.support.repo import GitRepo


def test_an_unborn_work_tree_has_evidence(repo: GitRepo) -> None:
    repo.write("staged", "x\n")
    repo.git("add", "staged")
    repo.write("new", "y\n")
    evidence = collect(open_at(repo.path))
    assert evidence.head is None
    assert evidence.git_status == "A  staged\n?? new\n"
    assert evidence.git_diff_cached.startswith(
        "diff --git a/staged b/staged\nnew file mode 100644\n"
    )
    assert evidence.git_diff == ""
    assert evidence.git_untracked == {
        "new": {"kind": "file", "hash": repo.git("hash-object", "new")}
    }


def test_a_clean_work_tree_has_only_a_head(repo: GitRepo) -> None:
    repo.commit("First", a="x\n")
    evidence = collect(open_at(repo.path))
    assert evidence.head == repo.git("rev-parse", "HEAD")
    assert (evidence.git_status, evidence.git_diff_cached, evidence.git_diff) == ("", "", "")
    assert evidence.git_untracked == {}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("lib/x", "lib/x"),
        ("with b/inside", "with b/inside"),
        ("tab\there", '"tab\\there"'),
        ("grün", '"gr\\303\\274n"'),
    ],
)
@pytest.mark.parametrize("command", ["git diff", "git diff --cached"])
def test_bytes_that_are_no_text_are_refused_by_file(
    repo: GitRepo, name: str, shown: str, command: str
) -> None:
    repo.write("0-before", "x\n")
    repo.write(name, "x\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "First")
    repo.write("0-before", "+++ b/other\n")
    repo.write(name, b"x\n+++ b/other\n\xe4\n")
    if command.endswith("cached"):
        repo.git("add", "-A")
    with pytest.raises(ZdevError) as caught:
        collect(open_at(repo.path))
    assert caught.value.code == "evidence-not-utf8"
    assert caught.value.details == {"path": shown, "command": command}


def test_a_deleted_file_is_named_by_its_old_side(repo: GitRepo) -> None:
    repo.commit("First", gone=b"\xff\n")
    (repo.path / "gone").unlink()
    with pytest.raises(ZdevError) as caught:
        collect(open_at(repo.path))
    assert caught.value.details["path"] == "gone"
    repo.write(".git/info/attributes", "gone -diff\n")
    assert collect(open_at(repo.path)).git_diff.endswith(
        "Binary files a/gone and /dev/null differ\n"
    )


def test_an_unmerged_name_that_is_no_text_is_refused(repo: GitRepo) -> None:
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"x\n")
    entry = f"100644 {blob} 1\t".encode() + b"b\xff\n"
    repo.git("update-index", "--index-info", stdin=entry)
    with pytest.raises(ZdevError) as caught:
        collect(open_at(repo.path))
    assert caught.value.details["path"] == "b\\xff"


def test_a_filter_is_refused_only_where_the_content_matters(repo: GitRepo) -> None:
    repo.commit("First", a="x\n", b="x\n")
    os.utime(repo.path / "a", (1, 1))
    repo.git("update-index", "--refresh")
    repo.git("config", "filter.own.clean", "exit 1")
    repo.write(".git/info/attributes", "a filter=own\n")
    assert collect(open_at(repo.path)).git_status == ""
    repo.write("a", "y\n")
    with pytest.raises(ZdevError) as caught:
        collect(open_at(repo.path))
    assert caught.value.code == "filter-needs-process"
    assert caught.value.details == {"path": "a", "filter": "own"}


def test_a_dirty_submodule_is_refused(repo: GitRepo) -> None:
    inner = repo.path / "sub"
    repo.git("init", "-q", str(inner))
    repo.git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "Inner")
    repo.git("add", "sub")
    repo.git("commit", "-q", "-m", "Outer")
    assert collect(open_at(repo.path)).git_status == ""
    repo.write("sub/new", "x\n")
    with pytest.raises(InvalidInput) as caught:
        collect(open_at(repo.path))
    assert caught.value.code == "dirty-submodules"
