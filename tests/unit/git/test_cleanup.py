"""A commit has the message that was planned, whatever the user's settings do to messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from git_zdev.git.cleanup import keeping
from tests.support.repo import git_version

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

CUT = "------------------------ >8 ------------------------"
MESSAGES = {
    "plain": "Add tasks to payments\n\nZdev-Change-Id: Z0\n",
    "comments": "# one\n\n; two\n\nZdev-Change-Id: Z0\n",
    "scissors": f"Subject\n\n# {CUT}\nA {CUT}\n\nZdev-Change-Id: Z0\n",
    "blanks": "\n\n  Subject \t\n\n\n\n\tbody\t\n \nZdev-Change-Id: Z0 \n\n\n",
    "carriage returns": "Subject\r\n\r\nZdev-Change-Id: Z0\r\n",
    "no line end": "Subject\n\nZdev-Change-Id: Z0",
    "used up": "".join(f"{one} line\n" for one in "#;@!$%^&|:") + "\nZdev-Change-Id: Z0\n",
    "not ASCII": "Füge hinzu — 変更\n\nZdev-Change-Id: Z0\n",
    "other blanks": "Subject\v\f\n\n\u00a0\u2003\n\nZdev-Change-Id: Z0\n",
}
CLEANUPS = (None, "strip", "whitespace", "verbatim", "scissors", "default")
COMMENTS = (None, "#", "A", "Z", "S", "F", "auto", ";", " ")
SETTINGS: list[dict[str, str]] = [
    {
        key: value
        for key, value in (("commit.cleanup", cleanup), ("core.commentChar", comment))
        if value is not None
    }
    for cleanup in CLEANUPS
    for comment in COMMENTS
]
SETTINGS += [
    {**setting, "commit.verbose": "true"}
    for setting in SETTINGS
    if setting.get("core.commentChar") in (None, "A")
]
SETTINGS += [
    {"i18n.commitEncoding": "ISO-8859-1"},
    {"commit.template": "missing", "commit.status": "true"},
]
if git_version() >= (2, 45):
    SETTINGS += [
        {"commit.cleanup": cleanup, "core.commentString": text}
        for cleanup in ("strip", "scissors")
        for text in ("Add", "Zdev-", "//", "auto")
    ]


def made(repo: GitRepo, settings: dict[str, str], message: str, *, kept: bool) -> tuple[str, str]:
    """The message and the encoding of a commit under these settings."""
    options, words = keeping(message.encode()) if kept else ((), ())
    configured = [word for pair in settings.items() for word in ("-c", "=".join(pair))]
    empty = ("--allow-empty", "--allow-empty-message")
    repo.git(
        *configured, *options, "commit", "-q", *empty, "--file=-", *words, stdin=message.encode()
    )
    headers, _, text = repo.git("cat-file", "commit", "HEAD").partition("\n\n")
    encodings = [line for line in headers.split("\n") if line.startswith("encoding ")]
    return text, "".join(encodings)


@pytest.mark.parametrize("name", MESSAGES)
def test_the_message_is_the_planned_one_under_all_settings(repo: GitRepo, name: str) -> None:
    message = MESSAGES[name]
    for settings in SETTINGS:
        text, encoding = made(repo, settings, message, kept=True)
        # GitRepo.git() takes one line end away.
        assert text == message.removesuffix("\n"), settings
        assert not encoding or message.isascii(), settings


@pytest.mark.parametrize(
    ("settings", "message", "left"),
    [
        ({"commit.cleanup": "strip", "core.commentChar": "A"}, "plain", "Zdev-Change-Id: Z0"),
        ({"commit.cleanup": "strip", "core.commentChar": "Z"}, "plain", "Add tasks to payments"),
        ({"commit.verbose": "true"}, "scissors", "Subject"),
        ({}, "blanks", "  Subject\n\n\tbody\n\nZdev-Change-Id: Z0"),
    ],
)
def test_git_alone_would_not_take_it_as_it_stands(
    repo: GitRepo, settings: dict[str, str], message: str, left: str
) -> None:
    assert made(repo, settings, MESSAGES[message], kept=False)[0] == left


def test_git_would_say_that_the_bytes_are_in_the_configured_encoding(repo: GitRepo) -> None:
    settings = {"i18n.commitEncoding": "ISO-8859-1"}
    assert made(repo, settings, MESSAGES["not ASCII"], kept=False)[1] == "encoding ISO-8859-1"


@pytest.mark.parametrize("name", MESSAGES)
def test_whitespace_is_the_mode_where_git_would_leave_the_message_alone(
    repo: GitRepo, name: str
) -> None:
    message = MESSAGES[name].encode()
    cleaned = repo.git("stripspace", stdin=message) + "\n"
    mode = "whitespace" if cleaned.encode() == message else "verbatim"
    assert keeping(message)[1] == (f"--cleanup={mode}", "--no-verbose")
