"""Which pager is asked for; the order is held against ``git var GIT_PAGER``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from git_zdev.cli import pager
from git_zdev.git.config.config import read_config

if TYPE_CHECKING:
    from tests.support.repo import GitRepo


def chosen(**environment: str) -> str | None:
    around = {name: value for name, value in os.environ.items() if name != "PAGER"} | environment
    return pager.command(around, lambda: read_config(None, around))


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"PAGER": "more"},
        {"PAGER": "more", "core.pager": "most"},
        {"PAGER": "more", "core.pager": "most", "GIT_PAGER": "less -X"},
        {"PAGER": "cat", "core.pager": "most"},
        {"core.pager": "delta --dark | less"},
    ],
)
def test_the_order_is_gits(environment: dict[str, str], repo: GitRepo) -> None:
    if "core.pager" in environment:
        repo.git("config", "--global", "core.pager", environment.pop("core.pager"))
    around = {"PAGER": "", **environment} if "PAGER" not in environment else environment
    told = repo.git("var", "GIT_PAGER", env=around).strip()
    assert (chosen(**around) or "cat") == told


def test_without_any_word_it_is_less() -> None:
    assert chosen() == "less"


@pytest.mark.parametrize("none", ["", "cat"])
def test_none_is_none(none: str) -> None:
    assert chosen(GIT_PAGER=none) is None
    assert chosen(PAGER=none) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [("true", "core"), ("false", None), ("own -x", "own -x"), ("", None), ("cat", None)],
)
def test_the_commands_own_setting(value: str, expected: str | None, repo: GitRepo) -> None:
    repo.git("config", "--global", "core.pager", "core")
    repo.git("config", "--global", "pager.zdev", value)
    assert chosen(PAGER="other") == expected
    assert chosen(GIT_PAGER="first") == "first"


def test_the_pager_is_told_what_git_tells_it() -> None:
    around = pager.surroundings({"LESS": "S", "HOME": "/h"})
    assert around == {"LESS": "S", "LV": "-c", "HOME": "/h", "GIT_PAGER_IN_USE": "true"}
    assert pager.surroundings({})["LESS"] == "FRX"


def test_rows_are_counted_as_the_terminal_fills_them() -> None:
    assert pager.rows("a\n\nb\n", 10) == 3
    assert pager.rows("\x1b[31m" + "x" * 10 + "\x1b[0m\n", 10) == 1
    assert pager.rows("x" * 11 + "\n", 10) == 2
    assert pager.rows("漢" * 6 + "\n", 10) == 2
