"""Removing what is drawn below the Git directory, whatever it is."""

from __future__ import annotations

import os
import resource
from typing import TYPE_CHECKING

import pytest

from git_zdev.disk.atomic import Disk
from git_zdev.disk.folders import remove_all

if TYPE_CHECKING:
    from pathlib import Path


def remove(path: Path) -> None:
    disk = Disk()
    with disk.open_root(str(path.parent)) as folder:
        remove_all(disk, folder.at(path.name))


def test_a_missing_one_is_well(tmp_path: Path) -> None:
    remove(tmp_path / "nothing")


def test_links_are_removed_and_never_followed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_bytes(b"precious")
    rubbish = tmp_path / "rubbish"
    (rubbish / "inner").mkdir(parents=True)
    (rubbish / "link").symlink_to(kept)
    (rubbish / "inner/link").symlink_to(kept)
    (rubbish / "inner/dangling").symlink_to("/nowhere")
    os.link(kept / "file", rubbish / "inner/second-name")
    os.mkfifo(rubbish / "fifo")
    remove(rubbish)
    (tmp_path / "link").symlink_to(kept)
    remove(tmp_path / "link")
    assert sorted(os.listdir(tmp_path)) == ["home", "kept"]
    assert (kept / "file").read_bytes() == b"precious"


def test_folders_nested_to_any_depth(tmp_path: Path) -> None:
    """Neither the stack nor the number of open files sets a limit."""
    top = tmp_path / "top"
    top.mkdir()
    descriptor = os.open(top, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("a", dir_fd=descriptor)
        inner = os.open("a", os.O_RDONLY, dir_fd=descriptor)
        os.close(os.open("b", os.O_CREAT | os.O_WRONLY, dir_fd=inner))
        os.close(descriptor)
        descriptor = inner
    os.close(descriptor)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(100, soft), hard))
    try:
        remove(top)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert os.listdir(tmp_path) == ["home"]


def test_what_cannot_be_removed_is_told(tmp_path: Path) -> None:
    class Full(Disk):
        def remove_folder(self, spot: object) -> None:
            raise OSError(16, "Device or resource busy", "x")

    (tmp_path / "folder").mkdir()
    disk = Full()
    with disk.open_root(str(tmp_path)) as folder, pytest.raises(OSError, match="busy"):
        remove_all(disk, folder.at("folder"))
