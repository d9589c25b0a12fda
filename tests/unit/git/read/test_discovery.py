"""Discovery finds what ``git rev-parse`` finds, and refuses what Git refuses."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.git.read.discovery import discover, plan_root
from git_zdev.git.read.repository import open_repository
from git_zdev.ground.errors import ZdevError
from tests.support.repo import git

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.repo import GitRepo


def found_by_git(cwd: Path, env: dict[str, str]) -> tuple[str, str, str, str]:
    """Work tree, Git directory, common directory and index file, as Git tells them."""
    top = git("rev-parse", "--show-toplevel", cwd=cwd, env=env).stdout.decode().rstrip("\n")
    names = ["--absolute-git-dir", "--git-common-dir", "--git-path", "index"]
    told = git("rev-parse", *names, cwd=cwd, env=env).stdout.decode().splitlines()
    own, common, index = (os.path.join(cwd, line) for line in told)
    return top, os.path.normpath(own), os.path.realpath(common), os.path.realpath(index)


def found_here(cwd: Path, env: dict[str, str]) -> tuple[str, str, str, str]:
    location = discover(str(cwd), {**os.environ, **env})
    return (
        location.work_tree,
        location.git_dir,
        os.path.realpath(location.common_dir),
        os.path.realpath(location.index_file),
    )


def both(cwd: Path, **env: str) -> None:
    assert found_here(cwd, env) == found_by_git(cwd, env)


def refusal(cwd: Path, **env: str) -> str:
    """The code of our refusal, where Git, asked for the work tree, refuses too."""
    refused = git("rev-parse", "--show-toplevel", cwd=cwd, env=env, check=False)
    assert refused.returncode == 128
    with pytest.raises(ZdevError) as caught:
        discover(str(cwd), {**os.environ, **env})
    return caught.value.code


@pytest.fixture
def deep(repo: GitRepo) -> Path:
    folder = repo.path / "one" / "two"
    folder.mkdir(parents=True)
    return folder


def test_a_work_tree_is_found_from_any_folder(repo: GitRepo, deep: Path) -> None:
    both(repo.path)
    both(deep)


def test_a_link_on_the_way_is_resolved(repo: GitRepo, deep: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(deep)
    both(link)
    assert discover(str(link), os.environ).work_tree == str(repo.path)


def test_a_linked_work_tree_has_its_own_git_directory(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit(a="1")
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    (tmp_path / "linked" / "sub").mkdir()
    both(tmp_path / "linked" / "sub")
    location = discover(str(tmp_path / "linked"), os.environ)
    assert location.git_path("zdev/journal") == f"{location.git_dir}/zdev/journal"
    assert location.git_dir != location.common_dir


def test_submodules_and_separate_directories_have_gitfiles(
    repo: GitRepo, new_repo: Callable[..., GitRepo], tmp_path: Path
) -> None:
    apart = tmp_path / "apart.git"
    new_repo("with-gitfile", options=("--separate-git-dir", str(apart)))
    both(tmp_path / "with-gitfile")
    inner = new_repo("inner")
    inner.commit(a="1")
    allow = ("-c", "protocol.file.allow=always")
    repo.git(*allow, "submodule", "add", "-q", str(inner.path), "module")
    both(repo.path / "module")


def test_the_nearest_repository_wins(repo: GitRepo, new_repo: Callable[..., GitRepo]) -> None:
    nested = new_repo("repo/nested")
    both(nested.path)


def test_git_dir_and_work_tree_are_obeyed(repo: GitRepo, deep: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    git_dir = str(repo.path / ".git")
    both(elsewhere, GIT_DIR=git_dir)
    both(elsewhere, GIT_DIR=git_dir, GIT_WORK_TREE=str(repo.path))
    both(deep, GIT_DIR="../../.git", GIT_WORK_TREE="..")
    both(deep, GIT_WORK_TREE="..")
    both(deep, GIT_DIR="../../.git")
    assert discover(str(elsewhere), {"GIT_DIR": git_dir}).found_in is None
    assert discover(str(deep), {}).found_in == str(repo.path)


def test_the_index_file_is_relative_to_the_work_tree(repo: GitRepo, deep: Path) -> None:
    both(deep, GIT_INDEX_FILE="other")
    both(deep, GIT_INDEX_FILE="/tmp/an-index")


def test_core_worktree_is_relative_to_the_git_directory(repo: GitRepo, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    repo.git("config", "core.worktree", "../../files")
    both(repo.path)
    both(repo.path / ".git")
    both(tmp_path / "files", GIT_DIR=str(repo.path / ".git"))


def test_a_linked_work_tree_ignores_the_shared_core_worktree(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit(a="1")
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    repo.git("config", "core.bare", "true")
    both(tmp_path / "linked")
    assert refusal(repo.path) == "bare-repository"


def test_work_tree_configuration_counts_where_the_extension_is_on(
    repo: GitRepo, tmp_path: Path
) -> None:
    repo.commit(a="1")
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    repo.git("config", "extensions.worktreeConfig", "true")
    (tmp_path / "files").mkdir()
    linked = tmp_path / "linked"
    git("config", "--worktree", "core.worktree", str(tmp_path / "files"), cwd=linked)
    both(linked)
    both(repo.path)


def test_a_common_directory_may_be_named(
    repo: GitRepo, deep: Path, new_repo: Callable[..., GitRepo]
) -> None:
    other = new_repo("other")
    both(repo.path, GIT_COMMON_DIR=str(other.path / ".git"))


def test_ceilings_stop_the_search(repo: GitRepo, deep: Path, tmp_path: Path) -> None:
    assert refusal(deep, GIT_CEILING_DIRECTORIES=str(repo.path)) == "not-a-repository"
    assert refusal(deep, GIT_CEILING_DIRECTORIES=f"/nowhere:{deep.parent}") == "not-a-repository"
    both(repo.path, GIT_CEILING_DIRECTORIES=str(repo.path))
    both(deep, GIT_CEILING_DIRECTORIES=str(deep))
    link = tmp_path / "link"
    link.symlink_to(repo.path)
    assert refusal(deep, GIT_CEILING_DIRECTORIES=str(link)) == "not-a-repository"
    both(deep, GIT_CEILING_DIRECTORIES=f":{link}")


def test_a_folder_named_git_that_is_no_repository_is_passed_by(repo: GitRepo, deep: Path) -> None:
    (deep / ".git").mkdir()
    both(deep)


@pytest.mark.parametrize("content", ["", "gitdir: ", "gitdir: nowhere\n", "something else\n"])
def test_a_broken_gitfile_is_an_error(repo: GitRepo, deep: Path, content: str) -> None:
    (deep / ".git").write_text(content)
    assert refusal(deep) == "invalid-gitfile"


def test_what_has_no_work_tree_is_refused(repo: GitRepo, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    assert refusal(outside) == "not-a-repository"
    assert refusal(outside, GIT_DIR="nowhere") == "not-a-repository"
    assert refusal(outside, GIT_DIR="") == "not-a-repository"
    assert refusal(repo.path / ".git") == "inside-git-directory"
    assert refusal(repo.path / ".git" / "refs") == "inside-git-directory"
    git("clone", "-q", "--bare", repo.path, tmp_path / "bare.git", cwd=tmp_path)
    assert refusal(tmp_path / "bare.git") == "bare-repository"
    assert refusal(tmp_path / "bare.git" / "refs") == "bare-repository"


def test_a_missing_head_is_no_repository(repo: GitRepo) -> None:
    (repo.path / ".git" / "HEAD").unlink()
    assert refusal(repo.path) == "not-a-repository"


def test_a_detached_head_is_a_repository(repo: GitRepo) -> None:
    repo.commit(a="1")
    repo.git("checkout", "-q", "--detach")
    both(repo.path)


def test_a_start_that_is_no_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(ZdevError, match="missing is not a directory") as caught:
        discover(str(tmp_path), os.environ, root="missing")
    assert caught.value.code == "no-such-directory"


def test_a_bare_repository_may_be_lent_a_work_tree(repo: GitRepo, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    git("clone", "-q", "--bare", repo.path, bare, cwd=tmp_path)
    both(tmp_path, GIT_DIR=str(bare), GIT_WORK_TREE=str(repo.path))
    both(bare, GIT_WORK_TREE=str(repo.path))
    assert refusal(tmp_path, GIT_DIR=str(bare)) == "bare-repository"
    git("config", "core.worktree", str(repo.path), cwd=bare)
    assert refusal(bare) == "invalid-work-tree"
    off = {"GIT_DIR": ".git", "GIT_IMPLICIT_WORK_TREE": "0"}
    assert refusal(repo.path, **off) == "bare-repository"


def test_the_work_tree_must_exist(repo: GitRepo) -> None:
    repo.git("config", "core.worktree", "../../nowhere")
    assert refusal(repo.path) == "invalid-work-tree"
    with pytest.raises(ZdevError, match="GIT_WORK_TREE names"):
        discover(str(repo.path), {**os.environ, "GIT_WORK_TREE": "nowhere"})


def test_bytes_that_are_no_text_are_kept(new_repo: Callable[..., GitRepo]) -> None:
    repo = new_repo(os.fsdecode(b"r\xff"))
    location = discover(str(repo.path), os.environ)
    assert os.fsencode(location.git_dir).endswith(b"/r\xff/.git")
    assert open_repository(location, os.environ).head().branch == "main"


def test_the_search_stays_in_its_file_system(
    repo: GitRepo, deep: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything at and above the repository pretends to be on another device."""
    real = os.stat

    def stat(path: Any, **options: Any) -> Any:
        found = real(path, **options)
        if not str(path).startswith(str(deep.parent)):
            found = os.stat_result((*found[:2], found.st_dev + 1, *found[3:10]))
        return found

    monkeypatch.setattr(os, "stat", stat)
    with pytest.raises(ZdevError, match="stopped at the file system of") as caught:
        discover(str(deep), os.environ)
    assert caught.value.code == "not-a-repository"
    across = {**os.environ, "GIT_DISCOVERY_ACROSS_FILESYSTEM": "1"}
    assert discover(str(deep), across).work_tree == str(repo.path)


# The plan's directory


def plan_at(folder: Path) -> None:
    (folder / ".zdev").mkdir(parents=True)
    (folder / ".zdev" / "config.toml").write_text("schema_version = 1\n")


def plan_path(cwd: Path, root: str | None = None) -> str:
    return plan_root(str(cwd), os.environ, root)


def test_the_work_tree_holds_the_plan_by_default(repo: GitRepo, deep: Path) -> None:
    assert plan_path(deep) == str(repo.path)
    plan_at(repo.path)
    assert plan_path(deep) == str(repo.path)


def test_the_nearest_plan_wins_inside_the_work_tree(repo: GitRepo, deep: Path) -> None:
    plan_at(repo.path)
    plan_at(deep.parent)
    assert plan_path(deep) == str(deep.parent)
    assert plan_path(repo.path) == str(repo.path)


def test_a_plan_above_the_work_tree_is_not_seen(
    repo: GitRepo, new_repo: Callable[..., GitRepo]
) -> None:
    plan_at(repo.path)
    nested = new_repo("repo/nested")
    assert plan_path(nested.path) == str(nested.path)


def test_records_are_found_without_a_repository(tmp_path: Path) -> None:
    plan_at(tmp_path / "plain")
    (tmp_path / "plain" / "sub").mkdir()
    assert plan_path(tmp_path / "plain" / "sub") == str(tmp_path / "plain")
    assert plan_path(tmp_path) == str(tmp_path)


def test_the_root_option_stands_in_for_the_search(repo: GitRepo, deep: Path) -> None:
    plan_at(repo.path)
    assert plan_path(repo.path, root="one/two") == str(deep)
    assert discover(str(repo.path), os.environ, root="one/two").work_tree == str(repo.path)


def test_outside_the_work_tree_its_root_is_taken(repo: GitRepo, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    plan_at(elsewhere)
    env = {"GIT_DIR": str(repo.path / ".git"), "GIT_WORK_TREE": str(repo.path)}
    assert plan_root(str(elsewhere), env) == str(repo.path)


def test_a_moved_work_tree_is_found_again(repo: GitRepo, tmp_path: Path) -> None:
    shutil.move(repo.path, tmp_path / "moved")
    both(tmp_path / "moved")


@pytest.mark.parametrize("name", ["HEAD", "commondir", "config"])
def test_a_fifo_in_a_git_directory_is_not_waited_for(repo: GitRepo, name: str) -> None:
    path = repo.path / ".git" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    with pytest.raises(ZdevError) as caught:
        discover(str(repo.path), os.environ)
    assert (
        caught.value.code
        == {
            "HEAD": "not-a-repository",
            "commondir": "unreadable-repository",
            "config": "unreadable-git-config",
        }[name]
    )


def test_a_path_in_a_file_ends_at_a_nul_byte(repo: GitRepo, tmp_path: Path) -> None:
    git("worktree", "add", "-q", str(tmp_path / "linked"), cwd=_committed(repo))
    linked = discover(str(tmp_path / "linked"), os.environ)
    for file in (tmp_path / "linked/.git", Path(linked.git_dir, "commondir")):
        file.write_bytes(file.read_bytes().rstrip(b"\n") + b"\0 and more\n")
    both(tmp_path / "linked")
    assert discover(str(tmp_path / "linked"), os.environ) == linked


def _committed(repo: GitRepo) -> Path:
    repo.commit("one")
    return repo.path


def code(cwd: Path, **env: str) -> str:
    with pytest.raises(ZdevError) as caught:
        discover(str(cwd), {**os.environ, **env})
    return caught.value.code


def lent(repo: GitRepo, tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A bare repository that stands alone, and the variable that lends it a work tree."""
    bare = tmp_path / "bare.git"
    git("clone", "-q", "--bare", repo.path, bare, cwd=tmp_path)
    return bare, {"GIT_WORK_TREE": str(repo.path)}


@pytest.mark.parametrize(
    ("scope", "values", "expected"),
    [
        ("user", ["explicit"], "implicit-bare-repository"),
        ("user", ["all"], None),
        ("user", ["all", "explicit"], "implicit-bare-repository"),
        ("user", ["explicit", "all"], None),
        ("user", ["Explicit"], "invalid-git-config"),
        ("user", [""], "invalid-git-config"),
        ("user", ["nonsense", "all"], "invalid-git-config"),
        ("repository", ["explicit"], None),
        ("repository", ["nonsense"], None),
    ],
)
def test_safe_bare_repository_is_asked_as_git_asks_it(
    repo: GitRepo, tmp_path: Path, scope: str, values: list[str], expected: str | None
) -> None:
    """Only where a repository cannot write, every value of it, the last one counts."""
    bare, env = lent(repo, tmp_path)
    file = bare / "config" if scope == "repository" else tmp_path / "home/.gitconfig"
    with file.open("a") as opened:
        opened.write("[safe]\n" + "".join(f"\tbareRepository = {value}\n" for value in values))
    if expected is None:
        both(bare, **env)
        both(bare / "refs", **env)
    else:
        assert refusal(bare, **env) == expected
        assert refusal(bare / "refs", **env) == expected
    both(tmp_path, GIT_DIR=str(bare), **env)
    both(bare, GIT_DIR=".", **env)
    both(repo.path)


def test_the_command_line_and_included_files_may_say_it(repo: GitRepo, tmp_path: Path) -> None:
    bare, env = lent(repo, tmp_path)
    words = {"GIT_CONFIG_PARAMETERS": "'safe.bareRepository=explicit'"}
    counted = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.barerepository",
        "GIT_CONFIG_VALUE_0": "explicit",
    }
    assert refusal(bare, **env, **words) == "implicit-bare-repository"
    assert refusal(bare, **env, **counted) == "implicit-bare-repository"
    (tmp_path / "included").write_text("[safe]\n\tbareRepository = explicit\n")
    git("config", "--global", "include.path", str(tmp_path / "included"), cwd=tmp_path)
    assert refusal(bare, **env) == "implicit-bare-repository"
    git("config", "--global", "--unset", "include.path", cwd=tmp_path)
    git("config", "include.path", str(tmp_path / "included"), cwd=bare)
    both(bare, **env)


FORMAT = "[core]\n\trepositoryFormatVersion = 0\n\tbare = false\n"


def embedded(repo: GitRepo, config: str = f"{FORMAT}\tworktree = ..\n") -> Path:
    """A tracked folder that Git takes for a repository, as a clone brings it."""
    repo.write("evil/HEAD", "ref: refs/heads/main\n")
    repo.write("evil/objects/.keep")
    repo.write("evil/refs/.keep")
    repo.write("evil/config", config)
    repo.git("add", "evil")
    repo.commit("Innocent")
    copy = repo.path.parent / "copy"
    git("clone", "-q", repo.path, copy, cwd=repo.path.parent)
    return copy / "evil"


def test_an_embedded_repository_is_never_this_one(repo: GitRepo, tmp_path: Path) -> None:
    """Git uses it; that is the difference on purpose."""
    evil = embedded(repo)
    assert found_by_git(evil, {})[:2] == (str(evil.parent), str(evil))
    assert code(evil) == "embedded-repository"
    assert code(evil / "refs") == "embedded-repository"
    assert code(evil, GIT_WORK_TREE=str(tmp_path)) == "embedded-repository"
    assert code(evil, GIT_CEILING_DIRECTORIES=str(evil.parent)) == "embedded-repository"
    both(evil.parent)
    both(evil, GIT_DIR=str(evil))
    both(evil, GIT_DIR=".")
    explicit = {"GIT_CONFIG_PARAMETERS": "'safe.bareRepository=explicit'"}
    assert refusal(evil, **explicit) == "implicit-bare-repository"
    both(evil, GIT_DIR=".", **explicit)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("", "inside-git-directory"),
        ("[core]\n\tworktree = ..\n", "inside-git-directory"),
        (f"{FORMAT}\tbare = true\n", "bare-repository"),
        (f"{FORMAT}\tworktree = .\n", "embedded-repository"),
        (f"{FORMAT}\tworktree = ../..\n", "embedded-repository"),
        (f"{FORMAT}[extensions]\n\tworktreeConfig = true\n", "embedded-repository"),
    ],
)
def test_whatever_an_embedded_repository_says(repo: GitRepo, config: str, expected: str) -> None:
    repo.write("evil/config.worktree", "[core]\n\tworktree = ..\n")
    assert code(embedded(repo, config)) == expected


def test_an_embedded_repository_that_borrows_the_real_one(repo: GitRepo) -> None:
    repo.write("evil/commondir", "../.git\n")
    repo.write("evil/config.worktree", "[core]\n\tworktree = ..\n")
    evil = embedded(repo)
    git("config", "extensions.worktreeConfig", "true", cwd=evil.parent)
    assert code(evil) == "embedded-repository"


def test_a_git_directory_that_names_a_work_tree_is_asked_for_where_no_clone_put_it(
    repo: GitRepo, tmp_path: Path
) -> None:
    """An unpacked archive has no .git around the folder."""
    evil = embedded(repo)
    shutil.rmtree(evil.parent / ".git")
    assert code(evil) == "embedded-repository"
    assert code(evil.parent) == "not-a-repository"


def test_gits_own_folders_may_name_a_work_tree(repo: GitRepo, new_repo: Callable[..., Any]) -> None:
    """A submodule's Git directory does, and no clone can bring one along."""
    inner = new_repo("inner")
    inner.commit("First", a="1\n")
    allowed = ("-c", "protocol.file.allow=always")
    repo.git(*allowed, "submodule", "--quiet", "add", str(inner.path), "sub")
    both(repo.path / "sub")
    both(repo.path / ".git/modules/sub")
    repo.git("config", "core.worktree", "..")
    both(repo.path / ".git")


def test_a_file_without_the_version_of_its_format_says_nothing(
    repo: GitRepo, tmp_path: Path
) -> None:
    (tmp_path / "files").mkdir()
    for words in ("bare = true", "worktree = ../../files"):
        repo.write(".git/config", f"[core]\n\t{words}\n")
        both(repo.path)
        both(repo.path, GIT_DIR=str(repo.path / ".git"))
