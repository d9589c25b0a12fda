"""Git LFS against git, which runs a stand-in of the filter that prints the same pointers."""

from __future__ import annotations

import os
import random
import shutil
from typing import TYPE_CHECKING

import pytest

from git_zdev.evidence.collecting import collect
from git_zdev.ground.errors import ZdevError
from tests.support.evidence import git_strings, open_at
from tests.support.states.repo import make_state_repo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.states.repo import StateRepo

STAND_IN = """\
t=$(mktemp) && cat > "$t" && size=$(($(wc -c < "$t")))
second=$(sed -n 2p "$t" | cut -c 1-11 | tr -d '\\0')
if test $size = 0 || { test $size -lt 1024 && test "$second" = 'oid sha256:'; }
then cat "$t"
else
    set -- $(sha256sum "$t")
    printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %s\\n' $1 $size
fi
rm "$t"
"""
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'5' * 64}\nsize 7\n"
RULES = "*.bin filter=lfs diff=lfs merge=lfs -text\n"


class LfsRepo:
    """A repository with the settings of Git LFS, in which git runs the stand-in."""

    def __init__(self, repo: StateRepo, script: Path) -> None:
        self.repo = repo
        self.settings = [f"filter.lfs.clean=sh {script}", "filter.lfs.smudge=cat"]
        repo.config("filter.lfs.clean", "git-lfs clean -- %f")
        repo.config("filter.lfs.required", "true")

    def git(self, *arguments: str, check: bool = True) -> None:
        options = [word for setting in self.settings for word in ("-c", setting)]
        self.repo.git(*options, *arguments, check=check)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Change")

    def check(self) -> None:
        expected = git_strings(self.repo.path, settings=self.settings)
        found = collect(open_at(self.repo.path))
        assert {name: getattr(found, name).encode() for name in expected} == expected


@pytest.fixture
def lfs(tmp_path: Path, hermetic: Path) -> LfsRepo:
    script = tmp_path / "stand-in"
    script.write_text(STAND_IN)
    made = LfsRepo(make_state_repo(tmp_path / "repo", hermetic), script)
    made.repo.write(".gitattributes", RULES)
    for name in ("a.bin", "b.bin", "d/c.bin", "d/e.bin"):
        made.repo.write(name, name * 500)
    made.repo.write("plain.txt", "plain\n")
    made.commit()
    return made


def _changed(lfs: LfsRepo) -> None:
    lfs.repo.write("a.bin", b"\0\r\n\xff")
    lfs.repo.write("d/c.bin", "staged")
    lfs.git("add", "d/c.bin")


def _empty(lfs: LfsRepo) -> None:
    lfs.repo.write("a.bin", "")


def _pointer_in_the_work_tree(lfs: LfsRepo) -> None:
    lfs.repo.write("a.bin", POINTER)
    lfs.repo.write("b.bin", POINTER + "\n" * 900)


def _touched(lfs: LfsRepo) -> None:
    for name in ("a.bin", "d/c.bin"):
        os.utime(lfs.repo.file(name), (1, 1))


def _racy(lfs: LfsRepo) -> None:
    lfs.repo.write("a.bin", "A.BIN" * 500)
    for name in ("a.bin", "b.bin", ".git/index"):
        os.utime(lfs.repo.file(name), (1_700_000_000, 1_700_000_000))


def _renamed(lfs: LfsRepo) -> None:
    lfs.repo.rename("a.bin", "moved.bin")
    lfs.git("add", "-A")
    lfs.repo.write("moved.bin", "more")


def _intended(lfs: LfsRepo) -> None:
    lfs.repo.write("new.bin", "new" * 400)
    lfs.git("add", "--intent-to-add", "new.bin")


def _rules_in_a_folder(lfs: LfsRepo) -> None:
    lfs.repo.write("d/.gitattributes", "c.bin -filter -diff\n")
    lfs.repo.write("d/c.bin", "as it is\n")
    lfs.repo.write("d/e.bin", "a pointer\n")


def _text(lfs: LfsRepo) -> None:
    lfs.repo.write(".gitattributes", "*.bin filter=lfs text eol=crlf ident\n")
    lfs.repo.write("a.bin", "$Id: x $\r\n")


def _no_file_of_its_kind(lfs: LfsRepo) -> None:
    lfs.repo.remove("a.bin")
    lfs.repo.link("a.bin", "b.bin")
    lfs.repo.remove("b.bin")


def _big(lfs: LfsRepo) -> None:
    lfs.repo.config("core.bigFileThreshold", "1k")
    lfs.repo.write("a.bin", "x" * 5000)
    lfs.repo.write("b.bin", "x")


def _conflict(lfs: LfsRepo) -> None:
    lfs.git("checkout", "-q", "-b", "side")
    lfs.repo.write("a.bin", "theirs")
    lfs.commit()
    lfs.git("checkout", "-q", "-")
    lfs.repo.write("a.bin", "ours")
    lfs.commit()
    lfs.git("merge", "-q", "side", check=False)


def _resolved(lfs: LfsRepo) -> None:
    _conflict(lfs)
    lfs.repo.write("a.bin", "resolved")


STATES = [
    _changed, _empty, _pointer_in_the_work_tree, _touched, _racy, _renamed, _intended,
    _rules_in_a_folder, _text, _no_file_of_its_kind, _big, _conflict, _resolved,
]  # fmt: skip


@pytest.mark.parametrize("build", STATES)
def test_lfs_as_git_shows_it(lfs: LfsRepo, build: Callable[[LfsRepo], None]) -> None:
    build(lfs)
    lfs.check()


@pytest.mark.skipif(shutil.which("git-lfs") is None, reason="git-lfs is not installed")
@pytest.mark.parametrize("build", STATES)
def test_lfs_as_git_lfs_shows_it(lfs: LfsRepo, build: Callable[[LfsRepo], None]) -> None:
    lfs.settings = ["filter.lfs.process=git-lfs filter-process"]
    lfs.git("add", "--renormalize", ".")  # which stores the objects that a checkout needs
    build(lfs)
    lfs.check()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("filter.lfs.clean", "my-lfs clean %f"),
        ("filter.lfs.process", "my-lfs"),
        ("filter.lfs.process", ""),
        ("lfs.extension.Foo.clean", "foo"),
    ],
)
def test_another_kind_of_lfs_is_refused(lfs: LfsRepo, key: str, value: str) -> None:
    lfs.repo.config(key, value)
    lfs.repo.write("a.bin", "x")
    with pytest.raises(ZdevError) as caught:
        collect(open_at(lfs.repo.path))
    assert caught.value.code == "filter-needs-process"
    assert caught.value.details == {"path": "a.bin", "filter": "lfs"}
    assert "lfs.extension" in caught.value.hint


def _random_step(lfs: LfsRepo, rng: random.Random) -> None:
    names = ["a.bin", "b.bin", "d/c.bin", "d/e.bin", "new.bin", "plain.txt"]
    name = rng.choice(names)
    kind = rng.randrange(7)
    if kind < 3:
        data = rng.choice(["", POINTER, "x\n" * rng.randrange(900), "\0\r\n" * 9, name * 500])
        lfs.repo.file(name).unlink(missing_ok=True)
        lfs.repo.write(name, data)
    elif kind == 3:
        lfs.git("add", "-A")
    elif kind == 4:
        lfs.git("commit", "-q", "-m", "Change", check=False)
    elif kind == 5 and lfs.repo.file(name).exists():
        rng.choice([lambda: os.utime(lfs.repo.file(name), (1, 1)), lfs.repo.file(name).unlink])()
    else:
        lfs.git("mv", name, f"d/{rng.randrange(9)}.bin", check=False)


@pytest.mark.parametrize("seed", range(int(os.environ.get("ZDEV_LFS_STATES", "10"))))
def test_random_lfs_states(lfs: LfsRepo, seed: int) -> None:
    rng = random.Random(seed)
    if seed >= 10:
        lfs.settings = ["filter.lfs.process=git-lfs filter-process"]
    for _ in range(rng.randrange(1, 9)):
        _random_step(lfs, rng)
    lfs.check()
