"""What only changes the presentation changes nothing; what changes the content has its effect."""

from __future__ import annotations

import locale
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.evidence import git_strings, own_document, own_strings
from tests.support.states import STATES, StateRepo, make_state_repo
from tests.support.states.repo import numbered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def state(tmp_path: Path, hermetic: Path) -> StateRepo:
    """Something of everything: renames, conflicts, quoted names, a submodule, untracked files."""
    inner = make_state_repo(tmp_path / "inner", hermetic)
    inner.base({"s.txt": "s\n"})
    repo = make_state_repo(tmp_path / "repo", hermetic)
    repo.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "sub"
    )
    body = "".join(f"def f{n}(x):\n    if x:\n        return {n}\n\n" for n in range(9))
    repo.base(
        {
            "a.py": body,
            "b.txt": numbered(40),
            "é name": numbered(9),
            "old.txt": numbered(30, stem="move"),
            "dir/sub/c.txt": numbered(9),
            "z.txt": "z \t\n\n\nend\n",
        }
    )
    repo.git("checkout", "-q", "-b", "theirs")
    repo.write("conflict.txt", "theirs\n")
    repo.commit_all()
    repo.git("checkout", "-q", "main")
    repo.write("conflict.txt", "ours\n")
    repo.commit_all()
    repo.git("merge", "-q", "theirs", check=False)
    repo.git("mv", "old.txt", "new.txt")
    repo.write("new.txt", numbered(30, {3: "three"}, stem="move"))
    repo.add("new.txt")
    new = body.replace("return 3\n", "return 3\n\ndef g(x):\n    if x:\n        return 3\n")
    repo.write("a.py", new)
    repo.write("b.txt", numbered(40, {5: "five", 13: "thirteen", 20: "twenty", 27: "27"}))
    repo.write("é name", numbered(10))
    repo.write("dir/sub/c.txt", numbered(8))
    repo.write("z.txt", "z\n\n\n\nend \n")
    repo.write("dir/untracked", "u\n")
    repo.write("dir/é", "u\n")
    (repo.path / "dir/link").symlink_to("nowhere")
    sub = repo.at(repo.path / "sub")
    sub.write("s.txt", "t\n")
    sub.commit_all()
    return repo


PRESENTATION: dict[str, str] = {
    "color.ui": "always",
    "color.diff": "always",
    "color.status": "always",
    "color.diff.new": "blue",
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.srcPrefix": "x/",
    "diff.dstPrefix": "y/",
    "diff.context": "9",
    "diff.interHunkContext": "20",
    "diff.external": "false",
    "diff.algorithm": "patience",
    "diff.renames": "false",
    "diff.renameLimit": "1",
    "diff.relative": "true",
    "diff.submodule": "log",
    "diff.ignoreSubmodules": "all",
    "submodule.sub.ignore": "all",
    "diff.wsErrorHighlight": "all",
    "diff.suppressBlankEmpty": "true",
    "diff.indentHeuristic": "false",
    "diff.colorMoved": "zebra",
    "diff.statGraphWidth": "5",
    "diff.wordRegex": "x",
    "diff.dirstat": "lines",
    "diff.autoRefreshIndex": "false",
    "diff.tool": "none",
    "diff.guitool": "none",
    "core.abbrev": "40",
    "core.quotePath": "false",
    "core.pager": "false",
    "core.whitespace": "trailing-space,tab-in-indent",
    "core.commentChar": ";",
    "pager.diff": "true",
    "pager.status": "true",
    "column.ui": "always",
    "column.status": "always",
    "status.short": "false",
    "status.branch": "true",
    "status.showStash": "true",
    "status.relativePaths": "true",
    "status.renames": "false",
    "status.renameLimit": "1",
    "status.aheadBehind": "true",
    "status.displayCommentPrefix": "true",
    "status.showUntrackedFiles": "no",
    "status.submoduleSummary": "true",
    "merge.renames": "false",
    "log.showSignature": "true",
    "advice.statusHints": "true",
    "alias.status": "!false",
    "alias.diff": "!false",
    "core.fsmonitor": "false",
    "core.untrackedCache": "false",
    "core.preloadIndex": "false",
    "index.threads": "1",
    "diff.orderFile": "order",
}

VARIABLES: dict[str, str] = {
    "GIT_EXTERNAL_DIFF": "false",
    "GIT_DIFF_OPTS": "-u9",
    "GIT_PAGER": "false",
    "PAGER": "false",
    "LESS": "R",
    "LV": "-c",
    "GIT_PAGER_IN_USE": "1",
    "GIT_TRACE": "0",
    "LC_ALL": "de_DE.UTF-8",
    "LANG": "ja_JP.eucJP",
    "LANGUAGE": "de",
    "TERM": "dumb",
    "COLUMNS": "20",
    "NO_COLOR": "1",
    "CLICOLOR_FORCE": "1",
    "GIT_OPTIONAL_LOCKS": "1",
    "GIT_MERGE_VERBOSITY": "5",
    "GIT_ADVICE": "1",
    "TZ": "Asia/Tokyo",
}

PLACES = ("dir", "dir/sub", "sub/..", ".")


@pytest.fixture
def plain(state: StateRepo) -> dict[str, Any]:
    """The evidence without any setting, which is what git prints."""
    strings = {name: text.encode() for name, text in _strings(own_document(state.path)).items()}
    assert strings == git_strings(state.path)
    return own_document(state.path)


def _strings(document: dict[str, Any]) -> dict[str, str]:
    return {name: document[name] for name in ("git_status", "git_diff_cached", "git_diff")}


def _prepare(state: StateRepo) -> None:
    """Files that settings name."""
    (state.path / ".git/order").write_text("*.txt\n*.py\n")


def _set(state: StateRepo, key: str, value: str, scope: str = "--local") -> None:
    value = str(state.path / ".git/order") if key == "diff.orderFile" else value
    state.git("config", scope, key, value)


@pytest.mark.parametrize("key", PRESENTATION)
def test_a_setting_of_the_presentation_has_no_effect(
    state: StateRepo, plain: dict[str, Any], key: str
) -> None:
    _prepare(state)
    _set(state, key, PRESENTATION[key])
    assert own_document(state.path) == plain


def test_all_settings_at_once_have_no_effect(state: StateRepo, plain: dict[str, Any]) -> None:
    _prepare(state)
    for key, value in PRESENTATION.items():
        _set(state, key, value)
    assert own_document(state.path) == plain


def test_all_settings_of_the_user_have_no_effect(state: StateRepo, plain: dict[str, Any]) -> None:
    _prepare(state)
    for key, value in PRESENTATION.items():
        _set(state, key, value, "--global")
    assert own_document(state.path) == plain


def test_all_settings_on_the_command_line_have_no_effect(
    state: StateRepo, plain: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    _prepare(state)
    monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(PRESENTATION)))
    for n, (key, value) in enumerate(PRESENTATION.items()):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{n}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{n}", value)
    assert own_document(state.path) == plain


@pytest.mark.parametrize("name", VARIABLES)
def test_a_variable_has_no_effect(
    state: StateRepo, plain: dict[str, Any], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, VARIABLES[name])
    assert own_document(state.path) == plain


@pytest.mark.parametrize("place", PLACES)
def test_the_start_directory_has_no_effect(
    state: StateRepo, plain: dict[str, Any], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(state.path / place)
    assert own_document(state.path / place if place != "sub/.." else state.path) == plain


def test_everything_at_once_has_no_effect(
    state: StateRepo, plain: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    _prepare(state)
    for key, value in PRESENTATION.items():
        _set(state, key, value)
        _set(state, key, value, "--global")
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(state.path / "dir/sub")
    assert own_document(state.path / "dir/sub") == plain


def test_textconv_external_and_word_settings_of_a_driver_have_no_effect(
    state: StateRepo, plain: dict[str, Any]
) -> None:
    before = plain["git_diff"]
    (state.path / ".git/info").mkdir(exist_ok=True)
    (state.path / ".git/info/attributes").write_text("*.txt diff=mine\n")
    for key in ("command", "textconv"):
        state.config(f"diff.mine.{key}", "false")
    state.config("diff.mine.wordRegex", "x+")
    state.config("diff.mine.cachetextconv", "true")
    assert own_document(state.path)["git_diff"] == before


@pytest.mark.parametrize("name", ["C", "C.UTF-8"])
def test_the_locale_does_not_decide_what_a_pattern_matches(
    tmp_path: Path, hermetic: Path, request: pytest.FixtureRequest, name: str
) -> None:
    repo = make_state_repo(tmp_path / "repo", hermetic)
    repo.write(".gitattributes", "*.txt diff=mine\n")
    repo.config("diff.mine.xfuncname", "^(h.{5})")
    repo.base({"a.txt": "héééééé\n" + numbered(9)})
    repo.write("a.txt", "héééééé\n" + numbered(9, {9: "nine"}))
    expected = git_strings(repo.path)
    before = locale.setlocale(locale.LC_CTYPE)
    request.addfinalizer(partial(locale.setlocale, locale.LC_CTYPE, before))
    locale.setlocale(locale.LC_CTYPE, name)
    assert own_strings(repo.path) == expected
    assert "@@ hééééé\n".encode() in expected["git_diff"]


def _set_config(key: str, value: str) -> Callable[[StateRepo], None]:
    return lambda repo: repo.config(key, value)


def _write(name: str, text: str) -> Callable[[StateRepo], None]:
    return lambda repo: _write_below(repo, name, text)


def _write_below(repo: StateRepo, name: str, text: str) -> None:
    repo.write(name, text)


def _excludes_file(repo: StateRepo) -> None:
    repo.write(repo.home / "mine", "plain\n")
    repo.config("core.excludesFile", "~/mine")


def _attributes_file(repo: StateRepo) -> None:
    repo.write(repo.home / "mine", "*.txt -diff\n")
    repo.config("core.attributesFile", "~/mine")


def _replace(repo: StateRepo) -> None:
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"replaced\n")
    repo.git("replace", repo.rev("HEAD:lf.txt"), blob)


def _index_flag(flag: str) -> Callable[[StateRepo], object]:
    return lambda repo: repo.git("update-index", flag, "lf.txt", "run")


CONTENT: dict[str, Callable[[StateRepo], object]] = {
    "core.autocrlf=true": _set_config("core.autocrlf", "true"),
    "core.autocrlf=input": _set_config("core.autocrlf", "input"),
    "core.fileMode": _set_config("core.fileMode", "false"),
    "core.symlinks": _set_config("core.symlinks", "false"),
    "core.ignoreCase": _set_config("core.ignoreCase", "true"),
    "core.excludesFile": _excludes_file,
    "core.attributesFile": _attributes_file,
    "core.bigFileThreshold": _set_config("core.bigFileThreshold", "10"),
    "text": _write(".gitattributes", "*.txt text\n"),
    "eol": _write(".gitattributes", "*.txt eol=lf\n"),
    "-diff": _write(".gitattributes", "*.txt -diff\n"),
    "binary": _write(".gitattributes", "*.txt binary\n"),
    "driver": _write(".gitattributes", "code diff=python\n"),
    "ident": _write(".gitattributes", "*.txt ident\n"),
    "ignore file": _write(".gitignore", "plain\n"),
    "exclude file": _write(".git/info/exclude", "plain\n"),
    "replace ref": _replace,
    "assume-unchanged": _index_flag("--assume-unchanged"),
    "skip-worktree": _index_flag("--skip-worktree"),
}


@pytest.mark.parametrize("name", CONTENT)
def test_what_changes_the_content_has_the_effect_that_it_has_in_git(
    name: str, tmp_path: Path, hermetic: Path
) -> None:
    repo = make_state_repo(tmp_path / "repo", hermetic)
    repo.link("link", "target")
    code = "class A:\n    def f(self):\n" + "        x\n" * 9
    repo.base(
        {"lf.txt": "one\n$Id$\n", "crlf.txt": "one\r\n", "run": "r\n", "code": code, "M.Log": ""}
    )
    repo.write("lf.txt", "one\r\n$Id: 1 $\r\n")
    repo.write("crlf.txt", "one\r\ntwo\r\n")
    repo.file("run").chmod(0o755)
    repo.remove("link")
    repo.write("link", "target")
    repo.write("code", code.replace("        x\n" * 9, "        x\n" * 8 + "        y\n"))
    repo.write("plain", "u\n")
    repo.write("PLAIN", "u\n")
    repo.write(".git/info/exclude", "Plain\n")
    before = own_strings(repo.path)
    assert before == git_strings(repo.path)
    CONTENT[name](repo)
    after = own_strings(repo.path)
    assert after == git_strings(repo.path)
    assert after != before


@pytest.mark.parametrize("sort", ["before", "behind"])
def test_letter_case_in_an_index_elsewhere(
    tmp_path: Path, hermetic: Path, monkeypatch: pytest.MonkeyPatch, sort: str
) -> None:
    """Where libgit2 is told of the index, it is told of ``core.ignoreCase`` before."""
    repo = make_state_repo(tmp_path / "repo", hermetic)
    STATES[f"case_ignored_where_it_counts[in_a_folder-{sort}]"](repo)
    index = repo.file(".git/index").rename(tmp_path / "index")
    monkeypatch.setenv("GIT_INDEX_FILE", str(index))
    assert own_strings(repo.path) == git_strings(repo.path)
