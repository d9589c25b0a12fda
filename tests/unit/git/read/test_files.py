"""Git's own files, read without waiting for what is no file."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from git_zdev.git.read import files


def fifo(path: Path) -> Path:
    os.mkfifo(path)
    return path


def test_a_file_and_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "HEAD"
    path.write_bytes(b"ref: refs/heads/main\n")
    (tmp_path / "link").symlink_to("HEAD")
    assert files.read(str(path)) == b"ref: refs/heads/main\n"
    assert files.read(str(tmp_path / "link"), 3) == b"ref"
    assert files.wrong_kind(str(tmp_path / "link")) is None


def test_the_null_device_is_an_empty_file() -> None:
    assert files.read(os.devnull) == b""


def test_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    path = str(fifo(tmp_path / "HEAD"))
    with pytest.raises(OSError, match="it is a FIFO, not a file") as caught:
        files.read(path)
    assert caught.value.filename == path
    assert files.wrong_kind(path) == "it is a FIFO, not a file"


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        files.read(str(tmp_path / "HEAD"))
    assert files.wrong_kind(str(tmp_path / "HEAD")) is None


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        files.read(str(tmp_path))
    assert files.wrong_kind(str(tmp_path)) == "it is a directory, not a file"


def test_a_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("s")
        assert files.wrong_kind("s") == "it is a socket, not a file"
        with pytest.raises(OSError, match="s"):
            files.read("s")


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    folder = Path("/proc/self/fd") if Path("/proc/self/fd").is_dir() else Path("/dev/fd")
    fifo(tmp_path / "fifo")
    before = len(list(folder.iterdir()))
    for path in (tmp_path, tmp_path / "fifo"):
        with pytest.raises(OSError, match=r"."):
            files.read(str(path))
    assert len(list(folder.iterdir())) == before


def test_a_name_with_a_nul_is_that_of_no_file() -> None:
    with pytest.raises(OSError, match="NUL"):
        files.read("a\0b")
    assert files.wrong_kind("a\0b") is None


@pytest.mark.parametrize("field", [0, 1, 2, 3, 6])  # mode, inode, device, links, size
def test_each_part_of_an_identity_counts(tmp_path: Path, field: int) -> None:
    path = tmp_path / "index"
    path.write_bytes(b"DIRC")
    found = path.stat()
    other = [*found]
    other[field] += 1
    kept = {"st_mtime_ns": found.st_mtime_ns, "st_ctime_ns": found.st_ctime_ns}
    assert files.identity(os.stat_result(other, kept)) != files.identity(found)
