"""Git LFS pointers: the format by hand, and compared with git-lfs where that is installed."""

from __future__ import annotations

import hashlib
import shutil
import subprocess

import pytest

from git_zdev.evidence.lfs import clean, is_own_command
from git_zdev.ground.errors import ZdevError

VERSION = b"version https://git-lfs.github.com/spec/v1\n"
OID = b"oid sha256:" + b"5" * 64 + b"\n"
POINTER = VERSION + OID + b"size 7\n"

CONTENTS = {
    "one byte": b"x",
    "no text": b"\0\r\n\xff" * 50,
    "many blocks": b"0123456789" * 100_000,
    "mentions git-lfs": b"see git-lfs\n",
    "a pointer and more": POINTER + b"\n" * 1000,
    "as long as the limit": POINTER + b"\n" * (1024 - len(POINTER)),
}
POINTERS = {
    "empty": b"",
    "pointer": POINTER,
    "old": POINTER.replace(b"git-lfs.github", b"hawser.github"),
    "no final line end": POINTER[:-1],
    "blank lines": POINTER + b"\n" * (1023 - len(POINTER)),
    "size 0": POINTER.replace(b"size 7", b"size 0"),
}


@pytest.mark.parametrize("data", CONTENTS.values(), ids=CONTENTS.keys())
def test_a_file_becomes_a_pointer(data: bytes) -> None:
    digest = hashlib.sha256(data).hexdigest()
    expected = VERSION + f"oid sha256:{digest}\nsize {len(data)}\n".encode()
    for step in (1 << 16, 7 if len(data) < 2000 else 1 << 10):
        blocks = (data[at : at + step] for at in range(0, len(data), step))
        assert clean(b"a", blocks) == expected


@pytest.mark.parametrize("data", POINTERS.values(), ids=POINTERS.keys())
def test_a_pointer_stays_as_it_is(data: bytes) -> None:
    assert clean(b"a", [data[:20], data[20:]]) == data


@pytest.mark.parametrize(
    "data",
    [
        VERSION + b"ext-0-foo sha256:" + b"5" * 64 + b"\n" + OID + b"size 7\n",
        POINTER.replace(b"\n", b"\r\n"),
        b"\n" + POINTER,
        VERSION + b"size 7\n" + OID,
        POINTER.replace(b"5" * 64, b"F" * 64),
        POINTER.replace(b"size 7", b"size -7"),
        POINTER.replace(b"size 7", b"size 99999999999999999999"),
        POINTER + b"more\n",
    ],
)
def test_what_only_resembles_a_pointer_is_refused(data: bytes) -> None:
    with pytest.raises(ZdevError) as caught:
        clean(b"dir/a", [data])
    assert caught.value.code == "filter-needs-process"
    assert caught.value.details == {"path": "dir/a", "filter": "lfs"}


@pytest.mark.skipif(shutil.which("git-lfs") is None, reason="git-lfs is not installed")
@pytest.mark.parametrize("data", [*CONTENTS.values(), *POINTERS.values()])
def test_git_lfs_says_the_same(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("repo")
    subprocess.run(["git", "init", "-q", folder], check=True)
    done = subprocess.run(
        ["git-lfs", "clean", "--", "a"], cwd=folder, input=data, capture_output=True, check=True
    )
    assert clean(b"a", [data]) == done.stdout


@pytest.mark.parametrize(
    ("kind", "command", "own"),
    [
        ("clean", "git-lfs clean -- %f", True),
        ("clean", "git lfs clean -- %f", True),
        ("clean", "git-lfs clean %f", True),
        ("clean", "git-lfs smudge -- %f", False),
        ("clean", "git-lfs clean -- %f | tee log", False),
        ("clean", "/usr/bin/git-lfs clean -- %f", False),
        ("process", "git-lfs filter-process", True),
        ("process", "git-lfs filter-process --skip", True),
        ("process", "git lfs filter-process", True),
        ("process", "git-lfs clean -- %f", False),
    ],
)
def test_the_commands_of_git_lfs(kind: str, command: str, own: bool) -> None:
    assert is_own_command(kind, command) is own
