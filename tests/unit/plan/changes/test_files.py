"""Record files as a plan meets them."""

from __future__ import annotations

import pytest

from git_zdev.git.model import IndexEntry, TreeEntry
from git_zdev.ground.changeset import FileChange
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import replace
from git_zdev.plan.changes.files import edited, require_committed, require_shared
from git_zdev.plan.records.model import Project
from git_zdev.plan.records.store import PlannedSource
from tests.support.plan import IN_MEMORY
from tests.support.repo import REGULAR, FakeTree

PATH = ".zdev/config.toml"
CONTENT = b"one\ntwo\n"
COMMITTED = TreeEntry(REGULAR, CONTENT.hex())
STAGED = IndexEntry(PATH.encode(), REGULAR, CONTENT.hex())


def test_an_edit_is_a_change_only_where_it_changes_something() -> None:
    source = PlannedSource(IN_MEMORY, {PATH: CONTENT})
    assert edited(PATH, source, bytes.upper) == (FileChange(PATH, CONTENT, b"ONE\nTWO\n"),)
    assert edited(PATH, source, bytes.lower) == ()


def test_a_file_that_vanished_is_drift() -> None:
    with pytest.raises(ZdevError) as caught:
        edited(PATH, PlannedSource(IN_MEMORY, {PATH: None}), bytes.upper)
    assert caught.value.code == "state-drifted"


@pytest.mark.parametrize("data", [CONTENT, CONTENT.replace(b"\n", b"\r\n")])
def test_line_ends_are_no_change(data: bytes) -> None:
    require_committed({PATH: (COMMITTED, STAGED, data)}, FakeTree())


@pytest.mark.parametrize(
    ("tracked", "staged", "data"),
    [
        (None, STAGED, CONTENT),
        (COMMITTED, None, CONTENT),
        (COMMITTED, STAGED, None),
        (COMMITTED, STAGED, b"one\n"),
        (COMMITTED, replace(STAGED, blob=b"other".hex()), CONTENT),
        (COMMITTED, replace(STAGED, mode=0o100755), CONTENT),
        (COMMITTED, replace(STAGED, stage=2), CONTENT),
    ],
)
def test_what_is_not_alike_everywhere_is_refused(
    tracked: TreeEntry | None, staged: IndexEntry | None, data: bytes | None
) -> None:
    with pytest.raises(ZdevError) as caught:
        require_committed({PATH: (tracked, staged, data)}, FakeTree())
    assert (caught.value.code, caught.value.details) == ("records-changed", {"paths": [PATH]})


def test_many_files_are_all_in_the_details() -> None:
    names = [f"f{number}" for number in range(7)]
    with pytest.raises(ZdevError) as caught:
        require_committed(dict.fromkeys(names, (None, None, None)), FakeTree())
    assert caught.value.details == {"paths": names}
    assert caught.value.message.endswith("f0, f1, f2, f3, f4 …")


def test_a_personal_record_is_never_committed() -> None:
    require_shared(Project(name="checkout", record="project"))
    with pytest.raises(ZdevError) as caught:
        require_shared(Project(name="checkout", record="personal"))
    assert caught.value.code == "personal-record"
