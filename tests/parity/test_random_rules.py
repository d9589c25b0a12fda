"""Ignore rules and attributes made at random, over random trees, against Git."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from git_zdev.evidence.attributes import attributes_of
from git_zdev.evidence.ignore import Ignores, ignores_of
from git_zdev.evidence.survey import PathSurvey
from tests.support.evidence import git_prints, open_at
from tests.support.repo import git
from tests.support.states import make_state_repo

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from git_zdev.evidence.attributes import Value
    from tests.support.states import StateRepo


@pytest.fixture
def repo(tmp_path: Path, hermetic: Path) -> StateRepo:
    """An empty repository."""
    return make_state_repo(tmp_path / "repo", hermetic)


_PATTERN_PARTS = [
    *"abABc//**?-]!.", "**", "[", "[ab]", "[!a]", "[^b]", "[a-c]", "[A-C]", "[[:alpha:]]",
    "[[:upper:]]", "[[:space:]]", "[[:punct:]]", "[[:x:]]", "[[:a]", "[:alpha:]", "\\", "\\*",
    "\\A", "\\/", "**/", "/**", "/**/", "[]a]", "[a-]", "[--a]", "[\\]]", "[a/b]", "[c-a]", "é",
]  # fmt: skip
_NAME_PARTS = [*"abABc//*[]\\-.x!1_", "\v", "é"]


def _made(chance: random.Random, parts: Sequence[str], most: int) -> str:
    return "".join(chance.choices(parts, k=chance.randrange(1, most)))


def _is_path(name: str) -> bool:
    return bool(name) and not {"", ".", ".."} & set(name.split("/"))


@pytest.mark.parametrize("folded", [False, True])
def test_patterns_match_what_git_matches(repo: StateRepo, folded: bool) -> None:
    chance = random.Random(f"patterns {folded}")
    names = [_made(chance, _NAME_PARTS, 8).strip("/") for _ in range(300)]
    paths = sorted({name.encode() for name in names if _is_path(name)})
    repo.config("core.ignoreCase", str(folded).lower())
    for _ in range(100):
        pattern = "a" + _made(chance, _PATTERN_PARTS, 7) if chance.random() < 0.3 else "*"
        pattern = pattern if pattern != "*" else _made(chance, _PATTERN_PARTS, 7).lstrip("!#") + "x"
        text = f"{pattern}\n".encode()
        repo.write(".gitignore", text)
        printed = git(
            "check-ignore", "-v", "-n", "-z", "--stdin", "--no-index",
            cwd=repo.path, stdin=b"\0".join(paths), check=False,
        ).stdout.split(b"\0")  # fmt: skip
        matched = [path for rule, path in zip(printed[2::4], printed[3::4], strict=False) if rule]
        rules = Ignores([], {b"": text}.get, ignore_case=folded)
        assert (pattern, [path for path in paths if rules.is_ignored(path)]) == (pattern, matched)


_COMPONENTS = [
    "a", "b", "c", "src", "*", "**", "*.o", "?", "[ab]", "[!a]", "a*", "*b", ".GIT", ".x", "x y",
]  # fmt: skip
_ODD_RULES = [
    "/*/", "*/", "**/", "//", "/**/", "**/*/", "***/", "/", "!", "#a", "\\#a", "\\!a", "*", "/*",
    "a\\", "d\\/", "**\t", "*\t", "a ", "a\\ ", "a\0b", "\0",
]  # fmt: skip
_ENDS = [*[""] * 20, " ", "\t", "\r", "\\", "\0", "\0x"]
_NAMES = [
    "a", "b", "c", "src", "x.o", "ab", ".GIT", ".Git", ".x", "x y", "A", "a ", "a\\", "foo\r",
    "git~1",
]  # fmt: skip


def _ignore_rule(chance: random.Random) -> str:
    if chance.random() < 0.1:
        return chance.choice(_ODD_RULES)
    start = chance.choice(["", "", "", "/", "!", "!/"])
    path = "/".join(chance.choices(_COMPONENTS, k=chance.randrange(1, 4)))
    return start + path + chance.choice(["", "", "/"]) + chance.choice(_ENDS)


def _text(chance: random.Random, lines: Sequence[str]) -> str:
    text = "\n".join(lines) + chance.choice(["\n", "\n", "\n", ""])
    text = text.replace("\n", "\r\n") if chance.random() < 0.1 else text
    return "\ufeff" + text if chance.random() < 0.05 else text


def _ignore_file(chance: random.Random) -> str:
    return _text(chance, [_ignore_rule(chance) for _ in range(chance.randrange(1, 5))])


def _grow(chance: random.Random, folder: Path, depth: int) -> None:
    for name in chance.sample(_NAMES, chance.randrange(1, 7)):
        path = folder / name
        if depth < 3 and chance.random() < 0.5:
            path.mkdir()
            _grow(chance, path, depth + 1)
        else:
            path.touch()
    if chance.random() < (0.3 if depth else 0.7):
        (folder / ".gitignore").write_bytes(_ignore_file(chance).encode())


@pytest.mark.parametrize("seed", range(10))
def test_untracked_paths_are_those_of_git(repo: StateRepo, seed: int) -> None:
    """Ten trees side by side, each with rules of its own; the first one's rules count in all."""
    chance = random.Random(f"ignore {seed}")
    repo.config("core.ignoreCase", chance.choice(["false", "false", "true"]))
    repo.config("core.excludesFile", str(repo.home / "excludes"))
    for number in range(10):
        tree = repo.path / f"tree{number}" if number else repo.path
        tree.mkdir(exist_ok=True)
        _grow(chance, tree, 0)
    for path in (repo.file(".git/info/exclude"), repo.home / "excludes"):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(_ignore_file(chance).encode() if chance.random() < 0.5 else b"")
    listed = git("ls-files", "-z", "--others", cwd=repo.path).stdout.split(b"\0")[:-1]
    tracked = chance.sample(listed, len(listed) // 6)
    repo.git("update-index", "--add", "-z", "--stdin", stdin=b"\0".join(tracked))
    words = git_prints(repo.path, "status", "--short", "-z", "-uall").split(b"\0")
    expected = sorted(word[3:] for word in words if word.startswith(b"??"))
    assert list(PathSurvey(open_at(repo.path)).changed.untracked) == expected
    rules = ignores_of(open_at(repo.path).look())
    assert [path for path in listed if rules.is_ignored(path)] == _ignored(repo, listed)


def _ignored(repo: StateRepo, paths: Sequence[bytes]) -> list[bytes]:
    """Those of the paths that Git ignores."""
    printed = git(
        "check-ignore", "-z", "--stdin", "--no-index",
        cwd=repo.path, stdin=b"\0".join(paths), check=False,
    ).stdout  # fmt: skip
    return printed.split(b"\0")[:-1]


_WORDS = [
    "text", "-text", "!text", "text=auto", "eol=lf", "eol=crlf", "diff", "-diff", "!diff",
    "diff=python", "binary", "-binary", "!binary", "ident", "-ident", "filter=lfs", "mac", "-mac",
    "!mac", "mac=x", "text=", "-", "=x", "a b", "working-tree-encoding=UTF-16",
    "-working-tree-encoding", "te\0xt", "\0", "-diff\0x", "bad^name", "crlf", "crlf=input",
    "text=é",
]  # fmt: skip
_ODD_PATTERNS = [
    "#a", "", '"a', "a\\", "\\#a", '"a"b', "**\t", "a\0b", "\0", "[attr]", "[attr]text",
    "[attr]-x", '"[attr]mac"', "a" * 2040, "a" * 2047, "a" * 2048, "!a",
    '"[attr] mac"', '"[attr]mac\\000x" ', '"a\\000x"', '"*b\\tc"', '"\\133attr]mac"',
    "[attr]binary",
]  # fmt: skip
_QUOTED = ['"x y"', '"a\\142"', "x\\y"]
_ATTRIBUTES = [
    "text", "diff", "binary", "ident", "filter", "eol", "working-tree-encoding", "mac", "crlf",
]  # fmt: skip
_FILES = [
    "a", "b", "A", "x.o", "x y", "ab", "x\\y", "src/a", "src/b", "src/d/a", "src/d/x.o", "d/a",
    "d/ab", "d/b/c/a", ".x", "d/.x",
]  # fmt: skip


def _attribute_line(chance: random.Random) -> str:
    start = chance.choice(["", "", "", "/", " ", "\t"])
    pattern = start + "/".join(
        chance.choices([*_COMPONENTS[:-1], *_QUOTED], k=chance.randrange(1, 4))
    )
    if chance.random() < 0.15:
        pattern = chance.choice(["[attr]mac", *_ODD_PATTERNS])
    words = chance.choice([" ", "\t"]).join(chance.choices(_WORDS, k=chance.randrange(4)))
    return pattern + chance.choice([" ", "\t", "  ", "\r"]) + words + chance.choice(_ENDS)


def _attribute_file(chance: random.Random) -> bytes:
    lines = [_attribute_line(chance) for _ in range(chance.randrange(1, 5))]
    return _text(chance, lines).encode()


def _place_rules(repo: StateRepo, chance: random.Random, path: str) -> None:
    """Write an attribute file; some are tracked, and of those some only in the index."""
    repo.write(path, _attribute_file(chance))
    how = chance.choice(["untracked", "untracked", "tracked", "staged", "unmerged"])
    if how == "untracked":
        return
    blob = repo.git("hash-object", "-w", "--no-filters", path)
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
    if how == "tracked":
        return
    repo.file(path).unlink()
    if how == "unmerged":
        blobs = [
            repo.git("hash-object", "-w", "--stdin", stdin=_attribute_file(chance))
            for _ in range(3)
        ]
        stages = chance.choice([(1, 2, 3), (1, 2), (2, 3), (1, 3)])
        entries = [f"100644 {blobs[stage - 1]} {stage}\t{path}\n" for stage in stages]
        gone = f"0 {'0' * 40}\t{path}\n"
        repo.git("update-index", "--index-info", stdin="".join([gone, *entries]).encode())


@pytest.mark.parametrize("seed", range(100))
def test_attributes_are_those_of_git(repo: StateRepo, seed: int) -> None:
    chance = random.Random(f"attributes {seed}")
    repo.config("core.ignoreCase", chance.choice(["false", "false", "true"]))
    repo.config("core.attributesFile", str(repo.home / "attributes"))
    for name in _FILES:
        repo.write(name)
    for folder in ("", "src/", "src/d/", "d/", "d/b/"):
        if chance.random() < 0.5:
            _place_rules(repo, chance, f"{folder}.gitattributes")
    for path in (repo.file(".git/info/attributes"), repo.home / "attributes"):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(_attribute_file(chance) if chance.random() < 0.4 else b"")
    printed = git(
        "check-attr", "-z", "--stdin", *_ATTRIBUTES,
        cwd=repo.path, stdin="\0".join(_FILES).encode(),
    ).stdout.split(b"\0")  # fmt: skip
    expected = dict(
        zip(zip(printed[::3], printed[1::3], strict=False), printed[2::3], strict=False)
    )
    attributes = attributes_of(open_at(repo.path).look())
    found = {
        (name.encode(), attribute.encode()): _shown(values.get(attribute))
        for name in _FILES
        for values in [attributes.lookup(name.encode(), _ATTRIBUTES)]
        for attribute in _ATTRIBUTES
    }
    assert found == expected


def _shown(value: Value) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    return {None: b"unspecified", True: b"set", False: b"unset"}[value]
