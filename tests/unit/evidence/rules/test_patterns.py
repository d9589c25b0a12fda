"""Patterns made up at random, against what ``git check-attr`` finds for them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from git_zdev.evidence.look.contents import attributes_of
from git_zdev.git.read.worktree import Index
from tests.support.evidence import open_at

if TYPE_CHECKING:
    from tests.support.gitrepo import GitRepo

PIECES = (
    "a", "b", "B", "/", "*", "**", "**/", "/**", "?", "[ab]", "[!a]", "[^b]", "[a-b]", "[b-a]",
    "[]a]", "[[:alpha:]]", "[[:upper:]b]", "[[:odd:]]", "[a", "\\a", "\\*", "[\\]a]", "[a-\\b]",
    "-", ".", "[.-]", "[AB]", "[A-Z]", "[!B]",
)  # fmt: skip
PATHS = (
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
    attributes = attributes_of(repository, Index(repository))
    printed = repo.git("check-attr", "-z", "-a", "--", *PATHS).split("\0")
    expected = {path: set[str]() for path in PATHS}
    for path, name in zip(printed[::3], printed[1::3], strict=False):
        expected[path].add(name)
    for path in PATHS:
        found = attributes.lookup(path.encode(), names)
        wrong = {patterns[names.index(name)] for name in found.keys() ^ expected[path]}
        assert not wrong, f"{path}: {sorted(wrong)}"
    assert sum(map(len, expected.values())) > 100
