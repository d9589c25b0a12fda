"""Configuration equals what ``git config --list`` reads in the same state."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from git_zdev.git.config import config_file
from git_zdev.git.config.config import GitConfig, read_config, system_folder
from git_zdev.git.read.discovery import discover
from git_zdev.ground.errors import ZdevError
from tests.support.evidence import open_at
from tests.support.repo import git, git_version

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repo import GitRepo

Listed = list[tuple[str, str, str | None, str]]


def listed_by_git(cwd: Path, *options: str, **env: str) -> Listed:
    """Scope, key, value and file of each entry."""
    names = ["--list", "-z", "--show-scope", "--show-origin"]
    done = git(*options, "config", *names, cwd=cwd, env=env)
    fields = done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
    found: Listed = []
    for scope, origin, pair in zip(fields[::3], fields[1::3], fields[2::3], strict=True):
        key, newline, value = pair.partition("\n")
        file = origin.removeprefix("file:") if origin.startswith("file:") else ""
        place = os.path.realpath(os.path.join(cwd, file)) if file else ""
        found.append((scope, key, value if newline else None, place))
    return found


def load(cwd: Path, **env: str) -> GitConfig:
    environment = {**os.environ, **env}
    return read_config(discover(str(cwd), environment), environment)


def listed_here(cwd: Path, **env: str) -> Listed:
    entries = load(cwd, **env).entries
    return [(e.scope, e.key, e.value, e.origin and os.path.realpath(e.origin)) for e in entries]


def both(cwd: Path, **env: str) -> Listed:
    here = listed_here(cwd, **env)
    assert here == listed_by_git(cwd, **env)
    return here


def passed_on(cwd: Path, *options: str) -> str:
    """What ``git <options>`` puts into ``GIT_CONFIG_PARAMETERS`` for the programs it starts."""
    words = ["-c", 'alias.tell=!printf %s "$GIT_CONFIG_PARAMETERS"', *options, "tell"]
    told = git(*words, cwd=cwd).stdout.decode("utf-8", "surrogateescape")
    return told.partition("' ")[2]


SYNTAX = r"""
; a comment
# another
[core]
	bare = false
[One] key=value
	second = "quoted # ; value"   ; comment
	third = spaces   inside  # comment
	fourth = continued \
  line
	fifth = "tab\there" and\tthere \"quote\" \\ \n.
	flag
	otherFlag@
	empty =
	quotedEmpty = ""
	mixed = a" b "c
	trailing = x@
	AbC-d = 1
[Two "Sub \"x\" \\ y"] name = v
[two.Dotted]
	name = v
[two "a.b.c"]
	key = dotted
[alias "x y"] z = !f() { echo \"a\"; }; f
[one]
	key = again
	ends = in a backslash\\
"""


def test_the_syntax_of_a_file(repo: GitRepo) -> None:
    with (repo.path / ".git" / "config").open("a") as file:
        file.write(SYNTAX.replace("@", "\t "))
    assert len(both(repo.path)) > 20


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf[a]\nb = c\n",
        b"[a]\r\n\tb = c\r\n\td = e \\\r\n f\r\n",
        b"[a]\n\tb = caf\xc3\xa9 \xff\n",
        b"[a]\nb = no line end",
        b"[a]b = c",
        b"[a]\nb = continued\\\n",
        b"[a]\nb = x\\\\",
        b"[a]\n\n\n   \t\n[c]\nd=e",
        b"sectionless = x\n[a]\nb = c\n",
        b"",
    ],
)
def test_unusual_files(repo: GitRepo, content: bytes) -> None:
    (repo.path / ".git" / "config").write_bytes(content)
    both(repo.path)


def test_blanks_inside_of_a_value(repo: GitRepo) -> None:
    r"""Outside of quotes each is a space, as long as Git took it for one."""
    values = [
        r"a@b", r"a @ b", r"a@@b # c", r'"a@b"', r"a\t@b", r'"x"@y', r'x@"y"', "a\x0bb",
        "a \\\n@b", "a@;x", "a\rb",
    ]  # fmt: skip
    with (repo.path / ".git" / "config").open("a") as file:
        file.writelines(
            f"[s]\nk{n} = {value}\n".replace("@", "\t") for n, value in enumerate(values)
        )
    if git_version() < (2, 45):
        both(repo.path)
    here = load(repo.path)
    assert [here.get(f"s.k{n}") for n in range(4)] == ["a b", "a   b", "a  b", "a\tb"]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("[a]\n\x0bb = c\n", 2),
        ("[a]\nb = \"open\n", 2),
        ("[a\nb = c\n", 1),
        ("[]\nb = c\n", 1),
        ("[é]\nb = c\n", 1),
        ("[a]\né = c\n", 2),
        ("[a \"b\nc\"]\n", 1),
        ("[a \"b\" ]\nc = d\n", 1),
        ("[a]\n= b\n", 2),
        ("[a]\n1b = c\n", 2),
        ("[a]\nb c = d\n", 2),
        ("[a]\nb = \\x\n", 2),
        ("[a]\nb ; c\n", 2),
        ("[a]\nb_c = d\n", 2),
        ("[a b]\nc = d\n", 1),
    ],
)  # fmt: skip
def test_a_line_that_git_refuses_is_named(repo: GitRepo, content: str, line: int) -> None:
    path = repo.path / "extra"
    path.write_text(content)
    assert git("config", "-f", path, "--list", cwd=repo.path, check=False).returncode == 128
    repo.git("config", "include.path", str(path))
    with pytest.raises(ZdevError, match=f"extra:{line}: ") as caught:
        load(repo.path)
    assert caught.value.code == "invalid-git-config"


def test_the_scopes_in_their_order(repo: GitRepo, hermetic: Path, tmp_path: Path) -> None:
    (tmp_path / "system").write_text("[a]\nb = system\n")
    git("config", "--global", "a.b", "user", cwd=tmp_path)
    (hermetic / ".config" / "git").mkdir(parents=True)
    (hermetic / ".config" / "git" / "config").write_text("[a]\nb = xdg\n")
    repo.git("config", "a.b", "local")
    repo.git("config", "extensions.worktreeConfig", "true")
    repo.git("config", "--worktree", "a.b", "worktree")
    env = {"GIT_CONFIG_SYSTEM": str(tmp_path / "system"), "GIT_CONFIG_NOSYSTEM": "0"}
    values = [value for _, key, value, _ in both(repo.path, **env) if key == "a.b"]
    assert values == ["system", "xdg", "user", "local", "worktree"]
    both(repo.path, **env, GIT_CONFIG_GLOBAL=str(tmp_path / "system"))
    both(repo.path, GIT_CONFIG_GLOBAL="/dev/null", **env)
    both(repo.path, GIT_CONFIG_GLOBAL="", **env)
    both(repo.path, XDG_CONFIG_HOME="")
    both(repo.path, GIT_CONFIG_SYSTEM=str(tmp_path / "system"), GIT_CONFIG_NOSYSTEM="true")


def test_a_linked_work_tree_shares_the_file_and_has_its_own(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit(a="1")
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    repo.git("config", "a.b", "shared")
    git("config", "extensions.worktreeConfig", "true", cwd=repo.path)
    git("config", "--worktree", "a.b", "own", cwd=tmp_path / "linked")
    assert both(tmp_path / "linked")[-1][2] == "own"
    assert both(repo.path)[-1][2] != "own"


def test_the_machines_file_is_found_from_the_git_on_the_path(tmp_path: Path) -> None:
    where = tmp_path / "opt" / "bin"
    where.mkdir(parents=True)
    (where / "git").write_text("#!/bin/sh\n")
    (where / "git").chmod(0o755)
    assert system_folder({"PATH": f"/nowhere:{where}:/usr/bin"}) == str(tmp_path / "opt" / "etc")
    assert system_folder({"PATH": f"/usr/lib/git-core:/usr/bin:{where}"}) == "/etc"
    assert system_folder({}) == "/etc"


@pytest.mark.parametrize(
    "options",
    [
        ("-c", "a.b=c"),
        ("-c", 'a.b=it\'s = "quoted" \\ !'),
        ("-c", "a.b"),
        ("-c", "a.b="),
        ("-c", "A.Sub.Key.B=c", "-c", "a.sub.key.b=d"),
        ("-c", "a.b=line\nbreak", "-c", "core.autocrlf=true"),
        ("-c", "a.x=y.b=c"),
    ],
)
def test_the_command_lines_values(repo: GitRepo, options: tuple[str, ...]) -> None:
    parameters = passed_on(repo.path, *options)
    here = listed_here(repo.path, GIT_CONFIG_PARAMETERS=parameters)
    assert here == listed_by_git(repo.path, *options)
    assert [scope for scope, *_ in here].count("command") == len(options) // 2


def test_old_and_new_forms_of_the_parameters(repo: GitRepo) -> None:
    both(repo.path, GIT_CONFIG_PARAMETERS="'a.b=c'  'd.e'='f g' 'h.i' 'j.k'= 'l.m=n=o'")
    both(repo.path, GIT_CONFIG_PARAMETERS="'a.b=it'\\''s'\\!''")


def test_counted_values_come_before_the_parameters(repo: GitRepo) -> None:
    counted = {
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "Core.AutoCRLF",
        "GIT_CONFIG_VALUE_0": "input",
        "GIT_CONFIG_KEY_1": "a.b",
        "GIT_CONFIG_VALUE_1": "",
    }
    both(repo.path, **counted)
    both(repo.path, **counted, GIT_CONFIG_PARAMETERS="'a.b=last'")
    both(repo.path, GIT_CONFIG_COUNT="")


@pytest.mark.parametrize(
    "env",
    [
        {"GIT_CONFIG_COUNT": "x"},
        {"GIT_CONFIG_COUNT": "1"},
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b"},
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "nokey", "GIT_CONFIG_VALUE_0": "v"},
        {"GIT_CONFIG_PARAMETERS": "a.b=c"},
        {"GIT_CONFIG_PARAMETERS": "'a.b=c"},
        {"GIT_CONFIG_PARAMETERS": "'a.b=c'x"},
        {"GIT_CONFIG_PARAMETERS": "'nokey=c'"},
        {"GIT_CONFIG_PARAMETERS": "'a._=c'"},
    ],
)
def test_variables_that_git_refuses(repo: GitRepo, env: dict[str, str]) -> None:
    assert git("config", "--list", cwd=repo.path, env=env, check=False).returncode == 128
    with pytest.raises(ZdevError) as caught:
        load(repo.path, **env)
    assert caught.value.code == "invalid-git-config"


def test_includes_stand_where_they_are_named(repo: GitRepo, hermetic: Path) -> None:
    (repo.path / ".git" / "one").write_text("[a]\nb = one\n[include]\npath = deeper/two\n[a]\nc=1")
    (repo.path / ".git" / "deeper").mkdir()
    (repo.path / ".git" / "deeper" / "two").write_text("[a]\nb = two\n[include]\npath = ../gone\n")
    (hermetic / "three").write_text("[a]\nb = three\n")
    for path in ("one", "~/three", "missing"):
        repo.git("config", "--add", "include.path", path)
    repo.git("config", "a.b", "last", "nomatch")
    assert [value for _, key, value, _ in both(repo.path) if key == "a.b"] == [
        "one", "two", "three", "last",
    ]  # fmt: skip


def test_files_that_include_each_other_are_an_error(repo: GitRepo) -> None:
    (repo.path / ".git" / "loop").write_text("[include]\npath = loop\n")
    repo.git("config", "include.path", "loop")
    assert git("config", "--list", cwd=repo.path, check=False).returncode == 128
    with pytest.raises(ZdevError, match="more than 10 files deep"):
        load(repo.path)


def chain(repo: GitRepo, length: int) -> None:
    """Files that include one another in a row; the last one includes one that is not there."""
    for number in range(length):
        text = f"[include]\npath = {number + 1}\n[chain]\nat = {number}\n"
        (repo.path / ".git" / str(number)).write_text(text)
    repo.git("config", "include.path", "0")


def test_includes_go_ten_files_deep(repo: GitRepo) -> None:
    chain(repo, 10)
    assert (
        load(repo.path).get_all("chain.at") == repo.git("config", "--get-all", "chain.at").split()
    )
    with pytest.raises(ZdevError, match="10 deep, and libgit2 reads them only 9 deep"):
        open_at(repo.path)
    (repo.path / ".git/10").touch()
    assert git("config", "--list", cwd=repo.path, check=False).returncode == 128
    with pytest.raises(ZdevError, match="more than 10 files deep"):
        load(repo.path)


def test_a_relative_include_on_the_command_line_is_an_error(repo: GitRepo) -> None:
    with pytest.raises(ZdevError, match="relative"):
        load(repo.path, GIT_CONFIG_PARAMETERS="'include.path=x'")
    with pytest.raises(ZdevError, match="relative"):
        load(repo.path, GIT_CONFIG_PARAMETERS="'includeIf.gitdir:./x.path'='/x'")
    (repo.path / "extra").write_text("[x]\ny = z\n")
    both(repo.path, GIT_CONFIG_PARAMETERS=f"'include.path={repo.path}/extra'")


CONDITIONS = [
    "gitdir:repo/", "gitdir:repo", "gitdir:repo/.git", "gitdir:REPO/", "gitdir/i:REPO/",
    "gitdir:**/.git", "gitdir:re?o/", "gitdir:r*/", "gitdir:re[op]o/", "gitdir:re[^p]o/",
    "gitdir:*/.git",
    "gitdir:/**", "gitdir:/", "gitdir:~/", "gitdir:~/../repo/", "gitdir:./", "gitdir:./.git",
    "gitdir:.git",
    "gitdir:re[[:alpha:]]o/", "gitdir:re[", "gitdir:", "gitdir:re\\po/",
    "onbranch:main", "onbranch:ma*", "onbranch:feature/", "onbranch:feature/**", "onbranch:*",
    "onbranch:**",
    "onbranch:feature/*/deep", "onbranch:feature/**/deep", "onbranch:**/deep", "onbranch:**deep",
    "onbranch:f***/deep",
    "hasconfig:remote.*.url:https://example.org/**", "hasconfig:remote.*.url:https://example.org/*",
    "hasconfig:remote.*.url:**/x.git", "hasconfig:remote.*.url:nothing", "hasconfig:other:x",
    "unknown:x",
]  # fmt: skip


@pytest.mark.parametrize("branch", ["main", "feature/a/deep"])
def test_conditional_includes(repo: GitRepo, hermetic: Path, branch: str) -> None:
    repo.git("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    repo.git("remote", "add", "origin", "https://example.org/some/x.git")
    for number, condition in enumerate(CONDITIONS):
        path = hermetic / f"included-{number}"
        path.write_text(f"[condition]\n\tmet = {number}\n")
        repo.git("config", f"includeIf.{condition}.path", str(path))
        git("config", "--global", f"includeIf.{condition}.path", str(path), cwd=repo.path)
    met = [value for _, key, value, _ in both(repo.path) if key == "condition.met"]
    assert 10 < len(met) < 2 * len(CONDITIONS) - 10


def test_protected_configuration_knows_no_repository(repo: GitRepo, hermetic: Path) -> None:
    repo.git("config", "a.b", "local")
    git("config", "--global", "a.b", "user", cwd=repo.path)
    git("config", "--global", "includeIf.gitdir:/.path", "~/conditional", cwd=repo.path)
    (hermetic / "conditional").write_text("[a]\nb = conditional\n")
    config = read_config(None, {**os.environ, "GIT_CONFIG_PARAMETERS": "'a.c=d'"})
    assert (config.get_all("a.b"), config.get("a.c")) == (["user"], "d")


@pytest.mark.parametrize(
    "value",
    ["true", "YES", "on", "1", "-3", "0", "no", "Off", "false", "", "2k", "nonsense", "1x", "0x10"],
)
def test_booleans(repo: GitRepo, value: str) -> None:
    repo.git("config", "a.b", value)
    done = git("config", "--type=bool", "a.b", cwd=repo.path, check=False)
    if done.returncode:
        with pytest.raises(ZdevError, match=r"a\.b"):
            load(repo.path).get_bool("A.B", default=False)
    else:
        assert load(repo.path).get_bool("A.B", default=False) is (done.stdout == b"true\n")


def test_a_name_without_a_value_is_true(repo: GitRepo) -> None:
    (repo.path / ".git" / "config").write_text("[a]\nb\n")
    config = load(repo.path)
    assert config.get_bool("a.b", default=False)
    assert (config.get("a.b"), config.get("a.c"), config.get("nonsense")) == ("", None, None)
    assert config.get_bool("a.c", default=True)


@pytest.mark.parametrize(
    "value",
    ["0", "1", "-7", "10k", "3M", "1g", "0x1f", "010", " 5", "+4", "5 ", "", "k", "1kk"],
)
def test_integers(repo: GitRepo, value: str) -> None:
    repo.git("config", "a.b", value)
    done = git("config", "--type=int", "a.b", cwd=repo.path, check=False)
    if done.returncode:
        with pytest.raises(ZdevError, match=r"a\.b"):
            load(repo.path).get_int("a.b", default=1)
    else:
        assert load(repo.path).get_int("a.b", default=1) == int(done.stdout)
    assert load(repo.path).get_int("a.c", default=12) == 12


@pytest.mark.parametrize("value", ["~/x", "~root/x", "/abs/~", "rel/x", "~nobody-at-all/x", "~"])
def test_paths(repo: GitRepo, value: str) -> None:
    repo.git("config", "a.b", value)
    done = git("config", "--type=path", "a.b", cwd=repo.path, check=False)
    expected = value if done.returncode else done.stdout.decode().rstrip("\n")
    assert load(repo.path).get_path("a.b") == expected
    assert load(repo.path).get_path("a.c") is None


FRAGMENTS = st.sampled_from(
    ["[a]", "[a \"b\"]", "[A.b]", "[a \"x\\\"y\\\\\"]", "[a", "]", "b", "Key-1", "=",
     " = ", "value",
     "\"", "\\", "\\\"", "\\n", "\\t", "\\\\", "\\\n", "#", ";", " ", "  ", "\n", "\n", "\n\t", "é",
     "1", "_", "'", "\r\n"]
)  # fmt: skip


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(FRAGMENTS, max_size=14))
def test_any_file_reads_as_git_reads_it(tmp_path: Path, fragments: list[str]) -> None:
    content = "".join(fragments).encode()
    (tmp_path / "file").write_bytes(content)
    done = git("config", "-f", "file", "--list", "-z", cwd=tmp_path, check=False)
    if done.returncode:
        with pytest.raises(ZdevError):
            config_file.parse(content, "file")
        return
    told = done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
    expected = [(key, value if line else None) for key, line, value in map(split_pair, told)]
    assert config_file.parse(content, "file") == expected


def split_pair(text: str) -> tuple[str, str, str]:
    return text.partition("\n")


@pytest.mark.parametrize("branch", ["a", "a/b", "ab/a", "b/a/ab", "a-b/b", "aa/bb/ab/b"])
def test_patterns_match_what_git_matches(repo: GitRepo, hermetic: Path, branch: str) -> None:
    dice = random.Random(branch)
    pieces = ["a", "b", "/", "*", "**", "?", "[ab]", "[!a]", "[^b]", "[a-b]", "[[:alpha:]]", "\\a"]
    patterns = {"".join(dice.choices(pieces, k=dice.randint(1, 6))) for _ in range(250)}
    repo.git("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    lines = []
    for number, pattern in enumerate(sorted(patterns)):
        (hermetic / f"p{number}").write_text(f"[met]\n\tpattern = {number}\n")
        quoted = pattern.replace("\\", "\\\\")
        lines.append(f'[includeIf "onbranch:{quoted}"]\n\tpath = {hermetic}/p{number}\n')
    (repo.path / ".git" / "config").write_text("".join(lines))
    told = git("config", "--get-all", "met.pattern", cwd=repo.path, check=False).stdout.decode()
    ordered = sorted(patterns)
    expected = [ordered[int(number)] for number in told.split()]
    assert [ordered[int(n)] for n in load(repo.path).get_all("met.pattern")] == expected
    assert expected


def test_a_file_that_was_read_before_is_read_as_it_is_now(tmp_path: Path) -> None:
    path = tmp_path / "config"
    states = ["[a]\nb = 1\n", "[a]\nb = 2\n", "[a]\nb = 2\n", ""]
    found = []
    for state in states:
        path.write_text(state)
        found.append(config_file.read(str(path)))
    path.unlink()
    found.append(config_file.read(str(path)))
    assert found == [[("a.b", "1")], [("a.b", "2")], [("a.b", "2")], [], []]


def test_what_follows_a_nul_in_a_value_does_not_count(repo: GitRepo) -> None:
    """Git reads values as C reads text."""
    path = repo.path / ".git/config"
    path.write_bytes(path.read_bytes() + b'[a]\n\tb = x\0y\n\tc = "q\0r"\n\td = \0\n')
    config = load(repo.path)
    for key in ("a.b", "a.c", "a.d"):
        assert config.get(key) == repo.git("config", key)
