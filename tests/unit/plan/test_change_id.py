"""Change ids have one form and are found where Git finds trailers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from git_zdev.plan import change_id
from tests.support.repo import git

if TYPE_CHECKING:
    from pathlib import Path

ID = "Z" + "0123456789abcdef" * 4


def test_new_ids_differ_and_have_the_form() -> None:
    ids = {change_id.new_change_id() for _ in range(50)}
    assert len(ids) == 50
    assert all(change_id.is_change_id(each) for each in ids)


@pytest.mark.parametrize(
    "text", ["", "Z", ID[:-1], ID + "0", ID.lower(), "Z" + "A" * 64, ID[1:] + "0", "Z" + "g" * 64]
)
def test_other_texts_are_no_ids(text: str) -> None:
    assert not change_id.is_change_id(text)
    assert change_id.is_change_id(ID)


@pytest.mark.parametrize(
    ("subject", "paragraphs", "expected"),
    [
        ("Subject", [], f"Subject\n\nZdev-Change-Id: {ID}\n"),
        ("Fix: it", ["Why.\nBecause."], f"Fix: it\n\nWhy.\nBecause.\n\nZdev-Change-Id: {ID}\n"),
        ("S", ["One\n", "\n\nTwo"], f"S\n\nOne\n\nTwo\n\nZdev-Change-Id: {ID}\n"),
        ("S", ["Reviewed-by: A <a@b>"], f"S\n\nReviewed-by: A <a@b>\nZdev-Change-Id: {ID}\n"),
        ("S", ["", " \n"], f"S\n\nZdev-Change-Id: {ID}\n"),
    ],
)
def test_messages(tmp_path: Path, subject: str, paragraphs: list[str], expected: str) -> None:
    message = change_id.compose_message(subject, paragraphs, ID)
    assert message == expected
    assert change_id.change_id_of(message) == ID
    told = git("interpret-trailers", "--parse", cwd=tmp_path, stdin=message.encode()).stdout
    assert told.decode().splitlines()[-1] == f"Zdev-Change-Id: {ID}"


def test_only_real_trailers_count() -> None:
    assert change_id.change_id_of(f"Subject\n\nZdev-Change-Id: {ID}\nand more text\n") is None
    assert change_id.change_id_of("Subject\n\nZdev-Change-Id: short\n") is None
    assert change_id.change_id_of(f"Subject\n\nzdev-change-id: {ID}\n") == ID
    second = "Z" + "f" * 64
    both = f"Subject\n\nZdev-Change-Id: {ID}\nZdev-Change-Id: {second}\n"
    assert change_id.change_id_of(both) == second
