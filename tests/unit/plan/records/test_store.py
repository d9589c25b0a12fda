"""Records are read through real folders and regular files only."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from git_zdev.git.model import IndexEntry
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.paths import PlanRoot
from git_zdev.plan.records import store
from git_zdev.plan.records.store import FileSource, PlannedSource, RecordSource
from git_zdev.plan.records.tracked import IndexSource
from tests.support.plan import write_plan

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def refused(source: RecordSource, path: str) -> ZdevError:
    with pytest.raises(ZdevError) as caught:
        source.read(path)
    return caught.value


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "plan"
    write_plan(folder, {"config.toml": "c", "a/area.toml": "x", "a/tasks/001-t.md": b"\x00\xff"})
    return folder


def test_files_and_folders_are_read(root: Path) -> None:
    source = FileSource(root)
    assert source.read(".zdev/config.toml") == b"c"
    assert source.read(".zdev/a/tasks/001-t.md") == b"\x00\xff"
    assert source.read(".zdev/a/tasks/002-t.md") is None
    assert source.read(".zdev/b/area.toml") is None
    assert source.names(".zdev") == [("a", True), ("config.toml", False)]
    assert source.names(".zdev/a/tasks") == [("001-t.md", False)]
    assert source.names(".zdev/a/tasks") == [("001-t.md", False)]
    assert source.names(".zdev/a/slices") == []
    assert FileSource(root / "missing").read(".zdev/config.toml") is None


def test_an_empty_file_and_one_at_the_limit_are_read(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "SIZE_LIMIT", 10)
    (root / ".zdev/empty").write_bytes(b"")
    (root / ".zdev/full").write_bytes(b"x" * 10)
    (root / ".zdev/more").write_bytes(b"x" * 11)
    source = FileSource(root)
    assert source.read(".zdev/empty") == b""
    assert source.read(".zdev/full") == b"x" * 10
    error = refused(source, ".zdev/more")
    assert (error.code, error.details) == ("record-too-large", {"path": ".zdev/more"})


def test_descriptors_are_given_back(root: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    with FileSource(root) as source:
        for _ in range(3):
            source.read(".zdev/a/tasks/001-t.md")
            source.read(".zdev/a/area.toml")
            source.read(".zdev/missing/area.toml")
            source.names(".zdev/a")
    assert len(os.listdir("/dev/fd")) == before


@pytest.mark.parametrize(
    ("place", "target"),
    [
        (".zdev", "real"),
        (".zdev/a", "real"),
        (".zdev/a", "../.zdev/b"),
        (".zdev/a/tasks", "../b"),
        (".zdev/a/tasks/001-t.md", "../area.toml"),
        (".zdev/a/tasks/001-t.md", "/dev/null"),
        (".zdev/a/tasks/001-t.md", "dangling"),
    ],
)
def test_a_symlink_anywhere_on_the_path_is_refused(root: Path, place: str, target: str) -> None:
    link = root / place
    link.rename(root / "real")
    link.symlink_to(target)
    error = refused(FileSource(root), ".zdev/a/tasks/001-t.md")
    assert error.code == "symlink-in-records"
    assert error.details == {"path": place}
    assert str(error).startswith(f"{place} is a symlink")


def test_the_root_itself_may_be_reached_through_a_symlink(root: Path) -> None:
    (root.parent / "link").symlink_to(root)
    assert FileSource(root.parent / "link").read(".zdev/config.toml") == b"c"


def test_a_symlink_is_listed_as_what_it_might_be(root: Path) -> None:
    (root / ".zdev/link").symlink_to("a")
    assert ("link", True) in FileSource(root).names(".zdev")


def test_what_is_no_regular_file_is_refused_without_waiting(root: Path) -> None:
    os.mkfifo(root / ".zdev/fifo")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(root / ".zdev/socket"))
    source = FileSource(root)
    assert [refused(source, f".zdev/{name}").code for name in ("fifo", "socket", "a")] == [
        "not-a-regular-file"
    ] * 3
    assert refused(source, ".zdev/fifo").message == ".zdev/fifo is a FIFO; expected a regular file"
    error = refused(source, ".zdev/config.toml/area.toml")
    assert error.message == ".zdev/config.toml is a regular file; expected a folder"


def test_what_may_not_be_read_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def denied(name: str, flags: int, mode: int = 0o777, **place: int) -> int:
        if name == "config.toml":
            raise PermissionError(13, "Permission denied", name)
        return real(name, flags, mode, **place)

    monkeypatch.setattr(os, "open", denied)
    error = refused(FileSource(root), ".zdev/config.toml")
    assert error.code == "unreadable-record"
    assert error.message == ".zdev/config.toml cannot be read: Permission denied"


def test_a_swapped_parent_does_not_lead_elsewhere(root: Path) -> None:
    source = FileSource(root)
    assert source.read(".zdev/a/tasks/001-t.md") == b"\x00\xff"
    (root / ".zdev/a/tasks").rename(root / "aside")
    (root / "elsewhere").mkdir()
    (root / "elsewhere/001-t.md").write_bytes(b"secret")
    (root / ".zdev/a/tasks").symlink_to(root / "elsewhere")
    assert source.read(".zdev/a/tasks/001-t.md") == b"\x00\xff"
    assert refused(FileSource(root), ".zdev/a/tasks/001-t.md").code == "symlink-in-records"


@dataclass
class FakeIndex:
    """An index in memory: path to mode, content and stage."""

    files: dict[bytes, tuple[int, bytes]]
    stages: dict[bytes, int] = field(default_factory=dict)
    intents: frozenset[bytes] = frozenset()

    def entries(self, prefix: bytes = b"") -> Iterable[IndexEntry]:
        for path, (mode, _) in sorted(self.files.items()):
            if path.startswith(prefix):
                stage = self.stages.get(path, 0)
                yield IndexEntry(path, mode, path.hex(), stage, path in self.intents)

    def read_blob(self, blob: str) -> bytes:
        return self.files[bytes.fromhex(blob)][1]


REGULAR, LINK, MODULE = 0o100644, 0o120000, 0o160000


def test_the_index_is_read_like_a_tree() -> None:
    index = FakeIndex(
        {
            b".zdev/a/area.toml": (REGULAR, b"x"),
            b".zdev/a/tasks/001-t.md": (0o100755, b"t"),
            b".zdev/config.toml": (REGULAR, b"c"),
            b".zdevious": (REGULAR, b""),
            b"other": (REGULAR, b""),
        }
    )
    source = IndexSource(index)
    assert source.read(".zdev/config.toml") == b"c"
    assert source.read(".zdev/a/tasks/001-t.md") == b"t"
    assert source.read(".zdev/b") is None
    assert source.names(".zdev") == [("a", True), ("config.toml", False)]
    assert source.names(".zdev/a") == [("area.toml", False), ("tasks", True)]
    assert source.names(".zdev/b") == []
    assert refused(source, ".zdev/a").code == "not-a-regular-file"


def test_a_plan_root_below_the_work_tree_has_a_prefix() -> None:
    index = FakeIndex(
        {b"sub/.zdev/config.toml": (REGULAR, b"s"), b".zdev/config.toml": (REGULAR, b"r")}
    )
    assert IndexSource(index, PlanRoot("sub")).read(".zdev/config.toml") == b"s"


@pytest.mark.parametrize(
    ("path", "mode", "code"),
    [
        (b".zdev", LINK, "symlink-in-records"),
        (b".zdev/a", LINK, "symlink-in-records"),
        (b".zdev/a/area.toml", LINK, "symlink-in-records"),
        (b".zdev/a", MODULE, "not-a-folder"),
        (b".zdev/a", REGULAR, "not-a-folder"),
        (b".zdev/a/area.toml", MODULE, "not-a-regular-file"),
    ],
)
def test_staged_modes_are_checked(path: bytes, mode: int, code: str) -> None:
    assert refused(IndexSource(FakeIndex({path: (mode, b"")})), ".zdev/a/area.toml").code == code


def test_unmerged_and_intended_entries() -> None:
    path = b".zdev/config.toml"
    unmerged = IndexSource(FakeIndex({path: (REGULAR, b"")}, stages={path: 2}))
    assert refused(unmerged, ".zdev/config.toml").code == "unmerged-record"
    intended = IndexSource(FakeIndex({path: (REGULAR, b"")}, intents=frozenset({path})))
    assert intended.read(".zdev/config.toml") is None
    assert intended.names(".zdev") == []


def test_a_plan_lies_over_its_base(root: Path) -> None:
    files = {
        ".zdev/config.toml": None,
        ".zdev/a/tasks/002-u.md": b"u",
        ".zdev/b/area.toml": b"b",
    }
    source = PlannedSource(FileSource(root), files)
    assert source.read(".zdev/config.toml") is None
    assert source.read(".zdev/a/tasks/002-u.md") == b"u"
    assert source.read(".zdev/a/area.toml") == b"x"
    assert source.names(".zdev") == [("a", True), ("b", True)]
    assert source.names(".zdev/a/tasks") == [("001-t.md", False), ("002-u.md", False)]
    assert source.names(".zdev/b") == [("area.toml", False)]
