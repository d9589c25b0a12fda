"""From the work tree's bytes to Git's, against ``git hash-object`` and by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from git_zdev.evidence.filters import CONVERT, GUESS, Conversion, conversion, looks_binary, to_git
from git_zdev.git.read.objects import blob_id
from git_zdev.ground.errors import ZdevError

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

CONTENTS = {
    "lf": b"one\ntwo\n",
    "crlf": b"one\r\ntwo\r\n",
    "mixed": b"one\r\ntwo\n",
    "lone cr": b"one\rtwo\r\n",
    "nul": b"one\r\n\0two\r\n",
    "ident": b"$Id: 123 $\r\n$Id$ $Id:$ $Id: no\nend$ $Identity$ $Id: open",
    "control": b"\x01\r\n" + b"x" * 100,
    "few controls": b"\x01\r\n" + b"x" * 200,
    "ctrl-z": b"one\r\ntwo\r\n\x1a",
    "empty": b"",
    "utf-16": "öne\r\ntwo\n".encode("utf-16"),
    "utf-16le": "öne\r\ntwo\n".encode("utf-16-le"),
    "latin-1": "öne\r\n".encode("latin-1"),
}
ATTRIBUTES = {
    "": {},
    "text": {"text": True},
    "-text": {"text": False},
    "text=auto": {"text": "auto"},
    "text=input": {"text": "input"},
    "eol=lf": {"eol": "lf"},
    "eol=crlf": {"eol": "crlf"},
    "text=auto eol=crlf": {"text": "auto", "eol": "crlf"},
    "-text eol=lf": {"text": False, "eol": "lf"},
    "crlf": {"crlf": True},
    "-crlf text=auto": {"crlf": False, "text": "auto"},
    "crlf=input": {"crlf": "input"},
    "ident": {"ident": True},
    "ident text": {"ident": True, "text": True},
    "working-tree-encoding=UTF-16": {"working-tree-encoding": "UTF-16"},
    "working-tree-encoding=utf-16le": {"working-tree-encoding": "utf-16le"},
    "working-tree-encoding=UTF-16LE-BOM": {"working-tree-encoding": "UTF-16LE-BOM"},
    "working-tree-encoding=latin-1 text": {"working-tree-encoding": "latin-1", "text": True},
    "working-tree-encoding=UTF-8": {"working-tree-encoding": "UTF-8"},
    "working-tree-encoding=UTF8": {"working-tree-encoding": "UTF8"},
}  # type: dict[str, dict[str, Value]]


@pytest.mark.parametrize("line", ATTRIBUTES)
@pytest.mark.parametrize("autocrlf", ["false", "input", "true"])
def test_conversions_equal_git(repo: GitRepo, line: str, autocrlf: str) -> None:
    repo.git("config", "core.autocrlf", autocrlf)
    repo.git("config", "core.safecrlf", "false")
    repo.write(".gitattributes", f"* {line}\n")
    for name, data in CONTENTS.items():
        repo.write(name.replace(" ", "-"), data)
    names = [name.replace(" ", "-") for name in CONTENTS]
    # Without -w Git leaves content that is invalid in its encoding as it is, as a diff does.
    expected = repo.git("hash-object", *names).split()
    convert = conversion(ATTRIBUTES[line], autocrlf)
    found = [blob_id(to_git(convert, b"a.txt", data, lambda: False)) for data in CONTENTS.values()]
    wrong = [
        name for name, one, other in zip(CONTENTS, found, expected, strict=True) if one != other
    ]
    assert not wrong


def test_a_guessed_file_with_crlf_in_the_index_stays() -> None:
    guess, sure = Conversion(GUESS), Conversion(CONVERT)
    assert to_git(guess, b"a.txt", b"a\r\n", lambda: True) == b"a\r\n"
    assert to_git(guess, b"a.txt", b"a\r\n", lambda: False) == b"a\n"
    assert to_git(sure, b"a.txt", b"a\r\n", lambda: True) == b"a\n"


@pytest.mark.parametrize(
    ("data", "binary"),
    [
        (b"plain\n", False),
        (b"a\rb", True),
        (b"a\0", True),
        (b"x" * 127 + b"\x01", True),
        (b"x" * 128 + b"\x01", False),
        (b"\t\b\x1b\x0c text", False),
        (b"text\x1a", False),
        (b"\x7f", True),
    ],
)
def test_the_guess(data: bytes, binary: bool) -> None:
    assert looks_binary(data) is binary


def test_an_encoding_needs_a_name_where_the_content_is_looked_at() -> None:
    convert = conversion({"working-tree-encoding": True}, "false")
    with pytest.raises(ZdevError) as caught:
        to_git(convert, b"a.txt", b"", lambda: False)
    assert caught.value.code == "invalid-attribute"
    assert "a.txt" in caught.value.message


@pytest.mark.parametrize("value", [False, ""])
def test_an_encoding_that_is_unset_is_none(value: bool | str) -> None:
    assert conversion({"working-tree-encoding": value}, "false").does_nothing


def test_an_unknown_encoding_is_refused() -> None:
    convert = conversion({"working-tree-encoding": "no-such-code"}, "false")
    with pytest.raises(ZdevError) as caught:
        to_git(convert, b"a.txt", b"x", lambda: False)
    assert caught.value.code == "unsupported-encoding"
    assert to_git(convert, b"a.txt", b"", lambda: False) == b""
