"""Which strings may name a file: our answers against Git's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from git_zdev.derive.path_rules import MANAGED, NameFolding, path_problem
from git_zdev.ground.paths import is_dot_git

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

PLAIN = NameFolding()

DOT_GIT = [
    ".git",
    ".GIT",
    ".gIt",
    ".git ",
    ".git.",
    ".git . .",
    ".git::$INDEX_ALLOCATION",
    ".git:stream",
    ".git .:stream",
    "git~1",
    "GIT~1",
    "git~1 .",
    "git~1:x",
    ".g\u200cit",
    "\u200d.git",
    ".git\u202e",
    ".\u206agi\ufefft",
]
LIKE_DOT_GIT = [
    ".gitignore",
    ".gitmodules",
    ".gitx",
    "git",
    "git~2",
    "git~10",
    "git~1x",
    " .git",
    "..git",
    ".git-",
    ".g it",
    ".g\u00adit",
    ".gi\u0308t",
    "x.git",
]


@pytest.mark.parametrize("name", DOT_GIT + LIKE_DOT_GIT)
def test_dot_git_is_what_git_refuses(name: str, repo: GitRepo) -> None:
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"")
    refused = False
    for path in (name, f"a/{name}", f"b/{name}/c"):
        entry = f"100644,{blob},{path}"
        protect = ("-c", "core.protectHFS=true", "-c", "core.protectNTFS=true")
        repo.git(*protect, "update-index", "--add", "--cacheinfo", entry, check=False)
        accepted = path in repo.git("ls-files", "-z").split("\0")
        assert (path_problem(path, PLAIN) is None) == accepted
        refused |= not accepted
    assert is_dot_git(name) == refused == (name in DOT_GIT)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/a", "it is absolute"),
        ("/", "it is absolute"),
        ("a/", "it ends with a slash, as a directory does"),
        ("a//b", "it holds an empty segment"),
        ("./a", "it holds the segment . or .. and is not normalized"),
        ("a/.", "it holds the segment . or .. and is not normalized"),
        ("a/../b", "it holds the segment . or .. and is not normalized"),
        ("..", "it holds the segment . or .. and is not normalized"),
        ("a\\b", "it holds a backslash; segments are separated by /"),
        ("a\nb", "it holds a control character"),
        ("a\x7f", "it holds a control character"),
        ("a\x85", "it holds a control character"),
        (".zdev/config.toml", MANAGED),
        (".zdev", MANAGED),
        ("nested/.zdev/payments/brief.md", MANAGED),
        (".git/config", MANAGED),
        ("a/.GIT/b", MANAGED),
        ("x" * 4096, "it is longer than 4095 bytes"),
        ("\u00e9" * 2048, "it is longer than 4095 bytes"),
        ("x" * 4095, None),
        ("src/main.rs", None),
        ("...", None),
        ("a..b/.c/~", None),
        ("\u65e5\u672c/\u00e9 x.txt", None),
        (".ZDEV/x", None),
        ("C:/x", None),
    ],
)
def test_forms_of_paths(path: str, message: str | None) -> None:
    assert path_problem(path, PLAIN) == message


def test_managed_state_is_recognized_as_the_file_system_would() -> None:
    folding = NameFolding(ignore_case=True)
    assert path_problem(".ZDEV/x", folding) == MANAGED
    assert path_problem(".ZdEv", folding) == MANAGED


def test_folding_follows_the_configuration() -> None:
    composed, decomposed, upper = "caf\u00e9", "cafe\u0301", "CAF\u00c9"
    assert PLAIN.fold(composed) != PLAIN.fold(decomposed)
    precompose = NameFolding(precompose=True)
    assert precompose.fold(composed) == precompose.fold(decomposed)
    assert precompose.fold(composed) != precompose.fold(upper)
    ignore_case = NameFolding(ignore_case=True)
    assert ignore_case.fold(decomposed) == ignore_case.fold(upper)
    assert ignore_case.fold("stra\u00dfe") == ignore_case.fold("STRASSE")
