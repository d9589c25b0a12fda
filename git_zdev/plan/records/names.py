"""Names and lines: the small words of the record format, and the rules that they keep."""

from __future__ import annotations

from git_zdev.ground.text import is_control, is_surrogate

SEGMENT_LIMIT = 80
"""Most bytes of an area tag, a task key or a slice key."""

NUMBER_LIMIT = 18
"""Most digits of the number in a task id; enough for ever, and no number is too long to read."""

SLUG_LIMIT = 60
"""Most bytes of a task file's slug."""

_SEGMENT = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_ALPHANUMERIC = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_DIGITS = frozenset("0123456789")
_HEX = "0123456789abcdef"
_FORBIDDEN_IN_BRANCH = frozenset(" ~^:?*[\\\x7f") | {chr(code) for code in range(32)}


def is_segment(value: str) -> bool:
    """Whether ``value`` may be an area tag, a task key or a slice key."""
    return (
        0 < len(value) <= SEGMENT_LIMIT
        and _SEGMENT.issuperset(value)
        and value[0] != "-"
        and value[-1] != "-"
    )


def is_line(value: str) -> bool:
    """Whether ``value`` is one line of text: not blank, no C0 or C1 control character, UTF-8."""
    return not (value.isspace() or not value) and (
        value.isprintable() or not any(is_control(one) or is_surrogate(one) for one in value)
    )


def is_commit_id(value: str) -> bool:
    """Whether ``value`` is a full lowercase object id (SHA-1 or SHA-256)."""
    return len(value) in {40, 64} and not value.strip(_HEX)


def is_branch_name(value: str) -> bool:
    """Whether Git would create ``refs/heads/<value>`` (git-check-ref-format), and it is UTF-8."""
    if any(map(is_surrogate, value)):
        return False
    if value.startswith("-") or value in {"", "@", "HEAD"} or value.endswith("."):
        return False
    if ".." in value or "@{" in value or not _FORBIDDEN_IN_BRANCH.isdisjoint(value):
        return False
    return all(
        part and not part.startswith(".") and not part.endswith(".lock")
        for part in value.split("/")
    )


def task_number(area: str, task_id: str) -> int | None:
    """The number in ``<area>-<number>``, None when ``task_id`` has another form."""
    prefix = len(area) + 1
    digits = task_id[prefix:]
    if not task_id.startswith(f"{area}-") or not 0 < len(digits) <= NUMBER_LIMIT:
        return None
    return int(digits) if _DIGITS.issuperset(digits) else None


def task_id(area: str, number: int) -> str:
    """The id of the task with that number: at least three digits."""
    return f"{area}-{number:03d}"


def slug(title: str) -> str:
    """A title as part of a file name: ASCII letters and digits, other runs as one hyphen."""
    kept = "".join(
        character if character in _ALPHANUMERIC else " "
        for character in (letter.lower() if letter.isascii() else " " for letter in title)
    )
    return "-".join(kept.split())[:SLUG_LIMIT].rstrip("-") or "task"


def task_file_name(number: int, title: str) -> str:
    """``<number>-<slug>.md``, the number with at least three digits."""
    return f"{number:03d}-{slug(title)}.md"


def file_number(name: str) -> int | None:
    """The number of a task file's name, None when the name is not ``<number>-<slug>.md``."""
    digits, hyphen, rest = name.partition("-")
    slug_text, dot, extension = rest.partition(".")
    well_formed = (
        hyphen
        and dot
        and extension == "md"
        and slug_text
        and _SEGMENT.issuperset(slug_text)
        and 3 <= len(digits) <= NUMBER_LIMIT
        and _DIGITS.issuperset(digits)
    )
    return int(digits) if well_formed else None
