"""Opening a repository: trust, format, redirections, and libgit2's view of the configuration."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from git_zdev.ground.errors import ZdevError
from tests.support.repo import git, opened

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from git_zdev.git.read.repository import LibGit2Repository
    from tests.support.repo import GitRepo

FOREIGN = {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}


def index_count(repository: LibGit2Repository) -> int:
    box = repository.handles.ffi.new("git_index **")
    assert repository.handles.lib.git_repository_index(box, repository.pointer) == 0
    return int(repository.handles.lib.git_index_entrycount(box[0]))


def seen_by_libgit2(repository: LibGit2Repository, key: str) -> str | None:
    """The value of a key in libgit2's own configuration."""
    ffi, lib = repository.handles.ffi, repository.handles.lib
    config, entry = ffi.new("git_config **"), ffi.new("git_config_entry **")
    assert lib.git_repository_config_snapshot(config, repository.pointer) == 0
    if lib.git_config_get_entry(entry, config[0], key.encode()) < 0:
        return None
    return str(ffi.string(entry[0].value).decode())


def filtered_hash(repository: LibGit2Repository, path: str) -> str:
    """The blob id that libgit2 would give a file of the work tree, conversions applied."""
    ffi, lib = repository.handles.ffi, repository.handles.lib
    oid = ffi.new("git_oid *")
    full = f"{repository.location.work_tree}/{path}".encode()
    code = lib.git_repository_hashfile(oid, repository.pointer, full, lib.GIT_OBJECT_BLOB, ffi.NULL)
    assert code == 0
    return bytes(ffi.buffer(oid)).hex()


def test_both_views_are_the_same_repository(repo: GitRepo) -> None:
    commit = repo.commit(a="1")
    repository = opened(repo.path)
    assert str(repository.raw.lookup_reference("refs/heads/main").target) == commit
    assert repository.raw.workdir == f"{repo.path}/"
    assert index_count(repository) == 1


def test_every_part_may_be_elsewhere(
    repo: GitRepo, new_repo: Callable[..., GitRepo], tmp_path: Path
) -> None:
    repo.commit(a="1", b="2")
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    assert opened(tmp_path / "linked").raw.workdir == f"{tmp_path}/linked/"
    empty = new_repo("empty")
    objects = str(repo.path / ".git" / "objects")
    head = repo.rev("HEAD")
    assert head in opened(empty.path, GIT_OBJECT_DIRECTORY=objects).raw.odb
    assert head in opened(empty.path, GIT_ALTERNATE_OBJECT_DIRECTORIES=objects).raw.odb
    assert head not in opened(empty.path).raw.odb
    index = str(repo.path / ".git" / "index")
    assert index_count(opened(empty.path)) == 0
    assert index_count(opened(empty.path, GIT_INDEX_FILE=index)) == 2
    moved = opened(tmp_path, GIT_DIR=str(repo.path / ".git"), GIT_WORK_TREE=str(empty.path))
    assert moved.raw.workdir == f"{empty.path}/"


def test_the_git_directory_may_be_a_symbolic_link(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit(a="1")
    (tmp_path / "elsewhere").mkdir()
    (repo.path / ".git").rename(tmp_path / "elsewhere" / "git")
    (repo.path / ".git").symlink_to("../elsewhere/git")
    repository = opened(repo.path)
    assert repository.raw.workdir == f"{repo.path}/"
    assert repository.head().commit == repo.rev("HEAD")


def test_the_environment_is_as_before(repo: GitRepo) -> None:
    opened(repo.path, GIT_INDEX_FILE="/tmp/other")
    seen = git("-c", "alias.e=!env", "e", cwd=repo.path).stdout
    assert b"GIT_INDEX_FILE" not in seen


@pytest.mark.parametrize(
    ("values", "trusted"),
    [
        ([], False),
        (["*"], True),
        (["{repo}"], True),
        (["{repo}/"], True),
        (["{repo}/sub"], False),
        (["{parent}"], False),
        (["*", ""], False),
        (["", "{repo}"], True),
        (["~/../repo"], True),
    ],
)
def test_a_foreign_repository_must_be_named(
    repo: GitRepo, values: list[str], trusted: bool
) -> None:
    for value in values:
        named = value.format(repo=repo.path, parent=repo.path.parent)
        git("config", "--global", "--add", "safe.directory", named, cwd=repo.path.parent)
    if trusted:
        assert opened(repo.path, **FOREIGN)
    else:
        with pytest.raises(ZdevError, match=r"safe\.directory") as caught:
            opened(repo.path, **FOREIGN)
        assert caught.value.code == "foreign-repository"


def test_all_repositories_below_a_folder_may_be_named(repo: GitRepo) -> None:
    folder = repo.path.parent
    git("config", "--global", "safe.directory", f"{folder}/*", cwd=folder)
    assert opened(repo.path, **FOREIGN)


def test_the_command_line_may_name_it_but_the_repository_may_not(repo: GitRepo) -> None:
    repo.git("config", "safe.directory", "*")
    with pytest.raises(ZdevError):
        opened(repo.path, **FOREIGN)
    assert git("status", cwd=repo.path, env=FOREIGN, check=False).returncode == 128
    env = {"GIT_CONFIG_PARAMETERS": "'safe.directory=*'", **FOREIGN}
    assert git("status", cwd=repo.path, env=env).returncode == 0
    assert opened(repo.path, **env)


def test_git_dir_asks_no_owner(repo: GitRepo) -> None:
    assert opened(repo.path, GIT_DIR=str(repo.path / ".git"), **FOREIGN)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("part", [".", ".git"])
def test_a_part_that_another_user_owns(repo: GitRepo, part: str) -> None:
    os.chown(repo.path / part, 12345, 12345)
    assert git("status", cwd=repo.path, check=False).returncode == 128
    with pytest.raises(ZdevError) as caught:
        opened(repo.path)
    assert caught.value.code == "foreign-repository"
    assert git("status", cwd=repo.path, env={"SUDO_UID": "12345"}).returncode == 0
    assert opened(repo.path, SUDO_UID="12345")


@pytest.mark.parametrize(
    ("settings", "supported"),
    [
        ({"core.repositoryFormatVersion": "2"}, False),
        ({"core.repositoryFormatVersion": "1"}, True),
        ({"core.repositoryFormatVersion": "1", "extensions.unheardOf": "1"}, False),
        ({"extensions.unheardOf": "1"}, True),
        ({"extensions.objectFormat": "sha256"}, False),
        ({"core.repositoryFormatVersion": "1", "extensions.objectFormat": "sha1"}, True),
        ({"core.repositoryFormatVersion": "1", "extensions.refStorage": "reftable"}, False),
        ({"core.repositoryFormatVersion": "1", "extensions.partialClone": "origin"}, True),
        ({"core.repositoryFormatVersion": "1", "extensions.worktreeConfig": "true"}, True),
        ({"core.repositoryFormatVersion": "1", "extensions.preciousObjects": "true"}, True),
    ],
)
def test_formats(repo: GitRepo, settings: dict[str, str], supported: bool) -> None:
    for key, value in settings.items():
        git("config", "--file", repo.path / ".git" / "config", key, value, cwd=repo.path)
    if supported:
        assert git("status", cwd=repo.path).returncode == 0
        assert opened(repo.path)
    else:
        with pytest.raises(ZdevError) as caught:
            opened(repo.path)
        assert caught.value.code == "unsupported-repository-format"


def test_sha256_is_named(new_repo: Callable[..., GitRepo]) -> None:
    other = new_repo("other", options=("--object-format=sha256",))
    with pytest.raises(ZdevError, match="objectformat = sha256"):
        opened(other.path)


@pytest.mark.parametrize("scope", ["system", "global", "named-global", "xdg", "local", "command"])
def test_libgit2_converts_by_the_configuration_of_each_scope(
    repo: GitRepo, hermetic: Path, tmp_path: Path, scope: str
) -> None:
    repo.write("text", "one\r\ntwo\r\n")
    setting, env = "[core]\n\tautocrlf = input\n", dict[str, str]()
    if scope == "system":
        (tmp_path / "system").write_text(setting)
        env = {"GIT_CONFIG_NOSYSTEM": "0", "GIT_CONFIG_SYSTEM": str(tmp_path / "system")}
    elif scope == "global":
        (hermetic / ".gitconfig").write_text(setting)
    elif scope == "named-global":
        (tmp_path / "named").write_text(setting)
        env = {"GIT_CONFIG_GLOBAL": str(tmp_path / "named")}
    elif scope == "xdg":
        (hermetic / ".config" / "git").mkdir(parents=True)
        (hermetic / ".config" / "git" / "config").write_text(setting)
    elif scope == "local":
        repo.git("config", "core.autocrlf", "input")
    else:
        repo.git("config", "core.autocrlf", "false")
        env = {"GIT_CONFIG_PARAMETERS": "'core.autocrlf=input'"}
    expected = repo.git("hash-object", "text", env=env)
    assert expected != repo.git("hash-object", "--no-filters", "text")
    assert filtered_hash(opened(repo.path, **env), "text") == expected


def test_a_global_file_that_is_replaced_does_not_count(repo: GitRepo, hermetic: Path) -> None:
    (hermetic / ".gitconfig").write_text("[core]\n\tautocrlf = input\n")
    repo.write("text", "one\r\n")
    env = {"GIT_CONFIG_GLOBAL": "/dev/null"}
    assert filtered_hash(opened(repo.path, **env), "text") == repo.git(
        "hash-object", "text", env=env
    )


def test_the_home_may_differ_from_open_to_open(repo: GitRepo, tmp_path: Path) -> None:
    repo.write("text", "one\r\n")
    plain = filtered_hash(opened(repo.path), "text")
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / ".gitconfig").write_text("[core]\n\tautocrlf = input\n")
    assert filtered_hash(opened(repo.path, HOME=str(tmp_path / "second")), "text") != plain
    assert filtered_hash(opened(repo.path), "text") == plain


@pytest.mark.parametrize("where", ["xdg", "home", "command"])
def test_libgit2_ignores_what_git_ignores(
    repo: GitRepo, hermetic: Path, tmp_path: Path, where: str
) -> None:
    env = dict[str, str]()
    ignore = tmp_path / "ignore"
    if where == "xdg":
        ignore = hermetic / ".config" / "git" / "ignore"
        ignore.parent.mkdir(parents=True)
    elif where == "home":
        ignore = hermetic / "ignored"
        git("config", "--global", "core.excludesFile", "~/ignored", cwd=repo.path)
    else:
        env = {"GIT_CONFIG_PARAMETERS": f"'core.excludesFile={ignore}'"}
    ignore.write_text("*.out\n")
    repository = opened(repo.path, **env)
    assert repository.raw.path_is_ignored("x.out")
    assert not repository.raw.path_is_ignored("x.in")
    assert git("check-ignore", "x.out", cwd=repo.path, env=env).returncode == 0


def test_values_of_the_command_line_survive_quoting(repo: GitRepo) -> None:
    value = 'a "quoted" \\ # ; \t line\nbreak é'
    env = {"GIT_CONFIG_COUNT": "2"}
    for number, key in enumerate(["diff.driver.with.dots.xfuncname", 'a.Sub "x".b']):
        env |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    repository = opened(repo.path, **env)
    for key in ("diff.driver.with.dots.xfuncname", 'a.Sub "x".b'):
        assert seen_by_libgit2(repository, key) == value
        assert repository.config.get(key) == value


def test_values_of_the_command_line_need_no_memory_file(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "memfd_create", raising=False)
    repository = opened(repo.path, GIT_CONFIG_PARAMETERS="'core.eol=crlf'")
    assert seen_by_libgit2(repository, "core.eol") == "crlf"


@pytest.mark.parametrize("scope", ["--global", "--local"])
@pytest.mark.parametrize(
    ("condition", "met"),
    [
        ("gitdir:**/repo/.git", True),
        ("gitdir/i:REPO/", True),
        ("onbranch:main", True),
        ("onbranch:other", False),
        ("hasconfig:remote.*.url:https://example.org/**", True),
        ("hasconfig:remote.*.url:https://elsewhere.org/**", False),
    ],
)
def test_libgit2_sees_what_is_included(
    repo: GitRepo, hermetic: Path, scope: str, condition: str, met: bool
) -> None:
    (hermetic / "more").write_text("[core]\n\teol = crlf\n")
    repo.git("config", "--global", "core.eol", "lf")
    repo.git("config", "core.abbrev", "12")
    repo.git("remote", "add", "origin", "https://example.org/x")
    repo.git("config", scope, f"includeIf.{condition}.path", str(hermetic / "more"))
    repository = opened(repo.path)
    expected = repo.git("config", "core.eol")
    assert expected == ("crlf" if met else "lf")
    assert seen_by_libgit2(repository, "core.eol") == expected
    assert seen_by_libgit2(repository, "core.abbrev") == "12"


def test_nearer_scopes_win_in_libgit2_too(repo: GitRepo, hermetic: Path) -> None:
    repo.git("config", "--global", "a.one", "global")
    repo.git("config", "--global", "a.two", "global")
    repo.git("config", "--global", "a.three", "global")
    repo.git("config", "a.two", "local")
    repo.git("config", "a.three", "local")
    repository = opened(repo.path, GIT_CONFIG_PARAMETERS="'a.three=command'")
    seen = [seen_by_libgit2(repository, f"a.{name}") for name in ("one", "two", "three", "four")]
    assert seen == ["global", "local", "command", None]


def test_unmerged_paths(repo: GitRepo) -> None:
    repo.commit("Start", a__txt="a\n", b__txt="b\n")
    assert list(opened(repo.path).unmerged()) == []
    blob = repo.rev("HEAD:a.txt")
    entries = "".join(
        f"100644 {blob} {stage}\t{path}\n" for path in ("x", "b.txt") for stage in (1, 3)
    )
    repo.git("rm", "-q", "--cached", "b.txt")
    repo.git("update-index", "--index-info", stdin=entries.encode())
    assert list(opened(repo.path).unmerged()) == [b"b.txt", b"x"]


@pytest.mark.parametrize(
    "name",
    [
        "index",
        "packed-refs",
        "shallow",
        "info/grafts",
        "info/exclude",
        "info/attributes",
        "objects/info/alternates",
        "objects/pack/pack-0.idx",
        "objects/pack/multi-pack-index",
    ],
)
def test_a_fifo_in_the_place_of_a_file_is_not_waited_for(repo: GitRepo, name: str) -> None:
    path = repo.path / ".git" / name
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    with pytest.raises(ZdevError, match="it is a FIFO, not a file") as caught:
        opened(repo.path)
    assert caught.value.code == "unreadable-repository"
    assert str(path) in caught.value.message


def test_an_index_that_is_a_directory_is_called_one(repo: GitRepo, tmp_path: Path) -> None:
    with pytest.raises(ZdevError, match="it is a directory, not a file") as caught:
        opened(repo.path, GIT_INDEX_FILE=str(tmp_path))
    assert caught.value.code == "unreadable-repository"


def test_attributes_that_are_a_directory_are_passed_over_as_git_does(repo: GitRepo) -> None:
    (repo.path / ".git/info/attributes").mkdir(parents=True)
    assert git("status", cwd=repo.path, check=False).returncode == 0
    assert opened(repo.path).head().branch == "main"
