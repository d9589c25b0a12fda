"""The blocks of binary patches, against ``git diff --binary``."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from git_zdev.evidence.binary import binary_body
from git_zdev.ground.errors import ZdevError
from tests.support.evidence import git_strings, own_strings
from tests.support.repo import git

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

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
    "larger than a block": (NOISE * 30, NOISE[:1000] + NOISE * 29),
    "periodic": (bytes(range(256)) * 9, bytes(range(255)) * 9),
}


@pytest.mark.parametrize("level", [None, *range(-1, 10)])
@pytest.mark.parametrize("name", CONTENTS)
def test_blocks_equal_git(repo: GitRepo, name: str, level: int | None) -> None:
    old, new = CONTENTS[name]
    repo.write(".gitattributes", "* -diff\n")
    repo.commit(f=old)
    repo.write("f", new)
    options = [] if level is None else ["-c", f"core.compression={level}"]
    printed = repo.git(*options, "diff", "--binary").encode("utf-8", "surrogateescape") + b"\n"
    body = binary_body(old, new, 1 if level is None else level)
    assert body == printed[printed.index(b"GIT binary patch\n") :]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"core.compression": "9"},
        {"core.looseCompression": "9"},
        {"core.looseCompression": "0", "core.compression": "9"},
        {"core.compression": "-1", "pack.compression": "0"},
    ],
)
def test_the_level_is_that_of_the_configuration(repo: GitRepo, settings: dict[str, str]) -> None:
    repo.commit(f=CONTENTS["text and noise"][0])
    repo.write("f", CONTENTS["text and noise"][1])
    for key, value in settings.items():
        repo.git("config", key, value)
    assert own_strings(repo.path, binary=True) == git_strings(repo.path, "--binary")


@pytest.mark.parametrize("level", ["10", "-2", "much"])
def test_a_level_that_git_refuses(repo: GitRepo, level: str) -> None:
    repo.commit(f=b"\0")
    repo.write("f", b"\1\0")
    repo.git("config", "core.compression", level)
    assert git("diff", "--binary", cwd=repo.path, check=False).returncode == 128
    with pytest.raises(ZdevError) as refused:
        own_strings(repo.path, binary=True)
    assert refused.value.code == "invalid-git-config"


def test_a_change_too_large_to_be_searched(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("git_zdev.evidence.binary.LARGEST", 4999)
    repo.commit(f=b"\0" + NOISE)
    repo.write("f", b"\1" + NOISE)
    with pytest.raises(ZdevError) as refused:
        own_strings(repo.path, binary=True)
    assert (refused.value.code, refused.value.details) == ("binary-change-too-large", {"path": "f"})


def edited(chance: random.Random, old: bytes) -> bytes:
    """The content after some cuts, copies and insertions."""
    new = bytearray(old)
    for _ in range(chance.choice([1, 3, 10, 40])):
        start = chance.randrange(len(new) + 1)
        stop = min(len(new), start + chance.randrange(chance.choice([2, 20, 300, 5000])))
        match chance.randrange(4):
            case 0:
                del new[start:stop]
            case 1:
                new[start:start] = new[start:stop]
            case 2:
                new[start:stop] = chance.randbytes(stop - start)
            case _:
                other = chance.randrange(len(new) + 1)
                new[start:start] = new[other : other + stop - start]
    return bytes(new)


def made_up(chance: random.Random) -> bytes:
    """Noise, something periodic, few letters, or numbers: what finds copies in many places."""
    size = chance.choice([5, 17, 33, 1000, 5000, 70_000])
    match chance.randrange(4):
        case 0:
            return chance.randbytes(size)
        case 1:
            return chance.randbytes(chance.randrange(1, 60)) * (size // 20 + 1)
        case 2:
            return bytes(chance.choices(b"ab", k=size))
        case _:
            return b"".join(b"%d\n" % chance.randrange(1000) for _ in range(size // 4 + 1))


@pytest.mark.parametrize("seed", range(4))
def test_deltas_of_made_up_contents(repo: GitRepo, seed: int) -> None:
    chance = random.Random(seed)
    names = [f"f{number}" for number in range(40)]
    for name in names:
        repo.write(name, b"\0" + made_up(chance))
    repo.git("add", "--all")
    for name in names:
        repo.write(name, edited(chance, (repo.path / name).read_bytes()))
    printed = git_strings(repo.path, "--binary")
    assert b"\ndelta " in printed["git_diff"]
    assert own_strings(repo.path, binary=True) == printed
