"""Everything that is not a proposal, or none for this area, is refused by both commands alike."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from git_zdev.cli.main import main
from tests.support import plan as proposals
from tests.support.cli import changes, tree_state, validate
from tests.support.plan import commit_payments

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.plan import Wrong
    from tests.support.repo import GitRepo


def test_there_are_enough() -> None:
    names = [wrong.name for wrong in proposals.ALL]
    assert len(names) == len(set(names)) >= 60


@pytest.mark.parametrize("wrong", proposals.ALL, ids=lambda wrong: wrong.name)
def test_refused_with_nothing_changed(
    wrong: Wrong,
    repo: GitRepo,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    commit_payments(repo)
    repo.write("src/payments.rs", "fn pay_later() {}\n")
    file = tmp_path / "proposal"
    file.write_bytes(wrong.data)
    monkeypatch.chdir(repo.path)
    before = tree_state(repo.path)
    errors = []
    for command in ("review", "apply"):
        words = ["tasks", "derive", command, "payments", "--from", str(file), "--format=json"]
        assert main(words) == 1
        stdout, stderr = capfdbinary.readouterr()
        assert stdout == b""
        errors.append(json.loads(stderr))
        assert changes(before, tree_state(repo.path)) == []
    for error in errors:
        validate("error", error)
        assert error["code"] == "invalid-proposal"
        told = [one for one in error["details"]["problems"] if wrong.told in one["message"]]
        assert told
        assert wrong.pointer in [one.get("pointer") for one in told]
    assert errors[0]["details"] == errors[1]["details"]
