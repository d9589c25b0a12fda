"""The blocks of binary patches, against ``git diff --binary``."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING

import pytest

from git_zdev.evidence.binary import binary_body
from git_zdev.git.worktree import binary_patch
from tests.support.evidence import open_at

if TYPE_CHECKING:
    from tests.support.gitrepo import GitRepo

CHANCE = random.Random(3)
NOISE = CHANCE.randbytes(5000)
CONTENTS = {
    "one byte": (b"\0", b"\1"),
    "from nothing": (b"", NOISE[:300]),
    "to nothing": (NOISE[:300], b""),
    "small edit": (NOISE, NOISE[:2000] + b"edit" + NOISE[2000:]),
    "cut": (NOISE, NOISE[1000:4000]),
    "swapped halves": (NOISE, NOISE[2500:] + NOISE[:2500]),
    "nothing in common": (NOISE[:2000], NOISE[3000:]),
    "compresses well": (b"\0" * 9000, b"\0" * 8000 + b"\1" * 700),
    "line lengths": (NOISE[:52], NOISE[:53]),
    "text and noise": (b"line\n" * 500 + b"\0", b"line\n" * 400 + NOISE[:90]),
    "periodic": (bytes(range(256)) * 9, bytes(range(255)) * 9),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_blocks_equal_git(repo: GitRepo, name: str) -> None:
    old, new = CONTENTS[name]
    repo.write(".gitattributes", "* -diff\n")
    repo.commit(f=old)
    repo.write("f", new)
    printed = repo.git("diff", "--binary").encode("utf-8", "surrogateescape") + b"\n"
    body = binary_body(old, new, partial(binary_patch, open_at(repo.path)))
    assert body == printed[printed.index(b"GIT binary patch\n") :]
