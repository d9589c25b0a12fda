"""Change ids: a name for a change that survives rebasing and rewording.

A change id is ``Z`` and 64 lowercase hexadecimal digits from the system's random source. The
commit message carries it as the trailer ``Zdev-Change-Id``.
"""

from __future__ import annotations

import os

from git_zdev.git import trailers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


TOKEN = "Zdev-Change-Id"  # noqa: S105 - a trailer's token, not a secret
_LENGTH = 65
_DIGITS = frozenset("0123456789abcdef")


def new_change_id() -> str:
    """A new, random change id."""
    return f"Z{os.urandom(32).hex()}"


def is_change_id(text: str) -> bool:
    """Whether a text has the form of a change id."""
    return len(text) == _LENGTH and text.startswith("Z") and _DIGITS.issuperset(text[1:])


def change_id_of(message: str) -> str | None:
    """The change id in a commit message; the last one if there are several, None without any."""
    found = [value for value in trailers.values(message, TOKEN) if is_change_id(value)]
    return found[-1] if found else None


def told_of(given: str, carried: str | None) -> tuple[str, ...]:
    """The note about a new commit that lost its change id or carries another.

    Args:
        given: The id in the message that was passed to Git.
        carried: The id in the commit, or None.
    """
    if carried == given:
        return ()
    if carried is None:
        return ("Note: a hook took the change id out of the message",)
    return ("Note: a hook put another change id into the message",)


def with_change_id(message: str, change_id: str) -> str:
    """The message with the trailer added to its trailer block, or to a new block."""
    return trailers.append(message, TOKEN, change_id)


def compose_message(subject: str, paragraphs: Iterable[str], change_id: str) -> str:
    """Compose a commit message of a subject line, further paragraphs and the change id.

    Args:
        subject: One line.
        paragraphs: Texts to separate by blank lines, as ``git commit -m … -m …`` does.
        change_id: The id to carry.
    """
    parts = [text.strip("\n") for text in (subject, *paragraphs)]
    return with_change_id("\n\n".join(part for part in parts if part.strip()), change_id)
