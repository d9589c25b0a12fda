"""A coordinator's day: snapshots around the work of others, from the baseline to completion."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.cli import refused, result, succeed
from tests.support.plan import commit_payments

if TYPE_CHECKING:
    from tests.support.repo import GitRepo


class Day:
    """The commands that a coordinator runs, in one repository."""

    def __init__(self, repo: GitRepo) -> None:
        commit_payments(repo)
        self.repo = repo

    def store(self) -> dict[str, Any]:
        return self._run("--store")

    def equal(self, stored: dict[str, Any]) -> bool:
        equal: bool = self._run("--compare", stored["snapshot"])["equal"]
        words = ("--compare", stored["snapshot"], "--exit-code")
        self._run(*words, status=0 if equal else 5)
        return equal

    def changed(self, stored: dict[str, Any]) -> list[str]:
        words = ("--compare", stored["snapshot"], "--verbose")
        changed: list[str] = self._run(*words)["changed"]
        return changed

    def _run(self, *words: str, status: int = 0) -> dict[str, Any]:
        command = ("work-context", "payments", *words, "--format=json")
        run = succeed(*command, cwd=self.repo.path, status=status)
        document: dict[str, Any] = json.loads(run.stdout)
        return document


def test_a_day(repo: GitRepo) -> None:
    day = Day(repo)
    baseline = day.store()
    assert (baseline["task_id"], baseline["queue"]) == ("payments-002", "ready")
    assert day.equal(baseline)

    repo.write("src/payments.rs", "fn pay() { retry() }\n")
    assert day.changed(baseline) == ["git_diff", "git_status"]
    before_validation = day.store()
    assert before_validation["snapshot"] != baseline["snapshot"]
    assert day.equal(before_validation)

    generated = repo.write("coverage.out", "80 %\n")
    assert day.changed(before_validation) == ["git_status", "git_untracked"]
    assert not day.equal(before_validation)
    generated.unlink()
    assert day.equal(before_validation)

    result(
        "task done",
        *("payments", "payments-002", "--summary", "Retries are settled."),
        *("--validation", "Ran the retry tests."),
        cwd=repo.path,
    )
    assert not day.equal(before_validation)
    assert "task_id" in day.changed(before_validation)

    repo.git("add", "--all")
    repo.commit("Settle the retries")
    evening = day.store()
    assert evening["task_id"] == "payments-003"
    assert day.changed(baseline) == ["goal", "head", "status", "task_id"]

    entries = (baseline, before_validation, evening)
    stored = Path(baseline["path"]).parent
    assert {path.stem for path in stored.iterdir()} == {entry["snapshot"] for entry in entries}
    for entry in entries:
        words = ("work-context", "payments", "--show", entry["snapshot"])
        assert succeed(*words, cwd=repo.path).stdout == Path(entry["path"]).read_bytes()


def test_a_worker_on_another_branch_stops_the_coordinator(repo: GitRepo) -> None:
    day = Day(repo)
    baseline = day.store()
    repo.git("switch", "-q", "-c", "topic")
    words = ("work-context", "payments", "--compare", baseline["snapshot"])
    refused("wrong-branch", *words, cwd=repo.path)
    repo.git("switch", "-q", "main")
    assert day.equal(baseline)


def test_a_worker_that_commits_is_noticed(repo: GitRepo) -> None:
    day = Day(repo)
    baseline = day.store()
    repo.write("src/payments.rs", "fn pay() { retry() }\n")
    repo.git("commit", "-qam", "A worker commits")
    assert day.changed(baseline) == ["head"]
