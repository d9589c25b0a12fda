"""The places of a repository's parts: linked work trees, submodules, alternates, shallow clones."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from tests.support.states.repo import numbered, state, states

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.states.repo import StateRepo


@state
def linked_work_tree(repo: StateRepo) -> Path:
    repo.base({"a.txt": numbered(9), "b.txt": numbered(8)})
    linked = repo.at(repo.path.parent / "linked")
    repo.git("worktree", "add", "-q", "-b", "other", str(linked.path))
    repo.write("a.txt", "of the main work tree\n")
    linked.write("a.txt", numbered(10))
    linked.write("b.txt", numbered(9))
    linked.add("b.txt")
    linked.write("new.txt", "n\n")
    return linked.path


@state
def main_work_tree_with_linked_inside(repo: StateRepo) -> None:
    """A linked work tree below the main one is a nested repository to the status: ignored here."""
    repo.base({"a.txt": numbered(9), ".gitignore": "/inner/\n"})
    repo.git("worktree", "add", "-q", "-b", "other", "inner")
    repo.write("inner/a.txt", "x\n")
    repo.write("a.txt", numbered(10))


@state
def linked_work_tree_with_its_own_settings(repo: StateRepo) -> Path:
    repo.base({"a.txt": numbered(9), "tool": "t\n"})
    linked = repo.at(repo.path.parent / "linked")
    repo.git("worktree", "add", "-q", "-b", "other", str(linked.path))
    repo.config("extensions.worktreeConfig", "true")
    linked.git("config", "--worktree", "core.fileMode", "false")
    linked.file("tool").chmod(0o755)
    linked.write("a.txt", numbered(10))
    return linked.path


@state
def separate_git_dir(repo: StateRepo) -> None:
    repo.base({"a.txt": numbered(9)})
    repo.git("init", "-q", f"--separate-git-dir={repo.path.parent / 'apart.git'}")
    repo.write("a.txt", numbered(10))
    repo.write("u.txt", "u\n")


@state
def work_tree_by_configuration(repo: StateRepo) -> Path:
    """``core.worktree``: the Git directory finds its work tree elsewhere."""
    repo.base({"a.txt": numbered(9)})
    elsewhere = repo.at(repo.path.parent / "elsewhere")
    elsewhere.write("a.txt", numbered(10))
    elsewhere.write("u.txt", "u\n")
    repo.config("core.worktree", str(elsewhere.path))
    elsewhere.write(".git", f"gitdir: {repo.path / '.git'}\n")
    return elsewhere.path


@state
def root_behind_a_link(repo: StateRepo) -> Path:
    repo.base({"a.txt": numbered(9)})
    repo.write("a.txt", numbered(10))
    repo.write("u.txt", "u\n")
    behind = repo.path.parent / "behind"
    behind.symlink_to(repo.path)
    return behind


@state
def alternates(repo: StateRepo) -> Path:
    repo.base({"a.txt": numbered(9), "b.txt": numbered(12)})
    borrower = repo.at(repo.path.parent / "borrower")
    repo.git("clone", "-q", "--shared", ".", str(borrower.path))
    borrower.git("mv", "b.txt", "c.txt")
    borrower.write("a.txt", numbered(10))
    return borrower.path


@state
def shallow_clone(repo: StateRepo) -> Path:
    for n in range(3):
        repo.write("a.txt", numbered(9 + n))
        repo.commit_all()
    clone = repo.at(repo.path.parent / "shallow")
    repo.git("clone", "-q", "--depth=1", f"file://{repo.path}", str(clone.path))
    clone.write("a.txt", numbered(14))
    clone.write("b.txt", "b\n")
    clone.add("b.txt")
    return clone.path


@states(what=["blob", "tree", "commit"])
def replaced_object(repo: StateRepo, what: str) -> None:
    repo.base({"a.txt": numbered(9), "d/b.txt": numbered(5)})
    old = {"blob": "HEAD:a.txt", "tree": "HEAD:d", "commit": "HEAD"}[what]
    before = repo.rev(old)
    repo.write("a.txt", numbered(9, {4: "replaced"}))
    repo.write("d/b.txt", numbered(6))
    repo.commit_all()
    after = repo.rev(old)
    repo.git("reset", "-q", "--hard", "HEAD~")
    repo.git("replace", before, after)
    repo.write("a.txt", numbered(9, {8: "eight"}))
    repo.write("d/b.txt", numbered(7))
    repo.add("d/b.txt")


@states(
    seen=["as it was", "touched", "racy"],
    rule=["none", "-diff", "text"],
    long=[True, False],
)
def replaced_blob_of_a_staged_file(repo: StateRepo, seen: str, rule: str, long: bool) -> None:
    """Git reads an unchanged file instead of the blob, and so ignores a replacement of the blob."""
    repo.base({"a.txt": numbered(9), "b.txt": numbered(20 if long else 9, {4: "four"}), "c": "c\n"})
    repo.write("a.txt", numbered(9, {2: "2222 2"}))
    if rule != "none":
        repo.write(".git/info/attributes", f"*.txt {rule}\n")
    repo.add()
    repo.git("replace", repo.rev(":a.txt"), repo.rev("HEAD:b.txt"))
    if seen == "touched":
        os.utime(repo.file("a.txt"), (1, 1))
    elif seen == "racy":
        os.utime(repo.file(".git/index"), (1, 1))


@states(
    seen=["as it was", "touched", "racy", "executable"],
    holds=["what was recorded", "what replaces it", "something else"],
)
def replaced_blob_of_a_file(repo: StateRepo, seen: str, holds: str) -> None:
    """The diff shows the replacement of the blob; the status compares only ids."""
    repo.base({"a.txt": numbered(9), "b.txt": numbered(9, {4: "4444 4"}), "c.txt": "c\n"})
    repo.git("replace", repo.rev("HEAD:a.txt"), repo.rev("HEAD:b.txt"))
    if holds == "what replaces it":
        repo.write("a.txt", numbered(9, {4: "4444 4"}))
    elif holds == "something else":
        repo.write("a.txt", numbered(9, {4: "5555 5"}))
    if seen == "executable":
        repo.file("a.txt").chmod(0o755)
    elif seen == "touched":
        os.utime(repo.file("a.txt"), (1, 1))
    elif seen == "racy":
        os.utime(repo.file(".git/index"), (1, 1))
    repo.write("c.txt", "d\n")


@state
def replaced_object_in_a_linked_work_tree(repo: StateRepo) -> Path:
    repo.base({"a.txt": numbered(9)})
    before = repo.rev("HEAD:a.txt")
    repo.write("b.txt", numbered(9, {4: "replaced"}))
    repo.add()
    repo.git("replace", before, repo.rev(":b.txt"))
    linked = repo.at(repo.path.parent / "linked")
    repo.git("worktree", "add", "-q", "-b", "other", str(linked.path))
    linked.write("a.txt", numbered(9, {8: "eight"}))
    return linked.path


@states(count=[1, 300, 3000])
def ids_abbreviated(repo: StateRepo, count: int) -> None:
    """The length of an abbreviated id depends on the number of objects, and on their ids."""
    for n in range(count):
        repo.write(f"d{n % 30}/f{n}", f"{n}\n")
    repo.commit_all()
    repo.git("repack", "-q", "-a", "-d")
    for n in range(0, count, 29):
        repo.write(f"d{n % 30}/f{n}", f"changed {n}\n")
    repo.write("loose", "loose\n")
    repo.add("loose")
    repo.write("loose", "looser\n")


@state
def ids_that_share_seven_digits(repo: StateRepo) -> None:
    """Two blobs found by search whose ids agree in their first seven hexadecimal digits."""
    one, other = _twins()
    repo.base({"a.txt": one, "other.txt": other, "c.txt": "c\n"})
    repo.write("a.txt", "changed\n")
    repo.write("c.txt", one)
    repo.add("c.txt")


def _twins() -> tuple[str, str]:
    seen: dict[str, str] = {}
    n = 0
    while True:
        text = f"{n}\n"
        raw = b"blob %d\0" % len(text) + text.encode()
        key = hashlib.sha1(raw, usedforsecurity=False).hexdigest()[:7]
        if key in seen:
            return seen[key], text
        seen[key] = text
        n += 1


def _with_submodule(repo: StateRepo, name: str = "sub") -> StateRepo:
    inner = repo.sibling("inner")
    inner.base({"s.txt": numbered(5)})
    inner.write("s.txt", numbered(6))
    inner.commit_all()
    allow = ("-c", "protocol.file.allow=always")
    repo.git(*allow, "submodule", "--quiet", "add", str(inner.path), name)
    repo.base({"a.txt": numbered(9)})
    return repo.at(repo.file(name))


@state
def submodule_clean(repo: StateRepo) -> None:
    _with_submodule(repo)
    repo.write("a.txt", numbered(10))


@states(where=["staged", "unstaged"])
def submodule_moved(repo: StateRepo, where: str) -> None:
    sub = _with_submodule(repo, "path to/sub")
    sub.git("checkout", "-q", "HEAD~")
    if where == "staged":
        repo.add()


@state
def submodule_added(repo: StateRepo) -> None:
    inner = repo.sibling("inner")
    inner.base({"s.txt": "s\n"})
    repo.base({"a.txt": "a\n"})
    repo.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "s"
    )


@state
def submodule_removed(repo: StateRepo) -> None:
    _with_submodule(repo)
    repo.git("rm", "-q", "sub")


@states(how=["index", "switch"])
def submodule_left_behind(repo: StateRepo, how: str) -> None:
    """Its folder is untracked then, and its Git directory stays among the modules."""
    repo.base({"a.txt": "1\n"})
    repo.git("branch", "before")
    _with_submodule(repo, "path/sub")
    if how == "index":
        repo.git("rm", "-q", "--cached", "path/sub")
    else:
        repo.git("checkout", "-q", "before")
    repo.write("path/sub/s.txt", "changed\n")
    repo.write("path/sub/new", "x\n")


@states(place=["wt", "deep/er/wt", "ignored/wt"])
def linked_work_tree_inside(repo: StateRepo, place: str) -> None:
    repo.base({"a.txt": "1\n", ".gitignore": "/ignored/\n"})
    repo.git("worktree", "add", "-q", place)
    repo.write(f"{place}/a.txt", "2\n")
    repo.write(f"{place}/new", "x\n")


@state
def linked_work_tree_inside_another(repo: StateRepo) -> Path:
    repo.base({"a.txt": "1\n"})
    outer = repo.path.parent / "outer"
    repo.git("worktree", "add", "-q", str(outer))
    repo.at(outer).git("worktree", "add", "-q", "inner")
    return outer


@state
def submodule_uninitialized(repo: StateRepo) -> Path:
    _with_submodule(repo)
    clone = repo.at(repo.path.parent / "clone")
    repo.git("clone", "-q", ".", str(clone.path))
    clone.write("a.txt", numbered(10))
    return clone.path


@state
def submodule_folder_missing(repo: StateRepo) -> Path:
    clone = repo.at(submodule_uninitialized(repo))
    clone.file("sub").rmdir()
    return clone.path


@state
def submodule_as_file(repo: StateRepo) -> Path:
    clone = repo.at(submodule_uninitialized(repo))
    clone.file("sub").rmdir()
    clone.write("sub", "a file now\n")
    return clone.path


@state
def submodule_replaced_by_files(repo: StateRepo) -> None:
    _with_submodule(repo)
    repo.git("rm", "-q", "sub")
    repo.write("sub/s.txt", numbered(6))
    repo.add()


@state
def submodule_conflict(repo: StateRepo) -> None:
    sub = _with_submodule(repo)
    for branch, word in (("theirs", "t"), ("main", "o")):
        repo.git("checkout", "-q", *(["-b"] if branch == "theirs" else []), branch)
        sub.git("checkout", "-q", "--detach", "origin/main")
        sub.write("s.txt", numbered(7, {7: word}))
        sub.commit_all()
        repo.commit_all()
    repo.git("merge", "-q", "theirs", check=False)


@states(folder=["empty", "missing", "file"])
def submodule_conflict_uninitialized(repo: StateRepo, folder: str) -> None:
    """Three versions of a submodule that is not checked out."""
    repo.base({"a.txt": "a\n"})
    stages = "".join(f"160000 {digit * 40} {stage}\tsub\n" for stage, digit in enumerate("abc", 1))
    repo.git("update-index", "--index-info", stdin=stages.encode())
    if folder == "empty":
        repo.file("sub").mkdir()
    elif folder == "file":
        repo.write("sub", "a file\n")


@state
def tracked_gitlink_without_gitmodules(repo: StateRepo) -> None:
    repo.base({"a.txt": "a\n"})
    link = repo.at(repo.file("link"))
    link.path.mkdir()
    link.git("init", "-q", "--template=", "-b", "main")
    link.base({"s.txt": "s\n"})
    repo.git("-c", "advice.addEmbeddedRepo=false", "add", "link")
    repo.commit("Embed")
    link.write("s.txt", "t\n")
    link.commit_all()


def _nested(repo: StateRepo, name: str) -> StateRepo:
    nested = repo.at(repo.file(name))
    nested.path.mkdir(parents=True)
    nested.git("init", "-q", "--template=", "-b", "main")
    return nested


@states(where=["unstaged", "added", "later", "renamed"], was=["file", "link"])
def nested_repository_where_a_file_was(repo: StateRepo, where: str, was: str) -> None:
    repo.base({"keep.txt": "k\n"})
    if was == "link":
        repo.link("a.txt", "target")
    else:
        repo.write("a.txt", numbered(9))
    if where == "later":
        repo.git("add", "-N", "a.txt")
    else:
        repo.add()
    if where in ("unstaged", "renamed"):
        repo.commit()
    if where == "renamed":
        repo.git("mv", "a.txt", "b.txt")
    name = "b.txt" if where == "renamed" else "a.txt"
    repo.remove(name)
    _nested(repo, name).base({"n.txt": "n\n"})


@state
def nested_repository(repo: StateRepo) -> None:
    repo.base({"a.txt": "a\n"})
    nested = _nested(repo, "deep/nested")
    nested.base({"n.txt": numbered(9), "bin": b"\0\1\2", "gone": "gone\n", "moved": numbered(7)})
    nested.write("n.txt", numbered(10))
    nested.write("bin", bytes(range(256)) * 9)
    nested.add("bin")
    nested.write("bin", b"\0" * 400)
    nested.git("mv", "moved", "there")
    nested.remove("gone")
    nested.write("u.txt", "u\n")
    inner = _nested(repo, "deep/nested/inner")
    inner.write("first.txt", "f\n")
    inner.add()
    inner.write("u.txt", "u\n")


@state
def nested_repository_unborn_and_empty(repo: StateRepo) -> None:
    repo.base({"a.txt": "a\n"})
    _nested(repo, "nested")


@state
def nested_repository_ignored(repo: StateRepo) -> None:
    repo.base({"a.txt": "a\n", ".gitignore": "nested/\n"})
    _nested(repo, "nested").base({"n": "n\n"})


@state
def nested_git_folder_that_is_none(repo: StateRepo) -> None:
    """A folder called ``.git`` that is not a repository leaves its parent an ordinary folder."""
    repo.base({"a.txt": "a\n"})
    repo.file("fake/.git").mkdir(parents=True)
    repo.write("fake/x", "x\n")
    repo.write("half/.git/HEAD", "ref: refs/heads/main\n")
    repo.write("half/x", "x\n")
    repo.write("gitfile/.git", "gitdir: /nowhere/at/all\n")
    repo.write("gitfile/x", "x\n")
    repo.write("junk/.git", "junk\n")
    repo.write("junk/x", "x\n")


@state
def nested_bare_repository(repo: StateRepo) -> None:
    repo.base({"a.txt": "a\n"})
    bare = repo.at(repo.file("bare.git"))
    bare.path.mkdir()
    bare.git("init", "-q", "--template=", "--bare", "-b", "main")


@state
def folders_without_access_times(repo: StateRepo) -> None:
    """Hard links, and a file that shares its inode with other names."""
    repo.base({"a.txt": numbered(4)})
    os.link(repo.file("a.txt"), repo.file("again.txt"))
    repo.write("a.txt", numbered(5))


@state
def packed_refs_and_packed_objects(repo: StateRepo) -> None:
    repo.base({f"f{n}": numbered(n + 1) for n in range(30)})
    repo.git("gc", "-q")
    repo.git("pack-refs", "--all")
    for n in range(0, 30, 4):
        repo.write(f"f{n}", numbered(n + 2))


@state
def head_on_a_symbolic_branch(repo: StateRepo) -> None:
    repo.base({"a.txt": numbered(4)})
    repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    repo.git("symbolic-ref", "HEAD", "refs/heads/alias")
    repo.write("a.txt", numbered(5))
