"""Index versions and flags: intent-to-add, assume-unchanged, skip-worktree, sparse checkouts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tests.support.states.repo import numbered, state, states

if TYPE_CHECKING:
    from tests.support.states.repo import StateRepo


@states(version=["2", "3", "4"])
def index_version(repo: StateRepo, version: str) -> None:
    repo.config("index.version", version)
    repo.base({f"dir{n % 3}/file-with-a-prefix-{n:03}.txt": numbered(4) for n in range(40)})
    repo.git("update-index", "--index-version", version)
    repo.write("dir1/file-with-a-prefix-001.txt", numbered(5))
    repo.write("dir1/file-with-a-prefix-0011.txt", "new\n")
    repo.git("add", "dir1/file-with-a-prefix-0011.txt")
    if version != "2":
        repo.write("dir2/intent.txt", "intent\n")
        repo.git("add", "-N", "dir2/intent.txt")
    repo.remove("dir2/file-with-a-prefix-002.txt")


@states(content=["text", "empty", "binary", "link", "gone", "run"])
def intent_to_add(repo: StateRepo, content: str) -> None:
    repo.base({"a.txt": "a\n"})
    if content == "link":
        repo.link("new", "target")
    else:
        repo.write("new", {"empty": b"", "binary": b"\0\1"}.get(content, b"one\ntwo\n"))
    if content == "run":
        repo.file("new").chmod(0o755)
    repo.git("add", "-N", "new")
    if content == "gone":
        repo.remove("new")


@state
def intent_to_add_where_it_was_tracked(repo: StateRepo) -> None:
    repo.base({"a.txt": numbered(5), "b.txt": numbered(5)})
    repo.git("rm", "-q", "--cached", "a.txt")
    repo.git("add", "-N", "a.txt")
    repo.write("b.txt", numbered(6))


@state
def intent_to_add_alone_and_unborn(repo: StateRepo) -> None:
    repo.write("new", "one\n")
    repo.git("add", "-N", "new")


@states(flag=["--assume-unchanged", "--skip-worktree"], here=["text", "nothing"])
def told_not_to_look_at_what_is_to_be_added(repo: StateRepo, flag: str, here: str) -> None:
    repo.base({"a.txt": "a\n"})
    repo.write("new", "one\n")
    repo.git("add", "-N", "new")
    repo.git("update-index", flag, "new")
    if here == "nothing":
        repo.remove("new")


@states(flag=["--assume-unchanged", "--skip-worktree"])
def told_not_to_look(repo: StateRepo, flag: str) -> None:
    repo.base({name: numbered(5) for name in ("edited", "gone", "mode", "staged", "seen")})
    repo.write("staged", numbered(6))
    repo.add("staged")
    repo.git("update-index", flag, "edited", "gone", "mode", "staged")
    repo.write("edited", numbered(7))
    repo.write("staged", numbered(7))
    repo.file("mode").chmod(0o755)
    repo.remove("gone")
    repo.write("seen", numbered(7))


@states(head=["born", "unborn"])
def added_and_told_not_to_look(repo: StateRepo, head: str) -> None:
    """The flag hides the work tree, but not that the entry is new or renamed."""
    if head == "born":
        repo.base({"a.txt": numbered(5), "old.txt": numbered(9)})
        repo.git("mv", "old.txt", "d-renamed.txt")
    repo.write("d/new.txt", numbered(4))
    repo.write("other.txt", numbered(3))
    repo.add()
    repo.git("update-index", "--assume-unchanged", "d/new.txt")
    if head == "born":
        repo.git("update-index", "--assume-unchanged", "d-renamed.txt")
    repo.write("d/new.txt", numbered(5))


@states(mode=["--cone", "--no-cone"])
def sparse_checkout(repo: StateRepo, mode: str) -> None:
    repo.base({f"{d}/{f}.txt": numbered(5) for d in ("in", "out", "in/deep") for f in "ab"})
    repo.git("sparse-checkout", "set", mode, "in")
    repo.write("in/a.txt", numbered(6))
    repo.write("out/a.txt", "back, and other\n")
    repo.write("out/new.txt", "untracked\n")
    repo.git("rm", "-q", "--sparse", "--cached", "out/b.txt", check=False)


@state
def sparse_and_staged_outside(repo: StateRepo) -> None:
    repo.base({"in/a.txt": numbered(5), "out/a.txt": numbered(5), "out/b.txt": numbered(6)})
    repo.write("out/a.txt", numbered(7))
    repo.add()
    repo.git("sparse-checkout", "set", "--no-cone", "/in/", check=False)


@state
def cache_tree_extension_and_others(repo: StateRepo) -> None:
    """Optional index extensions: the tree cache, resolve-undo, the untracked cache."""
    repo.base({"d/a.txt": numbered(9), "b.txt": "b\n"})
    repo.git("update-index", "--force-untracked-cache")
    repo.git("checkout", "-q", "-b", "other")
    repo.write("b.txt", "theirs\n")
    repo.commit_all()
    repo.git("checkout", "-q", "main")
    repo.write("b.txt", "ours\n")
    repo.commit_all()
    repo.git("merge", "-q", "other", check=False)
    repo.write("b.txt", "both\n")
    repo.add("b.txt")
    repo.git("status", "--short")
    repo.write("new/u.txt", "u\n")


@state
def index_file_elsewhere_in_time(repo: StateRepo) -> None:
    """Stat data that cannot match, so that every file must be read."""
    repo.base({f"f{n}": numbered(n + 1) for n in range(9)})
    for n in range(9):
        os.utime(repo.file(f"f{n}"), (10**9 + n, 10**9 + n))
    repo.write("f3", numbered(9))


@states(check=["minimal", "default"], ctime=["true", "false"])
def stat_settings(repo: StateRepo, check: str, ctime: str) -> None:
    repo.config("core.checkStat", check)
    repo.config("core.trustctime", ctime)
    repo.base({"a.txt": numbered(5), "b.txt": numbered(5)})
    repo.write("a.txt", numbered(6))


@state
def gone_from_index_file(repo: StateRepo) -> None:
    """No index at all: every file counts as deleted from the index and as untracked."""
    repo.base({"a.txt": numbered(5), "d/b.txt": "b\n"})
    repo.file(".git/index").unlink()


@state
def staged_object_with_other_bytes(repo: StateRepo) -> None:
    """An entry written by hand, with another object and mode."""
    repo.base({"a.txt": numbered(5)})
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"by hand\n")
    repo.git("update-index", "--add", "--cacheinfo", f"100755,{blob},hand")
    repo.git("update-index", "--cacheinfo", f"120000,{blob},a.txt")
