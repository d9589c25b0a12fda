"""Split and sparse indexes, old modes in trees, names like Git's own, and remembered trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.repo import git
from tests.support.states.repo import numbered, state, states

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.support.states.repo import StateRepo


def _sparse(repo: StateRepo, *folders: str) -> None:
    repo.base(
        {f"{d}/{f}.txt": numbered(5) for d in ("in", "in/deep", "out", "out/deep/x") for f in "ab"}
        | {"a.txt": "a\n", "z/.gitignore": "*.o\n", "z/run": "run\n"}
    )
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", *(folders or ("in",)))


@states(
    edit=[
        "nothing",
        "changed",
        "added",
        "removed",
        "replaced",
        "emptied",
        "intent",
        "flags",
        "many",
    ],
    version=["2", "4"],
)
def split_index(repo: StateRepo, edit: str, version: str) -> None:
    names = [f"dir{n % 3}/file-{n:03}.txt" for n in range(150 if edit == "many" else 7)]
    repo.base({name: numbered(3) for name in names})
    repo.git("update-index", "--index-version", version)
    repo.config("core.splitIndex", "true")
    repo.config("splitIndex.maxPercentChange", "100")
    repo.git("update-index", "--split-index")
    repo.write(names[1], numbered(4))
    repo.write("dir0/new.txt", "untracked\n")
    if edit == "changed":
        repo.write(names[2], numbered(5))
        repo.add(names[2])
    elif edit == "added":
        repo.write("dir0/a-added.txt", "added\n")
        repo.write("zz", "added\n")
        repo.add("dir0/a-added.txt", "zz")
    elif edit == "removed":
        repo.git("rm", "-q", "--cached", names[0], names[6])
    elif edit == "replaced":
        repo.git("rm", "-q", names[4])
        repo.write(names[4] + "/inside", "a folder now\n")
        repo.add(names[4])
    elif edit == "emptied":
        repo.git("rm", "-rq", "--cached", ".")
    elif edit == "intent":
        repo.write("dir1/intent", "intent\n")
        repo.git("add", "-N", "dir1/intent")
    elif edit == "flags":
        repo.git("update-index", "--skip-worktree", names[1])
        repo.git("update-index", "--assume-unchanged", names[3])
        repo.remove(names[3])
    elif edit == "many":
        repo.git("rm", "-q", "--cached", *names[:130:2])
        repo.write("dir1/many", "many\n")
        repo.add("dir1/many")


@states(side=["ours", "theirs"])
def split_index_in_conflict(repo: StateRepo, side: str) -> None:
    repo.base({"a.txt": numbered(5), "b.txt": numbered(5), "c.txt": "c\n"})
    repo.config("core.splitIndex", "true")
    repo.diverge({"a.txt": numbered(5, {2: "ours"})}, {"a.txt": numbered(5, {2: "theirs"})})
    repo.git("update-index", "--split-index")
    repo.git("merge", "-q", "theirs", check=False)
    if side == "theirs":
        repo.git("checkout", "--theirs", "a.txt")
        repo.add("a.txt")
        repo.write("b.txt", numbered(6))


@state
def split_index_unborn(repo: StateRepo) -> None:
    repo.config("core.splitIndex", "true")
    repo.write("a.txt", "a\n")
    repo.write("b.txt", "b\n")
    repo.add("a.txt")


@states(edit=["nothing", "inside", "file_back", "new_outside", "folder_outside", "ignored_outside"])
def sparse_index(repo: StateRepo, edit: str) -> None:
    _sparse(repo)
    repo.write("in/new.txt", "untracked\n")
    if edit == "inside":
        repo.write("in/a.txt", numbered(6))
        repo.write("in/deep/b.txt", numbered(7))
        repo.add("in/deep/b.txt")
    elif edit == "file_back":
        repo.write("out/a.txt", "back, and other\n")
        repo.write("out/deep/x/b.txt", numbered(5))
    elif edit == "new_outside":
        repo.write("out/new.txt", "untracked\n")
    elif edit == "folder_outside":
        repo.write("out/deep/new/a", "untracked\n")
        repo.file("z/empty").mkdir(parents=True)
    elif edit == "ignored_outside":
        repo.write("z/a.o", "ignored by what is not there\n")
        repo.write("z/a.c", "untracked\n")


@state
def sparse_folder_that_became_a_file(repo: StateRepo) -> None:
    _sparse(repo)
    repo.write("z", "a file\n")
    repo.write("out", "another\n")


@state
def sparse_folder_other_than_in_head(repo: StateRepo) -> None:
    _sparse(repo)
    before = repo.rev("HEAD")
    repo.git("sparse-checkout", "disable")
    repo.write("out/deep/x/a.txt", numbered(6))
    repo.git("rm", "-q", "z/run")
    repo.commit_all()
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
    repo.git("reset", "-q", "--soft", before)


@state
def sparse_index_with_files_expected_outside(repo: StateRepo) -> None:
    _sparse(repo)
    repo.config("sparse.expectFilesOutsideOfPatterns", "true")
    repo.write("out/a.txt", "back, and other\n")


@state
def sparse_index_in_conflict(repo: StateRepo) -> None:
    _sparse(repo)
    repo.diverge({"in/a.txt": numbered(5, {2: "ours"})}, {"in/a.txt": numbered(5, {2: "theirs"})})
    repo.git("merge", "-q", "theirs", check=False)


@state
def sparse_index_with_no_folder_collapsed(repo: StateRepo) -> None:
    _sparse(repo, "in", "out", "z")
    repo.write("z/run", "changed\n")


@state
def index_sparse_set_alone(repo: StateRepo) -> None:
    repo.config("index.sparse", "true")
    repo.base({"d/a.txt": "a\n"})
    repo.write("d/a.txt", "b\n")


@states(name=["git~1", "d/GIT~1/x"], change=["tracked", "staged", "edited"])
def tracked_names_like_git_s_own(repo: StateRepo, name: str, change: str) -> None:
    repo.config("core.protectNTFS", "false")
    repo.base({"a.txt": "a\n"})
    repo.write(name, "ordinary\n")
    repo.add()
    if change != "staged":
        repo.commit()
    if change == "edited":
        repo.write(name, "changed\n")


def _write_tree(repo: StateRepo, entries: Mapping[str, tuple[str, str]]) -> str:
    """Write a tree as it is: a mode and an object's id by name, in order."""
    content = b"".join(
        f"{mode} {name}".encode() + b"\0" + bytes.fromhex(blob)
        for name, (mode, blob) in entries.items()
    )
    command = ("hash-object", "-t", "tree", "-w", "--stdin", "--literally")
    return git(*command, cwd=repo.path, stdin=content).stdout.decode().strip()


@states(edit=["nothing", "content", "mode", "gone", "staged", "staged_mode"])
def tree_with_an_old_mode(repo: StateRepo, edit: str) -> None:
    """Git wrote 100664 long ago, and takes it for 100644."""
    repo.base({"a.txt": numbered(5), "d/b.txt": numbered(6), "run": "run\n"})
    blob = {name: repo.rev(f"HEAD:{name}") for name in ("a.txt", "d/b.txt", "run")}
    inner = _write_tree(repo, {"b.txt": ("100664", blob["d/b.txt"])})
    tree = _write_tree(
        repo,
        {
            "a.txt": ("100664", blob["a.txt"]),
            "d": ("40000", inner),
            "run": ("100775", blob["run"]),
        },
    )
    commit = repo.git("commit-tree", "-m", "Old", tree).strip()
    repo.git("reset", "-q", "--hard", commit)
    if edit == "content":
        repo.write("d/b.txt", numbered(7))
    elif edit == "mode":
        repo.file("a.txt").chmod(0o755)
    elif edit == "gone":
        repo.git("rm", "-q", "d/b.txt")
    elif edit == "staged":
        repo.write("a.txt", numbered(7))
        repo.add("a.txt")
    elif edit == "staged_mode":
        repo.git("update-index", "--chmod=+x", "d/b.txt")


@states(edit=["nothing", "beside", "work_tree"])
def tree_that_the_cache_tree_spares(repo: StateRepo, edit: str) -> None:
    repo.base({"d/deep/a.txt": "a\n", "d/b.txt": "b\n", "e/c.txt": "c\n"})
    repo.git("read-tree", "HEAD")
    repo.git("update-index", "-q", "--refresh")
    if edit == "beside":
        repo.write("e/c.txt", "changed\n")
        repo.add("e/c.txt")
    elif edit == "work_tree":
        repo.write("d/deep/a.txt", "changed\n")
    name = repo.rev("HEAD:d")
    repo.file(f".git/objects/{name[:2]}/{name[2:]}").unlink()
