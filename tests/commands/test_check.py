"""``git zdev check``, of the work tree and of the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.cli import refused, result, succeed
from tests.support.plan import (
    INDEX,
    INDEX_PATH,
    SOURCE_PATH,
    task_text,
    write_area,
    write_plan,
)

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

pytestmark = pytest.mark.usefixtures("payments")


def problems(repo: GitRepo, *words: str) -> set[tuple[str, str | None, int | None]]:
    error = refused("invalid-records", "check", *words, cwd=repo.path)
    return {
        (problem["code"], problem.get("path"), problem.get("line"))
        for problem in error["details"]["problems"]
    }


def test_a_sound_plan(repo: GitRepo) -> None:
    expected = {"areas": ["payments"], "schema_version": 1, "status": "ok"}
    assert result("check", cwd=repo.path) == expected
    assert result("check", "payments", "--staged", cwd=repo.path) == expected
    assert succeed("check", cwd=repo.path / "src").text == (
        "The plan is sound (1 area: payments).\n"
    )


def test_a_plan_without_areas(repo: GitRepo) -> None:
    repo.git("rm", "-qr", ".zdev/payments")
    assert result("check", cwd=repo.path)["areas"] == []


def test_every_problem_of_every_area(repo: GitRepo) -> None:
    write_area(repo.path, "api", tasks=1)
    repo.write(".zdev/api/brief.md", "# API\n")
    repo.write(INDEX_PATH, INDEX.replace("Ready: 2", "Ready: 3"))
    found = problems(repo)
    assert ("stale-index", INDEX_PATH, 6) in found
    assert {path for _, path, _ in found} == {INDEX_PATH, ".zdev/api/brief.md"}


LOST = (
    ".zdev/payments holds records but no area.toml, without which it is not an area: bring it "
    "back (`git log -- .zdev/payments/area.toml` may find it), or remove the folder"
)


@pytest.mark.parametrize("kept", ["brief.md", "TASKS.md", "tasks/001-one.md", "slices/api.md"])
def test_a_folder_that_has_lost_its_area_file_is_pointed_out(repo: GitRepo, kept: str) -> None:
    repo.git("rm", "-qr", ".zdev/payments")
    repo.write(f".zdev/payments/{kept}", "x\n")
    repo.git("add", ".zdev")
    for words in (("check",), ("check", "--staged")):
        run = succeed(*words, cwd=repo.path)
        assert run.error_text == f"{LOST}\n"
        assert result(*words, cwd=repo.path)["areas"] == []
    error = refused("unknown-area", "goal", "payments", cwd=repo.path)
    assert error["error"] == f'there is no area "payments". {LOST}.'
    repo.write(".zdev/config.toml", "schema_version = 1\n")
    assert refused("invalid-records", "check", cwd=repo.path)["error"].endswith(f". {LOST}.")


def test_other_folders_are_nobodys_business(repo: GitRepo) -> None:
    repo.write(".zdev/notes/ideas.md", "x\n")
    repo.write(".zdev/_old/brief.md", "x\n")
    assert succeed("check", cwd=repo.path).error_text == ""


def test_one_area_alone(repo: GitRepo) -> None:
    write_area(repo.path, "api", tasks=1)
    repo.write(".zdev/api/brief.md", "# API\n")
    assert result("check", "payments", cwd=repo.path)["areas"] == ["payments"]


def test_problems_are_listed_as_text_with_file_and_line(repo: GitRepo) -> None:
    repo.write(SOURCE_PATH, task_text(2, blocked_by=["payments-002"]))
    run = refused_text(repo)
    assert "error: the plan has " in run
    assert f"  {SOURCE_PATH}:7: " in run


def refused_text(repo: GitRepo) -> str:
    from tests.support.cli import zdev

    run = zdev("check", cwd=repo.path)
    assert (run.status, run.stdout) == (1, b"")
    return run.error_text


def test_staged_looks_at_the_index_alone(repo: GitRepo) -> None:
    repo.write(INDEX_PATH, "broken\n")
    assert result("check", "--staged", cwd=repo.path)["status"] == "ok"
    repo.git("add", INDEX_PATH)
    repo.write(INDEX_PATH, INDEX)
    assert result("check", cwd=repo.path)["status"] == "ok"
    assert {code for code, _, _ in problems(repo, "--staged")} == {"stale-index"}


def test_staged_in_a_commit_that_names_its_own_index(repo: GitRepo) -> None:
    other = repo.path / ".git/other-index"
    repo.write(INDEX_PATH, "broken\n")
    repo.git("read-tree", "HEAD", env={"GIT_INDEX_FILE": str(other)})
    repo.git("add", INDEX_PATH, env={"GIT_INDEX_FILE": str(other)})
    refused(
        "invalid-records",
        "check",
        "--staged",
        cwd=repo.path,
        env={"GIT_INDEX_FILE": str(other)},
    )
    assert result("check", "--staged", cwd=repo.path)["status"] == "ok"


def test_a_symlink_in_the_index_is_a_problem(repo: GitRepo) -> None:
    (repo.path / SOURCE_PATH).unlink()
    (repo.path / SOURCE_PATH).symlink_to("001-measure-the-retries.md")
    repo.git("add", SOURCE_PATH)
    assert ("symlink-in-records", SOURCE_PATH) in {
        (code, path) for code, path, _ in problems(repo, "--staged")
    }


def test_a_plan_in_a_folder_of_the_work_tree(repo: GitRepo) -> None:
    write_area(repo.path / "sub", "deep", tasks=2)
    repo.git("add", "--all")
    assert result("check", cwd=repo.path / "sub")["areas"] == ["deep"]
    assert result("check", "--staged", cwd=repo.path / "sub")["areas"] == ["deep"]
    assert result("check", "--root=sub", "--staged", cwd=repo.path)["areas"] == ["deep"]


def test_an_unknown_area(repo: GitRepo) -> None:
    refused("unknown-area", "check", "other", cwd=repo.path)


def test_without_a_plan(repo: GitRepo) -> None:
    repo.git("rm", "-qr", ".zdev")
    error = refused("invalid-records", "check", cwd=repo.path)
    assert error["details"]["problems"][0]["code"] == "not-initialized"


def test_an_index_without_a_plan_is_sound(repo: GitRepo) -> None:
    repo.git("rm", "-qr", "--cached", ".zdev")
    expected = {"areas": [], "schema_version": 1, "status": "ok"}
    assert result("check", "--staged", cwd=repo.path) == expected
    repo.git("add", SOURCE_PATH)
    error = refused("invalid-records", "check", "--staged", cwd=repo.path)
    assert "not-initialized" in {problem["code"] for problem in error["details"]["problems"]}


def test_a_thousand_problems_are_all_in_the_json(repo: GitRepo) -> None:
    texts = {
        f"payments/tasks/{number:03d}-more.md": task_text(number, blocked_by=["payments-000"])
        for number in range(10, 110)
    }
    write_plan(repo.path, dict(texts))
    assert len(problems(repo)) == 100
    lines = refused_text(repo).splitlines()
    assert lines[-1].startswith("  … and 50 more")
