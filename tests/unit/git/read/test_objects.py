"""Index entries, trees, blobs and commits, compared with what Git prints."""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING

import pytest

from git_zdev.git.model import TreeEntry
from git_zdev.git.read.discovery import discover
from git_zdev.git.read.objects import BLOB, COMMIT, TREE, blob_id
from git_zdev.git.read.repository import open_repository
from git_zdev.ground.errors import ZdevError
from tests.support.repo import GitRepo, Seen, git, make_repo, opened

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def filled(repo: GitRepo) -> GitRepo:
    repo.commit(a="a", dir="x")
    (repo.path / "dir").unlink()
    for name in (
        b"dir/one",
        b"dir/sub/two",
        b"dir.txt",
        b"dir/caf\xc3\xa9",
        b"z\xff",
        b"tab\there",
    ):
        repo.write(name, b"content of " + name)
    (repo.path / "link").symlink_to("a")
    (repo.path / "run").write_text("#!/bin/sh\n")
    (repo.path / "run").chmod(0o755)
    repo.git("add", "-A")
    repo.commit("all")
    return repo


def listed_index(repo: GitRepo) -> list[tuple[int, str, int, bytes]]:
    told = git("ls-files", "-s", "-z", cwd=repo.path).stdout.split(b"\0")[:-1]
    found = []
    for line in told:
        fields, _, path = line.partition(b"\t")
        mode, blob, stage = fields.split()
        found.append((int(mode, 8), blob.decode(), int(stage), path))
    return found


def test_index_entries(filled: GitRepo) -> None:
    entries = list(opened(filled.path).entries())
    assert [(e.mode, e.blob, e.stage, e.path) for e in entries] == listed_index(filled)


@pytest.mark.parametrize("prefix", [b"dir/", b"dir", b"a", b"nothing", b"z", b"zz", b"dir/sub/two"])
def test_entries_below_a_prefix(filled: GitRepo, prefix: bytes) -> None:
    paths = [entry.path for entry in opened(filled.path).entries(prefix)]
    assert paths == [path for *_, path in listed_index(filled) if path.startswith(prefix)]


def test_flags_of_entries(filled: GitRepo) -> None:
    filled.write("new", "new")
    filled.git("add", "-N", "new")
    filled.git("update-index", "--assume-unchanged", "a")
    filled.git("update-index", "--skip-worktree", "run")
    flagged = {
        e.path: (e.intent_to_add, e.assume_unchanged, e.skip_worktree)
        for e in opened(filled.path).entries()
        if e.intent_to_add or e.assume_unchanged or e.skip_worktree
    }
    assert flagged == {
        b"new": (True, False, False),
        b"a": (False, True, False),
        b"run": (False, False, True),
    }


def test_stages_of_a_conflict(filled: GitRepo) -> None:
    filled.git("checkout", "-q", "-b", "side")
    filled.commit(a="side")
    filled.git("checkout", "-q", "main")
    filled.commit(a="main")
    filled.git("merge", "side", check=False)
    entries = list(opened(filled.path).entries(b"a"))
    assert [entry.stage for entry in entries] == [1, 2, 3]
    assert [(e.mode, e.blob, e.stage, e.path) for e in entries] == listed_index(filled)[:3]


def test_the_index_is_read_again_when_it_changes(filled: GitRepo) -> None:
    repository = opened(filled.path)
    before = len(list(repository.entries()))
    filled.write("more", "x")
    filled.git("add", "more")
    assert len(list(repository.entries())) == before + 1


def test_no_index_file_is_an_empty_index(repo: GitRepo) -> None:
    assert list(opened(repo.path).entries()) == []


def test_a_corrupt_index_is_named(filled: GitRepo) -> None:
    index = filled.path / ".git" / "index"
    index.write_bytes(index.read_bytes()[:-10])
    with pytest.raises(ZdevError, match=r"\.git/index") as caught:
        list(opened(filled.path).entries())
    assert caught.value.code == "corrupt-index"


def test_a_split_index_has_the_same_entries(filled: GitRepo) -> None:
    before = list(opened(filled.path).entries())
    filled.git("update-index", "--split-index")
    assert list(opened(filled.path).entries()) == before


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_index_versions(filled: GitRepo, version: str) -> None:
    filled.git("update-index", "--index-version", version)
    paths = [entry.path for entry in opened(filled.path).entries()]
    assert paths == [path for *_, path in listed_index(filled)]


def listed_tree(repo: GitRepo) -> dict[bytes, TreeEntry]:
    told = git("ls-tree", "-r", "-z", "HEAD", cwd=repo.path).stdout.split(b"\0")[:-1]
    found = {}
    for line in told:
        fields, _, path = line.partition(b"\t")
        mode, _, blob = fields.split()
        found[path] = TreeEntry(int(mode, 8), blob.decode())
    return found


def test_the_tree_of_head(filled: GitRepo) -> None:
    assert opened(filled.path).head_tree_entries() == listed_tree(filled)
    assert len(listed_tree(filled)) == 9


@pytest.mark.parametrize("prefix", [b"dir/", b"dir", b"dir/sub", b"dir/sub/t", b"x", b"a"])
def test_the_tree_below_a_prefix(filled: GitRepo, prefix: bytes) -> None:
    expected = {p: e for p, e in listed_tree(filled).items() if p.startswith(prefix)}
    assert opened(filled.path).head_tree_entries(prefix) == expected


def test_an_unborn_head_has_an_empty_tree(repo: GitRepo) -> None:
    assert opened(repo.path).head_tree_entries() == {}


def test_blobs(filled: GitRepo) -> None:
    repository = opened(filled.path)
    blob = filled.rev("HEAD:dir/one")
    assert repository.read_blob(blob) == b"content of dir/one"
    with pytest.raises(ZdevError, match="0000000") as caught:
        repository.read_blob("0" * 40)
    assert caught.value.code == "missing-object"
    with pytest.raises(ZdevError, match="is a tree, but must be a blob"):
        repository.read_blob(filled.rev("HEAD^{tree}"))


def test_replaced_blobs_read_as_what_replaces_them(filled: GitRepo) -> None:
    old, new = filled.rev("HEAD:a"), filled.rev("HEAD:dir/one")
    filled.git("replace", old, new)
    assert opened(filled.path).read_blob(old) == b"content of dir/one"
    assert opened(filled.path, GIT_NO_REPLACE_OBJECTS="1").read_blob(old) == b"a"


@pytest.mark.parametrize(
    "message",
    [
        "One line",
        "Two\nlines\n\nBody\n",
        "\n\n  Blank before  \n\nBody",
        "Trailing \t\nblank \n \nx",
        "",
    ],
)
def test_subjects(repo: GitRepo, message: str) -> None:
    repo.commit(a="1")
    tree = repo.rev("HEAD^{tree}")
    commit = repo.git("commit-tree", tree, stdin=message.encode())
    repo.git("update-ref", "refs/heads/main", commit)
    found = opened(repo.path).find_commit(commit)
    assert found
    assert found.subject == repo.git("log", "-1", "--format=%s", commit)
    assert found.commit == commit


def test_a_message_in_another_encoding(repo: GitRepo) -> None:
    repo.write("message", "gr\xfc\xdfe".encode("latin-1"))
    options = ("-c", "i18n.commitEncoding=ISO-8859-1")
    repo.git(*options, "commit", "-q", "--allow-empty", "-F", "message")
    found = opened(repo.path).find_commit("HEAD")
    assert found
    assert found.subject == "gr\xfc\xdfe"


def test_revisions(repo: GitRepo) -> None:
    first, second = repo.commit("First"), repo.commit("Second")
    repo.git("tag", "-m", "x", "annotated", first)
    repository = opened(repo.path)
    for revision in ("HEAD", "main", second, second[:12], "HEAD~1", "annotated", "@", "main^0"):
        found = repository.find_commit(revision)
        assert found
        assert found.commit == repo.rev(f"{revision}^{{commit}}")
    for revision in ("missing", "HEAD~9", "HEAD^{tree}", "", "0" * 40, "a..b", "annotated^{blob}"):
        assert repository.find_commit(revision) is None


def test_commits_by_trailer_are_found_from_every_ref(repo: GitRepo) -> None:
    with_trailer = "Change\n\nZdev-Change-Id: Zabc\n"
    one = repo.commit(with_trailer)
    repo.commit("Mentions Zabc\n\nZdev-Change-Id: Zabcd\n")
    repo.git("checkout", "-q", "-b", "side")
    two = repo.commit(with_trailer)
    repo.git("tag", "-m", "x", "annotated")
    repo.git("checkout", "-q", "main")
    repo.git("branch", "-q", "-D", "side")
    repo.git("checkout", "-q", "--detach")
    three = repo.commit("Detached\n\nBody.\n\nzdev-change-id: Zabc\nOther: x\n")
    repo.git("tag", "blob", repo.git("hash-object", "-w", "--stdin"))
    found = opened(repo.path).commits_with_trailer("Zdev-Change-Id", "Zabc")
    assert [commit.commit for commit in found] == [three, two, one]
    assert found[0].subject == "Detached"
    assert opened(repo.path).commits_with_trailer("Other", "Zabc") == []
    repo.git("worktree", "add", "-q", "--detach", "linked", three)
    found = opened(repo.path / "linked").commits_with_trailer("Zdev-Change-Id", "Zabc")
    assert [commit.commit for commit in found] == [three, two, one]


def test_commits_by_trailer_in_a_shallow_clone(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit("Old\n\nId: x\n")
    repo.commit("Middle")
    newest = repo.commit("New\n\nId: x\n")
    git("clone", "-q", "--depth=2", f"file://{repo.path}", str(tmp_path / "s"), cwd=tmp_path)
    found = opened(tmp_path / "s").commits_with_trailer("Id", "x")
    assert [commit.commit for commit in found] == [newest]


@pytest.mark.parametrize("depth", ["--depth=2", "--no-single-branch"])
def test_the_commits_that_are_read_are_counted(repo: GitRepo, tmp_path: Path, depth: str) -> None:
    for number in range(3):
        repo.commit(f"Commit {number}")
    git("clone", "-q", depth, f"file://{repo.path}", str(tmp_path / "clone"), cwd=tmp_path)
    repository = opened(tmp_path / "clone")
    repository.progress = seen = Seen()
    repository.commits_with_trailer("Id", "x")
    expected = 2 if depth == "--depth=2" else 3
    assert seen.stages == [("Reading commits", expected, None)]


def test_no_commits_no_finds(repo: GitRepo) -> None:
    assert opened(repo.path).commits_with_trailer("Id", "x") == []
    assert opened(repo.path).find_commit("HEAD") is None


def test_damaged_objects_are_told_from_missing_ones(repo: GitRepo) -> None:
    commit = repo.commit("First", a="1\n")
    tree = repo.rev("HEAD^{tree}")
    blob = repo.rev("HEAD:a")
    cases = {
        commit: (b"tree " + b"0" * 40 + b"\n", COMMIT),
        tree: (b"100644 a", TREE),
        blob: (b"other", BLOB),
    }
    for name, (data, kind) in cases.items():
        path = repo.path / ".git/objects" / name[:2] / name[2:]
        path.chmod(0o644)
        label = {COMMIT: b"commit", TREE: b"tree", BLOB: b"blob"}[kind]
        path.write_bytes(zlib.compress(label + b" %d\0" % len(data) + data))
        with pytest.raises(ZdevError) as caught:
            opened(repo.path).objects.read(name, kind)
        assert caught.value.code == "unreadable-repository"
        assert name in caught.value.message
        path.write_bytes(b"")
        with pytest.raises(ZdevError) as caught:
            opened(repo.path).objects.read(name, kind)
        assert caught.value.code in {"unreadable-repository", "missing-object"}
        path.unlink()
        with pytest.raises(ZdevError) as caught:
            opened(repo.path).objects.read(name, kind)
        assert caught.value.code == "missing-object"


@pytest.mark.parametrize("name", ["", "g" * 40, "0" * 39, "0" * 40])
def test_what_is_no_id_is_not_in_the_database(repo: GitRepo, name: str) -> None:
    repo.commit()
    with pytest.raises(ZdevError) as caught:
        opened(repo.path).objects.read(name, COMMIT)
    assert caught.value.code == "missing-object"


SIZES = [0, 1, 100, 1 << 19, 3, 1 << 20]


def content(size: int) -> bytes:
    return (b"line %d\n" % size * (size // 6 + 1))[:size]


def test_ids_are_those_of_git(repo: GitRepo) -> None:
    for number, size in enumerate(SIZES):
        repo.write(str(number), content(size))
    paths = "".join(f"{number}\n" for number in range(len(SIZES)))
    expected = repo.git("hash-object", "--stdin-paths", stdin=paths.encode()).split()
    assert [blob_id(content(size)) for size in SIZES] == expected


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
