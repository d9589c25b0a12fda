"""Bytes as values of JSON."""

from __future__ import annotations

import pytest

from git_zdev.evidence import strings


def test_text_stays_text() -> None:
    assert strings.held("é\n".encode()) == "é\n"
    assert strings.key("é".encode()) == "é"
    assert strings.shown("é") == "é"


def test_bytes_are_held_as_bytes() -> None:
    assert strings.held(b"caf\xe9") == {"base64": "Y2Fm6Q=="}
    assert strings.key(b"caf\xe9") == "base64:Y2Fm6Q=="
    assert strings.shown({"base64": "Y2Fm6Q=="}) == "caf\\xe9"


def test_no_other_key_begins_as_one_that_holds_bytes() -> None:
    assert strings.key(b"base64:Y2Fm6Q==") == "base64:YmFzZTY0OlkyRm02UT09"
    assert strings.key(b"base64") == "base64"


@pytest.mark.parametrize(("data", "expected"), [(b"", True), (b"a", True), (b"\xff", False)])
def test_what_is_utf8(data: bytes, expected: bool) -> None:
    assert strings.is_utf8(data) is expected
