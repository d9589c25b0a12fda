"""Abbreviated ids: how many digits, and unique among packed and loose objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from git_zdev.evidence.abbreviation import Abbreviator, default_length
from git_zdev.git.read.objects import with_alternates

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repo import GitRepo

ONE = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("packed", "digits"),
    [(0, 7), (1, 7), (16383, 7), (16384, 8), (65535, 8), (65536, 9), (10_000_000, 12)],
)
def test_half_of_the_bits_of_the_packed_objects(packed: int, digits: int) -> None:
    assert default_length(packed) == digits


def add_loose(objects: Path, object_id: str) -> None:
    folder = objects / object_id[:2]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / object_id[2:]).write_bytes(b"")


def test_loose_objects_make_ids_longer(tmp_path: Path) -> None:
    add_loose(tmp_path, ONE)
    assert Abbreviator([str(tmp_path)])(ONE) == b"0123456"
    add_loose(tmp_path, ONE[:9] + "0" * 31)
    assert Abbreviator([str(tmp_path)])(ONE) == b"0123456789"
    (tmp_path / "01" / "not-an-object").write_bytes(b"")
    assert Abbreviator([str(tmp_path)])("f" * 40) == b"fffffff"


def abbreviator(repo: GitRepo) -> Abbreviator:
    return Abbreviator(with_alternates(str(repo.path / ".git/objects")))


@pytest.mark.parametrize("index_version", ["1", "2", "multi"])
def test_packed_objects_are_looked_up(repo: GitRepo, index_version: str) -> None:
    for number in range(300):
        repo.write(f"f{number}", f"{number}\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "Many")
    if index_version == "1":
        repo.git("config", "pack.indexVersion", "1")
    repo.git("repack", "-q", "-a", "-d")
    if index_version == "multi":
        repo.git("multi-pack-index", "write")
    shorten = abbreviator(repo)
    full, short = (
        repo.git("ls-tree", "HEAD").split(),
        repo.git("ls-tree", "--abbrev", "HEAD").split(),
    )
    ids = dict(zip(full[2::4], short[2::4], strict=True))
    assert len(ids) == 300
    assert {one: shorten(one).decode() for one in ids} == ids


def test_objects_of_alternates_count(repo: GitRepo, tmp_path: Path) -> None:
    objects = repo.path / ".git/objects"
    other = tmp_path / "other"
    add_loose(objects, ONE)
    add_loose(other, ONE[:8] + "f" * 32)
    (objects / "info").mkdir(exist_ok=True)
    (objects / "info/alternates").write_text("# none\n../../../other\n")
    assert with_alternates(str(objects)) == [str(objects), str(other)]
    assert abbreviator(repo)(ONE) == b"012345678"
