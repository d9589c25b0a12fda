"""``git zdev config …`` on real repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.cli import changes, refused, result, succeed, tree_state
from tests.support.plan import CONFIG, write_empty_area

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

TOML = ".zdev/config.toml"


def stands(repo: GitRepo) -> str:
    return (repo.path / TOML).read_text()


def test_show_lists_what_is_set(planned: GitRepo) -> None:
    assert result("config show", cwd=planned.path) == {
        "schema_version": 1,
        "values": [
            {"key": "project.name", "origin": TOML, "value": "checkout"},
            {"key": "project.record", "origin": TOML, "value": "project"},
            {"key": "project.trunk", "origin": TOML, "value": "main"},
        ],
    }
    assert succeed("config", "show", cwd=planned.path).text == (
        "Key             Value     Origin\n"
        "project.name    checkout  .zdev/config.toml\n"
        "project.record  project   .zdev/config.toml\n"
        "project.trunk   main      .zdev/config.toml\n"
    )


def test_get(planned: GitRepo) -> None:
    assert result("config get", "project.name", cwd=planned.path) == {
        "key": "project.name",
        "schema_version": 1,
        "value": "checkout",
    }
    assert succeed("config", "get", "project.name", cwd=planned.path).stdout == b"checkout\n"


@pytest.mark.parametrize("key", ["trunk", "project", "project.", "project.Trunk", "zdev.trunk"])
@pytest.mark.parametrize("words", [("get",), ("set",), ("unset",)])
def test_an_unknown_key(key: str, words: tuple[str, ...], planned: GitRepo) -> None:
    value = ["x"] if words == ("set",) else []
    refused("unknown-config-key", "config", *words, key, *value, cwd=planned.path)


def test_get_of_what_is_not_set(planned: GitRepo) -> None:
    refused("unset-config-key", "config", "get", "project.guidance", cwd=planned.path)


def test_set_writes_in_the_formats_order_and_keeps_every_other_byte(planned: GitRepo) -> None:
    hand_written = CONFIG.replace("trunk", "# who starts where\ntrunk ")
    planned.write(TOML, hand_written)
    write_empty_area(planned.path, "payments", branch="payments", lifecycle="open")
    assert result("config set", "project.default_area", "payments", cwd=planned.path) == {
        "key": "project.default_area",
        "schema_version": 1,
        "status": "updated",
        "value": "payments",
    }
    assert stands(planned) == hand_written.replace(
        'record = "project"\n', 'record = "project"\ndefault_area = "payments"\n'
    )


def test_set_to_the_same_value_changes_nothing(planned: GitRepo) -> None:
    before = tree_state(planned.path)
    again = result("config set", "project.trunk", "main", cwd=planned.path)
    assert again["status"] == "unchanged"
    assert changes(before, tree_state(planned.path)) == []


def test_unset_takes_the_line_away(planned: GitRepo) -> None:
    planned.write(TOML, f'{CONFIG}guidance = "auto"\n')
    assert result("config unset", "project.guidance", cwd=planned.path) == {
        "key": "project.guidance",
        "schema_version": 1,
        "status": "updated",
        "value": None,
    }
    assert stands(planned) == CONFIG
    again = result("config unset", "project.guidance", cwd=planned.path)
    assert again["status"] == "unchanged"


@pytest.mark.parametrize("key", ["project.name", "project.record"])
def test_read_only_keys(key: str, planned: GitRepo) -> None:
    refused("read-only-config-key", "config", "set", key, "personal", cwd=planned.path)
    refused("read-only-config-key", "config", "unset", key, cwd=planned.path)


def test_a_default_area_must_exist(planned: GitRepo) -> None:
    refused("unknown-area", "config", "set", "project.default_area", "payments", cwd=planned.path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("project.guidance", ""),
        ("project.guidance", "two\nlines"),
        ("project.guidance", "bell\x07"),
        ("project.guidance", b"\xff"),
        ("project.trunk", "a..b"),
        ("project.trunk", "refs with blanks"),
        ("project.trunk", "-x.lock"),
    ],
)
def test_values_that_cannot_be_written(key: str, value: str | bytes, planned: GitRepo) -> None:
    shown = value.decode(errors="surrogateescape") if isinstance(value, bytes) else value
    refused("invalid-project", "config", "set", "--", key, shown, cwd=planned.path)


def test_a_default_area_that_is_gone_can_be_removed(planned: GitRepo) -> None:
    planned.write(TOML, CONFIG.replace("trunk", 'default_area = "gone"\ntrunk'))
    refused("invalid-records", "config", "set", "project.guidance", "x", cwd=planned.path)
    assert result("config unset", "project.default_area", cwd=planned.path)["status"] == "updated"
    assert stands(planned) == CONFIG


def test_trunk_is_printed_and_set(planned: GitRepo) -> None:
    assert result("config trunk", cwd=planned.path) == {
        "key": "project.trunk",
        "schema_version": 1,
        "value": "main",
    }
    assert result("config trunk", "release/1", cwd=planned.path) == {
        "key": "project.trunk",
        "schema_version": 1,
        "status": "updated",
        "value": "release/1",
    }
    assert stands(planned) == CONFIG.replace('"main"', '"release/1"')


@pytest.mark.parametrize("words", [("config", "trunk"), ("config", "set", "project.trunk")])
def test_a_trunk_that_does_not_exist_is_told_of(words: tuple[str, ...], planned: GitRepo) -> None:
    planned.git("branch", "next")
    assert succeed(*words, "next", cwd=planned.path).stderr == b""
    run = succeed(*words, "nxet", cwd=planned.path)
    assert run.text == "project.trunk is now nxet.\n"
    assert run.stderr == b'The branch "nxet" does not exist yet.\n'


def test_an_unbound_trunk(planned: GitRepo) -> None:
    result("config unset", "project.trunk", cwd=planned.path)
    refused("unset-config-key", "config", "trunk", cwd=planned.path)


def trunk_area(repo: GitRepo, *tags: str) -> None:
    for tag in tags:
        write_empty_area(repo.path, tag, mode="trunk", lifecycle="open")


def test_a_trunk_with_areas_may_move_to_a_descendant(planned: GitRepo) -> None:
    trunk_area(planned, "two", "one")
    old = planned.rev("HEAD")
    planned.git("switch", "-q", "-c", "next")
    new = planned.commit("More")
    assert result("config trunk", "next", cwd=planned.path) == {
        "affected_areas": ["one", "two"],
        "ancestry": {
            "new_tip": new,
            "old_is_ancestor": True,
            "old_tip": old,
            "override": False,
        },
        "key": "project.trunk",
        "previous_trunk": "main",
        "schema_version": 1,
        "status": "updated",
        "value": "next",
    }


def test_a_trunk_with_areas_may_not_lose_commits_unless_allowed(planned: GitRepo) -> None:
    trunk_area(planned, "one")
    planned.git("branch", "side")
    old, side = planned.commit("Only on main"), planned.rev("side")
    refused("trunk-diverges", "config", "trunk", "side", cwd=planned.path)
    refused("trunk-diverges", "config", "set", "project.trunk", "side", cwd=planned.path)
    moved = result("config trunk", "side", "--allow-divergent", cwd=planned.path)
    assert moved["ancestry"] == {
        "new_tip": side,
        "old_is_ancestor": False,
        "old_tip": old,
        "override": True,
    }
    assert stands(planned) == CONFIG.replace('"main"', '"side"')


def test_what_cannot_be_known_counts_as_diverging(planned: GitRepo) -> None:
    trunk_area(planned, "one")
    refused("trunk-diverges", "config", "trunk", "missing", cwd=planned.path)
    moved = result("config set", "project.trunk", "missing", "--allow-divergent", cwd=planned.path)
    assert moved["ancestry"] == {
        "new_tip": None,
        "old_is_ancestor": None,
        "old_tip": planned.rev("main"),
        "override": True,
    }


def test_a_trunk_with_areas_cannot_be_unset(planned: GitRepo) -> None:
    trunk_area(planned, "one")
    error = refused("trunk-in-use", "config", "unset", "project.trunk", cwd=planned.path)
    assert error["details"] == {"affected_areas": ["one"]}


def test_a_trunk_with_areas_cannot_be_a_branch_that_an_area_owns(planned: GitRepo) -> None:
    trunk_area(planned, "one")
    write_empty_area(planned.path, "two", branch="two", lifecycle="open")
    planned.git("branch", "two")
    refused("branch-owned", "config", "trunk", "two", "--allow-divergent", cwd=planned.path)


@pytest.mark.parametrize(
    "words",
    [
        ["set", "project.guidance", "auto", "--allow-divergent"],
        ["trunk", "--allow-divergent"],
        ["set", "project.guidance"],
        ["get"],
        ["show", "more"],
    ],
)
def test_wrong_usage(words: list[str], planned: GitRepo) -> None:
    refused("usage", "config", *words, cwd=planned.path, status=2)


@pytest.mark.parametrize(
    "words", [["show"], ["get", "project.name"], ["set", "project.guidance", "x"], ["trunk"]]
)
def test_without_a_plan(words: list[str], repo: GitRepo) -> None:
    refused("not-initialized", "config", *words, cwd=repo.path)


def test_reading_needs_no_repository(planned: GitRepo) -> None:
    (planned.path / ".git").rename(planned.path / "no-git")
    assert result("config get", "project.trunk", cwd=planned.path)["value"] == "main"
    refused("not-a-repository", "config", "trunk", "x", cwd=planned.path)
