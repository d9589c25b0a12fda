"""``git zdev area parent`` on real repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.cli import refused, result, succeed
from tests.support.plan import area_text, write_empty_area

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

ANCHOR = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def three(planned: GitRepo) -> GitRepo:
    """Areas ``a``, ``b`` and ``c``, each the parent of the one before."""
    write_empty_area(planned.path, "a", branch="a", parent="b", base_commit=ANCHOR)
    write_empty_area(planned.path, "b", branch="b", parent="c")
    write_empty_area(planned.path, "c", branch="c")
    return planned


def toml(repo: GitRepo, tag: str) -> str:
    return (repo.path / f".zdev/{tag}/area.toml").read_text()


def test_a_parent_is_set_and_the_anchor_stays(three: GitRepo) -> None:
    assert result("area parent", "a", "c", cwd=three.path) == {
        "area": "a",
        "parent": "c",
        "schema_version": 1,
        "status": "updated",
    }
    assert toml(three, "a") == area_text("a", branch="a", parent="c", base_commit=ANCHOR)
    assert result("area parent", "a", "c", cwd=three.path)["status"] == "unchanged"


def test_a_parent_is_removed(three: GitRepo) -> None:
    assert result("area parent", "a", "--remove", cwd=three.path) == {
        "area": "a",
        "parent": None,
        "schema_version": 1,
        "status": "updated",
    }
    assert toml(three, "a") == area_text("a", branch="a", base_commit=ANCHOR)
    assert result("area parent", "--remove", "a", cwd=three.path)["status"] == "unchanged"


@pytest.mark.parametrize(
    ("area", "parent", "chain"),
    [("a", "a", "a → a"), ("c", "b", "c → b → c"), ("c", "a", "c → a → b → c")],
)
def test_a_cycle(area: str, parent: str, chain: str, three: GitRepo) -> None:
    error = refused("parent-cycle", "area", "parent", area, parent, cwd=three.path)
    assert chain in error["error"]


@pytest.mark.parametrize(("area", "parent"), [("x", "a"), ("a", "x")])
def test_an_unknown_area(area: str, parent: str, three: GitRepo) -> None:
    refused("unknown-area", "area", "parent", area, parent, cwd=three.path)


def test_a_trunk_area_has_no_parent(three: GitRepo) -> None:
    write_empty_area(three.path, "general", mode="trunk")
    refused("trunk-area-parent", "area", "parent", "general", "a", cwd=three.path)
    assert result("area parent", "general", "--remove", cwd=three.path)["status"] == "unchanged"


@pytest.mark.parametrize("words", [["a"], ["a", "b", "--remove"], [], ["a", "b", "c"]])
def test_wrong_usage(words: list[str], three: GitRepo) -> None:
    refused("usage", "area", "parent", *words, cwd=three.path, status=2)


def test_the_words(three: GitRepo) -> None:
    run = succeed("area", "parent", "a", "c", cwd=three.path)
    assert run.text == "The area a now has the parent c.\n"
    assert succeed("area", "parent", "a", "c", cwd=three.path).text == (
        "The area a has the parent c.\n"
    )
    assert succeed("area", "parent", "a", "--remove", cwd=three.path).text == (
        "The area a now has no parent.\n"
    )
