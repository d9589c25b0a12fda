"""Indexes of packs whose offsets lead out of the pack."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_zdev.git.read import packs
from git_zdev.ground.errors import ZdevError
from tests.support.evidence import open_at

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repo import GitRepo

FORMS = ["1", "2", "2,0x40"]
"""Versions of an index; the last has offsets of 64 bits from the 64th byte on."""


@pytest.fixture
def packed(repo: GitRepo) -> GitRepo:
    for number in range(9):
        repo.commit(**{f"f{number}": f"{number}\n" * 50})
    repo.git("repack", "-a", "-d", "-q")
    return repo


def index_of(repo: GitRepo, form: str) -> tuple[Path, int]:
    """The index of the only pack, made anew in a form; and the pack's size."""
    (pack,) = repo.path.glob(".git/objects/pack/*.pack")
    path = pack.with_suffix(".idx")
    path.unlink()
    repo.git("index-pack", f"--index-version={form}", str(pack))
    path.chmod(0o644)
    return path, pack.stat().st_size


def place_of_an_offset(data: bytes, form: str) -> tuple[int, int]:
    """Where the last offset is, and how many bytes it has."""
    count = int.from_bytes(data[1020:1024] if form == "1" else data[1028:1032], "big")
    if form == "1":
        return 1024 + (count - 1) * 24, 4
    return (len(data) - 40 - 8, 8) if "," in form else (1032 + count * 28 - 4, 4)


@pytest.mark.parametrize("form", FORMS)
def test_sound_indexes(packed: GitRepo, form: str) -> None:
    index_of(packed, form)
    head = packed.git("rev-parse", "HEAD")
    assert open_at(packed.path).head().commit == head
    assert open_at(packed.path).objects.commit(head).message


@pytest.mark.parametrize("beyond", [0, 1 << 20, 1 << 30])
@pytest.mark.parametrize("form", FORMS)
def test_an_offset_outside_of_the_pack(packed: GitRepo, form: str, beyond: int) -> None:
    path, size = index_of(packed, form)
    data = bytearray(path.read_bytes())
    at, width = place_of_an_offset(data, form)
    data[at : at + width] = (size + beyond).to_bytes(width, "big")
    path.write_bytes(data)
    with pytest.raises(ZdevError) as refused:
        open_at(packed.path)
    assert refused.value.code == "unreadable-repository"
    assert f"{path} cannot be read: it names a place outside of its pack" in str(refused.value)


def test_a_number_of_an_offset_that_is_not_there(packed: GitRepo) -> None:
    path, _ = index_of(packed, "2")
    data = bytearray(path.read_bytes())
    at, width = place_of_an_offset(data, "2")
    data[at : at + width] = (1 << 31).to_bytes(width, "big")
    path.write_bytes(data)
    with pytest.raises(ZdevError, match="outside of its pack"):
        open_at(packed.path)


@pytest.mark.parametrize("size", [0, 7, 1000, 1031, 1040])
def test_an_index_cut_short_is_left_to_libgit2(packed: GitRepo, size: int) -> None:
    path, _ = index_of(packed, "2")
    path.write_bytes(path.read_bytes()[:size])
    packs.require_packs([str(packed.path / ".git/objects")])


def test_the_index_of_several_packs(packed: GitRepo) -> None:
    packed.commit(more="x\n")
    packed.git("repack", "-d", "-q")
    packed.git("multi-pack-index", "write")
    open_at(packed.path)
    path = packed.path / ".git/objects/pack/multi-pack-index"
    data = bytearray(path.read_bytes())
    entry = next(at for at in range(12, 12 * data[6] + 12, 12) if data[at : at + 4] == b"OOFF")
    start = int.from_bytes(data[entry + 4 : entry + 12], "big")
    data[start + 4 : start + 8] = (1 << 30).to_bytes(4, "big")
    path.chmod(0o644)
    path.write_bytes(data)
    with pytest.raises(ZdevError, match="multi-pack-index cannot be read"):
        open_at(packed.path)


@given(
    st.integers(1, 1 << 33),
    st.lists(st.one_of(st.integers(0, (1 << 32) - 1), st.integers(-3, 3)), max_size=20),
)
def test_columns_of_bytes_agree_with_numbers(size: int, numbers: list[int]) -> None:
    """Small numbers are taken from the size, so that some are near it."""
    offsets = [abs(size + one) % (1 << 32) if abs(one) < 4 else one for one in numbers]
    data = b"".join(offset.to_bytes(4, "big") for offset in offsets)
    small = all(offset < 1 << 31 for offset in offsets)
    below = all(offset < size for offset in offsets)
    found = packs._all_below(data, size)
    assert found == below if small else not found or below
