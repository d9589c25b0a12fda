"""The untracked map against ``git hash-object --no-filters``, and what it refuses."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.evidence import untracked
from git_zdev.evidence.untracked import untracked_map
from git_zdev.git.read import worktree as files
from git_zdev.ground.errors import InvalidInput, ZdevError
from tests.support.repo import as_unprivileged, open_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.repo import GitRepo


def no_nested(path: bytes) -> dict[str, Any]:
    raise AssertionError(f"{path!r} is not a nested repository")


def describe(repo: GitRepo, *paths: bytes) -> dict[str, dict[str, Any]]:
    return untracked_map(str(repo.path), paths, no_nested)


def git_hash(repo: GitRepo, path: str) -> str:
    return repo.git("hash-object", "--no-filters", "--", path)


@pytest.fixture
def at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file counts as changed long ago, so that none is leased or waited for."""
    monkeypatch.setattr(files, "_is_at_rest", lambda _found: True)


def test_nothing_is_an_empty_map(repo: GitRepo) -> None:
    assert describe(repo) == {}


@pytest.mark.parametrize("size", [0, 1, 4096, (1 << 18) - 1, 1 << 18, (1 << 20) + 7, 5 << 20])
def test_files_hash_as_git_hashes_them(repo: GitRepo, size: int) -> None:
    repo.write("f", bytes(n * 7 % 251 for n in range(256)) * (size // 256) + b"x" * (size % 256))
    assert describe(repo, b"f") == {"f": {"kind": "file", "hash": git_hash(repo, "f")}}


def test_hashes_ignore_filters_and_line_end_settings(repo: GitRepo) -> None:
    repo.write(".gitattributes", "* text eol=lf ident working-tree-encoding=UTF-16\n")
    repo.git("config", "core.autocrlf", "true")
    repo.write("f", b"one\r\n$Id: x $\r\n")
    assert describe(repo, b"f")["f"]["hash"] == git_hash(repo, "f")


def test_several_large_files_are_hashed_side_by_side(repo: GitRepo) -> None:
    names = [f"d{n}/large{n}" for n in range(5)]
    for n, name in enumerate(names):
        repo.write(name, bytes([n]) * (untracked._LARGE + n))
    found = describe(repo, *(name.encode() for name in names))
    assert {name: entry["hash"] for name, entry in found.items()} == {
        name: git_hash(repo, name) for name in names
    }


def test_paths_are_in_byte_order(repo: GitRepo) -> None:
    names = ["a", "a-b", "a/b", "a0", "é", "z", "𝄞", "\uffee"]
    for name in names:
        if name != "a":
            repo.write(name, "x")
    found = describe(repo, *(name.encode() for name in reversed(names[1:])))
    assert list(found) == sorted(names[1:], key=str.encode)


def test_links_have_their_target_and_are_never_followed(repo: GitRepo) -> None:
    repo.write("inside", "x")
    for name, target in (("to", "inside"), ("dangling", "no/where é"), ("loop", "loop")):
        (repo.path / name).symlink_to(target)
    assert describe(repo, b"to", b"dangling", b"loop") == {
        "dangling": {"kind": "symlink", "target": "no/where é"},
        "loop": {"kind": "symlink", "target": "loop"},
        "to": {"kind": "symlink", "target": "inside"},
    }


def test_nested_repositories_are_asked_for(repo: GitRepo) -> None:
    repo.write("a", "x")
    asked: list[bytes] = []

    def nested(path: bytes) -> dict[str, Any]:
        asked.append(path)
        return {"kind": "repository"}

    found = untracked_map(str(repo.path), [b"n/", b"a"], nested)
    assert asked == [b"n/"]
    assert found["n/"] == {"kind": "repository"}
    assert list(found) == ["a", "n/"]


def test_names_and_folders_as_long_as_the_system_allows(repo: GitRepo) -> None:
    here = os.open(repo.path, os.O_RDONLY)
    folders = ["d" * 255] * 20
    try:
        for folder in folders:
            os.mkdir(folder, dir_fd=here)
            inner = os.open(folder, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = inner
        with open(os.open("f" * 255, os.O_WRONLY | os.O_CREAT, dir_fd=here), "wb") as file:
            file.write(b"deep\n")
    finally:
        os.close(here)
    path = "/".join([*folders, "f" * 255])
    expected = repo.git("hash-object", "--stdin", stdin=b"deep\n")
    assert describe(repo, path.encode()) == {path: {"kind": "file", "hash": expected}}


def test_every_name_that_is_not_utf8_is_reported(repo: GitRepo) -> None:
    for name in (b"caf\xe9", b"d\xff/x", b"fine"):
        repo.write(name, "x")
    with pytest.raises(InvalidInput) as refused:
        describe(repo, b"caf\xe9", b"d\xff/x", b"fine")
    assert refused.value.code == "untracked-path-not-utf8"
    assert [problem.path for problem in refused.value.problems] == ["caf\\xe9", "d\\xff/x"]
    assert refused.value.hint


def test_every_target_that_is_not_utf8_is_reported(repo: GitRepo) -> None:
    for name in (b"one", b"two", b"three"):
        target = b"good" if name == b"three" else b"bad\xfe" + name
        os.symlink(target, os.fsencode(repo.path) + b"/" + name)
    with pytest.raises(InvalidInput) as refused:
        describe(repo, b"one", b"two", b"three")
    assert refused.value.code == "symlink-target-not-utf8"
    assert [problem.path for problem in refused.value.problems] == ["one", "two"]
    assert "bad\\xfeone" in refused.value.problems[0].message


@pytest.fixture
def fifo(repo: GitRepo) -> Path:
    os.mkfifo(repo.path / "pipe")
    return repo.path / "pipe"


def test_a_fifo_is_an_error_and_never_opened(
    repo: GitRepo, fifo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Any] = []
    real = os.open
    monkeypatch.setattr(
        os, "open", lambda name, *a, **k: opened.append(name) or real(name, *a, **k)
    )
    with pytest.raises(ZdevError) as refused:
        describe(repo, b"pipe")
    assert refused.value.code == "unreadable-file"
    assert refused.value.details == {"path": "pipe"}
    assert b"pipe" not in opened


@pytest.mark.parametrize("instead", ["nothing", "folder", "parent-is-file", "parent-is-link"])
def test_a_path_that_is_no_longer_what_it_was(repo: GitRepo, instead: str) -> None:
    match instead:
        case "folder":
            (repo.path / "d/f").mkdir(parents=True)
        case "parent-is-file":
            repo.write("d", "x")
        case "parent-is-link":
            repo.write("real/f", "x")
            (repo.path / "d").symlink_to("real")
        case _:
            (repo.path / "d").mkdir()
    with pytest.raises(ZdevError) as refused:
        describe(repo, b"d/f")
    assert refused.value.code == "file-changed-while-read"
    assert refused.value.details == {"path": "d/f"}


def _after_first_read(
    monkeypatch: pytest.MonkeyPatch, act: Callable[[], object], *, name: str = "read"
) -> None:
    real = getattr(os, name)
    done: list[bool] = []

    def read(*where: int) -> bytes:
        block: bytes = real(*where)
        if not done:
            done.append(True)
            act()
        return block

    monkeypatch.setattr(os, name, read)


@pytest.mark.parametrize("change", ["grow", "shrink", "rewrite", "replace", "remove", "mode"])
@pytest.mark.parametrize("size", [100, 3 << 20])
@pytest.mark.usefixtures("at_rest")
def test_a_change_while_a_file_is_read_is_an_error(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch, change: str, size: int
) -> None:
    path = repo.write("f", b"x" * size)

    def act() -> None:
        match change:
            case "grow":
                with path.open("ab") as file:
                    file.write(b"more")
            case "shrink":
                os.truncate(path, size - 50)
            case "rewrite":
                path.write_bytes(b"y" * size)
            case "replace":
                repo.write("g", b"x" * size)
                os.replace(repo.path / "g", path)
            case "remove":
                path.unlink()
            case _:
                path.chmod(0o600)

    _after_first_read(monkeypatch, act)
    with pytest.raises(ZdevError) as refused:
        describe(repo, b"f")
    assert refused.value.code == "file-changed-while-read"
    assert refused.value.details == {"path": "f"}


STATES = [bytes([byte]) * 1_000_000 for byte in b"abcd"]
WRITER = """
import mmap, os, sys
path, how = sys.argv[1:]
file = os.open(path, os.O_RDWR)
while True:
    for byte in b"abcd":
        if how == "mapped":
            with mmap.mmap(file, 0) as mapped:
                mapped[:] = bytes([byte]) * 1_000_000
        else:
            os.pwrite(file, bytes([byte]) * 1_000_000, 0)
        if how != "kept open":
            os.close(file)
            file = os.open(path, os.O_RDWR)
"""
"""Puts a file into one state after the other, as fast as it can."""


@pytest.mark.parametrize(
    ("how", "rounds"), [("opened anew", 200), ("mapped", 200), ("kept open", 5)]
)
def test_a_file_under_constant_change_is_an_error_or_one_of_its_states(
    repo: GitRepo, how: str, rounds: int
) -> None:
    """Another process rewrites the file in place the whole time."""
    path = repo.write("f", STATES[0])
    allowed = {repo.git("hash-object", "--stdin", stdin=text) for text in STATES}
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path), how])
    seen = set()
    try:
        while path.read_bytes() == STATES[0]:
            time.sleep(0.001)
        for _ in range(rounds):
            try:
                seen.add(describe(repo, b"f")["f"]["hash"])
            except ZdevError as error:
                seen.add(error.code)
    finally:
        writer.kill()
        writer.wait()
    assert seen <= allowed | {"file-changed-while-read"}
    if how == "kept open":
        assert seen == {"file-changed-while-read"}
    elif leases_work(path):
        assert len(seen & allowed) > 1


def test_whoever_wants_to_write_waits_for_the_reader(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read of a file that was changed a moment ago stays true until it is closed."""
    if not leases_work(repo.write("f", b"x" * 100)):
        pytest.skip("leases are not to be had here")
    opened: list[str] = []

    def write() -> None:
        with (repo.path / "f").open("r+b") as file:
            opened.append("writer")
            file.write(b"y" * 100)

    writer = threading.Thread(target=write)

    def act() -> None:
        writer.start()
        writer.join(0.05)
        opened.append("reader")

    _after_first_read(monkeypatch, act)
    found = describe(repo, b"f")["f"]["hash"]
    writer.join()
    assert opened == ["reader", "writer"]
    assert found == repo.git("hash-object", "--stdin", stdin=b"x" * 100)


def test_a_long_read_gives_way_to_a_writer(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    path = repo.write("f", b"x" * (3 << 20))
    if not leases_work(path):
        pytest.skip("leases are not to be had here")
    writer = threading.Thread(target=lambda: path.open("r+b").close())

    def act() -> None:
        writer.start()
        writer.join(0.05)

    _after_first_read(monkeypatch, act)
    with pytest.raises(ZdevError) as refused:
        describe(repo, b"f")
    writer.join()
    assert refused.value.code == "file-changed-while-read"


def leases_work(path: Path) -> bool:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return files._take_lease(descriptor)
    finally:
        os.close(descriptor)


class Clock:
    """Stands for the module ``time``: time passes when somebody sleeps."""

    def __init__(self, now: float) -> None:
        self.now = now
        self.naps = 0

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.naps += 1


@pytest.fixture
def clock(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """No leases; ``f`` was changed this very moment."""
    path = repo.write("f", b"x" * 100)
    clock = Clock(path.stat().st_ctime)
    monkeypatch.setattr(files, "_take_lease", lambda _descriptor: False)
    monkeypatch.setattr(files, "time", clock)
    return clock


def test_without_leases_a_file_has_to_come_to_rest(repo: GitRepo, clock: Clock) -> None:
    start = clock.now
    assert describe(repo, b"f")["f"]["hash"] == git_hash(repo, "f")
    assert 1 < clock.now - start < 1.2


def test_without_leases_a_large_file_has_to_rest_longer(repo: GitRepo, clock: Clock) -> None:
    path = repo.path / "f"
    os.truncate(path, 100_000_000)
    clock.now = start = path.stat().st_ctime
    assert describe(repo, b"f")["f"]["hash"] == git_hash(repo, "f")
    assert 1.5 < clock.now - start < 1.7


@pytest.mark.parametrize("age", [-3600, 3600])
def test_a_file_at_rest_is_not_waited_for(repo: GitRepo, clock: Clock, age: int) -> None:
    """Neither is one whose stamps come from another clock, which may be ahead."""
    clock.now += age
    assert describe(repo, b"f")["f"]["hash"] == git_hash(repo, "f")
    assert clock.naps == 0


def change_at_each_nap(
    repo: GitRepo, clock: Clock, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], object]
) -> None:
    sleep = clock.sleep

    def change(seconds: float) -> None:
        sleep(seconds)
        write(repo.path / "f")
        clock.now = (repo.path / "f").stat().st_ctime

    monkeypatch.setattr(clock, "sleep", change)


def append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"more")


@pytest.mark.parametrize("every", [1, 3])
def test_a_file_that_keeps_changing_is_not_waited_for_long(
    repo: GitRepo, clock: Clock, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    """One rewrite among what is appended is enough to show that it is not a log."""

    def write(path: Path) -> None:
        if clock.naps % every:
            append(path)
        else:
            path.write_bytes(b"%d" % clock.naps)

    change_at_each_nap(repo, clock, monkeypatch, write)
    with pytest.raises(ZdevError) as refused:
        describe(repo, b"f")
    assert refused.value.code == "file-changed-while-read"
    assert clock.naps == 5


def test_a_log_is_captured_as_it_is_at_one_moment(
    repo: GitRepo, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_at_each_nap(repo, clock, monkeypatch, append)
    _after_first_read(monkeypatch, lambda: append(repo.path / "f"), name="pread")
    moment = b"x" * 100 + b"more" * 5
    expected = repo.git("hash-object", "--stdin", stdin=moment)
    assert describe(repo, b"f")["f"]["hash"] == expected
    assert (repo.path / "f").read_bytes() == moment + b"more"


@pytest.mark.parametrize("write", ["rewrite", "truncate"])
def test_a_log_that_changes_otherwise_while_it_is_read_is_an_error(
    repo: GitRepo, clock: Clock, monkeypatch: pytest.MonkeyPatch, write: str
) -> None:
    change_at_each_nap(repo, clock, monkeypatch, append)
    path = repo.path / "f"
    text = b"y" * 200 if write == "rewrite" else b""
    _after_first_read(monkeypatch, lambda: path.write_bytes(text), name="pread")
    with pytest.raises(ZdevError) as refused:
        describe(repo, b"f")
    assert refused.value.code == "file-changed-while-read"


def test_an_unreadable_file_is_named() -> None:
    with open_folder() as folder:
        (folder / "secret").write_text("x")
        (folder / "secret").chmod(0)
        found = as_unprivileged(lambda: str(untracked_map(str(folder), [b"secret"], no_nested)))
    assert found.startswith("unreadable-file: secret cannot be read")


def test_a_refusal_by_the_system_names_the_path(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("d/secret", "x")
    real = os.open

    def refuse(name: object, *rest: Any, **more: Any) -> int:
        if name == b"secret":
            raise PermissionError(13, "Permission denied")
        return real(name, *rest, **more)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(ZdevError) as refused:
        describe(repo, b"d/secret")
    assert refused.value.code == "unreadable-file"
    assert refused.value.details == {"path": "d/secret"}
    assert "Permission denied" in refused.value.message


def test_no_descriptor_is_left_open(repo: GitRepo) -> None:
    for name in ("a/b/c", "a/d", "e", "big"):
        repo.write(name, b"x" * (untracked._LARGE if name == "big" else 5))
    before = len(os.listdir("/dev/fd"))
    describe(repo, b"a/b/c", b"a/d", b"e", b"big")
    with pytest.raises(ZdevError):
        describe(repo, b"a/b/gone")
    assert len(os.listdir("/dev/fd")) == before
