"""Whatever is not certain is refused: with its own code, the path, and nothing else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from git_zdev.ground import threads
from git_zdev.ground.errors import ZdevError
from tests.support.evidence import git_strings, own_document
from tests.support.repo import as_unprivileged, git, open_folder, trusting
from tests.support.states import StateRepo, make_state_repo
from tests.support.states.repo import numbered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def repo(tmp_path: Path, hermetic: Path) -> StateRepo:
    """A clean repository with three files, one of them in a folder."""
    repo = make_state_repo(tmp_path / "repo", hermetic)
    repo.base({"a.txt": numbered(9), "b.bin": b"\0\1", "dir/c.txt": numbered(5)})
    return repo


def refusal(repo: StateRepo) -> ZdevError:
    """The error of a capture that must fail."""
    with pytest.raises(ZdevError) as refused:
        own_document(repo.path)
    return refused.value


def _latin_text_unstaged(repo: StateRepo) -> None:
    repo.write("dir/c.txt", "é\n".encode("latin-1"))


def _latin_text_staged(repo: StateRepo) -> None:
    _latin_text_unstaged(repo)
    repo.add()


def _latin_text_below_a_good_file(repo: StateRepo) -> None:
    repo.write("a.txt", "é\n")
    _latin_text_unstaged(repo)


def _latin_text_removed(repo: StateRepo) -> None:
    _latin_text_staged(repo)
    repo.commit("Latin")
    repo.git("rm", "-q", "dir/c.txt")


def _untracked_name(repo: StateRepo) -> None:
    repo.write(b"dir/caf\xe9", "x")


def _untracked_target(repo: StateRepo) -> None:
    repo.link("dir/link", b"caf\xe9")


def _filter(kind: str) -> Callable[[StateRepo], None]:
    def build(repo: StateRepo) -> None:
        repo.write(".gitattributes", "*.txt filter=mine\n")
        repo.config(f"filter.mine.{kind}", "false")
        repo.write("dir/c.txt", "changed\n")

    return build


def _without_object(revision: str) -> Callable[[StateRepo], None]:
    def build(repo: StateRepo) -> None:
        blob = repo.rev(revision)
        path = repo.file(f".git/objects/{blob[:2]}/{blob[2:]}")
        repo.write("dir/c.txt", "changed\n")
        path.unlink()

    return build


def _promised_object(repo: StateRepo) -> None:
    """A blob that a promisor remote would give; the remote is a command that must not run."""
    _without_object("HEAD:dir/c.txt")(repo)
    repo.config("remote.origin.url", f"ext::touch {repo.path.parent}/contacted")
    repo.config("remote.origin.promisor", "true")
    repo.config("remote.origin.partialclonefilter", "blob:none")
    repo.config("protocol.ext.allow", "always")
    repo.config("extensions.partialClone", "origin")


def _cut_index(repo: StateRepo) -> None:
    index = repo.file(".git/index")
    index.write_bytes(index.read_bytes()[:-30])


def _junk_index(repo: StateRepo) -> None:
    repo.file(".git/index").write_bytes(b"junk" * 40)


def _wrong_checksum(repo: StateRepo) -> None:
    index = repo.file(".git/index")
    data = bytearray(index.read_bytes())
    data[40] ^= 0xFF
    index.write_bytes(data)


def _split_index_alone(repo: StateRepo) -> None:
    repo.git("update-index", "--split-index")
    for shared in repo.file(".git").glob("sharedindex.*"):
        shared.unlink()


def _split_index_with_another(repo: StateRepo) -> None:
    repo.git("update-index", "--split-index")
    for shared in repo.file(".git").glob("sharedindex.*"):
        data = shared.read_bytes()
        shared.chmod(0o644)
        shared.write_bytes(data[:40] + bytes([data[40] ^ 1]) + data[41:])


def _sparse_index_without_a_tree(repo: StateRepo) -> None:
    repo.write("out/x.txt", "x\n")
    repo.commit_all()
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "dir")
    name = repo.rev("HEAD:out")
    repo.file(f".git/objects/{name[:2]}/{name[2:]}").unlink()


def _unknown_extension(repo: StateRepo) -> None:
    import hashlib

    index = repo.file(".git/index")
    body = index.read_bytes()[:-20] + b"zzzz" + (0).to_bytes(4, "big")
    index.write_bytes(body + hashlib.sha1(body, usedforsecurity=False).digest())


def _encoding(repo: StateRepo) -> None:
    repo.write(".gitattributes", "dir/c.txt working-tree-encoding=no-such-encoding\n")
    repo.write("dir/c.txt", "changed\n")


def _dirty_submodule(repo: StateRepo) -> None:
    inner = repo.at(repo.file("dir/inner"))
    inner.path.mkdir()
    inner.git("init", "-q", "--template=", "-b", "main")
    inner.base({"s.txt": "s\n"})
    repo.git("-c", "advice.addEmbeddedRepo=false", "add", "dir/inner")
    repo.commit("Embed")
    inner.write("s.txt", "t\n")


def _nested_elsewhere(repo: StateRepo) -> None:
    other = repo.sibling("other")
    other.base({"o": "o\n"})
    repo.write("dir/nested/.git", f"gitdir: {other.path}/.git\n")


def _nested_work_tree_elsewhere(repo: StateRepo) -> None:
    nested = repo.at(repo.file("dir/nested"))
    nested.path.mkdir()
    nested.git("init", "-q", "--template=", "-b", "main")
    nested.config("core.worktree", str(repo.path.parent))


def _latin_text_in_a_nested_repository(repo: StateRepo) -> None:
    nested = repo.at(repo.file("dir/nested"))
    nested.path.mkdir()
    nested.git("init", "-q", "--template=", "-b", "main")
    nested.base({"n.txt": "n\n"})
    nested.write("n.txt", b"caf\xe9\n")


def _bad_setting(repo: StateRepo) -> None:
    repo.config("core.fileMode", "perhaps")


def _overruled_setting(repo: StateRepo) -> None:
    repo.config("core.autocrlf", "perhaps")
    repo.git("config", "--add", "core.autocrlf", "false")


def _pattern_without_a_value(repo: StateRepo) -> None:
    with repo.file(".git/config").open("a") as file:
        file.write('[diff "mine"]\nxfuncname\n')
    repo.write(".gitattributes", "*.txt diff=mine\n")
    repo.write("a.txt", numbered(9, {9: "nine"}))


REFUSALS: dict[Callable[[StateRepo], None], tuple[str, str]] = {
    _latin_text_unstaged: ("evidence-not-utf8", "dir/c.txt"),
    _latin_text_staged: ("evidence-not-utf8", "dir/c.txt"),
    _latin_text_below_a_good_file: ("evidence-not-utf8", "dir/c.txt"),
    _latin_text_removed: ("evidence-not-utf8", "dir/c.txt"),
    _latin_text_in_a_nested_repository: ("evidence-not-utf8", "n.txt"),
    _untracked_name: ("untracked-path-not-utf8", "dir/caf\\xe9"),
    _untracked_target: ("symlink-target-not-utf8", "dir/link"),
    _filter("clean"): ("filter-needs-process", "dir/c.txt"),
    _filter("process"): ("filter-needs-process", "dir/c.txt"),
    _without_object("HEAD:dir/c.txt"): ("missing-object", ""),
    _without_object("HEAD^{tree}"): ("missing-object", ""),
    _promised_object: ("missing-object", ""),
    _cut_index: ("corrupt-index", ".git/index"),
    _junk_index: ("corrupt-index", ".git/index"),
    _wrong_checksum: ("corrupt-index", ".git/index"),
    _split_index_alone: ("corrupt-index", "sharedindex."),
    _split_index_with_another: ("corrupt-index", "sharedindex."),
    _sparse_index_without_a_tree: ("missing-object", "the tree"),
    _unknown_extension: ("unsupported-index", ".git/index"),
    _encoding: ("unsupported-encoding", "dir/c.txt has the working-tree-encoding no-such-encoding"),
    _dirty_submodule: ("dirty-submodules", "dir/inner"),
    _nested_elsewhere: ("nested-repository-elsewhere", "dir/nested/"),
    _nested_work_tree_elsewhere: ("inner-work-tree-elsewhere", "dir/nested/"),
    _bad_setting: ("invalid-git-config", "core.filemode"),
    _overruled_setting: ("invalid-git-config", "core.autocrlf"),
    _pattern_without_a_value: ("invalid-git-config", "diff.mine.xfuncname"),
}


@pytest.mark.parametrize("build", REFUSALS, ids=lambda build: build.__qualname__.strip("_"))
def test_refused_with_code_place_and_remedy(
    repo: StateRepo, build: Callable[[StateRepo], None]
) -> None:
    code, place = REFUSALS[build]
    build(repo)
    error = refusal(repo)
    assert error.code == code
    assert place in str(error)
    assert error.hint
    assert not (repo.path.parent / "contacted").exists()


@pytest.mark.parametrize(
    "key",
    [
        "core.autocrlf",
        "core.bigFileThreshold",
        "core.fileMode",
        "core.ignoreCase",
        "core.precomposeUnicode",
        "core.protectHFS",
        "core.protectNTFS",
        "core.safecrlf",
        "core.sparseCheckout",
        "core.sparseCheckoutCone",
        "core.symlinks",
        "core.trustctime",
        "index.sparse",
    ],
)
def test_settings_that_stop_git(repo: StateRepo, key: str) -> None:
    repo.config(key, "perhaps")
    assert git("status", cwd=repo.path, check=False).returncode == 128
    error = refusal(repo)
    assert error.code == "invalid-git-config"
    assert key.lower() in str(error)


@pytest.mark.parametrize("size", [2, 20, -1])
@pytest.mark.parametrize(
    "revision", ["HEAD", "HEAD^{tree}", "HEAD:dir", "HEAD:dir/c.txt", ":a.txt"]
)
def test_an_object_that_is_cut_short(
    repo: StateRepo, monkeypatch: pytest.MonkeyPatch, revision: str, size: int
) -> None:
    """libgit2 would look for its end for ever."""
    monkeypatch.setattr(threads, "_PATIENCE", 0.01)
    repo.write("dir/c.txt", "changed\n")
    repo.write("a.txt", numbered(9, {9: "staged"}))
    repo.git("add", "a.txt")
    repo.write("a.txt", numbered(9, {9: "changed"}))
    name = repo.rev(revision)
    path = repo.file(f".git/objects/{name[:2]}/{name[2:]}")
    data = path.read_bytes()
    path.chmod(0o644)
    path.write_bytes(data[:size])
    assert git("cat-file", "-p", name, cwd=repo.path, check=False).returncode == 128
    error = refusal(repo)
    assert error.code == "unreadable-repository"
    assert f"{path} cannot be read: the file is cut short" in str(error)


@pytest.mark.parametrize("kind", ["sha256", "reftable"])
def test_repository_formats_that_cannot_be_read(tmp_path: Path, hermetic: Path, kind: str) -> None:
    repo = make_state_repo(tmp_path / "repo", hermetic)
    repo.commit("Base")
    repo.config("core.repositoryFormatVersion", "1")
    repo.config("extensions.objectFormat" if kind == "sha256" else "extensions.refStorage", kind)
    error = refusal(repo)
    assert error.code == "unsupported-repository-format"
    assert kind in str(error)
    assert error.hint


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser gives files away")
def test_a_nested_repository_of_another_user(repo: StateRepo) -> None:
    repo.git("init", "-q", "dir/nested")
    os.chown(repo.file("dir/nested"), 12345, 12345)
    error = refusal(repo)
    assert error.code == "foreign-repository"
    assert f"safe.directory {repo.path}/dir/nested" in error.hint


def test_a_filter_on_an_untouched_path_is_no_matter(repo: StateRepo) -> None:
    repo.write(".gitattributes", "*.txt filter=mine\n")
    for name in ("a.txt", "dir/c.txt"):
        os.utime(repo.file(name), (1_600_000_000, 1_600_000_000))
    repo.commit_all()
    repo.write("b.bin", b"\0\2")
    repo.write("u.txt", "untracked files are hashed as they are\n")
    expected = git_strings(repo.path)
    for kind in ("clean", "process", "smudge"):
        repo.config(f"filter.mine.{kind}", "false")
    found = own_document(repo.path)
    assert {name: found[name].encode() for name in expected} == expected
    assert found["git_untracked"]["u.txt"]["hash"] == repo.git(
        "hash-object", "--no-filters", "u.txt"
    )


@pytest.mark.parametrize("moment", [999, 1000])
def test_a_filtered_file_of_the_second_in_which_the_index_was_written(
    repo: StateRepo, moment: int
) -> None:
    """Git would ask the filter; a nanosecond before the index is not a change, later is one."""
    second = 1_700_000_000 * 10**9
    repo.write(".gitattributes", "*.txt filter=mine\n")
    for name in (".gitattributes", "a.txt", "b.bin", "dir/c.txt"):
        os.utime(repo.file(name), ns=(second + 500, second + 500))
    os.utime(repo.file("dir/c.txt"), ns=(second + moment, second + moment))
    repo.commit_all()
    os.utime(repo.file(".git/index"), ns=(second + 1000, second + 1000))
    repo.config("filter.mine.clean", "cat")
    if moment == 1000:
        assert refusal(repo).code == "filter-needs-process"
    else:
        assert (
            own_document(repo.path)["git_status"].encode() == git_strings(repo.path)["git_status"]
        )


def test_bytes_that_are_no_utf8_behind_minus_diff_are_fine(repo: StateRepo) -> None:
    repo.write(".gitattributes", "c.txt -diff\n")
    repo.commit_all()
    _latin_text_unstaged(repo)
    assert "Binary files a/dir/c.txt and b/dir/c.txt differ" in own_document(repo.path)["git_diff"]


def test_a_tracked_name_that_is_no_utf8_is_quoted(repo: StateRepo) -> None:
    repo.write(b"caf\xe9", "x\n")
    repo.add()
    assert own_document(repo.path)["git_status"] == 'A  "caf\\351"\n'


@pytest.mark.parametrize("name", ["a.txt", "dir", "dir/untracked", ".git/index"])
def test_what_cannot_be_read_is_named(name: str) -> None:
    with open_folder() as folder:
        (folder / "home").mkdir()
        repo = make_state_repo(folder / "repo", folder / "home")
        repo.base({"a.txt": numbered(9), "dir/c.txt": numbered(5)})
        repo.write("a.txt", numbered(10))
        repo.write("dir/untracked", "u\n")
        repo.file(name).chmod(0)
        environment = trusting(repo.home)
        found = as_unprivileged(lambda: str(own_document(repo.path, environment)))
        repo.file(name).chmod(0o755)
    code, _, sentence = found.partition(": ")
    assert code == "unreadable-file"
    assert name in sentence


def test_configured_commands_are_never_run(repo: StateRepo) -> None:
    """Everything that configuration could start writes a file; there must be none."""
    mark = repo.path.parent / "started"
    command = f"touch {mark}"
    for key in (
        "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass",
        "diff.external", "interactive.diffFilter", "credential.helper", "gpg.program",
        "diff.mine.command", "diff.mine.textconv", "sequence.editor", "filter.mine.smudge",
    ):  # fmt: skip
        repo.config(key, command)
    hooks = repo.path.parent / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "fsmonitor-watchman", "reference-transaction"):
        (hooks / hook).write_text(f"#!/bin/sh\n{command}\n")
        (hooks / hook).chmod(0o755)
    repo.config("core.hooksPath", str(hooks))
    repo.write(".gitattributes", "*.txt diff=mine\n")
    repo.write("a.txt", numbered(10))
    mark.unlink(missing_ok=True)
    assert "+line 10" in own_document(repo.path)["git_diff"]
    assert not mark.exists()
