"""Nested repositories: what is recorded of them, and which are refused."""

from __future__ import annotations

import os
import shutil
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.evidence.collecting import inner_evidence
from git_zdev.evidence.nested import DEEPEST, nested_entry, require_clean
from git_zdev.git.read.discovery import discover
from git_zdev.git.read.repository import open_repository
from git_zdev.ground.errors import InvalidInput, ZdevError
from tests.support.repo import GitRepo, git, make_repo

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


def _claimed_work_tree(repo: GitRepo, nested: GitRepo) -> None:
    """A gitfile that names the private folder of another, registered, work tree."""
    _linked(repo, "../registered")
    shutil.rmtree(nested.path / ".git")
    shutil.copy(repo.path.parent / "registered/.git", nested.path / ".git")


def _work_tree_behind_a_link(repo: GitRepo, nested: GitRepo) -> None:
    _linked(repo, "../registered")
    shutil.rmtree(nested.path / ".git")
    (nested.path / ".git").symlink_to(repo.path.parent / "registered/.git")


def _claimed_submodule(repo: GitRepo, nested: GitRepo) -> None:
    """A gitfile that names the Git directory of a submodule in another folder."""
    modules = repo.path / ".git/modules"
    modules.mkdir()
    (nested.path / ".git").rename(modules / "other")
    (nested.path / ".git").write_text("gitdir: ../.git/modules/other\n")


def _submodule_with_an_alternate(repo: GitRepo, nested: GitRepo) -> None:
    _claimed_submodule(repo, nested)
    git("config", "core.worktree", "../../../nested", cwd=repo.path / ".git/modules/other")
    repo.write(".git/modules/other/objects/info/alternates", f"{repo.path}/.git/objects\n")


@pytest.mark.parametrize(
    "lead_away",
    [
        _claimed_work_tree,
        _work_tree_behind_a_link,
        _claimed_submodule,
        _submodule_with_an_alternate,
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


def _linked(repo: GitRepo, place: str, *options: str) -> GitRepo:
    repo.commit(first="x")
    repo.git("worktree", "add", "-q", *options, place)
    return GitRepo(repo.path / place)


def test_a_linked_work_tree_is_named_and_not_read(repo: GitRepo) -> None:
    linked = _linked(repo, "trees/linked")
    assert entry(repo, b"trees/linked/") == {"kind": "worktree"}
    linked.commit(more="x")
    linked.write("untracked", "x")
    assert entry(repo, b"trees/linked/") == {"kind": "worktree"}


def test_a_linked_work_tree_inside_another_one(repo: GitRepo) -> None:
    outer = _linked(repo, "../outer")
    outer.git("worktree", "add", "-q", "inner")
    assert entry(outer, b"inner/") == {"kind": "worktree"}


def test_a_linked_work_tree_with_relative_names(repo: GitRepo) -> None:
    linked = _linked(repo, "linked")
    (linked.path / ".git").write_text("gitdir: ../.git/worktrees/linked\n")
    repo.write(".git/worktrees/linked/gitdir", "../../../linked/.git\n")
    assert entry(repo, b"linked/") == {"kind": "worktree"}


def test_a_work_tree_that_was_moved_by_hand_is_refused(repo: GitRepo) -> None:
    linked = _linked(repo, "linked")
    linked.path.rename(repo.path / "moved")
    with pytest.raises(ZdevError) as refused:
        entry(repo, b"moved/")
    assert refused.value.code == "nested-repository-elsewhere"
    repo.git("worktree", "repair", "moved")
    assert entry(repo, b"moved/") == {"kind": "worktree"}


def test_what_is_left_of_a_submodule_has_evidence_of_its_own(repo: GitRepo) -> None:
    source = make_repo(repo.path.parent / "source")
    head = source.commit(a="a\n")
    repo.git("-c", "protocol.file.allow=always", "submodule", "-q", "add", str(source.path), "sub")
    repo.git("commit", "-q", "-m", "Add a submodule")
    repo.git("rm", "-q", "--cached", "sub")
    (repo.path / "sub/a").write_text("b\n")
    found = entry(repo, b"sub/")
    assert (found["kind"], found["head"], found["git_status"]) == ("repository", head, " M a\n")


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


ALLOW = ("-c", "protocol.file.allow=always")


def status(repository: LibGit2Repository) -> bytes:
    root = repository.location.work_tree
    return git("status", "--short", "-uall", "--ignore-submodules=dirty", cwd=root).stdout


def check(repo: GitRepo) -> None:
    environment = dict(os.environ)
    require_clean(open_repository(discover(str(repo.path), environment), environment), status)


def problems(repo: GitRepo) -> dict[str | None, str]:
    with pytest.raises(InvalidInput) as refused:
        check(repo)
    assert refused.value.code == "dirty-submodules"
    assert refused.value.hint
    assert {problem.code for problem in refused.value.problems} == {"dirty-submodule"}
    return {problem.path: problem.message for problem in refused.value.problems}


@pytest.fixture
def sub(repo: GitRepo, tmp_path: Path) -> GitRepo:
    """A submodule ``lib/sub`` of ``repo``, with a submodule ``deep`` of its own."""
    deep = make_repo(tmp_path / "deep")
    deep.commit(d="d\n")
    origin = make_repo(tmp_path / "origin")
    origin.commit(s="s\n")
    origin.git(*ALLOW, "submodule", "--quiet", "add", str(deep.path), "deep")
    origin.commit("Add deep")
    repo.git(*ALLOW, "submodule", "--quiet", "add", str(origin.path), "lib/sub")
    repo.commit("Add sub")
    repo.git(*ALLOW, "submodule", "--quiet", "update", "--init", "--recursive")
    return GitRepo(repo.path / "lib/sub")


def test_no_submodules_at_all(repo: GitRepo) -> None:
    check(repo)
    repo.commit(a="a\n")
    check(repo)


def test_clean_ones_pass(repo: GitRepo, sub: GitRepo) -> None:
    check(repo)


def test_a_moved_commit_is_no_dirt(repo: GitRepo, sub: GitRepo) -> None:
    sub.commit(s="t\n")
    check(repo)


def test_ignored_files_are_no_dirt(repo: GitRepo, sub: GitRepo) -> None:
    (repo.path / ".git/modules/lib/sub/info").mkdir(exist_ok=True)
    (repo.path / ".git/modules/lib/sub/info/exclude").write_text("*.o\n")
    sub.write("x.o", "x")
    check(repo)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("staged", "staged changes (s)"),
        ("unstaged", "unstaged changes (s)"),
        ("both", "staged changes (s), unstaged changes (s)"),
        ("untracked", "untracked files (u)"),
        ("many", "untracked files (u0, u1, u2, u3, u4 and 3 more)"),
    ],
)
def test_each_kind_of_dirt_is_named(repo: GitRepo, sub: GitRepo, kind: str, message: str) -> None:
    if kind in ("staged", "both"):
        sub.write("s", "staged\n")
        sub.git("add", "s")
    if kind in ("unstaged", "both"):
        sub.write("s", "unstaged\n")
    if kind == "untracked":
        sub.write("u", "u\n")
    if kind == "many":
        for n in range(8):
            sub.write(f"u{n}", "u\n")
    assert problems(repo) == {"lib/sub": message}


def test_unmerged_paths_are_named(repo: GitRepo, sub: GitRepo) -> None:
    sub.git("checkout", "-q", "-b", "side")
    sub.commit(s="side\n")
    sub.git("checkout", "-q", "-")
    sub.commit(s="main\n")
    sub.git("merge", "-q", "side", check=False)
    assert problems(repo) == {"lib/sub": "unmerged paths (s)"}


def test_settings_that_ignore_dirt_have_no_effect(repo: GitRepo, sub: GitRepo) -> None:
    repo.git("config", "diff.ignoreSubmodules", "all")
    repo.git("config", "submodule.lib/sub.ignore", "all")
    sub.write("s", "t\n")
    assert problems(repo) == {"lib/sub": "unstaged changes (s)"}


def test_every_dirty_one_is_reported_down_to_the_deepest(repo: GitRepo, sub: GitRepo) -> None:
    sub.write("s", "t\n")
    GitRepo(sub.path / "deep").write("u", "u\n")
    assert problems(repo) == {
        "lib/sub": "unstaged changes (s)",
        "lib/sub/deep": "untracked files (u)",
    }


def test_the_message_names_all_of_them(repo: GitRepo, sub: GitRepo) -> None:
    GitRepo(sub.path / "deep").write("u", "u\n")
    with pytest.raises(InvalidInput, match="lib/sub/deep: untracked files"):
        check(repo)


def test_one_that_is_not_checked_out_is_silent(repo: GitRepo, sub: GitRepo) -> None:
    sub.write("u", "u\n")
    repo.git("submodule", "--quiet", "deinit", "-f", "lib/sub")
    repo.write("lib/sub/stray", "not looked at by git either\n")
    check(repo)


def test_a_gitlink_without_gitmodules_counts(repo: GitRepo) -> None:
    inner = make_repo(repo.path / "inner")
    inner.commit(s="s\n")
    repo.git("-c", "advice.addEmbeddedRepo=false", "add", "inner")
    repo.commit("Embed")
    check(repo)
    inner.write("u", "u\n")
    assert problems(repo) == {"inner": "untracked files (u)"}


def test_an_unmerged_submodule_is_looked_at_once(repo: GitRepo, sub: GitRepo) -> None:
    head = repo.git("rev-parse", ":lib/sub")
    lines = "".join(f"160000 {head} {stage}\tlib/sub\n" for stage in (1, 2, 3))
    repo.git("update-index", "--force-remove", "lib/sub")
    repo.git("update-index", "--index-info", stdin=lines.encode())
    sub.write("u", "u\n")
    assert problems(repo) == {"lib/sub": "untracked files (u)"}


def test_a_link_in_its_place_is_not_followed(repo: GitRepo, sub: GitRepo) -> None:
    sub.write("u", "u\n")
    sub.path.rename(repo.path / "moved")
    sub.path.symlink_to(repo.path / "moved")
    check(repo)


def test_a_work_tree_elsewhere_is_refused(repo: GitRepo, sub: GitRepo, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    sub.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    with pytest.raises(ZdevError) as refused:
        check(repo)
    assert refused.value.code == "inner-work-tree-elsewhere"
    assert refused.value.details == {"path": "lib/sub"}


def test_a_gitfile_that_leads_nowhere_is_refused(repo: GitRepo, sub: GitRepo) -> None:
    (sub.path / ".git").write_text("gitdir: ../../nowhere\n")
    with pytest.raises(ZdevError) as refused:
        check(repo)
    assert refused.value.code == "invalid-gitfile"
    assert "lib/sub" in refused.value.message
