"""The store of snapshots never lies, never loses, and is never led elsewhere."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.context import snapshot
from git_zdev.disk import immutable
from git_zdev.ground import jsontext
from git_zdev.ground.errors import ZdevError
from tests.support.plan import closed_context, open_context

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "git"
    folder.mkdir()
    return folder


@pytest.fixture(params=["nameless", "named"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways in which a file becomes visible."""
    if request.param == "named":
        monkeypatch.setattr(immutable, "_link_nameless", lambda spot, data: False)
    elif not hasattr(os, "O_TMPFILE"):
        pytest.skip("the system has no files without names")
    return str(request.param)


def store(git_dir: Path, document: dict[str, Any] | None = None) -> snapshot.Snapshot:
    context = document or open_context()
    return snapshot.store(str(git_dir), context["area"], context, jsontext.encode(context))


def put(git_dir: Path, data: bytes, area: str = "payments") -> str:
    """Write bytes into the store under the id that they give; the id."""
    snapshot_id = f"W{hashlib.sha256(data).hexdigest()[:16]}"
    folder = git_dir / "zdev" / "work-context" / area
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{snapshot_id}.json").write_bytes(data)
    return snapshot_id


def refusal(git_dir: Path, snapshot_id: str, area: str = "payments") -> ZdevError:
    with pytest.raises(ZdevError) as caught:
        snapshot.load(str(git_dir), area, snapshot_id)
    return caught.value


def store_names(git_dir: Path) -> list[str]:
    folder = git_dir / "zdev/work-context/payments"
    return sorted(os.listdir(folder)) if folder.exists() else []


def test_the_id_is_the_hash_of_the_bytes() -> None:
    assert snapshot.content_id(b"abc") == "Wba7816bf8f01cfea"  # FIPS 180-2, appendix B.1


def test_a_stored_context_is_shown_again(git_dir: Path, way: str) -> None:
    stored = store(git_dir)
    data = jsontext.encode(open_context())
    path = git_dir / "zdev/work-context/payments" / f"{snapshot.content_id(data)}.json"
    assert stored.path == str(path)
    assert path.read_bytes() == data
    assert stat.S_IMODE(path.stat().st_mode) == 0o444
    for folder in list(path.parents)[:3]:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert os.listdir(path.parent) == [path.name]
    shown = snapshot.load(str(git_dir), "payments", stored.id)
    assert (shown.data, shown.document, shown.path) == (data, open_context(), str(path))


def test_an_identical_context_is_not_written_again(git_dir: Path, way: str) -> None:
    path = Path(store(git_dir).path)
    os.utime(path, ns=(1, 1))
    before = path.stat()
    store(git_dir)
    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, 1)


def test_other_bytes_under_the_id_are_refused(git_dir: Path, way: str) -> None:
    data = jsontext.encode(open_context())
    snapshot_id = put(git_dir, data)
    path = git_dir / "zdev/work-context/payments" / f"{snapshot_id}.json"
    path.write_bytes(b"other")
    with pytest.raises(ZdevError) as caught:
        store(git_dir)
    assert caught.value.code == "snapshot-collision"
    assert path.read_bytes() == b"other"


def test_two_stores_that_meet_both_succeed(
    git_dir: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    original: Callable[..., None] = immutable.publish

    def publish_second(spot: Any, data: bytes) -> None:
        original(spot, data)
        original(spot, data)

    monkeypatch.setattr(snapshot, "publish", publish_second)
    assert Path(store(git_dir).path).read_bytes() == jsontext.encode(open_context())


def test_sixteen_threads_store_the_same_and_different_contexts(git_dir: Path, way: str) -> None:
    failures: list[ZdevError] = []
    contexts = [open_context() | {"git_diff": f"{number % 4}"} for number in range(16)]

    def run(context: dict[str, Any]) -> None:
        try:
            store(git_dir, context)
        except ZdevError as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(context,)) for context in contexts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    expected = {f"{snapshot.content_id(jsontext.encode(context))}.json" for context in contexts}
    assert store_names(git_dir) == sorted(expected)
    assert len(expected) == 4


@pytest.mark.parametrize("call", ["write", "fchmod", "fsync", "link", "open"])
@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_a_failed_store_leaves_no_file_behind(
    git_dir: Path, way: str, call: str, reason: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any, **options: Any) -> Any:
        raise OSError(reason, os.strerror(reason))

    store(git_dir, closed_context())
    before = store_names(git_dir)
    with monkeypatch.context() as patch:
        patch.setattr(immutable.os, call, fail)  # type: ignore[attr-defined]
        with pytest.raises(ZdevError) as caught:
            store(git_dir)
    assert caught.value.code == "snapshot-store-failed"
    assert os.strerror(reason) in caught.value.message
    assert store_names(git_dir) == before
    store(git_dir)
    assert len(store_names(git_dir)) == 2


def test_the_next_store_removes_what_a_killed_one_left(
    git_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(immutable, "_link_nameless", lambda spot, data: False)
    store(git_dir, closed_context())
    folder = git_dir / "zdev/work-context/payments"
    (folder / f"{immutable.TEMPORARY}0123").write_bytes(b"half")
    store(git_dir)
    assert [name for name in os.listdir(folder) if not name.endswith(".json")] == []


def test_a_sweep_leaves_a_temporary_file_that_is_held(
    git_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    monkeypatch.setattr(immutable, "_link_nameless", lambda spot, data: False)
    store(git_dir, closed_context())
    held = git_dir / "zdev/work-context/payments" / f"{immutable.TEMPORARY}0123"
    with held.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        store(git_dir)
        assert held.exists()


def test_a_read_only_store_is_an_error_that_names_the_place(git_dir: Path) -> None:
    if os.getuid() == 0:
        pytest.skip("permissions do not hold the superuser back")
    git_dir.chmod(0o500)
    with pytest.raises(ZdevError) as caught:
        store(git_dir)
    assert caught.value.code == "snapshot-store-failed"
    assert str(git_dir) in caught.value.message


@pytest.mark.parametrize(
    "snapshot_id",
    ["", "W", "W0123456789abcde", "W0123456789abcdeff", "W0123456789ABCDEF", "w0123456789abcdef",
     "W0123456789abcdef\n", "../../../W0123456789abcdef", "R0123456789abcdef"],
)  # fmt: skip
def test_a_malformed_id_is_told(git_dir: Path, snapshot_id: str) -> None:
    assert refusal(git_dir, snapshot_id).code == "snapshot-malformed-id"


def test_a_snapshot_that_is_not_there_is_told(git_dir: Path) -> None:
    assert refusal(git_dir, "W0123456789abcdef").code == "snapshot-unavailable"
    store(git_dir)
    assert refusal(git_dir, "W0123456789abcdef").code == "snapshot-unavailable"


def test_changed_bytes_are_corrupt(git_dir: Path) -> None:
    stored = store(git_dir)
    path = Path(stored.path)
    path.chmod(0o644)
    path.write_bytes(stored.data.replace(b"Retry", b"Evade"))
    assert refusal(git_dir, stored.id).code == "snapshot-corrupt"


DEEP = b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"


def nested(depth: int) -> bytes:
    """A context whose untracked repositories are that deep in each other."""
    inner: dict[str, Any] = {}
    for _ in range(depth):
        empty = dict.fromkeys(("git_status", "git_diff_cached", "git_diff"), "")
        inner = {"r/": {"kind": "repository", "head": None, **empty, "git_untracked": inner}}
    return json.dumps(open_context() | {"git_untracked": inner}).encode()


def test_repositories_in_repositories_are_shown_to_any_real_depth(git_dir: Path) -> None:
    data = nested(32)
    assert snapshot.load(str(git_dir), "payments", put(git_dir, data)).data == data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        nested(400),
        b"{",
        b"[]",
        b"{} {}",
        b"\xef\xbb\xbf{}",
        b'{"a": "\xff"}',
        b'{"a": NaN}',
        DEEP,
        json.dumps(open_context() | {"git_diff": 1}).encode(),
        json.dumps(open_context() | {"git_diff": "\ud800"}).encode(),
        json.dumps(open_context())[:-1].encode() + b', "area": "payments"}',
        json.dumps(open_context() | {"task_id": None}).encode(),
    ],
    ids=lambda data: data[:20].decode("latin-1"),
)
def test_bytes_that_give_their_id_but_are_no_context_are_corrupt(
    git_dir: Path, data: bytes
) -> None:
    assert refusal(git_dir, put(git_dir, data)).code == "snapshot-corrupt"


def test_a_snapshot_of_another_area_is_told(git_dir: Path) -> None:
    snapshot_id = put(git_dir, jsontext.encode(open_context()), area="other")
    assert refusal(git_dir, snapshot_id, "other").code == "snapshot-wrong-area"


@pytest.mark.parametrize("kind", ["symlink", "fifo", "folder", "socket"])
def test_what_is_no_regular_file_is_refused_without_waiting(git_dir: Path, kind: str) -> None:
    stored = store(git_dir)
    path = Path(stored.path)
    aside = path.with_name("aside")
    path.rename(aside)
    if kind == "symlink":
        path.symlink_to(aside)
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        os.mknod(path, stat.S_IFSOCK | 0o600)
    assert refusal(git_dir, stored.id).code == "snapshot-not-regular"
    with pytest.raises(ZdevError) as caught:
        store(git_dir)
    assert caught.value.code == "snapshot-not-regular"


def test_a_file_that_no_memory_holds_is_corrupt(git_dir: Path) -> None:
    stored = store(git_dir)
    Path(stored.path).chmod(0o600)
    os.truncate(stored.path, 1 << 40)
    assert refusal(git_dir, stored.id).code == "snapshot-corrupt"
    with pytest.raises(ZdevError) as caught:
        store(git_dir)
    assert caught.value.code == "snapshot-collision"


@pytest.mark.parametrize("name", ["zdev", "zdev/work-context", "zdev/work-context/payments"])
def test_a_linked_folder_is_not_followed(git_dir: Path, tmp_path: Path, name: str) -> None:
    stored = store(git_dir)
    (git_dir / name).rename(tmp_path / "elsewhere")
    (git_dir / name).symlink_to(tmp_path / "elsewhere")
    assert refusal(git_dir, stored.id).code == "snapshot-not-regular"
    with pytest.raises(ZdevError) as caught:
        store(git_dir)
    assert caught.value.code == "snapshot-not-regular"


def test_an_older_context_is_shown_and_differs_from_a_fresh_one(git_dir: Path) -> None:
    older = open_context()
    del older["git_untracked"]
    shown = snapshot.load(str(git_dir), "payments", put(git_dir, jsontext.encode(older)))
    assert snapshot.differing_keys(shown.document, open_context()) == ["git_untracked"]


def test_differing_keys_are_sorted_and_count_missing_ones() -> None:
    assert snapshot.differing_keys({"b": 1, "a": 1, "n": None}, {"a": 2, "b": 1}) == ["a", "n"]
    assert snapshot.differing_keys(open_context(), open_context()) == []
