"""Who owns which path after a split, judged on real work trees."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from git_zdev.derive.ownership import CHILDREN, RETAINED, WorkTree, ownership_problems
from git_zdev.derive.path_rules import MANAGED, NameFolding
from git_zdev.derive.proposal import ChildPaths, SplitOwnership
from git_zdev.ground.values import replace

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.repo import GitRepo


@pytest.fixture
def tree(repo: GitRepo) -> Callable[..., WorkTree]:
    """The work tree as Git describes it, for use as ``tree(folding=…)``."""

    def look(folding: NameFolding | None = None) -> WorkTree:
        tracked = {}
        for entry in filter(None, repo.git("ls-files", "-s", "-z").split("\0")):
            information, _, path = entry.partition("\t")
            tracked[os.fsencode(path)] = int(information.split()[0], 8)
        unstaged = repo.git("diff-files", "--name-only", "-z").split("\0")
        unstaged += repo.git("ls-files", "--others", "--exclude-standard", "-z").split("\0")

        def is_ignored(path: bytes) -> bool:
            return bool(repo.git("check-ignore", "--", os.fsdecode(path), check=False))

        return WorkTree(
            str(repo.path),
            tracked.get,
            {os.fsencode(path) for path in unstaged if path},
            is_ignored,
            folding or NameFolding(),
        )

    repo.commit("Start", a__txt="a\n", **{"src/b__txt": "b\n"})
    return look


def ownership(
    *future: str, retained: tuple[str, ...] = (), **more: tuple[str, ...]
) -> SplitOwnership:
    children = [ChildPaths("one", future)] if future else []
    children += [ChildPaths(key, paths) for key, paths in more.items()]
    return SplitOwnership(retained, tuple(children))


def told(owned: SplitOwnership, tree: WorkTree, *keys: str) -> list[tuple[str | None, str]]:
    found = ownership_problems(owned, keys or ("one",), tree)
    assert {problem.code for problem in found} <= {"invalid-ownership"}
    return [(problem.pointer, problem.message) for problem in found]


def why(path: str, tree: WorkTree) -> str | None:
    """What is wrong with one future path."""
    found = told(ownership(path), tree)
    assert len(found) <= 1
    for pointer, message in found:
        assert pointer == f"{CHILDREN}/0/paths/0"
        return message.removeprefix(f'the path "{path}": ')
    return None


def test_existing_and_absent_future_paths_are_accepted(tree: Callable[..., WorkTree]) -> None:
    owned = ownership("a.txt", "src/new.txt", two=("src/b.txt", "top.txt"))
    assert told(owned, tree(), "one", "two") == []


def test_the_exact_unstaged_delta_is_retained(repo: GitRepo, tree: Callable[..., WorkTree]) -> None:
    repo.write("a.txt", "changed\n")
    repo.write("src/untracked.txt", "new\n")
    assert told(ownership("src/b.txt", retained=("src/untracked.txt", "a.txt")), tree()) == []


def test_a_path_left_out_and_a_path_too_many(repo: GitRepo, tree: Callable[..., WorkTree]) -> None:
    repo.write("a.txt", "changed\n")
    repo.write(b"caf\xe9", "not UTF-8\n")
    assert told(ownership("src/new.txt", retained=("src/b.txt",)), tree()) == [
        (f"{RETAINED}/0", 'the path "src/b.txt" is not changed in the work tree'),
        (RETAINED, 'the path "a.txt" is changed in the work tree and is not listed'),
        (RETAINED, 'the path "caf\\xe9" is changed in the work tree and is not listed'),
    ]


def test_a_deleted_or_renamed_path_cannot_be_retained(
    repo: GitRepo, tree: Callable[..., WorkTree]
) -> None:
    (repo.path / "a.txt").rename(repo.path / "moved.txt")
    gone = "it does not exist; a path that was deleted or renamed cannot be retained"
    owned = ownership("src/new.txt", retained=("a.txt", "moved.txt"))
    assert told(owned, tree()) == [(f"{RETAINED}/0", f'the path "a.txt": {gone}')]


def test_a_path_that_became_a_link_cannot_be_retained(
    repo: GitRepo, tree: Callable[..., WorkTree]
) -> None:
    (repo.path / "a.txt").unlink()
    (repo.path / "a.txt").symlink_to("src/b.txt")
    owned = ownership("src/new.txt", retained=("a.txt",))
    assert told(owned, tree()) == [
        (f"{RETAINED}/0", 'the path "a.txt": it is a symbolic link and no regular file')
    ]


def test_each_key_has_exactly_one_entry(tree: Callable[..., WorkTree]) -> None:
    owned = SplitOwnership(
        (), (ChildPaths("one", ("x",)), ChildPaths("one", ("y",)), ChildPaths("odd", ("z",)))
    )
    assert told(owned, tree(), "one", "two") == [
        (f"{CHILDREN}/1/key", 'the key "one" has a second entry'),
        (f"{CHILDREN}/2/key", 'no proposed task has the key "odd"'),
        (CHILDREN, 'the task "two" has no future paths'),
    ]


def test_no_path_has_two_owners(repo: GitRepo, tree: Callable[..., WorkTree]) -> None:
    repo.write("a.txt", "changed\n")
    owned = ownership("x", "a.txt", "x", retained=("a.txt",), two=("x",))
    assert told(owned, tree(), "one", "two") == [
        (f"{CHILDREN}/0/paths/1", 'the path "a.txt": it is listed as retained already'),
        (f"{CHILDREN}/0/paths/2", 'the path "x": it is listed for the task "one" already'),
        (f"{CHILDREN}/1/paths/0", 'the path "x": it is listed for the task "one" already'),
    ]


def test_paths_that_the_file_system_would_merge(tree: Callable[..., WorkTree]) -> None:
    owned = ownership("src/Caf\u00e9", two=("src/cafe\u0301",))
    assert told(owned, tree(), "one", "two") == []
    assert told(owned, tree(NameFolding(precompose=True)), "one", "two") == []
    merged = 'it is "src/Caf\u00e9" to this file system, for the task "one" already'
    assert told(owned, tree(NameFolding(ignore_case=True)), "one", "two") == [
        (f"{CHILDREN}/1/paths/0", f'the path "src/cafe\u0301": {merged}')
    ]
    same_case = ownership("src/caf\u00e9", two=("src/cafe\u0301",))
    assert told(same_case, tree(), "one", "two") == []
    assert len(told(same_case, tree(NameFolding(precompose=True)), "one", "two")) == 1


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "src//x", "src/", "a\\b", "a\tb"])
def test_malformed_paths_never_reach_the_file_system(
    path: str, tree: Callable[..., WorkTree]
) -> None:
    nowhere = replace(tree(), root="/nonexistent")
    assert why(path, nowhere) is not None


@pytest.mark.parametrize("path", [".zdev/config.toml", ".git/config", "src/.Git/x", "git~1"])
def test_managed_state_is_nobodys(path: str, tree: Callable[..., WorkTree]) -> None:
    assert why(path, tree()) == MANAGED


def test_what_stands_on_the_way(repo: GitRepo, tree: Callable[..., WorkTree]) -> None:
    (repo.path / "link").symlink_to("src")
    repo.git("add", "link")
    look = tree()
    assert why("link/new.txt", look) == 'a directory on its way is a symbolic link ("link")'
    assert why("link", look) == "it is a symbolic link and no regular file"
    assert why("absent/new.txt", look) == 'a directory on its way does not exist ("absent")'
    assert why("src/absent/x/y", look) == 'a directory on its way does not exist ("src/absent")'
    assert why("a.txt/x", look) == 'what is on its way is not a directory ("a.txt")'
    assert why("src", look) == "it is a directory and no regular file"


def test_special_files(repo: GitRepo, tree: Callable[..., WorkTree]) -> None:
    os.mkfifo(repo.path / "pipe")
    assert why("pipe", tree()) == "it is a special file and no regular file"


def test_names_that_no_file_system_takes(tree: Callable[..., WorkTree]) -> None:
    assert why("x" * 300, tree()) == "it cannot be looked at: File name too long"
    assert why("x/" * 2048 + "y", tree()) == "it is longer than 4095 bytes"


def test_ignored_paths(repo: GitRepo, tree: Callable[..., WorkTree]) -> None:
    repo.write(".gitignore", "*.log\nbuild/\n")
    repo.write("kept.log", "tracked all the same\n")
    repo.write("build/made.txt", "made\n")
    repo.git("add", "--force", ".gitignore", "kept.log")
    look = tree()
    assert why("new.log", look) == "it is ignored"
    assert why("build/made.txt", look) == "it is ignored"
    assert why("build/new.txt", look) == "it is ignored"
    assert why("kept.log", look) is None


def test_submodules_and_nested_repositories(
    repo: GitRepo, new_repo: Callable[..., GitRepo], tree: Callable[..., WorkTree]
) -> None:
    other = new_repo("other")
    head = other.commit("Inside", x__txt="x\n")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other.path), "sub")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{head},bare")
    (repo.path / "bare").mkdir()
    new_repo("repo/src/nested")
    look = replace(tree(), unstaged=())
    assert why("sub/x.txt", look) == "it lies in a submodule"
    assert why("sub", look) == "it lies in a submodule"
    assert why("bare/new.txt", look) == "it lies in a submodule"
    assert why("src/nested/x.txt", look) == 'it lies in a nested repository ("src/nested")'


def test_a_tracked_path_that_is_not_in_the_work_tree(
    repo: GitRepo, tree: Callable[..., WorkTree]
) -> None:
    repo.git("update-index", "--skip-worktree", "a.txt")
    (repo.path / "a.txt").unlink()
    assert why("a.txt", tree()) == "it is tracked and is not in the work tree"
