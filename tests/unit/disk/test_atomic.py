from __future__ import annotations

import ctypes
import errno
import functools
import os
import resource
import stat
from pathlib import Path
from typing import Any

import pytest

from git_zdev.disk.atomic import Disk, Folder, Spot, storage_error
from git_zdev.disk.folders import OpenFolders
from git_zdev.ground.errors import ZdevError


class Linkless(Disk):
    """What exFAT behind FUSE has: no flagged renames, no hard links."""

    def __init__(self) -> None:
        super().__init__(portable=True)

    def link(self, source: Spot, target: Spot) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM), target.path)


@pytest.fixture(params=[Disk, functools.partial(Disk, portable=True), Linkless])
def disk(request: pytest.FixtureRequest) -> Disk:
    return request.param()


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    root = tmp_path / "root"
    root.mkdir()
    with Disk().open_root(str(root)) as opened:
        yield opened


def test_create_gives_the_exact_mode_and_refuses_what_exists(disk: Disk, folder: Folder) -> None:
    disk.create(folder.at("file"), b"bytes", 0o751)
    found = disk.read(folder.at("file"))
    assert found is not None
    assert (found.data, found.mode) == (b"bytes", 0o751)
    with pytest.raises(FileExistsError) as caught:
        disk.create(folder.at("file"), b"other")
    assert caught.value.filename == f"{folder.path}/file"


def test_create_without_a_mode_obeys_the_umask(disk: Disk, folder: Folder) -> None:
    before = os.umask(0o027)
    try:
        disk.create(folder.at("file"), b"")
    finally:
        os.umask(before)
    found = disk.read(folder.at("file"))
    assert found is not None
    assert found.mode == 0o640


def test_a_file_that_does_not_fit_is_removed_again(disk: Disk, folder: Folder) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(OSError, match="File too large") as caught:
            disk.create(folder.at("file"), b"x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert disk.names(folder) == []
    assert storage_error(caught.value).code == "no-space"


def test_swap_exchanges_or_says_that_it_cannot(folder: Folder) -> None:
    disk = Disk()
    disk.create(folder.at("a"), b"one")
    disk.create(folder.at("b"), b"two")
    assert not Disk(portable=True).swap(folder.at("a"), folder.at("b"))
    if disk.swap(folder.at("a"), folder.at("b")):
        a, b = disk.read(folder.at("a")), disk.read(folder.at("b"))
        assert a is not None
        assert b is not None
        assert (a.data, b.data) == (b"two", b"one")
    with pytest.raises(FileNotFoundError):
        disk.swap(folder.at("a"), folder.at("missing"))


def test_place_never_replaces(disk: Disk, folder: Folder) -> None:
    disk.create(folder.at("a"), b"one")
    disk.create(folder.at("b"), b"two")
    with pytest.raises(FileExistsError):
        disk.place(folder.at("a"), folder.at("b"))
    disk.place(folder.at("a"), folder.at("c"))
    assert disk.names(folder) == ["b", "c"]


def test_place_without_links_reserves_the_name(folder: Folder) -> None:
    class Watching(Linkless):
        def rename(self, source: Spot, target: Spot) -> None:
            stand = (self.is_empty_file(folder.at("b")), self.is_empty_file(folder.at("sign")))
            assert stand == (True, True)
            super().rename(source, target)

    disk = Watching()
    disk.create(folder.at("a"), b"one", 0o600)
    disk.place(folder.at("a"), folder.at("b"), folder.at("sign"))
    found = disk.read(folder.at("b"))
    assert found is not None
    assert (found.data, found.mode) == (b"one", 0o600)
    assert disk.names(folder) == ["b", "sign"]


def test_a_reserved_name_that_is_not_taken_is_given_up(folder: Folder) -> None:
    disk = Linkless()
    with pytest.raises(FileNotFoundError):
        disk.place(folder.at("missing"), folder.at("b"), folder.at("sign"))
    assert disk.names(folder) == ["sign"]


def test_what_is_written_into_a_reserved_name_stays(folder: Folder) -> None:
    class Late(Linkless):
        def create(self, spot: Spot, *arguments: Any, **options: Any) -> os.stat_result:
            found = super().create(spot, *arguments, **options)
            if spot.name == "b":
                Path(spot.path).write_bytes(b"theirs")
            return found

    disk = Late()
    disk.create(folder.at("a"), b"one")
    with pytest.raises(FileExistsError):
        disk.place(folder.at("a"), folder.at("b"))
    assert Path(folder.path, "a").read_bytes() == b"one"
    assert Path(folder.path, "b").read_bytes() == b"theirs"


@pytest.mark.parametrize(
    "number",
    [errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL, errno.EXDEV],
)
def test_every_way_to_say_that_there_are_no_links_is_understood(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", refuse)
    disk = Disk(portable=True)
    disk.create(folder.at("a"), b"one")
    disk.place(folder.at("a"), folder.at("b"))
    assert disk.names(folder) == ["b"]


def test_a_link_that_fails_for_another_reason_is_told(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "link", refuse)
    disk = Disk(portable=True)
    disk.create(folder.at("a"), b"one")
    with pytest.raises(PermissionError):
        disk.place(folder.at("a"), folder.at("b"))
    assert disk.names(folder) == ["a"]


@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP])
def test_a_file_system_without_permissions_keeps_its_own(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fchmod", refuse)
    Disk().create(folder.at("a"), b"one", 0o751)
    assert Path(folder.path, "a").read_bytes() == b"one"


def test_folders_that_cannot_be_forced_are_left_to_the_system(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: int) -> None:
        raise OSError(problem, os.strerror(problem))

    monkeypatch.setattr(os, "fsync", refuse)
    problem = errno.EINVAL
    Disk().sync_folder(folder)
    problem = errno.EIO
    with pytest.raises(OSError, match="Input/output error"):
        Disk().sync_folder(folder)


@pytest.mark.parametrize("kind", ["link", "folder", "fifo"])
def test_only_regular_files_are_read(disk: Disk, folder: Folder, kind: str) -> None:
    path = Path(folder.path, "odd")
    if kind == "link":
        path.symlink_to("/etc/hostname")
    elif kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    with pytest.raises(ZdevError, match="odd is a symbolic link or another kind of file"):
        disk.read(folder.at("odd"))


def test_paths_do_not_lead_through_symbolic_links(disk: Disk, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "plan" / "real").mkdir(parents=True)
    (tmp_path / "plan" / "linked").symlink_to(tmp_path / "elsewhere")
    with OpenFolders(disk, {"plan": str(tmp_path / "plan")}) as folders:
        with pytest.raises(ZdevError) as caught:
            folders.spot("plan", "linked/file")
        assert caught.value.code == "unsafe-path"
        assert folders.spot("plan", "none/file") is None
        assert folders.missing("plan", "real/a/b/file") == ["real/a", "real/a/b"]


def test_a_folder_swapped_for_a_link_after_the_check_leads_nowhere(
    disk: Disk, tmp_path: Path
) -> None:
    (tmp_path / "plan" / "area").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    with OpenFolders(disk, {"plan": str(tmp_path / "plan")}) as folders:
        spot = folders.spot("plan", "area/file")
        assert spot is not None
        (tmp_path / "plan" / "area").rename(tmp_path / "moved")
        (tmp_path / "plan" / "area").symlink_to(tmp_path / "elsewhere")
        disk.create(spot, b"ours")
    assert (tmp_path / "moved" / "file").read_bytes() == b"ours"
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "no-space"),
        (errno.EDQUOT, "no-space"),
        (errno.EFBIG, "no-space"),
        (errno.EACCES, "not-writable"),
        (errno.EROFS, "not-writable"),
        (errno.EIO, "storage-failed"),
    ],
)
def test_errors_name_the_path_and_the_reason(number: int, code: str) -> None:
    error = storage_error(OSError(number, os.strerror(number), "/some/file"))
    assert error.code == code
    assert "/some/file" in error.message
    assert os.strerror(number) in error.message


@pytest.mark.parametrize(
    ("problem", "outcome"), [(0, []), (errno.ENOSYS, ["sync"]), (errno.EIO, "Input/output error")]
)
def test_a_flush_that_the_system_refuses_is_made_in_another_way(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, problem: int, outcome: list[str] | str
) -> None:
    class Library:
        def __init__(self, *_: object, **__: object) -> None:
            pass

        def syncfs(self, _: int) -> int:
            ctypes.set_errno(problem)
            return -1 if problem else 0

    made: list[str] = []
    monkeypatch.setattr(ctypes, "CDLL", Library)
    monkeypatch.setattr(os, "sync", lambda: made.append("sync"))
    disk = Disk()
    assert disk.has_barrier
    assert not Disk(portable=True).has_barrier
    if isinstance(outcome, str):
        with pytest.raises(OSError, match=outcome):
            disk.sync_everything(folder)
    else:
        disk.sync_everything(folder)
        assert made == outcome


@pytest.mark.parametrize(("size", "fits"), [(0, True), (5, True), (6, False), (1 << 40, False)])
def test_a_file_is_read_up_to_a_limit(folder: Folder, size: int, fits: bool) -> None:
    path = f"{folder.path}/file"
    with open(path, "wb"):
        os.truncate(path, size)
    if fits:
        content = Disk().read(folder.at("file"), 5)
        assert content is not None
        assert content.data == b"\0" * size
        return
    with pytest.raises(ZdevError) as caught:
        Disk().read(folder.at("file"), 5)
    assert caught.value.code == "file-too-large"
    assert path in caught.value.message


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc")
def test_a_file_that_grows_while_it_is_read_keeps_to_the_limit() -> None:
    """Files of /proc have no size, and something in them all the same."""
    disk = Disk()
    with disk.open_root("/proc/self") as folder:
        content = disk.read(folder.at("status"))
        assert content is not None
        assert content.data.startswith(b"Name:")
        with pytest.raises(ZdevError) as caught:
            disk.read(folder.at("status"), 10)
        assert caught.value.code == "file-too-large"


def test_a_private_file_was_never_open_to_others(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes = []
    original = Disk._fill

    def look(self: Disk, descriptor: int, data: bytes) -> None:
        modes.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        original(self, descriptor, data)

    monkeypatch.setattr(Disk, "_fill", look)
    Disk().create(folder.at("private"), b"x", 0o600)
    assert modes == [0o600]


@pytest.mark.parametrize(
    ("number", "word"),
    [(errno.EMFILE, "ulimit -n"), (errno.ENFILE, "machine"), (errno.ENOMEM, "memory")],
)
def test_the_disk_is_not_blamed_for_what_the_system_lacks(number: int, word: str) -> None:
    error = storage_error(OSError(number, os.strerror(number), "/some/file"))
    assert error.code == "storage-failed"
    assert word in error.hint
    assert "disk" not in error.hint
