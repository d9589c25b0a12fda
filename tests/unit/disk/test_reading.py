"""Regular files and folders are opened safely, and nothing else is."""

from __future__ import annotations

import os
import socket
import stat
from typing import TYPE_CHECKING

import pytest

from git_zdev.disk import reading

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one of each kind, which is the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "dangling").symlink_to("nothing")
    (tmp_path / "sub/inner").mkdir(parents=True)
    (tmp_path / "sub/inner/file").write_bytes(b"inside")
    (tmp_path / "to-sub").symlink_to("sub")
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
    return tmp_path


def opened() -> int:
    return len(os.listdir("/dev/fd"))


KINDS = {
    "link": stat.S_IFLNK,
    "dangling": stat.S_IFLNK,
    "to-sub": stat.S_IFLNK,
    "sub": stat.S_IFDIR,
    "fifo": stat.S_IFIFO,
    "socket": stat.S_IFSOCK,
    "/dev/null": stat.S_IFCHR,
}


@pytest.mark.parametrize("name", KINDS)
def test_other_kinds_are_refused_and_not_waited_for(name: str, folder: Path) -> None:
    del folder
    before = opened()
    with pytest.raises(reading.WrongKind) as caught:
        reading.read_file(name)
    assert (stat.S_IFMT(caught.value.mode), caught.value.filename) == (KINDS[name], name)
    assert opened() == before


@pytest.mark.parametrize("name", ["file", "link", "fifo", "dangling"])
def test_a_folder_is_a_folder(name: str, folder: Path) -> None:
    del folder
    expected = FileNotFoundError if name == "dangling" else reading.WrongKind
    with pytest.raises(expected):
        reading.open_folder(name, follow=True)
    with pytest.raises(reading.WrongKind):
        reading.open_folder(name)


def test_links_are_followed_where_that_is_asked_for(folder: Path) -> None:
    assert reading.read_file("link", follow=True) == b"content"
    assert reading.read_file(os.devnull, follow=True) == b""
    with pytest.raises(reading.WrongKind, match="it is a device, not a file"):
        reading.read_file("/dev/zero", follow=True)
    with pytest.raises(FileNotFoundError):
        reading.read_file("dangling", follow=True)
    top = reading.open_folder(str(folder))
    assert reading.read_file(b"file", top) == b"content"
    os.close(top)


def test_the_limit_is_the_last_size_that_is_accepted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert reading.read_file("file", limit=7) == b"content"
    with pytest.raises(reading.TooLarge) as caught:
        reading.read_file("file", limit=6)
    assert caught.value.size == 7
    real = os.fstat

    def before_it_grew(descriptor: int) -> os.stat_result:
        fields = list(real(descriptor))
        fields[stat.ST_SIZE] = 3
        return os.stat_result(fields)

    monkeypatch.setattr(os, "fstat", before_it_grew)
    assert reading.read_file("file", limit=7) == b"content"
    with pytest.raises(reading.TooLarge):
        reading.read_file(str(folder / "file"), limit=6)


@pytest.mark.parametrize("in_bytes", [False, True])
def test_a_walk_keeps_the_folder_and_follows_no_link(folder: Path, in_bytes: bool) -> None:
    def name(text: str) -> str | bytes:
        return os.fsencode(text) if in_bytes else text

    before = opened()
    with reading.Walk(name(str(folder))) as walk:
        inner = walk.open(name("sub/inner"))
        assert reading.read_file("file", inner) == b"inside"
        assert walk.open(name("sub/inner")) == inner
        assert reading.read_file("file", walk.open(name(""))) == b"content"
        for path, at in [("to-sub/inner", "to-sub"), ("sub/none/x", "sub/none"), ("file", "file")]:
            with pytest.raises(OSError, match=r".") as caught:
                walk.open(name(path))
            assert caught.value.filename == name(at)
        assert reading.read_file("file", walk.open(name("sub/inner"))) == b"inside"
    assert opened() == before
    walk.close()


def test_an_identity_changes_with_the_file(folder: Path) -> None:
    before = reading.identity_of(os.stat("file"))
    assert reading.identity_of(os.stat("file")) == before
    (folder / "other").write_bytes(b"content")
    (folder / "other").replace(folder / "file")
    assert reading.identity_of(os.stat("file")) != before
