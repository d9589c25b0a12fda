"""Attributes of paths (gitattributes(5)), against ``git check-attr``."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from git_zdev.evidence.attributes import Attributes, Rules, attributes_of
from tests.support.evidence import open_at

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

PATHS = ("a.txt", "b.c", "sub/a.txt", "sub/deep/b.c", "sub/deep/a b", "Sub/X.TXT", "doc/x/y/z.md")
NAMES = ("text", "eol", "diff", "merge", "ident", "own")

FILES = {
    "set and unset": "*.txt text -diff !merge eol=crlf own=1\n",
    "later wins": "*.txt own=1\n*.txt own=2\na.txt -own\n",
    "later word wins": "*.txt own=1 own=2 own\n",
    "unspecified again": "* own\n*.txt !own\n",
    "macro": "[attr]mine own=3 -diff\n*.c mine\n",
    "macro quoted": '"[attr]mine" own=3\n"[attr] yours of" text\n*.c mine yours\n',
    "macro with a NUL": '"[attr]mine\\000x" own=3\n"[attr]\\000mine" text\n*.c mine\n',
    "NUL quoted": '"*.c\\000x" own=3\n"\\000*.c" text\n',
    "macro redefined": "[attr]binary own\n*.c binary\n",
    "binary": "*.c binary\n*.txt binary diff\n",
    "macro unset": "[attr]mine own\n*.c -mine\n",
    "anchored": "/a.txt own\nsub/a.txt own=2\n",
    "stars": "sub/**/b.c own\n**/a.txt own=2\ndoc/** own=3\n",
    "star stays in a folder": "sub/*.c own\n*/a.txt own=2\n",
    "brackets": "[a-b].[!t]* own\nsub/deep/[[:alpha:]].c own=2\n",
    "question": "?.txt own\n",
    "quoted": '"sub/deep/a b" own\n"\\142.c" own=2\n',
    "escaped": "\\a.txt own\n",
    "comment and blanks": "# *.txt own\n\n   b.c own\n",
    "crlf": "*.txt own\r\n",
    "negative pattern": "!a.txt own\n",
    "folder pattern": "sub/ own\n",
    "bad name": "*.txt own @bad\n*.c own=2\n",
    "no attributes": "a.txt\n",
    "byte order mark": "\ufeffa.txt own\n",
    "long line": "*.txt own=" + "x" * 2040 + "\n",
    "word of blanks": "*.txt\t own \t text\n",
    "letter case": "*.TXT own\nsub/* own=2\n",
}


def expected(repo: GitRepo) -> dict[str, dict[str, str]]:
    printed = repo.git("check-attr", "-z", *NAMES, "--", *PATHS).split("\0")
    found: dict[str, dict[str, str]] = {path: {} for path in PATHS}
    for path, name, value in zip(printed[::3], printed[1::3], printed[2::3], strict=False):
        if value != "unspecified":
            found[path][name] = value
    return found


def own(repo: GitRepo) -> dict[str, dict[str, str]]:
    repository = open_at(repo.path)
    attributes = attributes_of(repository.look())
    words = {True: "set", False: "unset"}
    return {
        path: {
            name: value if isinstance(value, str) else words[bool(value)]
            for name, value in attributes.lookup(path.encode(), NAMES).items()
        }
        for path in PATHS
    }


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("place", [".gitattributes", "sub/.gitattributes", ".git/info/attributes"])
def test_lines_mean_what_git_reads(repo: GitRepo, name: str, place: str) -> None:
    (repo.path / ".git/info").mkdir(exist_ok=True)
    repo.write(place, FILES[name])
    assert own(repo) == expected(repo)


@pytest.mark.parametrize("name", ["letter case", "brackets", "anchored", "stars"])
def test_letter_case_may_not_count(repo: GitRepo, name: str) -> None:
    repo.git("config", "core.ignoreCase", "true")
    repo.write(".gitattributes", FILES[name].upper().replace("OWN", "own"))
    assert own(repo) == expected(repo)


def test_nearer_files_win_and_info_wins_over_all(repo: GitRepo) -> None:
    repo.write(".gitattributes", "* own=root text\n")
    repo.write("sub/.gitattributes", "* own=sub\n")
    repo.write("sub/deep/.gitattributes", "*.c own=deep\n")
    assert own(repo) == expected(repo)
    (repo.path / ".git/info").mkdir(exist_ok=True)
    repo.write(".git/info/attributes", "b.c own=info\n")
    repo.write("../home/mine", "* ident\na.txt own=mine\n")
    repo.git("config", "core.attributesFile", "~/mine")
    assert own(repo) == expected(repo)


def test_the_index_stands_in_for_a_file_that_is_gone(repo: GitRepo) -> None:
    repo.write("sub/.gitattributes", "*.c own\n")
    repo.git("add", "-A")
    (repo.path / "sub/.gitattributes").unlink()
    assert own(repo) == expected(repo)
    assert own(repo)["sub/deep/b.c"] == {"own": "set"}


def test_a_link_is_not_followed(repo: GitRepo) -> None:
    repo.write("rules", "* own\n")
    (repo.path / ".gitattributes").symlink_to("rules")
    assert own(repo)["a.txt"] == {} == expected(repo)["a.txt"]


def test_without_any_file_no_rule_is_looked_at() -> None:
    asked: list[bytes] = []

    def read(folder: bytes) -> bytes | None:
        asked.append(folder)
        return None

    attributes = Attributes([], None, read)
    assert attributes.lookup(b"a/b/c", ("diff",)) == {}
    assert attributes.lookup(b"a/b/d", ("diff",)) == {}
    assert asked == [b"", b"a/", b"a/b/"]


def test_macros_are_for_the_outer_files() -> None:
    assert Rules(b"[attr]m own\n").macros == {"m": (("own", True),)}
    assert Rules(b"[attr]m own\n", base=b"sub/", macros=False).macros == {}


PIECES = (
    "a", "b", "B", "/", "*", "**", "**/", "/**", "?", "[ab]", "[!a]", "[^b]", "[a-b]", "[b-a]",
    "[]a]", "[[:alpha:]]", "[[:upper:]b]", "[[:odd:]]", "[a", "\\a", "\\*", "[\\]a]", "[a-\\b]",
    "-", ".", "[.-]", "[AB]", "[A-Z]", "[!B]",
)  # fmt: skip
PATHS_patterns = (
    "a", "b", "ab", "ba", "aB", "a.b", "a/b", "b/a", "a/a/b", "a/b/ab", "b/b/b/a", "ab/a.b", "a-b",
    "]", "a/-", "B/b", "[a", "*", "a*", "\\a",
)  # fmt: skip


@pytest.mark.parametrize("ignore_case", [False, True])
def test_patterns_match_what_git_matches(repo: GitRepo, ignore_case: bool) -> None:
    repo.git("config", "core.ignoreCase", "true" if ignore_case else "false")
    chance = random.Random(7)
    patterns = ["".join(chance.choices(PIECES, k=chance.randrange(1, 6))) for _ in range(400)]
    names = [f"own-{number}" for number in range(len(patterns))]
    lines = [f"{pattern} {name}\n" for pattern, name in zip(patterns, names, strict=True)]
    repo.write(".gitattributes", "".join(lines))
    repository = open_at(repo.path)
    attributes = attributes_of(repository.look())
    printed = repo.git("check-attr", "-z", "-a", "--", *PATHS_patterns).split("\0")
    expected = {path: set[str]() for path in PATHS_patterns}
    for path, name in zip(printed[::3], printed[1::3], strict=False):
        expected[path].add(name)
    for path in PATHS_patterns:
        found = attributes.lookup(path.encode(), names)
        wrong = {patterns[names.index(name)] for name in found.keys() ^ expected[path]}
        assert not wrong, f"{path}: {sorted(wrong)}"
    assert sum(map(len, expected.values())) > 100
