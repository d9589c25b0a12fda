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

from git_zdev.ground.errors import ZdevError
from tests.support.evidence import git_strings, own_strings
from tests.support.repo import git
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


@pytest.mark.parametrize("seed", [2, 3])
def test_damage_under_a_valid_checksum_is_refused_or_shown_as_git_does(
    repo: StateRepo, seed: int
) -> None:
    chance = random.Random(seed)
    path = repo.file(".git/index")
    good = path.read_bytes()
    known = ["corrupt-index", "unsupported-index", "missing-object"]
    for _ in range(60):
        write(path, damaged(good, chance))
        found = outcome(repo)
        assert found in known or found == git_strings(repo.path)


def write(path: Path, body: bytes) -> None:
    """Write an index of these bytes, with the right checksum behind them."""
    path.write_bytes(body + hashlib.sha1(body).digest())


def refusal(repo: StateRepo) -> ZdevError:
    """The error of a capture that must fail."""
    with pytest.raises(ZdevError) as refused:
        own_strings(repo.path)
    assert refused.value.code == "corrupt-index"
    return refused.value


def test_names_out_of_order(repo: StateRepo) -> None:
    path = repo.file(".git/index")
    body = path.read_bytes()[:-_CHECKSUM]
    old, new = (b"e3.txt", b"e4.txt") if b"e3.txt" in body else (b"3.txt", b"4.txt")
    at = body.index(old)
    write(path, body[:at] + new.replace(b"4", b"\xff") + body[at + len(old) :])
    assert "out of order" in str(refusal(repo)) or "cache tree" in str(refusal(repo))


@pytest.mark.parametrize("cut", [-1, 1])
def test_a_name_of_another_length_than_is_recorded(repo: StateRepo, cut: int) -> None:
    path = repo.file(".git/index")
    body = bytearray(path.read_bytes()[:-_CHECKSUM])
    body[12 + 61] += cut
    write(path, bytes(body))
    assert "length" in str(refusal(repo)) or "parsing" in str(refusal(repo))


@pytest.mark.parametrize("repo", ["2"], indirect=True)
def test_the_same_name_twice(repo: StateRepo) -> None:
    """Git writes one merged entry for a name, or stages in their order."""
    path = repo.file(".git/index")
    body = path.read_bytes()[:-_CHECKSUM]
    size = (62 + len("d0/file0.txt") + 8) & ~7
    entry = bytearray(body[12 : 12 + size])
    count = int.from_bytes(body[8:12], "big") + 1
    head = body[:8] + count.to_bytes(4, "big")
    for first, second in ((0, 0), (0, 1), (2, 1), (2, 2)):
        doubled = bytearray()
        for stage in (first, second):
            entry[60] = entry[60] & 0xCF | stage << 4
            doubled += entry
        write(path, head + doubled + body[12 + size :])
        assert "out of order" in str(refusal(repo))


@pytest.mark.parametrize("repo", ["3"], indirect=True)
def test_flags_that_git_does_not_know(repo: StateRepo) -> None:
    path = repo.file(".git/index")
    body = bytearray(path.read_bytes()[:-_CHECKSUM])
    body[body.index(b"d0/later.txt") - 1] |= 1
    write(path, bytes(body))
    failed = git("status", cwd=repo.path, check=False)
    assert b"unknown index entry format" in failed.stderr
    assert "flags 2001" in str(refusal(repo))


def test_a_cache_tree_that_contradicts_the_entries(repo: StateRepo) -> None:
    """Git would show no staged change, because it does not look below the folder."""
    path = repo.file(".git/index")
    body = path.read_bytes()[:-_CHECKSUM]
    blob = bytes.fromhex(repo.rev("HEAD:d1/file4.txt"))
    other = bytes.fromhex(repo.rev("HEAD:d1/file7.txt"))
    write(path, body.replace(blob, other, 1))
    assert git_strings(repo.path)["git_diff_cached"] == b""
    error = refusal(repo)
    assert "cache tree" in str(error)
    assert error.details == {"path": "d1/file4.txt"}


@pytest.mark.parametrize("variable", [False, True])
def test_garbage_has_one_code_wherever_the_index_is(
    repo: StateRepo, monkeypatch: pytest.MonkeyPatch, *, variable: bool
) -> None:
    path = repo.file(".git/index")
    good = path.read_bytes()
    if variable:
        monkeypatch.setenv("GIT_INDEX_FILE", str(path))
    for data in (b"x", b"DIRC", good[:12], good[:40], good[:-1], b"\0" * 200, good[20:]):
        path.write_bytes(data)
        refusal(repo)


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
