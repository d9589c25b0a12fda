"""Untracked and ignored paths: rules from all four sources, and the patterns."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tests.support.states.repo import state, states

if TYPE_CHECKING:
    from tests.support.states.repo import StateRepo

_TREE = (
    "a.log", "b.txt", "build/out.o", "build/keep.txt", "d/a.log", "d/build/x", "d/e/f/g.txt",
    "foo", "foo.d/foo", "d/foo/x", "with space ", "#hash", "!bang", "tmp/x.tmp", "Tmp/X.TMP",
    "a[b]", "back\\slash", "é.log", "deep/1/2/3/4/5.txt", ".hidden/x", "x/y/z.c", "x/z.c", "q?",
)  # fmt: skip

_RULES = {
    "suffix": "*.log\n",
    "anchored": "/foo\n/build/\n",
    "folder": "build/\n",
    "negated": "*.log\n!d/a.log\nbuild/*\n!build/keep.txt\n",
    "negated-inside-excluded": "build/\n!build/keep.txt\n",
    "stars": "**/foo\nd/**\n!d/e\ndeep/**/5.txt\nx/**/z.c\n",
    "middle": "d/foo\ndeep/1/*\n",
    "classes": "[a-c].log\na\\[b\\]\n[[:upper:]]mp/\nq\\?\n",
    "quoted": "\\#hash\n\\!bang\nwith space\\ \n# comment\n\n   \n",
    "trailing-blanks": "foo   \nb.txt\t\n",
    "backslash": "back\\\\slash\nfoo\\\n",
    "all-but": "*\n!*/\n!*.txt\n",
    "non-ascii": "é.log\n*.é\n",
    "crlf": "*.log\r\nfoo\r\n",
    "no-final-newline": "*.log\nfoo",
    "mark": "\ufeff*.log\nfoo\n",
    "itself": ".gitignore\n*.log\n",
    "everything": "*\n",
    "folders-of-the-root": "/*/\n!/d/\n",
    "folders": "*/\n",
    "folders-anywhere": "**/\n",
    "folders-below": "/**/\n",
    "folders-in-folders": "**/*/\n",
    "three-stars": "***/\n",
    "two-slashes": "//\n",
    "stars-and-a-tab": "*\t\n**\t\n",
    "nul": "foo\0bar\n*.log\0\n\0b.txt\n",
    "return-without-line-feed": "*.log\nfoo\r",
    "trailing-backslash": "foo\\\nd\\/\n*.log\\\n",
    "escaped-slash": "**\\/x.tmp\nd\\/e\n",
    "many-stars": "*a*a*a*a*a*a*a*b\n",
}


@states(rule=list(_RULES))
def ignored(repo: StateRepo, rule: str) -> None:
    repo.commit("Base")
    _grow(repo)
    repo.write(".gitignore", _RULES[rule])


def _grow(repo: StateRepo) -> None:
    for name in _TREE:
        repo.write(name, "x\n")


_FOLDER_RULES = {
    "root": "/*/", "all": "*/", "deep": "**/", "slashes": "//", "tab": "**\t", "three": "***/",
}  # fmt: skip
_BY_OTHERS = {
    "upper": ".GIT", "title": ".Git", "mixed": ".gIT", "blank": ".git ", "short": "git~1",
    "joined": ".gi\u200ct", "stream": ".git:x",
}  # fmt: skip
_USERS = {"relative": "own", "empty": "", "in-a-folder": "sub/own", "null-device": "/dev/null"}


@states(
    rule=list(_FOLDER_RULES),
    source=[".gitignore", "d/.gitignore", ".git/info/exclude", "the user's"],
)
def folders_ignored_and_files_beside_them(repo: StateRepo, rule: str, source: str) -> None:
    """Such a line says nothing about the files that are beside the folders."""
    repo.base({"src/a": "1\n", "d/src/a": "1\n", "d/b": "1\n"})
    excludes = repo.home / "excludes"
    repo.config("core.excludesFile", str(excludes))
    text = f"{_FOLDER_RULES[rule]}\n!/src/\n"
    if source == "the user's":
        excludes.write_text(text)
    else:
        repo.write(source, text)
    for folder in ("", "src/", "d/", "d/src/", "new/", "d/new/"):
        repo.write(f"{folder}untracked", "x\n")


@states(key=["core.excludesFile", "core.attributesFile"], value=list(_USERS))
def the_users_file_of_rules(repo: StateRepo, key: str, value: str) -> None:
    """A relative path begins at the root of the work tree; an empty one names no file."""
    repo.base({"a.txt": "1\n", "sub/a.txt": "1\n"})
    repo.config(key, _USERS[value])
    for name in ("own", "sub/own", "../home/.config/git/ignore", "../home/.config/git/attributes"):
        repo.write(name, "*.txt -diff\nnew\n")
    repo.write("new", "x\n")
    repo.write("sub/new", "x\n")
    repo.write("sub/a.txt", "2\n")


@states(kind=list(_BY_OTHERS))
def names_that_some_file_systems_take_for_dot_git(repo: StateRepo, kind: str) -> None:
    """A file system that distinguishes them has ordinary files and folders there."""
    name = _BY_OTHERS[kind]
    repo.base({"d/tracked": "1\n"})
    repo.write(f"{name}/config", "x\n")
    repo.write(f"d/{name}", "x\n")
    repo.write(f"new/{name}/deep/x", "x\n")
    repo.write("ignored/.gitignore", "*\n")
    repo.write(f"ignored/{name}", "x\n")


@state
def ignore_sources(repo: StateRepo) -> None:
    """Folder file, root file, ``info/exclude`` and the user's file, with overrides between them."""
    _grow(repo)
    repo.write("d/.gitignore", "!a.log\nfoo\n")
    repo.write(".gitignore", "*.log\n!b.txt\n")
    repo.write(".git/info/exclude", "tmp/\nb.txt\n")
    repo.write(repo.home / "excludes", "*.c\nbuild\n!x/z.c\n")
    repo.config("core.excludesFile", str(repo.home / "excludes"))


@state
def ignore_file_of_the_home(repo: StateRepo) -> None:
    _grow(repo)
    repo.write(repo.home / ".config/git/ignore", "*.log\n")


@state
def excludes_file_below_the_home(repo: StateRepo) -> None:
    _grow(repo)
    repo.write(repo.home / "mine", "foo\n")
    repo.git("config", "--global", "core.excludesFile", "~/mine")


@state
def ignored_but_tracked(repo: StateRepo) -> None:
    repo.write(".gitignore", "*.log\nbuild/\n")
    repo.write("a.log", "1\n")
    repo.write("build/x", "1\n")
    repo.git("add", "-f", ".gitignore", "a.log", "build/x")
    repo.commit("Base")
    repo.write("a.log", "2\n")
    repo.write("build/x", "2\n")
    repo.write("build/y", "2\n")
    repo.write("b.log", "2\n")
    repo.git("rm", "-q", "--cached", "a.log")


@state
def ignore_file_is_a_link(repo: StateRepo) -> None:
    _grow(repo)
    repo.write("rules", "*.log\n")
    repo.link(".gitignore", "rules")


@state
def ignore_file_is_a_folder(repo: StateRepo) -> None:
    repo.commit("Base")
    repo.write(".gitignore/x", "x\n")
    repo.write("y", "y\n")


@state
def ignored_with_case_folded(repo: StateRepo) -> None:
    _grow(repo)
    repo.config("core.ignoreCase", "true")
    repo.write(".gitignore", "TMP/\n*.LOG\n")


@state
def untracked_kinds(repo: StateRepo) -> None:
    """Files, links, dangling links, loops, links to folders, empty folders, FIFOs."""
    repo.write("tracked/a", "a\n")
    repo.commit_all()
    repo.write("tracked/b", "b\n")
    repo.write("alone/deep/er/c", "c\n")
    repo.link("link", "tracked/a")
    repo.link("dangling", "nowhere")
    repo.link("loop", "loop")
    repo.link("to-folder", "tracked")
    repo.file("empty/inner").mkdir(parents=True)
    os.mkfifo(repo.file("fifo"))
    os.mkfifo(repo.file("empty/inner/fifo"))


@state
def odd_git_names(repo: StateRepo) -> None:
    """Files that only look like Git's own."""
    repo.base({"a": "a\n"})
    repo.write(".gitmodules.orig", "x\n")
    repo.write("d/.git-not", "x\n")
    repo.write(".github/x", "x\n")
    repo.write(".gitkeep", "")
    repo.write("d/git", "x\n")


@states(value=["no", "normal", "all"])
def untracked_setting(repo: StateRepo, value: str) -> None:
    """The setting has no effect: the status asks for all untracked files."""
    repo.base({"a": "a\n"})
    _grow(repo)
    repo.config("status.showUntrackedFiles", value)


@states(became=["nothing", "a file", "a link", "empty"])
def tracked_folder_is_gone_that_rules_take_back(repo: StateRepo, became: str) -> None:
    """Files below an ignored folder are examined again if a later line re-includes the folder."""
    repo.write(".git/info/exclude", "out\n")
    repo.base({".gitignore": "!out\n", "elsewhere/x.txt": "x\n"})
    repo.write("out/a.txt", "a\n")
    repo.git("add", "-f", "out/a.txt")
    repo.write("elsewhere/u.txt", "u\n")
    repo.remove("out/a.txt")
    if became != "empty":
        repo.file("out").rmdir()
    if became == "a file":
        repo.write("out", "out\n")
    elif became == "a link":
        repo.link("out", "elsewhere")
