"""Slices planned as values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.ground.changeset import FileChange
from git_zdev.ground.errors import InvalidInput, ZdevError
from git_zdev.plan.areas import load_area
from git_zdev.plan.changes.slice import plan_create, require_slice
from tests.support.plan import IN_MEMORY, SLICE

if TYPE_CHECKING:
    from git_zdev.ground.changeset import ChangeSet
    from git_zdev.plan.records.model import Slice

RECORDS = load_area(IN_MEMORY, "payments")


def create(key: str = "web", **over: Any) -> tuple[Slice, ChangeSet]:
    given: dict[str, Any] = {"title": "The API", "objective": "Serve."}
    given |= {"boundaries": ["Keep the wire format."], "source": IN_MEMORY}
    return plan_create(RECORDS.area, key, **given | over)


def test_a_new_slice_is_one_file() -> None:
    new, change = create()
    written = SLICE.format(tag="payments", key="web").encode()
    assert change.changes == (FileChange(".zdev/payments/slices/web.md", None, written),)
    assert (new.key, new.title, new.source) == ("web", "The API", written)


def test_a_slice_that_is_there_is_refused() -> None:
    with pytest.raises(ZdevError) as caught:
        create("api")
    assert caught.value.code == "slice-exists"


def test_every_value_that_cannot_be_written_is_told() -> None:
    with pytest.raises(InvalidInput) as caught:
        create("No Key", title="", objective="a\nb", boundaries=["fine", "\t"])
    assert [problem.message.split(" is ")[0][:14] for problem in caught.value.problems] == [
        "the key",
        "the title",
        "the objective ",
        "boundary 2",
    ]
    with pytest.raises(InvalidInput, match="no boundary"):
        create(boundaries=[])


def test_a_slice_is_found_by_its_key() -> None:
    assert require_slice(RECORDS.slices, "payments", "api").title == "The API"
    with pytest.raises(ZdevError) as caught:
        require_slice(RECORDS.slices, "payments", "web")
    assert (caught.value.code, caught.value.hint) == ("unknown-slice", "Its slices: api")
