"""``git zdev context remove``."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.cli import refused, result, succeed
from tests.support.plan import FIRST, bundle, split, write_empty_area
from tests.support.plan import review as derive_review

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

NONE = "W0123456789abcdef"


@pytest.fixture(autouse=True)
def payments(payments: GitRepo) -> None:
    payments.write("src/log.rs", "let password = 'hunter2';\n")


def store(repo: GitRepo, area: str = "payments") -> dict[str, Any]:
    run = succeed("work-context", area, "--store", "--format=json", cwd=repo.path)
    document: dict[str, Any] = json.loads(run.stdout)
    return document


def remove(repo: GitRepo, *ids: str, area: str = "payments") -> dict[str, Any]:
    return result("context remove", area, *ids, cwd=repo.path)


def refuse(repo: GitRepo, code: str, *ids: str, area: str = "payments") -> dict[str, Any]:
    return refused(code, "context", "remove", area, *ids, cwd=repo.path)


def test_snapshots_are_removed_and_others_stay(repo: GitRepo) -> None:
    first = store(repo)
    repo.write("src/log.rs", "other\n")
    second = store(repo)
    repo.write("src/log.rs", "third\n")
    third = store(repo)
    ids = [second["snapshot"], first["snapshot"]]
    assert remove(repo, *ids, ids[0]) == {
        "area": "payments",
        "removed": ids,
        "schema_version": 1,
        "status": "removed",
    }
    assert os.listdir(Path(third["path"]).parent) == [f"{third['snapshot']}.json"]
    error = refused(
        "snapshot-unavailable", "work-context", "payments", "--show", ids[0], cwd=repo.path
    )
    assert ids[0] in error["error"]
    text = succeed("context", "remove", "payments", third["snapshot"], cwd=repo.path)
    assert text.text == f"Removed {third['snapshot']} of payments.\n"
    assert b"hunter2" not in b"".join(
        path.read_bytes() for path in (repo.path / ".git/zdev").rglob("*") if path.is_file()
    )


def test_what_was_removed_can_be_stored_again(repo: GitRepo) -> None:
    stored = store(repo)
    remove(repo, stored["snapshot"])
    assert store(repo) == stored


def test_a_corrupt_snapshot_is_removed(repo: GitRepo) -> None:
    path = Path(store(repo)["path"])
    path.chmod(0o644)
    path.write_bytes(b"\xff{")
    remove(repo, path.stem)
    assert not path.exists()


def test_a_link_is_removed_and_not_followed(repo: GitRepo) -> None:
    path = Path(store(repo)["path"])
    target = repo.write("kept.json", "kept\n")
    path.unlink()
    path.symlink_to(target)
    remove(repo, path.stem)
    assert not path.is_symlink()
    assert target.read_text() == "kept\n"


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_nothing_is_removed_through_a_link(repo: GitRepo, tmp_path: Path, depth: int) -> None:
    stored = store(repo)
    folder = Path(stored["path"]).parents[depth]
    elsewhere = tmp_path / "elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    refuse(repo, "snapshot-not-regular", stored["snapshot"])
    assert len(list(elsewhere.rglob(f"{stored['snapshot']}.json"))) == 1


def test_no_branch_no_plan_and_no_area_is_needed(repo: GitRepo) -> None:
    stored = store(repo)
    repo.git("add", "-A")
    repo.git("rm", "-rqf", ".zdev")
    repo.git("checkout", "-q", "--orphan", "empty")
    remove(repo, stored["snapshot"])
    assert not Path(stored["path"]).exists()


def test_what_a_killed_store_left_goes_as_well(repo: GitRepo) -> None:
    stored = store(repo)
    left = Path(stored["path"]).with_name(".writing-0123456789abcdef")
    left.write_text("hunter2")
    remove(repo, stored["snapshot"])
    assert not left.exists()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((NONE,), "snapshot-unavailable"),
        (("W123",), "snapshot-malformed-id"),
        (("../../../config",), "snapshot-malformed-id"),
        (("",), "snapshot-malformed-id"),
        ((f"{NONE}\n",), "snapshot-malformed-id"),
        (("R" + "0" * 32,), "review-unavailable"),
        (("D" + "0" * 32,), "review-unavailable"),
        (("R123",), "review-malformed-id"),
        (("D../..",), "review-malformed-id"),
    ],
    ids=repr,
)
def test_ids_that_name_nothing(repo: GitRepo, words: tuple[str, ...], code: str) -> None:
    stored = store(repo)
    refuse(repo, code, *words)
    refuse(repo, code, stored["snapshot"], *words)
    assert Path(stored["path"]).exists()


def test_a_snapshot_of_another_area(repo: GitRepo) -> None:
    write_empty_area(repo.path, "closed", branch="closed", lifecycle="closed")
    other = store(repo, "closed")
    stored = store(repo)
    error = refuse(repo, "snapshot-wrong-area", stored["snapshot"], other["snapshot"])
    assert "for the area closed, not for payments" in error["error"]
    remove(repo, other["snapshot"], area="closed")


@pytest.mark.parametrize("area", ["../payments", "", ".", "Payments"])
def test_what_is_no_area(repo: GitRepo, area: str) -> None:
    refuse(repo, "unknown-area", NONE, area=area)


def test_at_least_one_id(repo: GitRepo) -> None:
    run = refused("usage", "context", "remove", "payments", cwd=repo.path, status=2)
    assert "`git zdev context remove AREA STORED`" in run["error"]


def reviews(repo: GitRepo) -> list[dict[str, Any]]:
    words = ("payments", "--from", "-")
    first = result("tasks review", *words, cwd=repo.path, stdin=bundle(FIRST))
    return [first, derive_review(repo, split())]


def test_reviews_are_removed(repo: GitRepo) -> None:
    stored = store(repo)
    found = reviews(repo)
    ids = [stored["snapshot"], *(one["review"] for one in found)]
    assert remove(repo, *ids)["removed"] == ids
    for one in found:
        assert os.listdir(Path(one["path"]).parents[1]) == []
    for words in (("tasks", "review"), ("tasks", "derive", "review")):
        refused("review-unavailable", *words, "payments", "--show", cwd=repo.path)
    reviews(repo)


def test_a_corrupt_review_is_removed(repo: GitRepo) -> None:
    bundled, derived = reviews(repo)
    Path(bundled["path"]).unlink()
    (Path(bundled["path"]).parents[1] / "current").write_text("nonsense")
    (Path(derived["path"]).parents[1] / "current").unlink()
    remove(repo, bundled["review"], derived["review"])
    for one in (bundled, derived):
        assert os.listdir(Path(one["path"]).parents[1]) == []


def test_what_a_killed_review_left_goes_as_well(repo: GitRepo) -> None:
    bundled, _ = reviews(repo)
    left = Path(bundled["path"]).parents[1] / f".R{'0' * 32}"
    left.mkdir()
    (left / "bundle.json").write_text("secret")
    remove(repo, bundled["review"])
    assert not left.exists()


def test_a_replaced_review_that_is_still_there_leaves_the_current_one(repo: GitRepo) -> None:
    bundled, _ = reviews(repo)
    older = Path(bundled["path"]).parents[1] / f"R{'0' * 32}"
    older.mkdir()
    remove(repo, older.name)
    assert succeed("tasks", "review", "payments", "--show", cwd=repo.path).text


def test_a_review_is_removed_under_the_state_lock_and_a_snapshot_without(repo: GitRepo) -> None:
    bundled, _ = reviews(repo)
    stored = store(repo)
    repo.git("config", "zdev.lockTimeout", "0")
    with (repo.path / ".git/zdev-state.lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        refuse(repo, "state-locked", bundled["review"])
        remove(repo, stored["snapshot"])
    remove(repo, bundled["review"])


def test_ids_are_completed(repo: GitRepo) -> None:
    stored = store(repo)["snapshot"]
    found = {one["review"] for one in reviews(repo)}
    for before in ((), (NONE,)):
        words = ("__complete", "context", "remove", "payments", *before, "")
        answers = set(succeed(*words, cwd=repo.path).text.split())
        assert answers == {stored, *found}
