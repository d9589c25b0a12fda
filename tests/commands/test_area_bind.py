"""``git zdev area bind`` on real repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.cli import changes, refused, result, succeed, tree_state
from tests.support.plan import CONFIG, area_text, write_empty_area

if TYPE_CHECKING:
    from tests.support.repo import GitRepo


def bind(repo: GitRepo, *words: str) -> dict[str, Any]:
    return result("area bind", *words, cwd=repo.path)


def toml(repo: GitRepo, tag: str = "payments") -> str:
    return (repo.path / f".zdev/{tag}/area.toml").read_text()


@pytest.fixture
def area(planned: GitRepo) -> GitRepo:
    """``planned`` with the area ``payments`` on a branch of that name, without an anchor."""
    write_empty_area(planned.path, "payments", branch="payments", lifecycle="open")
    return planned


def test_another_branch_and_its_anchor(area: GitRepo) -> None:
    tip = area.rev("main")
    assert bind(area, "payments", "feat/pay") == {
        "area": "payments",
        "base_commit": tip,
        "branch": "feat/pay",
        "mode": "isolated",
        "schema_version": 1,
        "status": "updated",
    }
    assert toml(area) == area_text("payments", branch="feat/pay", lifecycle="open", base_commit=tip)
    assert area.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_a_good_anchor_is_not_given_up_for_a_base_that_is_not_there(area: GitRepo) -> None:
    anchor = area.rev("main")
    bind(area, "payments")
    assert f'base_commit = "{anchor}"' in toml(area)
    area.git("switch", "-q", "-c", "topic")
    area.git("branch", "-q", "-D", "main")
    for branch in ("main", "topic", "other"):
        error = refused("effective-base-missing", "area", "bind", "payments", branch, cwd=area.path)
        assert "the base branch main of payments does not exist" in error["error"]
    assert f'base_commit = "{anchor}"' in toml(area)


def test_without_an_anchor_there_is_nothing_to_lose(area: GitRepo) -> None:
    area.git("switch", "-q", "-c", "topic")
    area.git("branch", "-q", "-D", "main")
    assert bind(area, "payments", "topic")["base_commit"] is None


def test_a_branch_that_does_not_exist_is_told_of(area: GitRepo) -> None:
    note = b'The branch "feat/pay" does not exist yet.\n'
    assert succeed("area", "bind", "payments", "feat/pay", cwd=area.path).stderr == note
    area.git("branch", "feat/pay")
    assert succeed("area", "bind", "payments", "feat/pay", cwd=area.path).stderr == b""


def test_the_checked_out_branch_is_the_default(area: GitRepo) -> None:
    area.git("switch", "-q", "-c", "topic")
    assert bind(area, "payments")["branch"] == "topic"


def test_a_detached_head_names_no_branch(area: GitRepo) -> None:
    area.git("switch", "-q", "--detach")
    refused("detached-head", "area", "bind", "payments", cwd=area.path)


def test_the_same_branch_again_gets_a_fresh_anchor(area: GitRepo) -> None:
    area.git("branch", "payments")
    fork = area.rev("main")
    assert bind(area, "payments", "payments")["base_commit"] == fork
    area.commit("Main goes on")
    area.git("switch", "-q", "payments")
    area.git("rebase", "-q", "main")
    assert bind(area, "payments", "payments")["base_commit"] == area.rev("main")
    before = tree_state(area.path)
    assert bind(area, "payments")["status"] == "unchanged"
    assert changes(before, tree_state(area.path)) == []


def test_to_the_trunk_and_back(area: GitRepo) -> None:
    bind(area, "payments", "feat/pay")
    assert bind(area, "payments", "--trunk") == {
        "area": "payments",
        "base_commit": None,
        "branch": "main",
        "mode": "trunk",
        "schema_version": 1,
        "status": "updated",
    }
    assert toml(area) == area_text("payments", mode="trunk", lifecycle="open")
    back = bind(area, "--root", str(area.path), "payments", "feat/pay")
    assert (back["mode"], back["base_commit"]) == ("isolated", area.rev("main"))
    assert toml(area) == area_text(
        "payments", branch="feat/pay", lifecycle="open", base_commit=area.rev("main")
    )


def test_the_base_is_the_parents_branch(area: GitRepo) -> None:
    write_empty_area(area.path, "api", branch="api", parent="payments")
    area.git("branch", "api")
    area.git("switch", "-q", "-c", "payments")
    tip = area.commit("Payments go on")
    assert bind(area, "api", "api")["base_commit"] == area.rev("main")
    area.git("branch", "-f", "api")
    assert bind(area, "api", "api")["base_commit"] == tip


def test_every_other_byte_stays(area: GitRepo) -> None:
    text = area_text("payments", branch="payments").replace("branch", "# ours\nbranch  ")
    area.write(".zdev/payments/area.toml", text.replace("\n", "\r\n"))
    bind(area, "payments", "topic")
    expected = text.replace('"payments"\n', '"topic"\n', 2).replace(
        'tag = "topic"', 'tag = "payments"'
    )
    expected += f'base_commit = "{area.rev("main")}"\n'
    assert (area.path / ".zdev/payments/area.toml").read_bytes() == (
        expected.replace("\n", "\r\n").encode()
    )


def test_a_parent_keeps_an_area_off_the_trunk(area: GitRepo) -> None:
    write_empty_area(area.path, "api", branch="api", parent="payments")
    refused("area-has-parent", "area", "bind", "api", "--trunk", cwd=area.path)


def test_a_branch_that_another_area_owns(area: GitRepo) -> None:
    write_empty_area(area.path, "api", branch="api")
    refused("branch-owned", "area", "bind", "payments", "api", cwd=area.path)


def test_two_areas_that_came_to_share_a_branch_are_parted(area: GitRepo) -> None:
    write_empty_area(area.path, "api", branch="payments")
    refused("invalid-records", "area", "parent", "api", "payments", cwd=area.path)
    assert bind(area, "api", "api")["status"] == "updated"
    result("area list", cwd=area.path)


def test_the_trunk_of_trunk_areas(area: GitRepo) -> None:
    write_empty_area(area.path, "general", mode="trunk")
    refused("branch-owned", "area", "bind", "payments", "main", cwd=area.path)


def test_the_trunk_that_an_area_owns(area: GitRepo) -> None:
    write_empty_area(area.path, "solo", branch="main")
    refused("branch-owned", "area", "bind", "payments", "--trunk", cwd=area.path)


def test_without_a_trunk(area: GitRepo) -> None:
    area.write(".zdev/config.toml", CONFIG.replace('trunk = "main"\n', ""))
    refused("project-trunk-unbound", "area", "bind", "payments", "--trunk", cwd=area.path)
    assert bind(area, "payments", "topic")["base_commit"] is None


def test_unrelated_branches(area: GitRepo) -> None:
    area.git("switch", "-q", "--orphan", "alone")
    area.commit("Another beginning")
    refused("unrelated-history", "area", "bind", "payments", cwd=area.path)


def test_a_name_that_is_no_branch(area: GitRepo) -> None:
    refused("invalid-area", "area", "bind", "payments", "a..b", cwd=area.path)


@pytest.mark.parametrize("tag", ["other", "../payments", ""])
def test_an_unknown_area(tag: str, area: GitRepo) -> None:
    refused("unknown-area", "area", "bind", tag, "main", cwd=area.path)


def test_wrong_usage(area: GitRepo) -> None:
    refused("usage", "area", "bind", "payments", "x", "--trunk", cwd=area.path, status=2)


def test_the_words(area: GitRepo) -> None:
    tip = area.rev("main")
    run = succeed("area", "bind", "payments", "topic", cwd=area.path)
    assert run.text == f"The area payments is bound to topic.\nAnchor: {tip}\n"
    again = succeed("area", "bind", "payments", "topic", cwd=area.path)
    assert again.text == f"The area payments was bound to this already: topic.\nAnchor: {tip}\n"
    trunk = succeed("area", "bind", "payments", "--trunk", cwd=area.path)
    assert trunk.text == "The area payments is bound to the trunk main.\n"
