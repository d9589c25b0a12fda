"""How to make ``git commit`` take a message as it is.

Depending on its settings, Git cleans up a message that it reads from a file (git-commit(1),
``--cleanup``; all of this was tried with Git 2.39):

``commit.cleanup=strip``
    removes the lines that begin with ``core.commentChar``, which may be a letter, or a text of
    several characters in newer versions: a subject, or a trailer, is lost.
``whitespace``, ``scissors`` and ``default``
    without an editor remove blanks at the ends of lines and superfluous blank lines.
``commit.verbose``
    cuts the message off at a line of scissors, in every mode, although without an editor it shows
    nothing.
``core.commentChar=auto``
    fails where the message uses up the characters that Git would choose from, in every mode.
``i18n.commitEncoding``
    labels the bytes with that encoding and does not change them.

Hooks may change the message afterwards in every mode.
"""

from __future__ import annotations

_BLANKS = (b" ", b"\t", b"\r")
"""What Git treats as blanks, apart from the line end."""

_COMMENT_CANDIDATES = frozenset(b"#;@!$%^&|:")
"""The characters from which ``core.commentChar=auto`` chooses."""


def keeping(message: bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The options for Git and for ``git commit`` with which the commit gets exactly this message.

    The mode is ``whitespace`` where that changes nothing about the message, so that what a hook
    adds is cleaned up in the usual way; else ``verbatim``.

    Args:
        message: The whole message, UTF-8.
    """
    settings: list[str] = []
    if not message.isascii():
        settings += ("-c", "i18n.commitEncoding=UTF-8")
    if _COMMENT_CANDIDATES.issubset(message):
        settings += ("-c", "core.commentChar=#")  # in these modes no line is a comment
    mode = "whitespace" if _is_clean(message) else "verbatim"
    return tuple(settings), (f"--cleanup={mode}", "--no-verbose")


def _is_clean(message: bytes) -> bool:
    """Whether ``git stripspace`` would leave a message alone."""
    lines = message.split(b"\n")
    if len(lines) < 2 or lines.pop() or not lines[0] or not lines[-1]:
        return False
    blank = False
    for line in lines:
        if line.endswith(_BLANKS) or (blank and not line):
            return False
        blank = not line
    return True
