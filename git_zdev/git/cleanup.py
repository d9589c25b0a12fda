"""How to make ``git commit`` take a message as it is.

By its settings Git cleans up a message that it reads from a file (git-commit(1), ``--cleanup``; all
of it tried with Git 2.39):

``commit.cleanup=strip``
    takes out the lines that begin with ``core.commentChar``, which may be a letter, or a text of
    several characters in newer versions: a subject, or a trailer, is lost.
``whitespace``, ``scissors`` and ``default``
    without an editor take out blanks at the ends of lines and superfluous blank lines.
``commit.verbose``
    cuts the message off at a line of scissors, in every mode, although without an editor it shows
    nothing.
``core.commentChar=auto``
    fails where the message uses up the characters that Git would choose from, in every mode.
``i18n.commitEncoding``
    says of the bytes that they are in that encoding, and changes nothing about them.

What hooks make of a message afterwards is theirs, whatever the mode.
"""

from __future__ import annotations

_BLANKS = (b" ", b"\t", b"\r")
"""What Git takes for blanks, besides the line end."""

_COMMENT_CANDIDATES = frozenset(b"#;@!$%^&|:")
"""The characters from which ``core.commentChar=auto`` chooses."""


def keeping(message: bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The options of Git, and those of ``git commit``, with which the commit has this message.

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
