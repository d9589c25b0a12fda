"""Trailer blocks are found where ``git interpret-trailers`` finds them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from git_zdev.git import trailers
from tests.support.repo import git

HERE = Path(__file__).parent


def parsed_by_git(message: str) -> list[tuple[str, str]]:
    names = ["interpret-trailers", "--parse", "--no-divider"]
    told = git(*names, cwd=HERE, stdin=message.encode()).stdout.decode()
    pairs = [line.partition(":") for line in told.split("\n") if line]
    return [(token.strip(), value.strip()) for token, _, value in pairs]


MESSAGES = [
    "Title\n",
    "Title",
    "Token: value\n",
    "Title\n\nToken: value\n",
    "Title\n\nBody.\n\nToken: value\nOther-Token:two\n",
    "Title\n\nToken: value\n\n\n",
    "Title\n\nBody.\nToken: value\n",
    "Title\nToken: value\n",
    "\n\nTitle\n\nToken: value\n",
    "Title\n\nToken : value\n",
    "Title\n\nTo ken: value\n",
    "Title\n\n: value\n",
    "Title\n\n-: value\n",
    "Title\n\nToken:\n",
    "Title\n\nToken: first\n second\n\tthird\nNext: x\n",
    "Title\n\n leading: x\nToken: value\n",
    "Title\n\nsome words\nSigned-off-by: A <a@b>\n",
    "Title\n\none\ntwo\nthree\nSigned-off-by: A <a@b>\n",
    "Title\n\none\ntwo\nthree\nfour\nSigned-off-by: A <a@b>\n",
    "Title\n\none\ntwo\nthree\n (four)\nSigned-off-by: A <a@b>\n",
    "Title\n\nwords\n(cherry picked from commit abc)\nToken: x\n",
    "Title\n\nToken: x\n(cherry picked from commit abc)\n",
    "Title\n\nToken: x\n# comment\nOther: y\n",
    "Title\n\n# comment\nToken: x\n",
    "Title\n\nToken: x\n# comment\n continued\n",
    "Title\n\nSigned-off-by: A <a@b>\n# comment\n words\n",
    "Title\n\nToken: x\n\n# comment\n# more\n",
    "# comment\nTitle\n\nToken: x\n",
    "Title\n# comment\n\nToken: x\n",
    "Title\n\nToken: x\n\nConflicts:\n\ta\n\tb\n",
    "Title\n\nToken: x\nConflicts:\n\ta\n",
    "Title\n\nConflicts:\n\ta\n\nToken: x\n",
    "Title\n\nToken: x\n# ------------------------ >8 ------------------------\nOther: y\n",
    "Title\n\nToken: x\n---\nOther: y\n",
    "Title\n\nToken: x\n \t \n",
    "Title\n\nToken: caf\u00e9\nT\u00f6ken: x\n",
    "Title\n\nToken: a:b: c\nhttps://example.org\n",
    "Title\n \nToken: x\n",
    "",
    "\n",
]


@pytest.mark.parametrize("message", MESSAGES)
def test_parse_finds_what_git_finds(message: str) -> None:
    assert trailers.parse(message) == parsed_by_git(message)


LINES = st.sampled_from(
    ["Title", "Token: value", "Signed-off-by: A <a@b>", "words here", " indented", "", "  ",
     "\tx: y", "(cherry picked from commit abc)", "# comment",
     "Conflicts:", "\ta", "A-b :c", "x:", "a b: c"]
)  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(LINES, max_size=12))
def test_parse_agrees_on_any_mixture(lines: list[str]) -> None:
    message = "\n".join(lines) + "\n"
    assert trailers.parse(message) == parsed_by_git(message)


def test_values_ignore_the_case_of_the_token() -> None:
    message = "Title\n\nZdev-Change-Id: one\nOther: x\nzdev-change-ID: two\n"
    assert trailers.values(message, "Zdev-Change-Id") == ["one", "two"]
    assert trailers.values(message, "Missing") == []


@pytest.mark.parametrize("message", [m for m in MESSAGES if m.strip() and "#" not in m])
def test_an_appended_trailer_is_found_again(message: str) -> None:
    if "Conflicts:\n\ta" in message:
        return
    before = trailers.parse(message)
    after = trailers.append(message, "Zdev-Change-Id", "Zabc")
    assert parsed_by_git(after) == [*before, ("Zdev-Change-Id", "Zabc")]
    assert after.endswith("\nZdev-Change-Id: Zabc\n")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Title", "Title\n\nId: x\n"),
        ("Title\n\nBody.\n\n", "Title\n\nBody.\n\nId: x\n"),
        ("Title\n\nSigned-off-by: A <a@b>\n", "Title\n\nSigned-off-by: A <a@b>\nId: x\n"),
        ("Fix: a thing", "Fix: a thing\n\nId: x\n"),
    ],
)
def test_append_joins_the_block_or_opens_one(message: str, expected: str) -> None:
    assert trailers.append(message, "Id", "x") == expected
