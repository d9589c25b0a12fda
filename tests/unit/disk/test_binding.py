"""A seal that only one Git directory can give, and the folders that a journal is for."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from git_zdev.disk.atomic import Disk
from git_zdev.disk.binding import Anchor, Binding, hmac_sha256, known_secret, secret_of
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import replace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("key", "data", "expected"),
    [
        (
            b"\x0b" * 20,
            b"Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        ),
        (
            b"Jefe",
            b"what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        ),
        (
            b"\xaa" * 20,
            b"\xdd" * 50,
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
        ),
    ],
)
def test_the_seal_is_that_of_rfc_4231(key: bytes, data: bytes, expected: str) -> None:
    assert hmac_sha256(key, data) == expected


def test_the_secret_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    disk = Disk()
    with disk.open_root(str(tmp_path)) as home:
        assert known_secret(disk, home) is None
        made = secret_of(disk, home)
        assert len(made) == 32
        assert secret_of(disk, home) == known_secret(disk, home) == made
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("folder", "secret"), [(0o755, 0o600), (0o775, 0o640), (0o2770, 0o640), (0o777, 0o644)]
)
def test_who_may_replace_the_secret_may_read_it(tmp_path: Path, folder: int, secret: int) -> None:
    """A repository that a group shares is used by all of it."""
    home = tmp_path / "zdev"
    home.mkdir()
    home.chmod(folder)
    disk = Disk()
    with disk.open_root(str(home)) as opened:
        secret_of(disk, opened)
    assert stat.S_IMODE((home / "secret").stat().st_mode) == secret


@pytest.mark.parametrize("content", [b"", b"x" * 31, b"x" * 33])
def test_a_secret_that_was_cut_off_is_made_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "secret").write_bytes(content)
    disk = Disk()
    with disk.open_root(str(tmp_path)) as home:
        assert known_secret(disk, home) is None
        assert secret_of(disk, home) == (tmp_path / "secret").read_bytes() != content


@pytest.mark.parametrize("kind", ["link", "FIFO", "folder", "huge"])
def test_something_else_is_no_secret(tmp_path: Path, kind: str) -> None:
    spot = tmp_path / "zdev/secret"
    spot.parent.mkdir()
    if kind == "link":
        (tmp_path / "known").write_bytes(b"x" * 32)
        spot.symlink_to(tmp_path / "known")
    elif kind == "FIFO":
        os.mkfifo(spot)
    elif kind == "folder":
        spot.mkdir()
    else:
        spot.touch()
        os.truncate(spot, 1 << 40)
    disk = Disk()
    with disk.open_root(str(spot.parent)) as home, pytest.raises(ZdevError) as caught:
        secret_of(disk, home)
    assert caught.value.code == ("file-too-large" if kind == "huge" else "unsafe-path")


@pytest.fixture
def here(tmp_path: Path) -> Binding:
    for name in ("tree", "tree/git", "other"):
        (tmp_path / name).mkdir()
    return Binding.of(str(tmp_path / "tree"), *[str(tmp_path / "tree/git")] * 2)


def with_tree(binding: Binding, **changes: object) -> Binding:
    return replace(binding, work_tree=replace(binding.work_tree, **changes))


def test_a_binding_fits_the_folders_that_it_was_made_of(here: Binding) -> None:
    assert here.fits(here, moved=False)


def test_another_folder_that_is_here_never_fits(here: Binding, tmp_path: Path) -> None:
    """A copy of the work tree, while the first one stands."""
    other = replace(here, work_tree=Anchor.of(str(tmp_path / "other")))
    assert not other.fits(here, moved=False)
    assert not other.fits(here, moved=True)
    assert not other.was_replaced(here)
    in_git = replace(here, git_dir=Anchor.of(str(tmp_path / "other")))
    assert not in_git.fits(here, moved=True)
    shared = replace(here, common_dir=Anchor.of(str(tmp_path / "other")))
    assert not shared.fits(here, moved=True)


def test_a_folder_with_a_new_name_is_known_by_its_numbers(here: Binding) -> None:
    before = with_tree(here, path="/nowhere/tree")
    assert before.fits(here, moved=False)
    assert not before.was_replaced(here)


@pytest.mark.parametrize("number", ["device", "inode"])
def test_a_folder_that_is_gone_and_had_other_numbers_is_the_callers_word(
    here: Binding, number: str
) -> None:
    before = with_tree(here, path="/nowhere/tree", **{number: 1})
    assert not before.fits(here, moved=False)
    assert before.fits(here, moved=True)


def test_another_folder_under_the_same_name_never_fits(here: Binding) -> None:
    before = with_tree(here, inode=1)
    assert before.was_replaced(here)
    assert not before.fits(here, moved=False)
    assert not before.fits(here, moved=True)


def test_a_device_that_was_mounted_anew_is_the_callers_word(here: Binding) -> None:
    before = with_tree(here, device=1)
    assert not before.fits(here, moved=False)
    assert before.fits(here, moved=True)


def test_devices_tell_nothing_about_another_boot(here: Binding) -> None:
    assert not with_tree(here, device=1).fits(here, moved=False)
    before = replace(with_tree(here, device=1), boot="before")
    assert before.fits(here, moved=False)
    assert not replace(with_tree(here, inode=1), boot="before").fits(here, moved=False)
    away = replace(with_tree(here, path="/nowhere/tree"), boot="before")
    assert not away.fits(here, moved=False)
    assert away.fits(here, moved=True)


def test_a_second_name_of_the_same_folder_fits(here: Binding, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to("tree")
    assert with_tree(here, path=str(tmp_path / "alias")).fits(here, moved=False)


def test_a_file_in_the_place_of_the_folder_is_no_folder(here: Binding, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    before = with_tree(here, path=str(tmp_path / "file"), inode=1)
    assert not before.fits(here, moved=False)
    assert before.fits(here, moved=True)
