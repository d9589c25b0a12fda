"""Taking a pull request's plan out of its branch, planned as values."""

from __future__ import annotations

import pytest

from git_zdev.ground.changeset import CommitPlan, FileChange
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.paths import TOP, PlanRoot
from git_zdev.plan.changes.project import plan_squash
from git_zdev.plan.records.model import Project
from git_zdev.plan.records.store import PlannedSource
from tests.support.plan import IN_MEMORY
from tests.support.repo import FakeTree

PROJECT = Project(name="checkout", record="pull-request")
FILES = {".zdev/config.toml": b"config\n", ".zdev/payments/area.toml": b"area\n"}
SOURCE = PlannedSource(IN_MEMORY, FILES)


def committed(folder: str = "") -> dict[str, bytes]:
    lead = f"{folder}/" if folder else ""
    return {f"{lead}{path}": data for path, data in FILES.items()}


@pytest.mark.parametrize("folder", ["", "inner"])
def test_every_tracked_file_of_the_plan_goes_in_one_commit(folder: str) -> None:
    """What Git does not track stays, the plan's own files among them."""
    repository = FakeTree.clean({**committed(folder), "src/main.py": b"x\n", ".zdevil": b"x\n"})
    change = plan_squash(PROJECT, PlanRoot(folder), source=SOURCE, repository=repository)
    assert change.changes == tuple(FileChange(path, data, None) for path, data in FILES.items())
    assert change.commit == CommitPlan(
        "Remove the plan below .zdev\n", tuple(sorted(committed(folder)))
    )


@pytest.mark.parametrize("record", ["personal", "project"])
def test_only_a_pull_requests_plan_is_removed(record: str) -> None:
    project = Project(name="checkout", record=record)
    with pytest.raises(ZdevError) as caught:
        plan_squash(project, TOP, source=SOURCE, repository=FakeTree.clean(FILES))
    assert caught.value.code == "not-a-pull-request-record"


STAGED_ONLY = {**FILES, ".zdev/new.md": b"new\n"}


@pytest.mark.parametrize(
    ("repository", "code"),
    [
        (FakeTree.clean({"src/main.py": b"x\n"}), "nothing-to-clean"),
        (FakeTree(FILES, FILES, branch=None), "detached-head"),
        (FakeTree(FILES, {}), "records-changed"),
        (FakeTree(FILES, STAGED_ONLY), "records-changed"),
        (FakeTree.clean({**FILES, ".zdev/config.toml": b"other\n"}), "records-changed"),
    ],
    ids=["nothing", "detached", "removed", "added", "edited"],
)
def test_what_is_refused(repository: FakeTree, code: str) -> None:
    with pytest.raises(ZdevError) as caught:
        plan_squash(PROJECT, TOP, source=SOURCE, repository=repository)
    assert caught.value.code == code
