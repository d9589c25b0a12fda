"""Damaged indexes: an error that says so, never a crash, a hang or a traceback."""

from __future__ import annotations

import hashlib
import os
import pickle
import random
import signal
import warnings
from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.errors import ZdevError
from tests.support.evidence import own_strings
from tests.support.states import StateRepo, make_state_repo
from tests.support.states.repo import numbered

if TYPE_CHECKING:
    from pathlib import Path

_CHECKSUM = 20


@pytest.fixture(params=["2", "3", "4"])
def repo(tmp_path: Path, hermetic: Path, request: pytest.FixtureRequest) -> StateRepo:
    """Changes of several kinds under each version of the index."""
    repo = make_state_repo(tmp_path / "repo", hermetic)
    repo.base({f"d{n % 3}/file{n}.txt": numbered(n) for n in range(12)})
    repo.git("update-index", "--index-version", request.param)
    repo.write("d0/file0.txt", "changed\n")
    if request.param != "2":
        repo.write("d0/later.txt", "x\n")
        repo.git("add", "-N", "d0/later.txt")
    return repo


def damaged(good: bytes, chance: random.Random) -> bytes:
    """The index without its checksum, a few bits, bytes or words changed, cut or doubled."""
    body = bytearray(good[:-_CHECKSUM])
    kind = chance.choice(["bit", "bit", "byte", "cut", "double", "word"])
    for _ in range(1 if kind == "cut" else chance.choice([1, 1, 2, 5])):
        at = chance.randrange(len(body))
        match kind:
            case "bit":
                body[at] ^= 1 << chance.randrange(8)
            case "byte":
                body[at] ^= chance.randrange(1, 256)
            case "cut":
                del body[at:]
            case "double":
                body[at:at] = body[at : at + chance.randrange(1, 100)]
            case _:
                body[at : at + 4] = chance.choice([b"\xff" * 4, b"\0" * 4, b"\x7f\xff\xff\xff"])
    return bytes(body)


def outcome(repo: StateRepo) -> Any:
    """What a capture in a forked child gives: a refusal's code, the strings, or how it ended."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            found: Any = own_strings(repo.path)
        except ZdevError as error:
            found = error.code
        except BaseException as error:  # noqa: BLE001 — the parent has to see it, whatever it is
            found = error.__class__
        with open(writing, "wb") as pipe:
            pipe.write(pickle.dumps(found))
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(child, 0)
    return pickle.loads(data) if data else f"ended by signal {status}"


def test_damage_is_found_by_the_checksum(repo: StateRepo) -> None:
    chance = random.Random(1)
    path = repo.file(".git/index")
    good = path.read_bytes()
    for _ in range(40):
        body = damaged(good, chance)
        if body != good[:-_CHECKSUM]:
            path.write_bytes(body + good[-_CHECKSUM:])
            assert outcome(repo) in ("corrupt-index", "unsupported-index")


def test_damage_under_a_valid_checksum_is_survived(repo: StateRepo) -> None:
    chance = random.Random(2)
    path = repo.file(".git/index")
    good = path.read_bytes()
    known = {"corrupt-index", "unsupported-index", "missing-object"}
    for _ in range(80):
        body = damaged(good, chance)
        path.write_bytes(body + hashlib.sha1(body).digest())
        found = outcome(repo)
        assert isinstance(found, dict) or found in known


@pytest.mark.parametrize("mode", [b"\0\0\x01\xa4", b"\0\0\x81\xb4", b"\x01\0\x81\xa4"])
@pytest.mark.parametrize("edited", [False, True])
def test_a_mode_that_git_never_records(repo: StateRepo, mode: bytes, *, edited: bool) -> None:
    path = repo.file(".git/index")
    body = path.read_bytes()[:-_CHECKSUM]
    at = body.index(b"\0\0\x81\xa4") if edited else body.rindex(b"\0\0\x81\xa4")
    body = body[:at] + mode + body[at + 4 :]
    path.write_bytes(body + hashlib.sha1(body).digest())
    with pytest.raises(ZdevError) as refused:
        own_strings(repo.path)
    assert refused.value.code == "corrupt-index"
    assert refused.value.details["path"].startswith("d")


def test_an_index_without_a_checksum(repo: StateRepo) -> None:
    """``index.skipHash`` of newer releases writes zeros in its place."""
    before = own_strings(repo.path)
    path = repo.file(".git/index")
    path.write_bytes(path.read_bytes()[:-_CHECKSUM] + bytes(_CHECKSUM))
    assert own_strings(repo.path) == before
