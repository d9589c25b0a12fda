"""Files that appear whole and never change, also where there are no hard links."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from git_zdev.disk import immutable
from git_zdev.disk.atomic import Disk, Folder

if TYPE_CHECKING:
    from collections.abc import Iterator

WAYS = ("nameless", "named", "linkless")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    (tmp_path / "store").mkdir()
    with Disk().open_root(str(tmp_path / "store")) as opened:
        yield opened


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    if request.param == "named":
        monkeypatch.setattr(immutable, "_link_nameless", lambda *_: False)
    if request.param == "linkless":
        monkeypatch.setattr(os, "link", refuse)
    return request.param


@pytest.mark.usefixtures("way")
def test_a_file_appears_whole_and_for_reading_only(folder: Folder) -> None:
    immutable.publish(folder.at("name"), b"bytes")
    path = Path(folder.path, "name")
    assert path.read_bytes() == b"bytes"
    assert path.stat().st_mode & 0o777 == 0o444
    assert os.listdir(folder.path) == ["name"]


@pytest.mark.usefixtures("way")
def test_a_name_that_is_taken_is_left_alone(folder: Folder) -> None:
    path = Path(folder.path, "name")
    path.write_bytes(b"")
    with pytest.raises(FileExistsError):
        immutable.publish(folder.at("name"), b"bytes")
    assert path.read_bytes() == b""
    assert os.listdir(folder.path) == ["name"]


def test_a_reader_never_sees_half_a_file_where_there_are_no_links(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    seen = []
    rename = os.rename

    def watched(source: str, target: str, **options: int) -> None:
        whole = Path(folder.path, source).read_bytes()
        seen.append((Path(folder.path, "name").exists(), whole))
        rename(source, target, **options)

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(os, "rename", watched)
    immutable.publish(folder.at("name"), b"bytes")
    assert seen == [(False, b"bytes")]
