"""What the ``diff`` attribute and ``diff.<driver>`` settings say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from git_zdev.evidence.rules.posix_regex import PosixRegex
from git_zdev.evidence.rules.userdiff import Drivers
from git_zdev.ground.errors import ZdevError
from tests.support.evidence import open_at

if TYPE_CHECKING:
    from tests.support.gitrepo import GitRepo


def drivers(repo: GitRepo, **settings: str) -> Drivers:
    for key, value in settings.items():
        repo.git("config", key.replace("__", "."), value)
    return Drivers(open_at(repo.path).config)


def test_set_and_unset_are_text_and_binary(repo: GitRepo) -> None:
    found = drivers(repo)
    assert found.of(True).binary is False
    assert found.of(False).binary is True
    assert found.of(None).binary is None
    assert found.of("unheard-of").binary is None


def test_a_driver_may_settle_whether_its_files_are_binary(repo: GitRepo) -> None:
    found = drivers(repo, diff__img__binary="true", diff__txt__binary="no", diff__x__binary="auto")
    assert [found.of(name).binary for name in ("img", "txt", "x")] == [True, False, None]


def test_patterns_of_the_user_replace_the_built_in_one(repo: GitRepo) -> None:
    found = drivers(repo, diff__python__xfuncname="!^class\n^(def [a-z]+)\\(")
    test = found.of("python").function_line
    assert test is not None
    assert test(b"def run(self):\n") == b"def run"
    assert test(b"class X:\n") is None
    usual = drivers(repo).of("java").function_line
    assert usual is not None
    assert usual(b"  void run() {\r\n") == b"void run() {"


def test_the_default_driver_can_be_configured(repo: GitRepo) -> None:
    test = drivers(repo, diff__default__funcname="^\\(x*\\)y").of(None).function_line
    assert test is not None
    assert test(b"xxy\n") == b"xx"


def test_a_malformed_pattern_names_its_key(repo: GitRepo) -> None:
    test = drivers(repo, diff__mine__xfuncname="(").of("mine").function_line
    assert test is not None
    with pytest.raises(ZdevError, match=r"diff\.mine\.xfuncname") as caught:
        test(b"x\n")
    assert caught.value.code == "invalid-git-config"


@pytest.mark.parametrize(
    ("pattern", "extended", "text", "found"),
    [
        (b"b+", True, b"abbc", b"bb"),
        (b"b+", False, b"abb+c", b"b+"),
        (b"a(b)?c", True, b"xacx", b"ac"),
        (b"a(b)?c", True, b"xabcx", b"b"),
        (b"x|xy|xyz", True, b"xyz!", b"xyz"),
        (b"^(x*)", True, b"y", b""),
        (b"z", True, b"abc", None),
        (b"c$", True, b"abc\0d", b"c"),
    ],
)
def test_the_c_library_decides(
    pattern: bytes, extended: bool, text: bytes, found: bytes | None
) -> None:
    assert PosixRegex(pattern, extended=extended).search(text) == found
